"""The weight of pixels is measured once for a network and pictures, and again for others."""

import numpy as np
import pytest
import torch

from lieapp.data.images.pictures import make_pictures
from lieapp.pictures.extractor import Extractor, Shape
from lieapp.pictures.networks import fingerprint, kept_weight


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LIEAPP_CACHE", str(tmp_path))


@pytest.fixture
def pictures():
    return make_pictures(np.random.default_rng(0).random((6, 5, 5)), np.arange(6) % 2, None, "test")


def network(seed=0):
    torch.manual_seed(seed)
    return Extractor("small", Shape(1, 5, 5, 2), 4).eval()


def test_it_is_measured_once(pictures, tmp_path):
    calls = []

    def weight(pictures, features, settings=(1,), kind="pixels"):
        def measure():
            calls.append(1)
            return torch.full((5, 5), float(len(calls)))

        return kept_weight(kind, pictures, features, settings, measure)

    first, said = weight(pictures, network().features)
    again, told = weight(pictures, network().features)
    assert torch.equal(first, again) and len(calls) == 1
    assert said.startswith("weight of pixels: measured, kept") and "measured before" in told
    weight(pictures.take(torch.arange(5)), network().features)
    weight(pictures, network(1).features)
    weight(pictures, network().features, (2,))
    weight(pictures, network().features, kind="colours")
    assert len(calls) == 5
    for file in (tmp_path / "weights").iterdir():
        file.write_bytes(b"none")
    weight(pictures, network().features)
    weight(pictures, network().features)
    assert len(calls) == 6


def test_a_function_can_t_be_recognised(pictures):
    def features(pixels):
        return pixels.flatten(1)

    assert fingerprint(features) is None
    assert kept_weight("pixels", pictures, features, (), lambda: torch.ones(5, 5))[1].endswith("measured")


def test_a_network_is_known_by_its_numbers():
    one, same, other = network(), network(), network()
    with torch.no_grad():
        next(other.body.parameters()).view(-1)[0] += 1e-6
    assert fingerprint(one.features) == fingerprint(same.features) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)
