"""Classifiers of torchvision and timm without their last layer, with weights from local files.

Weights are safetensors, or of torchvision a file that it publishes, known by its checksum. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from lieapp.data.images.pictures import Pixels
from lieapp.errors import ConfigError, DataError
from lieapp.extension import ReadyNetwork

SIDE = 224
"""Of pictures, where a network doesn't state it."""

IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
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
        _fill(network, kind, weights, _read(kind, weights, _check_published))
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


def _read(kind: str, file: Path, check: Callable[[Path, str], None]) -> dict[str, Tensor]:
    """The weights in a file; `check` raises DataError for a pickle that can't be trusted."""
    try:
        if file.suffix == ".safetensors":
            return load_file(file)
        check(file, kind)
        found: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise DataError(f"{file}: weights can't be read: {error}.", hint="Download the file again.") from None
    return found


def _fill(network: nn.Module, kind: str, file: Path, found: Mapping[str, Tensor]) -> None:
    """Put the weights of a file into a classifier; those of layers that it doesn't have may be there too."""
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


class Normalised(nn.Module):
    """Pictures with another mean and deviation, of each channel or of all, as a network expects them."""

    mean: Float[Tensor, "channel 1 1"]
    deviation: Float[Tensor, "channel 1 1"]

    def __init__(self, mean: Sequence[float], deviation: Sequence[float]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean)[:, None, None])
        self.register_buffer("deviation", torch.tensor(deviation)[:, None, None])

    def forward(self, pixels: Pixels) -> Pixels:
        return (pixels - self.mean) / self.deviation


def expected(kind: str) -> tuple[Sequence[float], Sequence[float], int]:
    """Mean and deviation of channels that torchvision's published weights expect, and the side of pictures."""
    from torchvision.models import get_model_weights

    transforms = next(iter(get_model_weights(kind))).transforms()
    mean, deviation = (getattr(transforms, name, usual) for name, usual in IMAGENET.items())
    return mean, deviation, getattr(transforms, "crop_size", [SIDE])[0]


def torchvision_names() -> list[str]:
    """The classifiers that torchvision has."""
    # torchvision takes three seconds to import
    from torchvision import models

    return list(models.list_models(module=models))


def torchvision_member(kind: str) -> ReadyNetwork:
    """A classifier of torchvision as a ready network."""
    mean, deviation, side = expected(kind)

    def build(height: int, width: int, weights: Path | None) -> nn.Module:
        return nn.Sequential(Normalised(mean, deviation), torchvision_body(kind, weights)[0])

    return ReadyNetwork(
        name=kind, title=f"Torchvision's {kind}.", build=build, sides=(side, side), takes_weights=True,
        packages={"torchvision": "torchvision"},
    )  # fmt: skip


def timm_names() -> list[str]:
    """The networks that timm has, without and with the names of their weights."""
    import timm

    return [*timm.list_models(), *timm.list_pretrained()]


def timm_member(kind: str) -> ReadyNetwork:
    """A network of timm as a ready one."""
    import timm

    known = timm.get_pretrained_cfg(kind)
    sides = known.input_size[1:] if known else (SIDE, SIDE)

    def build(height: int, width: int, weights: Path | None) -> nn.Module:
        network = timm.create_model(kind, pretrained=False, num_classes=0)
        if weights is not None:
            _fill(network, f"timm:{kind}", weights, _read(kind, weights, _refuse_pickle))
        # a network without published weights has the usual normalisation
        mean, deviation = (known.mean, known.std) if known else IMAGENET.values()
        return nn.Sequential(Normalised(mean, deviation), network)

    return ReadyNetwork(
        name=f"timm:{kind}", title=f"Timm's {kind}.", build=build, sides=(min(sides), min(sides)),
        takes_weights=True, packages={"timm": "timm"},
    )  # fmt: skip


def _refuse_pickle(file: Path, kind: str) -> None:
    raise DataError(
        f"{file}: not safetensors; other files of weights could run code when they are opened.",
        hint=f"Give the file model.safetensors that is published for {kind}.",
    )
