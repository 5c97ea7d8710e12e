"""Two processes that meet as torchrun's do, and what each of them finds."""

import os
import socket

import torch
from torch.multiprocessing.spawn import start_processes

from lieapp.methods.loop import Alone, train
from lieapp.numerics import ranks
from lieapp.numerics.torchrun import launch

SIZE = 2


class Rows(Alone):
    """A session that keeps the metrics."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def metrics(self, row):
        self.rows.append(row)


def trained(training, steps):
    """The rows of a training and its state."""
    session = Rows()
    train(training, steps, [], None, session)
    return session.rows, {key: value for key, value in training.state().items() if key != "generator"}


def together(work, folder, *arguments):
    """What `work(*arguments, seed)` returns in each process, each with a seed of its own; tensors and numbers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start_processes(_member, (work, arguments, port, str(folder)), nprocs=SIZE, start_method="spawn")
    return [torch.load(folder / f"{rank}.pt") for rank in range(SIZE)]


def _member(rank, work, arguments, port, folder):
    told = {
        "RANK": rank, "WORLD_SIZE": SIZE, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": SIZE,
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
    }  # fmt: skip
    os.environ |= {name: str(value) for name, value in told.items()}
    with ranks.together(launch()):
        torch.save(work(*arguments, rank), f"{folder}/{rank}.pt")


def check_same(alone, both, rtol, atol):
    """Two processes recorded what one did, the first of them alone, and both ended with its parameters."""
    (rows, state), ((found, first), (silent, second)) = alone, both
    assert silent == [] and len(found) == len(rows)
    for one, two in zip(rows, found, strict=True):
        for key in set(one) - {"seconds"}:
            torch.testing.assert_close(two[key], one[key], rtol=rtol, atol=atol, msg=f"{key}, step {one['step']}")
    for key, value in state.items():
        torch.testing.assert_close(first[key], value, rtol=100 * rtol, atol=100 * atol, msg=key)
        assert torch.equal(first[key], second[key]), key
