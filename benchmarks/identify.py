"""The equation of data in files, clean and with noise, with and without symmetries; discovery without an equation.

    python benchmarks/identify.py [--only WORD] [--noise 0 .05] [--seeds 0 1 2 3 4] [--symmetries] [--discover]

Rows are kept in results/identify.json and replaced one by one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from discover import RESULTS, commit
from machine import heading

PAPERS = Path(__file__).parents[1].parent / "shared" / "data"

TRUE: dict[str, tuple[str, dict[str, float]]] = {
    "KdV_sine.mat": ("", {"u*u_x": -1, "u_xxx": -1}),
    "burgers_sine.mat": ("", {"u*u_x": -1, "u_xx": 0.1}),
    "kuramoto_sivashinsky_pysindy.mat": ("", {"u*u_x": -1, "u_xx": -1, "u_xxxx": -1}),
    "burgers_shock.mat": ("", {"u*u_x": -1, "u_xx": 0.01 / np.pi}),
    "allen_cahn.mat": ("", {"u_xx": 1e-4, "u": 5, "u**3": -5}),
    "burgers_wsindy_square.mat": ("u=U_exact(x,t), t=t, x=x", {"u*u_x": -1}),
}
"""The mapping that a file needs, and the right side of its equation."""

BOOST = "t*d_x + d_u"
KNOWN = {
    "KdV_sine.mat": [[BOOST], [BOOST, "3*t*d_t + x*d_x - 2*u*d_u"]],
    "burgers_sine.mat": [[BOOST], [BOOST, "2*t*d_t + x*d_x - u*d_u"]],
    "kuramoto_sivashinsky_pysindy.mat": [[BOOST]],
    "burgers_shock.mat": [[BOOST], [BOOST, "2*t*d_t + x*d_x - u*d_u"]],
}
"""Symmetries of the equations, as they are given."""

HEAD = (
    "file", "noise", "symmetries given",
    "seeds", "terms", "largest error of a coefficient", "error on held-out windows", "seconds",
    "of processors",
)  # fmt: skip

NOTE = (
    "`terms`: in how many of the seeds the equation has all true terms and no other; what was said else stands "
    "below. Noise is white, relative to the standard deviation of the values. Seconds: the whole process of "
    "`lieapp identify`; in rows `discover`, of `lieapp discover --data FILE --method spectrum` without an equation."
)


def noisy(folder: Path, file: Path, mapping: str, share: float, seed: int) -> tuple[Path, str]:
    """The file, or its values with noise in a npz file; with the mapping that it needs."""
    if not share:
        return file, mapping
    from lieapp.data.files import read

    (data,) = read(file, mapping)
    u, rng = data.u.values.astype(float), np.random.default_rng(seed)
    made = folder / f"{file.stem}-{share}-{seed}.npz"
    axes = {name: data[name].values for name in ("t", "x")}
    np.savez(made, u=(u + share * u.std() * rng.standard_normal(u.shape))[0], **axes)
    return made, "u=u(t,x), t=t, x=x" if mapping else ""


def called(*options: str) -> tuple[dict[str, Any], dict[str, float]]:
    """What one command says as JSON, and its seconds from outside and of processors."""
    began, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [sys.executable, "-m", "lieapp", *options, "--json", "--quiet"], capture_output=True, text=True, check=False
    )
    after, wall = os.times(), time.perf_counter() - began
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), {"seconds": round(wall, 1), "cpu": round(used, 1)}


def identified(file: Path, share: float, seed: int, known: list[str]) -> dict[str, Any]:
    """One identification as a row."""
    mapping, true = TRUE[file.name]
    with tempfile.TemporaryDirectory() as folder:
        place, own = noisy(Path(folder), file, mapping, share, seed)
        given = [part for field in known for part in ("--symmetry", field)]
        said, seconds = called("identify", "--data", str(place), *(["--map", own] if own else []), *given)
    terms = {t["term"]: t["coefficient"] for e in said.get("equations", []) for t in e["terms"]}
    right = set(terms) == set(true)
    off = max((abs(terms[name] / c - 1) for name, c in true.items()), default=0.0) if right else None
    return {
        "file": file.name, "noise": share, "known": known, "seed": seed, "right": right, "off": off,
        "terms": terms, "error": said["equations"][0]["error"] if terms else None, **seconds, "commit": commit(),
        "said": said.get("sentence") or said["error"]["message"],
    }  # fmt: skip


def discovered(file: Path) -> dict[str, Any]:
    """One discovery without an equation as a row."""
    mapping, true = TRUE[file.name]
    with tempfile.TemporaryDirectory() as folder:
        said, seconds = called(
            "discover", "--data", str(file), *(["--map", mapping] if mapping else []), "--out", folder,
            "--method", "spectrum",
        )  # fmt: skip
    terms = {t["term"] for e in (said.get("identified") or {"equations": []})["equations"] for t in e["terms"]}
    return {
        "file": file.name, "noise": "discover", "known": [], "seed": 0, "right": terms == set(true), "off": None,
        "error": None, **seconds, "commit": commit(), "said": said.get("sentence") or said["error"]["message"],
    }  # fmt: skip


def keyed(row: dict[str, Any]) -> tuple[str, str, str, int]:
    """What tells rows apart."""
    return row["file"], str(row["noise"]), "; ".join(row.get("known", [])), row["seed"]


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each file and noise; sentences below."""
    lines, below = [HEAD, ("---",) * len(HEAD)], []
    for key in dict.fromkeys(keyed(row)[:3] for row in rows):
        group = [row for row in rows if keyed(row)[:3] == key]
        offs, errors = ([row[k] for row in group if row[k] is not None] for k in ("off", "error"))
        right, seeds = sum(row["right"] for row in group), " ".join(str(row["seed"]) for row in group)
        lines.append((
            *key, seeds, f"{right} of {len(group)}",
            f"{max(offs):.1e}" if offs else "", f"{max(errors):.1e}" if errors else "",
            *(f"{max(row[k] for row in group):.1f}" for k in ("seconds", "cpu")),
        ))  # fmt: skip
        said = dict.fromkeys(row["said"] for row in group if not row["right"] or key[1] in ("0.0", "discover"))
        below += [f"- {', '.join(part for part in key if part)}: {text}" for text in said]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\nWhat was said:\n\n" + "\n".join(below)


def main() -> None:
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(description="The equation of data in files.")
    parser.add_argument("--only", default="", help="files with this word")
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.05])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--symmetries", action="store_true", help="with given symmetries too")
    parser.add_argument("--discover", action="store_true", help="discovery too")
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    folder, kept = Path(PAPERS), arguments.out / "identify.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    rows = {keyed(row): row for row in known}
    for name in (name for name in TRUE if arguments.only in name):
        fields = [[], *(KNOWN.get(name, []) if arguments.symmetries else [])]
        cases = [
            (share, seed, one)
            for share in arguments.noise for one in fields for seed in (arguments.seeds if share else [0])
        ]  # fmt: skip
        made = (identified(folder / name, *case) for case in cases)
        more = (discovered(folder / name) for _ in range(arguments.discover))
        for row in itertools.chain(made, more):
            rows[keyed(row)] = row
            print(json.dumps(row), flush=True)
            kept.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    order = {name: n for n, name in enumerate(TRUE)}
    shown = [row for _, row in sorted(rows.items(), key=lambda item: (order[item[0][0]], *item[0][1:]))]
    text = f"{heading('The equation of data in files', [])}\n{NOTE} {arguments.note}\n\n{table(shown)}\n"
    (arguments.out / "identify.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
