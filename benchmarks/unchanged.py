"""Whether two commits compute the same: every number and text of the summaries of ten runs, one by one.

    python benchmarks/unchanged.py record FOLDER [--checkout CHECKOUT] [--cases …]   # once with each commit
    python benchmarks/unchanged.py compare BEFORE AFTER                              # writes results/unchanged.md

Each run is a process of its own on one thread, with lieapp taken from CHECKOUT. A summary's leaves are compared by
their path: numbers have to be equal bit for bit. Left out is what differs between two runs of one commit: `run`
and every `seconds`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from machine import heading

RESULTS = Path(__file__).parent / "results"
VOLATILE = ("run", "seconds")
PICTURES = "network=trained,steps=20,pictures=400,weight_pictures=16,held_out=64,threads=1"
COLORS = "network=trained,steps=20,pictures=400,weight_pictures=32,held_out=64,threads=1"
OPERATOR = "batch=4,validation=4,test=8,epochs=2,passes=2,width=8,modes=8,layers=2"


def settings(text: str) -> list[str]:
    """`--set` for each of them."""
    return [part for setting in text.split(",") for part in ("--set", setting)]


CASES = {
    **{
        f"{name} {method}": ["discover", "--plugin", name, "--method", method, "--seed", "0"]
        for method in ("neural", "spectrum")
        for name in ("kdv", "ckdv", "ks")
    },
    "images": ["discover", "--plugin", "images", *settings(PICTURES)],
    "colors": ["discover", "--plugin", "colors", *settings(COLORS)],
    "augment ckdv": [
        "augment", "--plugin", "ckdv", "--with", "none,truth", "--samples", "4", "--seeds", "0,1",
        *settings(OPERATOR),
    ],
    "truth heat": ["truth", "--plugin", "heat", "--explain", "--flows", "--reductions", "--latex"],
}  # fmt: skip


def main() -> None:
    """Record or compare."""
    arguments = parse()
    if arguments.what == "record":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.cases:
            record(name, arguments.folder, arguments.checkout)
        return
    text = f"{heading('The same numbers before and after')}\n{compare(arguments.before, arguments.after)}"
    (RESULTS / "unchanged.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare what two commits compute.")
    whats = parser.add_subparsers(dest="what", required=True)
    recorded = whats.add_parser("record")
    recorded.add_argument("folder", type=Path)
    recorded.add_argument("--checkout", type=Path, default=Path(__file__).parents[1])
    recorded.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    compared = whats.add_parser("compare")
    compared.add_argument("before", type=Path)
    compared.add_argument("after", type=Path)
    return parser.parse_args()


def record(name: str, folder: Path, checkout: Path) -> None:
    """One run; its JSON and the commit go into a file."""
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as runs:
        environment = {**os.environ, **threads, "PYTHONPATH": str(checkout), "LIEAPP_CACHE": f"{runs}/cache"}
        command = [sys.executable, "-m", "lieapp", *CASES[name], "--json", "--quiet"]
        command += ["--out", f"{runs}/out"] if CASES[name][0] != "truth" else []
        found = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=runs, check=False)
    if found.returncode:
        raise SystemExit(f"{name}: exit code {found.returncode}\n{found.stdout}\n{found.stderr}")
    entry = {"commit": commit(checkout), "summary": json.loads(found.stdout)}
    (folder / f"{name.replace(' ', '-')}.json").write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    print(name, "recorded", flush=True)


def commit(checkout: Path) -> str:
    """The commit of a checkout."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, text, flag and empty collection, with its path."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list) or not value:
        yield path, value
    for key, entry in entries:
        if key not in VOLATILE:
            yield from leaves(entry, f"{path}/{key}")


def compare(before: Path, after: Path) -> str:
    """A table with a line for each run, and below it every leaf that differs."""
    lines = ["| run | before | after | numbers | equal | texts and flags | equal | only before | only after |"]
    lines += ["| --- " * 9 + "|"]
    differences, added = [], set[str]()
    for name in CASES:
        files = [folder / f"{name.replace(' ', '-')}.json" for folder in (before, after)]
        old, new = (json.loads(file.read_text(encoding="utf-8")) for file in files)
        a, b = dict(leaves(old["summary"])), dict(leaves(new["summary"]))
        both = [path for path in a if path in b]
        numbers = [path for path in both if isinstance(a[path], int | float) and not isinstance(a[path], bool)]
        others = [path for path in both if path not in set(numbers)]
        counts = [f"{len(part)} | {sum(a[path] == b[path] for path in part)}" for part in (numbers, others)]
        lines.append(
            f"| {name} | {old['commit']} | {new['commit']} | {' | '.join(counts)} "
            f"| {len(a) - len(both)} | {len(b) - len(both)} |"
        )
        differences += [f"- {name} `{path}`: {a[path]!r} -> {b[path]!r}" for path in both if a[path] != b[path]]
        differences += [f"- {name} `{path}`: only before, {a[path]!r}" for path in a if path not in b]
        added |= {re.sub(r"/\d+", "/…", path) for path in b if path not in a}
    told = [f"Keys that are new: {', '.join(f'`{path}`' for path in sorted(added))}."] if added else []
    return "\n".join([*lines, "", *(differences or ["No leaf differs."]), "", *told]) + "\n"


if __name__ == "__main__":
    main()
