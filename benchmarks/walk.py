"""The files of lieapp that one command passes, in the order in which they are first called.

    python benchmarks/walk.py [discover --plugin ckdv …]

Printed are the files up to the first that computes, how many there are, and how often the way leads from a room up
to one that stands above it (tests/test_layers.py has the levels).
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import lieapp
from lieapp.cli.main import run

PACKAGE = Path(lieapp.__file__).parent
SCIENCE = ("spectral.py", "etdrk.py", "simulate.py")
"""Files whose first call begins the simulation."""

DEFAULT = ["discover", "--plugin", "ckdv", "--set", "samples=2", "--set", "held_out=1", "--quiet", "--json"]


def height(file: str) -> int:
    """The height of the room that a file stands in, from the test that guards them."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from test_layers import LEVEL, room_of

    return LEVEL[room_of(file.split("/"))]


def main() -> None:
    """Run the command with an eye on every call."""
    order: dict[str, None] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        # bodies of modules and classes are no calls
        if event != "call" or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return
        here = place(frame)
        if here is None or Path(next(reversed(order), "")).name in SCIENCE:
            return
        order.setdefault(here)

    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(watch)
        try:
            run([*(sys.argv[1:] or DEFAULT), "--out", folder])
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
    way = list(order)
    up = [height(b) > height(a) for a, b in pairwise(way)]
    print(f"\n{len(way)} files, {sum(up)} times back up", file=sys.stderr)
    for file, climbs in zip(way, [False, *up], strict=True):
        print(f"{file}{'  ↑' if climbs else ''}", file=sys.stderr)


def place(frame: FrameType) -> str | None:
    """The file of a call, from the package's folder on; None for others."""
    name = frame.f_code.co_filename
    return Path(name).relative_to(PACKAGE).as_posix() if name.startswith(str(PACKAGE)) else None


if __name__ == "__main__":
    main()
