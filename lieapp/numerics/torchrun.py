"""What torchrun tells a process by its environment; and what processes tell each other when they end."""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lieapp.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from torch.distributed import PrefixStore

NUMBERS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT")
"""Variables that are whole numbers."""

WHY = "why"
"""The key in torchrun's store under which a process says why it ended."""

HERE = "process."
"""The key in torchrun's store under which a process says which one it is, with its number; empty once it ends."""

SPOKEN = "spoken"
"""The key in torchrun's store under which the first process says that it tells by itself why it ends."""

AT_ONCE = timedelta(seconds=5)
"""How long a store that may be gone is waited for."""


@dataclass(frozen=True)
class Launch:
    """One of several processes that torchrun started.

    Args:
        rank: the number of this one; 0 is the one that leads: it alone writes and prints.
        size: how many there are.
        local: the number of this one on its machine, and of its GPU; there are `beside` of them.
        address, port: of the store that all of them reach.
    """

    rank: int
    size: int
    local: int
    beside: int
    address: str
    port: int


def launch() -> Launch | None:
    """What torchrun says of this process; None if it runs alone.

    Raises UsageError for variables that torchrun never sets so.
    """
    if not {"RANK", "WORLD_SIZE"} & set(os.environ) or os.environ.get("WORLD_SIZE") == "1":
        return None
    rank, size, local, beside, port = map(_number, NUMBERS)
    if not 0 <= rank < size:
        raise _broken("RANK", f"is {rank}; it must be from 0 to {size - 1}, as WORLD_SIZE is {size}")
    if not os.environ.get("MASTER_ADDR"):
        raise _broken("MASTER_ADDR", "isn't set")
    return Launch(rank, size, local, beside, os.environ["MASTER_ADDR"], port)


def _number(name: str) -> int:
    text = os.environ.get(name)
    if text is None or not text.isdigit():
        raise _broken(name, "isn't set" if text is None else f"is {text!r}; it must be a whole number")
    return int(text)


def _broken(name: str, told: str) -> UsageError:
    return UsageError(
        f"environment variable {name} {told}: RANK and WORLD_SIZE stand for one of several processes of torchrun.",
        hint="Start with `torchrun --nproc-per-node N -m lieapp …`, or unset RANK and WORLD_SIZE for one process.",
    )


def lacking(name: str, batch: int, size: int) -> ConfigError:
    """What is raised for a batch that has fewer pieces than there are processes."""
    return ConfigError(
        f"{name} = {batch}: torchrun started {size} processes, and each needs a piece of every batch.",
        hint=f"Set {name} to {size} or more, or start fewer with --nproc-per-node.",
    )


def say_why(place: Launch, message: str, hint: str) -> None:
    """Leave word for the first process, which prints it, of why this one ends."""
    with contextlib.suppress(RuntimeError, OSError):
        _store(place).set(WHY, f"process {place.rank} of {place.size}: {message}\n{hint}")


def why(place: Launch) -> tuple[str, str] | None:
    """Message and hint of a process that ended; None if it left no word."""
    with contextlib.suppress(RuntimeError, OSError):
        store = _store(place)
        if store.check([WHY]):
            message, _, hint = store.get(WHY).decode().partition("\n")
            return message, hint
    return None


def say_here(place: Launch, told: str) -> None:
    """Say which process this is; with nothing, that it ends by itself."""
    with contextlib.suppress(RuntimeError, OSError):
        _store(place).set(f"{HERE}{place.rank}", told)


def others(place: Launch) -> list[str]:
    """What the other processes last said by `say_here`; nothing of those that said that they end."""
    with contextlib.suppress(RuntimeError, OSError):
        store = _store(place)
        keys = [f"{HERE}{rank}" for rank in range(place.size) if rank != place.rank]
        return [told for key in keys if store.check([key]) and (told := store.get(key).decode())]
    return []


def say_spoken(place: Launch) -> None:
    """Of the first process: it ends, and tells why."""
    with contextlib.suppress(RuntimeError, OSError):
        _store(place).set(SPOKEN, "")


def has_spoken(place: Launch) -> bool:
    """Whether the first process said that; also where torchrun, which says enough, is gone itself."""
    with contextlib.suppress(RuntimeError, OSError):
        return bool(_store(place).check([SPOKEN]))
    return True


def attempt() -> str:
    """What keys in torchrun's store begin with: with --max-restarts, those of an earlier try are still there."""
    return f"lieapp.{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"


def _store(place: Launch) -> PrefixStore:
    """Raises OSError or RuntimeError if it is gone, as with torchrun itself."""
    from torch.distributed import PrefixStore, TCPStore

    # torch tries for three times as long as it was told, and prints pages about each try
    socket.create_connection((place.address, place.port), AT_ONCE.total_seconds()).close()
    return PrefixStore(attempt(), TCPStore(place.address, place.port, is_master=False, timeout=AT_ONCE))
