"""Is a wrong formula ever printed as proved? Every proved formula in the results, judged again in another way.

    python benchmarks/proofs.py [--out FOLDER]

Reads the rows of discover, noise and harder. A formula is right if it lies in the span of the generators that
`lieapp truth` derives anew for the plugin, judged by least squares on their values at random points, or, where
there is a family, if it satisfies the exact invariance condition: it is a member then, which no list holds. Nothing
of what the run itself said is used.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
import torch
from machine import heading

from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_expression
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive
from lieapp.lie.vector_field import Field
from lieapp.numerics.codegen import Tape
from lieapp.registry.catalog import load_catalog

HERE = Path(__file__).parent
PLUGINS = HERE.parent / "tests" / "plugins"
FILES = ("discover.json", "noise.json", "harder.json")
POINTS, CLOSE = 24, 1e-10
HEAD = ("equation", "runs", "formulas printed as proved", "distinct", "in the span derived anew",
        "members of a family", "wrong")  # fmt: skip


def main() -> None:
    """Judge and write the table."""
    parser = argparse.ArgumentParser(description="Judge every formula that was printed as proved once more.")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    runs = [(row["equation"], proved(row)) for name in FILES for row in rows(arguments.out / name)]
    lines = [HEAD, ("---",) * len(HEAD)]
    for equation in dict.fromkeys(name for name, _ in runs):
        line = judged(equation, [fields for name, fields in runs if name == equation])
        lines.append(line)
        print(line, flush=True)
    count = f"{len(runs)} runs; {sum(len(fields) for _, fields in runs)} formulas printed as proved."
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    text = f"{heading('Formulas printed as proved')}\n{count}\n\n{table}\n"
    (arguments.out / "proofs.md").write_text(text, encoding="utf-8")
    print(text)


def rows(file: Path) -> list[dict[str, Any]]:
    """Those that say which formulas were proved."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return [row for row in known if "formulas" in row]


def proved(row: dict[str, Any]) -> list[dict[str, str]]:
    """The fields that a run printed as proved."""
    return [form.get("field", form) for form in row["formulas"] if form.get("proved", True)]


def judged(equation: str, runs: Sequence[list[dict[str, str]]]) -> tuple[str, ...]:
    """One line of the table."""
    system = read_pde(load_catalog([PLUGINS]).get(equation).declaration)
    truth = derive(system)
    distinct = [dict(key) for key in dict.fromkeys(tuple(field.items()) for fields in runs for field in fields)]
    symbols = {str(s): s for s in system.jets.coordinates}
    read = [Field({c: parse_expression(f[c], symbols, integrals=True) for c in symbols}) for f in distinct]
    inside = [spanned(field, truth.generators, list(symbols.values())) for field in read]
    members = [
        not within and bool(truth.families) and is_symmetry(system, field.components)
        for field, within in zip(read, inside, strict=True)
    ]
    wrong = len(distinct) - sum(inside) - sum(members)
    printed = sum(len(fields) for fields in runs)
    return (equation, *map(str, (len(runs), printed, len(distinct), sum(inside), sum(members), wrong)))


def spanned(field: Field, generators: Sequence[Field], coordinates: Sequence[sp.Symbol]) -> bool:
    """Whether a field is a linear combination of generators, at random points."""
    generator = torch.Generator().manual_seed(0)
    points = 4 * torch.rand(len(coordinates), POINTS, generator=generator, dtype=torch.float64)

    def column(one: Field) -> np.ndarray:
        return torch.cat(Tape([one.components[str(c)] for c in coordinates], coordinates)(*points)).numpy()

    if not generators:
        return False
    basis, target = np.stack([column(g) for g in generators], 1), column(field)
    fitted = basis @ np.linalg.lstsq(basis, target, rcond=None)[0]
    return bool(np.linalg.norm(fitted - target) <= CLOSE * np.linalg.norm(target))


if __name__ == "__main__":
    main()
