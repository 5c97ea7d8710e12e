"""Classifiers of torchvision as extractors: their features, weights from local files, what doesn't fit."""

import hashlib
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import save_file
from torchvision import models

from lieapp.errors import ConfigError, DataError
from lieapp.pictures.classifiers import check_name, torchvision_body
from lieapp.pictures.extractor import (
    Extractor,
    Shape,
    extractor_bytes,
    read_extractor,
)
from lieapp.results.training import Network

KIND = "shufflenet_v2_x0_5"


@pytest.fixture
def network():
    torch.manual_seed(0)
    return models.get_model(KIND).eval()


@pytest.fixture
def file(network, tmp_path):
    save_file(network.state_dict(), tmp_path / "w.safetensors")
    return tmp_path / "w.safetensors"


def test_features_are_what_the_last_linear_layer_sees(network, file):
    body, count = torchvision_body(KIND, file)
    pixels = torch.rand(2, 3, 40, 48)
    assert body.eval()(pixels).shape == (2, count) == (2, 1024)
    assert torch.allclose(network.fc(body(pixels)), network(pixels), atol=1e-6)


@pytest.mark.parametrize("kind", ["mobilenet_v3_small", "mnasnet0_5"])
def test_others_have_features_too(kind):
    extractor = Extractor(kind, Shape(1, 33, 40, 4)).eval()
    extractor.check_size()
    assert extractor(torch.rand(2, 1, 33, 40)).shape == (2, 4)


def test_grey_pictures_are_repeated_normalised_and_resized(file):
    extractor = Extractor(KIND, Shape(1, 20, 30, 3), side=40, published=True).eval()
    extractor.take_weights(file)
    body, _ = torchvision_body(KIND, file)
    pixels = torch.rand(2, 1, 20, 30)
    large = torch.nn.functional.interpolate(pixels, size=(40, 60), mode="bilinear").expand(-1, 3, -1, -1)
    mean, deviation = (torch.tensor(v)[:, None, None] for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    expected = body.eval()((large - mean) / deviation)
    assert torch.allclose(extractor.eval().features(pixels), expected, atol=1e-5)


def test_a_file_of_it_gives_the_same_features(file, tmp_path):
    extractor = Extractor(KIND, Shape(3, 32, 32, 5), side=48, published=True)
    extractor.take_weights(file)
    pixels, labels = torch.rand(10, 3, 32, 32), torch.arange(10) % 5
    with torch.no_grad():
        extractor.eval().classify_by_means(pixels, labels)
        features = extractor.features(pixels)
        means = torch.stack([features[labels == n].mean(0) for n in range(5)])
        assert torch.equal(extractor(pixels).argmax(1), torch.cdist(features, means).argmin(1))
    (tmp_path / "n.safetensors").write_bytes(extractor_bytes(extractor, Network()))
    again, _ = read_extractor(tmp_path / "n.safetensors")
    # what is read back has no gradients, and with gradients other kernels of torch are at work
    with torch.no_grad():
        assert torch.equal(again(pixels), extractor(pixels)) and again.side == 48


def test_published_files_are_known_by_their_checksum(network, tmp_path, monkeypatch):
    torch.save(network.state_dict(), tmp_path / "w.pth")
    with pytest.raises(DataError, match="neither safetensors nor"):
        torchvision_body(KIND, tmp_path / "w.pth")
    digest = hashlib.sha256((tmp_path / "w.pth").read_bytes()).hexdigest()
    url = f"https://example.org/{KIND}-{digest[:8]}.pth"
    monkeypatch.setattr(models, "get_model_weights", lambda kind: [SimpleNamespace(url=url)])
    body, _ = torchvision_body(KIND, tmp_path / "w.pth")
    assert torch.equal(body.conv1[0].weight, network.conv1[0].weight)


def test_weights_that_don_t_fit(network, file, tmp_path):
    with pytest.raises(DataError, match="not the weights of shufflenet_v2_x1_0: stage2"):
        torchvision_body("shufflenet_v2_x1_0", file)
    save_file({"a": torch.zeros(1)}, tmp_path / "a.safetensors")
    with pytest.raises(DataError, match=r"conv1\.0\.weight isn.t there"):
        torchvision_body(KIND, tmp_path / "a.safetensors")
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(DataError, match="can't be read"):
        torchvision_body(KIND, file)


def test_names_and_networks_that_are_refused():
    with pytest.raises(ConfigError, match="did you mean resnet50"):
        check_name("resnet5")
    with pytest.raises(ConfigError, match="linear layer"):
        torchvision_body("squeezenet1_1")


def test_pictures_of_a_size_it_can_t_take():
    with pytest.raises(DataError, match="can't take pictures of 8 x 8 pixels"):
        Extractor("densenet121", Shape(3, 8, 8, 2)).check_size()
