"""Feature extractors: H: picture -> features, with a linear classifier on top while they are trained."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.errors import ConfigError, DataError

NETWORKS = ("small", "resnet18")

DEVIATION = 1e-3
"""Smallest standard deviation of a channel that is divided by."""


@dataclass(frozen=True)
class Shape:
    """What an extractor is made for.

    Args:
        channels, height, width: of its pictures.
        classes: that its classifier tells apart.
    """

    channels: int
    height: int
    width: int
    classes: int


class Extractor(nn.Module):
    """Features of pictures with values in [0, 1]; each channel is normalised inside.

    Args:
        kind: one of `NETWORKS`.
        shape: of pictures and classes.
        base: channels of the small network's first layer; unused by others.

    Raises ConfigError for a name that isn't known.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, kind: str, shape: Shape, base: int = 16) -> None:
        super().__init__()
        if kind not in NETWORKS:
            raise ConfigError(f"no network is called {kind!r}.", hint=f"Set network to {' or '.join(NETWORKS)}.")
        self.kind, self.shape, self.base = kind, shape, base
        self.body, count = _small(shape, base) if kind == "small" else _resnet18(shape)
        self.head = nn.Linear(count, shape.classes)
        self.register_buffer("mean", torch.full((shape.channels, 1, 1), 0.5))
        self.register_buffer("deviation", torch.full((shape.channels, 1, 1), 0.5))

    def normalise_by(self, pixels: Float[Tensor, "batch channel height width"]) -> None:
        """Take mean and standard deviation of each channel from the pictures to learn from."""
        self.mean.copy_(pixels.mean((0, 2, 3))[:, None, None])
        self.deviation.copy_(pixels.std((0, 2, 3)).clamp_min(DEVIATION)[:, None, None])

    def check_fits(self, shape: tuple[int, int, int], source: str) -> None:
        """Raises DataError for pictures of another size or number of channels than this was trained on."""
        own = (self.shape.channels, self.shape.height, self.shape.width)
        if shape != own:
            raise DataError(
                f"{source}: pictures of {_words(shape)}, but the network was trained on {_words(own)}.",
                hint="Train one on these pictures with `lieapp train`, or use pictures of that size.",
            )

    def features(self, pixels: Float[Tensor, "batch channel height width"]) -> Float[Tensor, "batch feature"]:
        """H(f), what the classifier sees."""
        found: Tensor = self.body((pixels - self.mean) / self.deviation)
        return found

    def forward(self, pixels: Float[Tensor, "batch channel height width"]) -> Float[Tensor, "batch class"]:
        """Scores of the classes."""
        found: Tensor = self.head(self.features(pixels))
        return found


Features = Callable[[Tensor], Tensor]
"""From pixels `batch channel height width` to features `batch feature`, differentiable."""


def _small(shape: Shape, base: int) -> tuple[nn.Module, int]:
    """Three convolutions of 3 x 3, twice halved by averaging, then the mean over what is left of the plane."""
    layers: list[nn.Module] = []
    widths = [shape.channels, base, 2 * base, 4 * base]
    for place, (inner, outer) in enumerate(itertools.pairwise(widths)):
        # averaging is smooth where a picture moves by part of a pixel, the maximum isn't
        layers += [nn.AvgPool2d(2)] if place else []
        layers += [nn.Conv2d(inner, outer, 3, padding=1, bias=False), nn.BatchNorm2d(outer), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten()), widths[-1]


def _resnet18(shape: Shape) -> tuple[nn.Module, int]:
    """ResNet-18 (He 2016) with the stem for small pictures: 3 x 3, stride 1, no pooling (paper, app. "Images")."""
    # torchvision takes three seconds to import
    from torchvision.models import resnet18

    network = resnet18(num_classes=shape.classes)
    count = int(network.fc.in_features)
    network.conv1 = nn.Conv2d(shape.channels, 64, 3, padding=1, bias=False)
    network.maxpool = nn.Identity()
    network.fc = nn.Identity()
    return network, count


def _words(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} x {shape[1]} x {shape[2]} (channels, height, width)"
