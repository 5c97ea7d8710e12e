"""Two processes train as one does: the same losses, gradients and fields, also of batches that can't be halved."""

from functools import partial

import pytest
import torch
from processes import check_same, together, trained
from smooth_data import declaration, smooth_slices

from lieapp.config import DiscoverConfig, Flow, Gradient
from lieapp.errors import ConfigError
from lieapp.methods.by_descent import descent
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import Projection, Settings
from lieapp.numerics import ranks
from lieapp.numerics.torchrun import Launch, launch
from lieapp.pde.domain import PDEDomain

STEPS = 4


def projection(batch, domain, data, seed):
    settings = Settings(slots=2, steps=STEPS, width=8, features=6, modes=1, batch=batch, rate=1e-2, floor=1e-2)
    return Projection(domain, data.draft, settings, seed)


def descending(settings, domain, data, seed):
    config = DiscoverConfig(plugin="kdv", slots=2, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = GeneratorNetwork(domain.arguments, len(domain.components), 2, 8, 4, 1)
    return descent(domain, data, network, settings, config, "cpu", True, STEPS)


TRAININGS = {
    "projection": partial(projection, 7),
    "gradient": partial(descending, Gradient(batch=5)),
    "flow": partial(descending, Flow(batch=3, patch_time=8, patch_space=16, sobolev_epochs=40, dtype="float64")),
    "fewer": partial(projection, 1),
}


def work(name, seed):
    domain = PDEDomain(declaration("kdv"))
    training = TRAININGS[name](domain, domain.split(smooth_slices(domain, 8, seed=1), 6), seed)
    try:
        return trained(training, STEPS)
    except ConfigError as error:
        return error.message


def every(seed):
    return {name: work(name, seed) for name in TRAININGS}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What each of two processes found, one training after the other."""
    return together(every, tmp_path_factory.mktemp("both"))


@pytest.mark.parametrize("name", ["projection", "gradient", "flow"])
def test_two_processes_train_as_one(both, name):
    check_same(work(name, 0), [found[name] for found in both], 1e-8, 1e-10)


def test_a_batch_with_fewer_pieces_than_processes_is_refused(both):
    for found in both:
        assert found["fewer"].startswith("batch = 1: torchrun started 2 processes")


def test_slices_too_large_for_a_batch_of_several_are_named(monkeypatch):
    domain = PDEDomain(declaration("kdv"))
    data = domain.split(smooth_slices(domain, 4, seed=1), 3)
    monkeypatch.setattr("lieapp.pde.data.MOST", 1)
    monkeypatch.setattr(ranks, "_places", [Launch(0, 2, 0, 2, "127.0.0.1", 29500)])
    with ranks.stepping(), pytest.raises(ConfigError, match=r"^of slices of \d+ points, a batch has 1: ") as told:
        data.train.draw(24, torch.Generator())
    assert "Lower the plugin's points" in told.value.hint


def test_alone_nothing_passes_through_a_process_group():
    numbers = torch.arange(5.0)
    with ranks.stepping():
        assert ranks.totals(numbers)[0] is numbers and ranks.own(numbers) is numbers
        assert ranks.mean(numbers, 3) is numbers and ranks.first(numbers) is numbers
    assert ranks.size() == 1 and not ranks.follows() and launch() is None
