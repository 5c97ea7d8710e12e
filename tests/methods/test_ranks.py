"""Two processes train as one does: the same losses, gradients and fields, also of batches that can't be halved."""

import os
import socket
from functools import partial

import pytest
import torch
from smooth_data import declaration, smooth_slices
from torch.multiprocessing.spawn import start_processes

from lieapp.config import DiscoverConfig, Flow, Gradient
from lieapp.errors import ConfigError
from lieapp.methods.by_descent import descent
from lieapp.methods.loop import Alone, train
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import Projection, Settings
from lieapp.numerics import ranks
from lieapp.numerics.torchrun import launch
from lieapp.pde.domain import PDEDomain

SIZE, STEPS = 2, 4


class Rows(Alone):
    def __init__(self):
        super().__init__()
        self.rows = []

    def metrics(self, row):
        self.rows.append(row)


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


def trained(name, seed=0):
    domain = PDEDomain(declaration("kdv"))
    training = TRAININGS[name](domain, domain.split(smooth_slices(domain, 8, seed=1), 6), seed)
    session = Rows()
    train(training, STEPS, [], None, session)
    return session.rows, {key: value for key, value in training.state().items() if key != "generator"}


def member(rank, name, port, folder):
    os.environ |= {
        "RANK": str(rank), "WORLD_SIZE": str(SIZE), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }  # fmt: skip
    with ranks.together(launch()):
        try:
            # another seed: what doesn't lead takes the first one's state
            found = trained(name, seed=rank)
        except ConfigError as error:
            found = error.message
    torch.save(found, f"{folder}/{rank}.pt")


def together(name, folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start_processes(member, (name, port, str(folder)), nprocs=SIZE, start_method="spawn")
    return [torch.load(folder / f"{rank}.pt") for rank in range(SIZE)]


@pytest.mark.parametrize("name", ["projection", "gradient", "flow"])
def test_two_processes_train_as_one(tmp_path, name):
    rows, state = trained(name)
    (found, first), (silent, second) = together(name, tmp_path)
    assert silent == []
    for one, two in zip(rows, found, strict=True):
        for key in set(one) - {"seconds"}:
            torch.testing.assert_close(two[key], one[key], rtol=1e-8, atol=1e-10, msg=f"{key} at {one['step']}")
    for key, value in state.items():
        torch.testing.assert_close(first[key], value, rtol=1e-6, atol=1e-8, msg=key)
        assert torch.equal(first[key], second[key]), key


def test_a_batch_with_fewer_pieces_than_processes_is_refused(tmp_path):
    for told in together("fewer", tmp_path):
        assert told.startswith("batch = 1: torchrun started 2 processes")


def test_alone_nothing_passes_through_a_process_group():
    numbers = torch.arange(5.0)
    with ranks.stepping():
        assert ranks.totals(numbers)[0] is numbers and ranks.own(numbers) is numbers
        assert ranks.mean(numbers, 3) is numbers and ranks.first(numbers) is numbers
    assert ranks.size() == 1 and not ranks.follows() and launch() is None
