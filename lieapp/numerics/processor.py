"""The device named by --device, and how this process uses its processor and memory."""

from __future__ import annotations

import ctypes
import os

from lieapp.errors import DeviceError
from lieapp.numerics.torchrun import launch

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD, ARENA_MAX = -1, -2, -3, -8
"""Parameters of mallopt(3), from malloc.h of the GNU C library."""

LARGEST_MAPPED = 2**25
"""Bytes from which an allocation is a mapping of its own: 32 MiB, the most that library allows."""

NEVER, AHEAD = 2**31 - 1, 2**26
"""When free memory at the top goes back to the system, and bytes asked for at a time."""


def use_processor(threads: int) -> None:
    """Use so many threads, and keep the memory of freed tensors for the next ones.

    The GNU C library by default gives the memory of each temporary tensor of more than 128 KiB back to the system,
    which then clears every page of the next one: a sixth of the time of a training on a CPU. Memory in use grows to
    the peak and stays there, one for all threads. Other C libraries and environments that set MALLOC_… themselves
    are left as they are.
    """
    # torch takes more than a second to import, and checking a device rarely needs it
    import torch

    torch.set_num_threads(threads)
    library = ctypes.CDLL(None) if os.name == "posix" else None
    if library is None or not hasattr(library, "mallopt") or any(name.startswith("MALLOC_") for name in os.environ):
        return
    library.mallopt(ARENA_MAX, 1)
    for parameter, value in ((MMAP_THRESHOLD, LARGEST_MAPPED), (TRIM_THRESHOLD, NEVER), (TOP_PAD, AHEAD)):
        library.mallopt(parameter, value)


def check_device(text: str) -> None:
    """Raises DeviceError if the device doesn't exist. Quick for `auto` and `cpu`, which always do."""
    if text not in ("auto", "cpu"):
        find_device(text)


def find_device(text: str) -> str:
    """`auto`, `cpu`, `cuda` or `cuda:1` as a device that exists: `cpu` or `cuda:N`.

    Unless numbered it is torch's current GPU, the first one unless another was set; of processes that torchrun
    started on one machine each takes its own. Raises DeviceError if it doesn't exist.
    """
    if text == "cpu":
        return text
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if text == "auto" and not count:
        return "cpu"
    place = launch()
    # asking for the current one of a process that uses none would take memory on it
    current = torch.cuda.current_device() if torch.cuda.is_initialized() else 0
    if place and count and count < place.beside:
        raise DeviceError(
            f"device {text}: torchrun started {place.beside} processes on this machine, which has "
            f"{count} CUDA device{'s' if count > 1 else ''}, and each needs one of its own.",
            hint=f"Start --nproc-per-node {count}, or use --device cpu.",
        )
    number = int(text.partition(":")[2] or (place.local if place else current))
    if number >= count:
        there = f"{count} CUDA devices, cuda:0 to cuda:{count - 1}" if count else "no CUDA device"
        raise DeviceError(f"device {text}: this machine has {there}.", hint="Use --device auto or --device cpu.")
    return f"cuda:{number}"
