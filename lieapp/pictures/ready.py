"""Features of a ready network, for pictures of any size, grey or RGB; and what is known of the network."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.config_pictures import DiscoverPictures
from lieapp.data.images.pictures import Pixels
from lieapp.errors import DataError, LieappError, PluginError
from lieapp.extension import ReadyNetwork
from lieapp.pictures.extractor import input_size, resized
from lieapp.pictures.offered import RANDOM, named
from lieapp.results.training import Network, Origin


class Ready(nn.Module):
    """What a ready network sees of pictures with values in [0, 1]; it isn't trained.

    Args:
        body: features of RGB pictures of one size.
        name: of the network.
        size: rows and columns of that size; other pictures are enlarged bilinearly, or reduced.
    """

    def __init__(self, body: nn.Module, name: str, size: tuple[int, int]) -> None:
        super().__init__()
        self.body, self.name, self.size = body, name, size
        self.eval().requires_grad_(False)

    def forward(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        found: Tensor = self.body(resized(pixels.expand(-1, 3, -1, -1), self.size))
        return found

    def extra_repr(self) -> str:
        # weights of pixels are kept under it
        return f"{self.name}, {self.size}"


def ready_network(config: DiscoverPictures, shape: tuple[int, int, int]) -> tuple[Ready, Network]:
    """The network that the settings name, for pictures of a shape (channels, rows, columns); what is known of it.

    Raises ConfigError for one that isn't offered, DataError for weights or pictures that don't fit, PluginError
    for a plugin's network that fails.
    """
    network = named(config.networks, config.network)
    assert network.build is not None
    size = input_size(*shape[1:], config.side, network.sides)
    weights = Path(config.weights) if config.weights and config.weights != RANDOM else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        body = _made(network, size, weights)
    found = Ready(body, network.name, size)
    _try(found, shape)
    return found, Network(network=network.name, input=list(size), origin=_origin(network, config.weights))


def _made(network: ReadyNetwork, size: tuple[int, int], weights: Path | None) -> nn.Module:
    assert network.build is not None
    try:
        body: Any = network.build(*size, weights)
    except LieappError:
        raise
    except Exception as error:  # a plugin's own code may raise anything
        raise PluginError(
            f"network {network.name}: build failed for pictures of {size[0]} x {size[1]} pixels: "
            f"{type(error).__name__}: {error}",
            hint="build(height, width, weights) returns a torch module; set side to a size that it takes.",
        ) from error
    if not isinstance(body, nn.Module):
        raise PluginError(
            f"network {network.name}: build returned {type(body).__name__}; it must return a torch module.",
            hint="build(height, width, weights) returns a torch.nn.Module of RGB pictures.",
        )
    return body


def _try(network: Ready, shape: tuple[int, int, int]) -> None:
    """Raises DataError unless the features of a picture are a list of numbers."""
    try:
        with torch.no_grad():
            found = network.body(torch.zeros(1, 3, *network.size))
    except Exception as error:  # a plugin's own code may raise anything
        raise DataError(
            f"{network.name}: it can't take pictures of {network.size[0]} x {network.size[1]} pixels, to which "
            f"those of {shape[1]} x {shape[2]} are resized: {error}",
            hint="Set side to the size it was made for, such as 224, use square pictures, or another network.",
        ) from None
    if not isinstance(found, Tensor) or found.ndim != 2 or len(found) != 1:
        what = list(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise DataError(
            f"{network.name}: features of one picture are {what}; expected is a tensor (picture, feature).",
            hint="Choose another network, such as resnet50.",
        )


def _origin(network: ReadyNetwork, weights: str) -> Origin:
    """Where it comes from; an accuracy is only that of weights that are known."""
    if weights and weights != RANDOM:
        found = from_file(network.title, weights)
    else:
        packages = " and ".join(map(_with_version, network.packages.values())) or "a plugin"
        found = Origin(title=network.title, source="random weights" if weights else packages)
    if weights != RANDOM:
        found.accuracy, found.published = network.accuracy, network.published or None
    return found


def from_file(title: str, file: str) -> Origin:
    """The origin of a network whose numbers are in a file."""
    return Origin(title=title, source=file, sha256=hashlib.sha256(Path(file).read_bytes()).hexdigest())


def _with_version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
