"""A classifier learns, goes on from a checkpoint bit for bit, and survives its file."""

import numpy as np
import pytest
import torch

from lieapp.augment.classifier import ClassifierTraining, Recipe, accuracy
from lieapp.config_training import READY
from lieapp.data.images.pictures import make_pictures
from lieapp.errors import ConfigError, DataError, DiscoveryError
from lieapp.pictures.extractor import Extractor, Shape, extractor_bytes, read_extractor
from lieapp.results.training import Network

RECIPE = Recipe(epochs=3, batch=16, rate=0.01, optimizer="adam", flip=True)


@pytest.fixture
def bars():
    """Horizontal and vertical bars in noise, at places of their own: 128 pictures of 12 x 10."""
    generator = np.random.default_rng(0)
    labels = np.arange(128) % 2
    pixels = generator.random((128, 1, 12, 10)) * 0.3
    for n, label in enumerate(labels):
        place = generator.integers(2, 8)
        if label:
            pixels[n, 0, place] += 0.7
        else:
            pixels[n, 0, :, place] += 0.7
    return make_pictures(pixels, labels, ("upright", "level"), "bars")


def extractor(pictures, kind="small", base=8):
    torch.manual_seed(0)
    network = Extractor(kind, Shape(*pictures.shape, len(pictures.names)), base)
    network.normalise_by(pictures.pixels)
    return network


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_it_learns_to_tell_bars_apart(bars, optimizer):
    learn, judge = bars.split(0.25, 0)
    training = ClassifierTraining(extractor(learn), learn, Recipe(6, 16, 0.02, optimizer, True), 0)
    before = accuracy(training.extractor, judge)[0]
    for _ in range(training.steps):
        row = training.step()
    share, loss = accuracy(training.extractor, judge)
    assert before < 0.7 and share > 0.95 and loss < 0.4
    assert row["epoch"] == 6 and training.done == training.steps == 36


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_resumed_training_takes_the_same_steps(bars, optimizer):
    recipe = Recipe(2, 16, 0.01, optimizer, True)
    whole, parts = (ClassifierTraining(extractor(bars), bars, recipe, 3) for _ in range(2))
    rows = [whole.step() for _ in range(12)]
    assert [parts.step() for _ in range(5)] == rows[:5]
    resumed = ClassifierTraining(extractor(bars), bars, recipe, 99)
    resumed.load(parts.state())
    assert [resumed.step() for _ in range(7)] == rows[5:]


@pytest.mark.slow
def test_what_a_network_drops_at_random_is_of_the_seed(bars):
    """EfficientNet drops whole layers while it is trained, by torch's own generator."""

    def losses(noise, seed=0, state=None):
        torch.manual_seed(0)
        network = Extractor(READY, Shape(*bars.shape, 2))
        training = ClassifierTraining(network, bars, RECIPE, seed)
        if state is not None:
            training.load({key: tensor.clone() for key, tensor in state.items()})
        torch.manual_seed(noise)
        before = torch.random.get_rng_state()
        found = [training.step()["loss"] for _ in range(2)]
        assert torch.equal(torch.random.get_rng_state(), before)
        return found, training.state()

    first, state = losses(1)
    assert losses(2)[0] == first != losses(1, seed=1)[0]
    further, _ = losses(1, state=state)
    assert losses(2, seed=99, state=state)[0] == further


def test_rates_of_both_recipes():
    paper = Recipe(200, 128, 0.1, "sgd", True)
    assert [round(paper.rate_at(e / 200), 6) for e in (0, 59, 60, 119, 120, 160)] == [
        0.1, 0.1, 0.02, 0.02, 0.004, 0.0008,
    ]  # fmt: skip
    quick = [RECIPE.rate_at(share) / 0.01 for share in (0, 0.3, 1)]
    assert np.allclose(quick, [0.04, 1, 0.004])


def test_a_rate_that_explodes_is_said(bars):
    training = ClassifierTraining(extractor(bars), bars, Recipe(50, 16, 1e30, "sgd", False), 0)
    with pytest.raises(DiscoveryError, match="loss of the classifier"):
        for _ in range(40):
            training.step()


@pytest.mark.parametrize("kind", ["small", "resnet18"])
def test_a_file_gives_the_same_features(bars, tmp_path, kind):
    network = extractor(bars, kind).eval()
    (tmp_path / "n.safetensors").write_bytes(extractor_bytes(network, Network(accuracy=0.5)))
    found, facts = read_extractor(tmp_path / "n.safetensors")
    assert facts == Network(accuracy=0.5) and found.kind == kind and not found.training
    some = bars.pixels[:4]
    # what is read back has no gradients, and with gradients other kernels of torch are at work
    with torch.no_grad():
        assert torch.equal(found.features(some), network.features(some))
    assert found.features(some).shape == (4, 32 if kind == "small" else 512) and found(some).shape == (4, 2)


def test_resnet18_has_the_stem_for_small_pictures():
    network = Extractor("resnet18", Shape(3, 32, 32, 10)).body
    assert network.conv1.stride == (1, 1) and network.conv1.kernel_size == (3, 3)
    # He 2016 with a stem of 3 x 3 instead of 7 x 7: 11,173,962 with its classifier of 5130
    assert sum(p.numel() for p in network.parameters()) == 11_168_832


def test_normalised_features_don_t_depend_on_brightness_and_contrast(bars):
    plain, dark = (extractor(bars).eval() for _ in range(2))
    dark.normalise_by(0.5 * bars.pixels + 0.1)
    assert torch.allclose(plain.features(bars.pixels), dark.features(0.5 * bars.pixels + 0.1), atol=1e-4)


def test_what_doesn_t_fit(bars, tmp_path):
    with pytest.raises(ConfigError, match="'large'"):
        Extractor("large", Shape(1, 8, 8, 2))
    with pytest.raises(DataError, match="trained on 1 x 12 x 10"):
        extractor(bars).check_fits((3, 12, 10), "photographs")
    extractor(bars).check_fits(bars.shape, "bars")
    file = tmp_path / "n.safetensors"
    for content in (b"", b"no file of that kind", extractor_bytes(extractor(bars), Network())[:-4]):
        file.write_bytes(content)
        with pytest.raises(DataError, match="not a trained network"):
            read_extractor(file)
