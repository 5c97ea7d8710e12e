"""Feature extractors: H: picture -> features, with a linear classifier on top while they are trained.

A network of our own, a classifier of torchvision, or EfficientNet-Lite0, whose layers are those of a package. It is
kept as one safetensors file with JSON in its header.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn import functional

from lieapp.config_training import READY
from lieapp.data.images.pictures import Pixels
from lieapp.errors import ConfigError, DataError, LieappError
from lieapp.pictures.classifiers import expected, torchvision_body
from lieapp.pictures.efficientnet import COUNT, HALF, MIDDLE, Folded, Layers
from lieapp.pictures.offered import EFFICIENTNET
from lieapp.reading import facts_in
from lieapp.results.training import Network

DEVIATION = 1e-3
"""Smallest standard deviation of a channel that is divided by."""

CHUNK = 128
"""Pictures that features are taken of at a time."""

PictureFeatures = Callable[[Pixels], Float[Tensor, "batch feature"]]
"""Of pictures, differentiable."""


def input_size(height: int, width: int, side: int, made_for: tuple[int, int] | None = None) -> tuple[int, int]:
    """Rows and columns of pictures as they enter a network.

    Args:
        side: of the shorter one; 0 leaves it as it is, or takes the nearest that is `made_for`.
        made_for: smallest and largest side that the network was made for.
    """
    own = min(height, width)
    ratio = (side or (min(max(own, made_for[0]), made_for[1]) if made_for else own)) / own
    return round(ratio * height), round(ratio * width)


def resized(pixels: Pixels, size: tuple[int, int]) -> Float[Tensor, "batch channel rows columns"]:
    """Pictures enlarged bilinearly, or reduced without aliases."""
    height, width = pixels.shape[2:]
    if (height, width) == size:
        return pixels
    smaller = size[0] < height or size[1] < width
    found: Tensor = functional.interpolate(pixels, size=size, mode="bilinear", antialias=smaller)
    return found


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
        kind: one of `OWN_NETWORKS` or `READY` of `lieapp.config_pictures`, or a classifier of torchvision.
        shape: of pictures and classes.
        base: channels of the small network's first layer; unused by others.
        side: pixels that the shorter side of pictures is resized to first; 0 leaves them as they are, or of `READY`
            chooses a size that it was made for.
        published: torchvision's own layers, also of resnet18, whose stem for small pictures fits no weights.

    Raises ConfigError for a name that isn't known.
    """

    mean: Float[Tensor, "channel 1 1"]
    deviation: Float[Tensor, "channel 1 1"]

    def __init__(self, kind: str, shape: Shape, base: int = 16, side: int = 0, published: bool = False) -> None:
        super().__init__()
        self.kind, self.shape, self.base, self.side, self.published = kind, shape, base, side, published
        self.channels = shape.channels
        self.size = input_size(shape.height, shape.width, side)
        if kind == "small":
            self.body, self.count = _small(shape, base)
        elif kind == "resnet18" and not published:
            self.body, self.count = _resnet18(shape)
        elif kind == READY:
            self.size = input_size(shape.height, shape.width, side, EFFICIENTNET.sides)
            self.body, self.count, self.channels = Layers(*self.size), COUNT, 3
        else:
            self.body, self.count = torchvision_body(kind)
            self.channels = 3
        self.frame: nn.Linear | None = None
        self.head = nn.Linear(self.count, shape.classes)
        self.register_buffer("mean", torch.full((self.channels, 1, 1), 0.5))
        self.register_buffer("deviation", torch.full((self.channels, 1, 1), 0.5))
        if kind == READY:
            self._normalise(MIDDLE, HALF)

    def take_weights(self, file: Path) -> None:
        """The body's weights from a local file, and the normalisation they expect.

        Raises DataError if they can't be read or don't fit.
        """
        self.body, _ = torchvision_body(self.kind, file)
        self._normalise(*expected(self.kind)[:2])

    def _normalise(self, mean: Sequence[float], deviation: Sequence[float]) -> None:
        """Take the mean and the deviation of channels that weights expect."""
        self.mean.copy_(torch.tensor(mean)[:, None, None])
        self.deviation.copy_(torch.tensor(deviation)[:, None, None])

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

    def only_used(self) -> Extractor:
        """This, for features that aren't trained any more, sooner computed."""
        self.fold()
        return self.eval().requires_grad_(False)

    def fold(self) -> None:
        """Take normalisations into the convolutions before them, where the layers are those of `READY`."""
        if isinstance(self.body, Layers):
            self.body = Folded(self.body)

    def features(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        """H(f), what the classifier sees."""
        pixels = resized(pixels.expand(-1, self.channels, -1, -1), self.size)
        found: Tensor = self.body((pixels - self.mean) / self.deviation)
        return found if self.frame is None else self.frame(found)

    def keep_places(self) -> None:
        """Take features of an inner layer of `READY`, which still know places, as features."""
        self.fold()
        assert isinstance(self.body, Folded)
        self.body.keep_places()
        self.requires_grad_(False)

    def project(self, size: int, count: int) -> nn.Linear:
        """Make so many linear functions of the `size` features the features, for the caller to fill."""
        device = self.mean.device
        self.frame = nn.Linear(size, count).to(device).requires_grad_(False)
        self.head = nn.Linear(count, self.shape.classes).to(device).requires_grad_(False)
        return self.frame

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
        "published": extractor.published,
        "frame": None if extractor.frame is None else list(extractor.frame.weight.shape),
        "shape": asdict(extractor.shape), "facts": msgspec.to_builtins(facts),
    }  # fmt: skip
    tensors = {name: value.detach().cpu().contiguous() for name, value in extractor.state_dict().items()}
    return save(tensors, metadata={"extractor": json.dumps(header)})


def read_extractor(file: Path) -> tuple[Extractor, Network]:
    """The extractor, ready for use, and what is known of it.

    Raises DataError if the file isn't one of this version, ConfigError if the packages of its layers aren't there.
    """
    try:
        content = file.read_bytes()
        header = facts_in(content, "extractor", dict[str, Any])
        if header["version"] != VERSION:
            raise ValueError(f"it is of version {header['version']}, not {VERSION}")
        extractor = Extractor(
            header["kind"], Shape(**header["shape"]), header["base"], header["side"], header["published"]
        )
        if header.get("frame"):
            count, size = header["frame"]
            extractor.keep_places()
            extractor.project(size, count)
        extractor.load_state_dict(load(content))
        facts = msgspec.convert(header["facts"], Network)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError, LieappError) as error:
        if isinstance(error, ConfigError) and EFFICIENTNET.missing:
            raise
        raise DataError(
            f"{file}: not a trained network of this version of lieapp: {error}.",
            hint="Train one with `lieapp train`.",
        ) from None
    return extractor.eval().requires_grad_(False), facts
