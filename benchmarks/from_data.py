"""What benchmarks of searches in data share: runs one after the other, kept row by row, and a table of them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

sys.path.append(str(Path(__file__).parent))
from discover import RESULTS, commit
from machine import heading

import lieapp
from lieapp.document import number
from lieapp.errors import LieappError
from lieapp.results.from_data import FromData

FOLDERS = ("plugins", "tests/plugins", "benchmarks/plugins")

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One run.

    Args:
        cells: of its line in front of what is measured; together they name its row.
        given: the positional argument of `lieapp.discover`, a plugin or data.
        settings: the others.
    """

    cells: tuple[str, ...]
    given: Any
    settings: dict[str, Any]


@dataclass(frozen=True)
class Benchmark:
    """A table of runs.

    Args:
        stem: of its files.
        head: of the table.
        measured: what is kept of a result; `line`: the cells of that.
        below: what is listed under the table of a row.
    """

    stem: str
    title: str
    note: str
    head: tuple[str, ...]
    measured: Callable[[FromData], Row]
    line: Callable[[Row], list[str]]
    below: tuple[str, Callable[[Row], list[str]]]

    def row(self, run: Run) -> Row:
        """One run; its error if there is one."""
        began = time.perf_counter()
        folders = [folder for folder in FOLDERS if Path(folder).is_dir()]
        try:
            found = lieapp.discover(run.given, out=None, plugins=folders, **run.settings).result
        except LieappError as error:
            return {"error": error.message}
        assert isinstance(found, FromData)
        etas = found.spectrum.eta
        return {
            **self.measured(found), "next": etas[found.count] if found.count < len(etas) else None,
            "derived": found.derived, "angle": found.angle, "seconds": round(time.perf_counter() - began, 1),
            "commit": commit(),
        }  # fmt: skip

    def table(self, rows: dict[str, Row]) -> str:
        """A line for each run, and the formulas below."""
        lines = [f"| {' | '.join(self.head)} |", "|" + "---|" * len(self.head)]
        for key, row in rows.items():
            cells = key.split("; ")
            if "error" in row:
                empty = [""] * (len(self.head) - len(cells) - 1)
                cells += [row["error"], *empty]
            else:
                derived = "" if row["derived"] is None else str(row["derived"])
                cells += [*self.line(row), number(row["next"]), derived, number(row["angle"]), str(row["seconds"])]
            lines.append(f"| {' | '.join(cells)} |")
        title, of = self.below
        formulas = dict.fromkeys(
            f"- {key.split('; ')[0]}: {one}" for key, row in rows.items() if "error" not in row for one in of(row)
        )
        return "\n".join(lines) + f"\n\n{title}:\n\n" + "\n".join(formulas)

    def main(self, runs: Callable[[str, Sequence[int], int], list[Run]]) -> None:
        """Run, print and write the table.

        Args:
            runs: those of the equation with a name, or of all, with seeds and so many random equations.
        """
        parser = argparse.ArgumentParser(description=self.title)
        parser.add_argument("--only", default="", help="the equation with this name")
        parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
        parser.add_argument("--random", type=int, default=50, help="how many random equations")
        parser.add_argument("--out", type=Path, default=RESULTS)
        arguments = parser.parse_args()
        kept = arguments.out / f"{self.stem}.json"
        rows: dict[str, Row] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        for run in runs(arguments.only, arguments.seeds, 0 if arguments.only else arguments.random):
            key = "; ".join(run.cells)
            rows[key] = self.row(run)
            print(key, json.dumps(rows[key]), flush=True)
            kept.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        out = f"{heading(self.title, [])}\n{self.note}\n\n{self.table(rows)}\n"
        (arguments.out / f"{self.stem}.md").write_text(out, encoding="utf-8")


def largest(values: Sequence[float | None]) -> float | None:
    """The largest; None of none."""
    return max((value or 0.0 for value in values), default=None)
