"""Classifiers of torchvision as bodies of extractors: everything before their last linear layer.

Weights come from a local file: safetensors, or a file that torchvision publishes, known by its checksum. Nothing is
downloaded.
"""

from __future__ import annotations

import hashlib
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from lieapp.errors import ConfigError, DataError

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet's channels; what torchvision's published weights expect unless they say otherwise."""

AUXILIARY = ("googlenet", "inception_v3")
"""Networks with further heads for their own training, which are left out."""


def torchvision_body(kind: str, weights: Path | None = None) -> tuple[nn.Module, int]:
    """A classifier by torchvision's name without its last linear layer, and how many features it makes.

    Raises ConfigError for a name that torchvision doesn't have or a network without such a layer, DataError for
    weights that don't fit.
    """
    check_name(kind)
    from torchvision.models import get_model

    network = get_model(kind, **({"aux_logits": False, "init_weights": True} if kind in AUXILIARY else {}))
    if weights is not None:
        _fill(network, kind, weights)
    layers = [name for name, layer in network.named_modules() if isinstance(layer, nn.Linear)]
    if not layers:
        raise ConfigError(
            f"{kind}: the network doesn't end with a linear layer, before which features could be taken.",
            hint="Choose one that does, such as resnet50.",
        )
    count = int(network.get_submodule(layers[-1]).in_features)
    network.set_submodule(layers[-1], nn.Identity())
    return network, count


def check_name(kind: str) -> None:
    """Raises ConfigError for a classifier that torchvision doesn't have."""
    # torchvision takes three seconds to import
    from torchvision import models

    known = models.list_models(module=models)
    if kind not in known:
        near = get_close_matches(kind, [*known, "small"], n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        raise ConfigError(
            f"no network is called {kind!r}{meant}",
            hint="Set network to small, resnet18 or a classifier of torchvision, such as resnet50.",
        )


def expected_normalisation(kind: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of the channels that the published weights of a classifier were trained with."""
    from torchvision.models import get_model_weights

    transforms = next(iter(get_model_weights(kind))).transforms()
    return tuple(getattr(transforms, "mean", MEAN)), tuple(getattr(transforms, "std", DEVIATION))


def _fill(network: nn.Module, kind: str, file: Path) -> None:
    """Put weights from a file into a classifier; those of heads for training only, and the last layer, may miss."""
    found = _read(file, kind)
    own = network.state_dict()
    missing = [name for name in own if name not in found]
    odd = [name for name in own if name in found and found[name].shape != own[name].shape]
    if missing or odd:
        name = (missing or odd)[0]
        what = "isn't there" if missing else f"has shape {list(found[name].shape)}, not {list(own[name].shape)}"
        raise DataError(
            f"{file}: not the weights of {kind}: {name} {what}.",
            hint="Give the file that belongs to this network, with all its layers.",
        )
    network.load_state_dict({name: found[name] for name in own})


def _read(file: Path, kind: str) -> dict[str, Tensor]:
    try:
        if file.suffix == ".safetensors":
            return load_file(file)
        _check_published(file, kind)
        found: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise DataError(f"{file}: weights can't be read: {error}.", hint="Fetch the file again.") from None
    return found


def _check_published(file: Path, kind: str) -> None:
    """Pickles are opened only if they are files that torchvision publishes: their names hold their checksums."""
    from torchvision.models import get_model_weights

    names = [str(weights.url).rsplit("/", 1)[-1] for weights in get_model_weights(kind)]
    starts = [found[1] for name in names if (found := re.search(r"-([0-9a-f]{8,})\.pth$", name))]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if not any(digest.startswith(start) for start in starts):
        raise DataError(
            f"{file}: neither safetensors nor a file of weights that torchvision publishes for {kind}.",
            hint=f"Give {' or '.join(names)} unchanged, or write the weights with safetensors.torch.save_file.",
        )
