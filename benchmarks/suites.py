"""Suites of equations, JSON lists of objects with an `id`: each entry in a process of its own; a table of all."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

LIMIT = 300.0
"""Seconds after which an equation counts as not answered."""


def chosen(suite: Path, only: str | None) -> list[dict[str, Any]]:
    """The entries, or those with ids that are told, with commas; from now on with one thread for each process."""
    # before any library with threads of its own is loaded
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    entries: list[dict[str, Any]] = json.loads(suite.read_text(encoding="utf-8"))
    return [entry for entry in entries if only is None or entry["id"] in only.split(",")]


def alone(
    entry: dict[str, Any], budget: float | None, work: Callable[[dict[str, Any], Any, Any], None]
) -> dict[str, Any]:
    """Some work, as `measure`, in a process of its own; an error in words if it fails or takes too long."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(entry, budget, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(LIMIT):
            return {"error": f"no answer in {LIMIT:g} s"}
        return ours.recv()
    except EOFError:
        return {"error": "the process ended without an answer"}
    finally:
        process.kill()
        process.join()


def written(
    out: Path,
    head: str,
    note: str,
    lines: str,
    rows: Sequence[tuple[str, ...]],
    reasons: Sequence[tuple[str, ...]],
    figures: Mapping[str, Any],
) -> None:
    """Write a heading, what the table means, figures in words and the table, and all figures to a .json beside it.

    The first of the rows, and of the `reasons` why entries aren't certified, has the names of the columns.
    """
    opened = f"\n## Not certified\n{table(reasons)}\n" if len(reasons) > 1 else ""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f"{head}\n{note}\n{lines}\n\n{table(rows)}\n{opened}", encoding="utf-8")
    beside = out.with_suffix(".json")
    beside.write_text(json.dumps({"heading": head, **figures}, indent=1) + "\n", encoding="utf-8")
    print(f"\n{lines}\n\nwritten to {out} and {beside}")


def system_of(entry: Mapping[str, Any]) -> Any:
    """The equations of an entry, read. Raises LieappError."""
    from lieapp.equations.parsing import parse_system

    parameters = [f"{name}:{what}" if what else name for name, what in entry.get("parameters", {}).items()]
    functions = [f"{name}:{argument}" for name, argument in entry.get("functions", {}).items()]
    return parse_system(entry["equations"], entry["independent"], entry["dependent"], parameters, functions)


def memory() -> float:
    """The largest size of this process in MB."""
    import resource
    import sys

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def load() -> str:
    """The average number of processes that wanted a core, this benchmark's one included."""
    return f"{os.getloadavg()[2]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else "unknown"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Markdown."""
    marks = ("---",) * len(rows[0])
    return "\n".join(f"| {' | '.join(line)} |" for line in [rows[0], marks, *rows[1:]])
