"""One training on several processes: each computes on its share of every batch.

All draw the same batches and have the same parameters. A sum over a batch is the sum of what processes have, and so
is its gradient, so losses are those of one process up to round-off. In one process, and outside `stepping`, numbers
pass through unchanged.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.rendezvous import rendezvous

from lieapp.errors import ConfigError, LostProcessError
from lieapp.numerics.torchrun import Launch, attempt, lacking, why

PATIENCE = timedelta(minutes=30)
"""How long processes wait for one of them, as for the first one while it judges fields."""

HERE = "here."
"""The key in torchrun's store under which a process says that it is there, with its number."""

GLANCE = 0.05
"""Seconds between two looks for the others."""

NOTICED = 1.0
"""Seconds in which torchrun notices that a process ended; it looks ten times a second."""

AGAIN = "Start all again with --resume."
"""The next step after a process ended."""

Value = TypeVar("Value")


class _State(threading.local):
    """Of one thread: what goes on beside a training is no part of it."""

    stepping = alone = False


_state = _State()
_places: list[Launch] = []
"""The place of this process once it has met the others."""


@contextlib.contextmanager
def together(place: Launch) -> Iterator[None]:
    """Meet the other processes. Raises LostProcessError if one doesn't come."""
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
    if torch.cuda.is_available() and place.local < torch.cuda.device_count():
        # one without a GPU computes on the CPU, or is refused by `find_device`
        torch.cuda.set_device(place.local)
    _places.append(place)
    try:
        _heard(lambda: _meet(place, backend))
        yield
        dist.destroy_process_group()
    finally:
        _places.pop()


def _meet(place: Launch, backend: str) -> None:
    """Wait for the others here: within torch a signal would be answered only once they have come."""
    store = dist.PrefixStore(attempt(), next(iter(rendezvous("env://", timeout=PATIENCE)))[0])
    store.set(f"{HERE}{place.rank}", "")
    until = time.monotonic() + PATIENCE.total_seconds()
    while not store.check([f"{HERE}{rank}" for rank in range(place.size)]):
        if time.monotonic() > until:
            raise RuntimeError("not all processes came")
        time.sleep(GLANCE)
    dist.init_process_group(backend, store=store, rank=place.rank, world_size=place.size, timeout=PATIENCE)


def size() -> int:
    """How many processes train together."""
    return _places[-1].size if _places and not _state.alone else 1


def follows() -> bool:
    """Whether this process only trains along with the first one."""
    return size() > 1 and _places[-1].rank > 0


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """In this block the first process works by itself."""
    before, _state.alone = _state.alone, True
    try:
        yield
    finally:
        _state.alone = before


@contextlib.contextmanager
def stepping() -> Iterator[None]:
    """A step of a training, which all processes do at once."""
    _state.stepping = size() > 1
    try:
        yield
    finally:
        _state.stepping = False


def shared() -> bool:
    """Whether this process has a share of a batch, as in a step of a training on several."""
    return _state.stepping


def own(indices: Tensor, limit: str = "") -> Tensor:
    """This process's share of a batch given by its indices.

    Args:
        limit: what makes the batch smaller than its setting, in words; empty if nothing does.

    Raises ConfigError if the batch has fewer pieces than there are processes.
    """
    if not _state.stepping:
        return indices
    if len(indices) < size():
        if limit:
            raise ConfigError(
                f"{limit}, a batch has {len(indices)}: torchrun started {size()}, and each process needs a piece.",
                hint="Lower the plugin's points, or start fewer with --nproc-per-node.",
            )
        raise lacking("batch", len(indices), size())
    return indices.tensor_split(size())[_places[-1].rank]


class _Total(torch.autograd.Function):
    """x -> Σ x over processes. Every process goes on to the same loss; `average` divides by their number."""

    @staticmethod
    def forward(ctx: Any, own: Tensor) -> Tensor:
        return _summed(own)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return _summed(gradient)


def totals(*parts: Tensor) -> tuple[Tensor, ...]:
    """Sums over the whole batch, from those over this process's share, by one message; differentiable."""
    if not _state.stepping:
        return parts
    whole: Tensor = _Total.apply(torch.cat([part.flatten() for part in parts]))
    pieces = whole.split([part.numel() for part in parts])
    return tuple(piece.reshape(part.shape) for piece, part in zip(pieces, parts, strict=True))


def mean(share: Tensor, count: int) -> Tensor:
    """The mean over the whole batch, from that over this process's share, which has `count` entries."""
    if not _state.stepping:
        return share
    total, number = totals(share * count, share.new_full((), count))
    return total / number


def average(parameters: Iterable[Tensor]) -> None:
    """Give all processes the mean of their gradients, by one message."""
    found = [p.grad for p in parameters if p.grad is not None]
    if not _state.stepping or not found:
        return
    whole = _summed(torch.cat([gradient.flatten() for gradient in found])) / size()
    for gradient, piece in zip(found, whole.split([g.numel() for g in found]), strict=True):
        gradient.copy_(piece.reshape(gradient.shape))


def agreed(value: Value) -> Value:
    """The value that the first process has."""
    if size() == 1:
        return value
    box = [value]
    _heard(lambda: dist.broadcast_object_list(box, src=0, device=torch.device("cpu")))
    return box[0]


def first(numbers: Tensor) -> Tensor:
    """The numbers that the first process has: eigenvectors differ from machine to machine."""
    if _state.stepping:
        numbers = numbers.contiguous()
        _heard(lambda: dist.broadcast(numbers, src=0))
    return numbers


def _summed(numbers: Tensor) -> Tensor:
    whole = numbers.detach().clone(memory_format=torch.contiguous_format)
    _heard(lambda: dist.all_reduce(whole))
    return whole


def _heard(speak: Callable[[], object]) -> None:
    """Raises LostProcessError if another process doesn't answer, with the reason if that one left word."""
    place = _places[-1]
    try:
        speak()
    except RuntimeError:
        _pass_over_the_end()
        message, hint = why(place) or (f"one of the {place.size} processes of torchrun ended.", "")
        raise LostProcessError(message, hint=f"{hint} {AGAIN}".strip()) from None


def _pass_over_the_end() -> None:
    """Torchrun sends SIGTERM once it has seen that a process ended: there is more to say and to keep than that."""
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(NOTICED)
        signal.signal(signal.SIGTERM, before)
