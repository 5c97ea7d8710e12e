"""How this process uses the processor and its memory: threads of torch, and pages that freed tensors leave."""

from __future__ import annotations

import ctypes
import os

import torch

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD = -1, -2, -3
"""Parameters of mallopt(3), from malloc.h of the GNU C library."""

LARGEST_MAPPED = 2**25
"""Bytes from which an allocation is a mapping of its own: 32 MiB, the most that library allows."""

NEVER, AHEAD = 2**31 - 1, 2**26
"""When free memory at the top goes back to the system, and bytes asked for at a time."""


def use_processor(threads: int) -> None:
    """Use so many threads, and keep the memory of freed tensors for the next ones.

    The GNU C library by default gives the memory of each temporary tensor of more than 128 KiB back to the system,
    which then clears every page of the next one: a sixth of the time of a training on a CPU. Memory in use grows to
    the peak and stays there. Other C libraries and environments that set MALLOC_… themselves are left as they are.
    """
    torch.set_num_threads(threads)
    library = ctypes.CDLL(None) if os.name == "posix" else None
    if library is None or not hasattr(library, "mallopt") or any(name.startswith("MALLOC_") for name in os.environ):
        return
    for parameter, value in ((MMAP_THRESHOLD, LARGEST_MAPPED), (TRIM_THRESHOLD, NEVER), (TOP_PAD, AHEAD)):
        library.mallopt(parameter, value)
