"""Fields of equations that no short polynomial expresses, learned from trajectories, beside the derived ones.

    python benchmarks/learned_equation.py [--only WORD] [--seeds 0 1 2]

Each row is `lieapp discover --data FILE` in a process of its own. Rows are kept in results/learned_equation.json
and replaced one by one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tests")]
from curved_flows import angle, curved, places, solutions, written
from discover import RESULTS, commit
from machine import heading

import lieapp
from lieapp.document import number, percent

CASES: dict[str, tuple[str, int, tuple[float, float] | None]] = {
    "u_t = u_xx/(1 + u_x²)": ("shortening", 128, None),
    "u_t = u_xx/(1 + u_x²), x in [1, 5]": ("shortening", 192, (1.0, 5.0)),
    "u_t = u_xx + sin u": ("sine", 64, None),
    "u_t = (u_x/(1 + u²))_x": ("porous", 128, None),
}
"""Data, points on the period, and the window that is read."""

HEAD = ("equation", "seed", "right side", "left of others", "derived", "set apart", "largest η", "by halves",
        "next η", "angle to derived", "seconds")  # fmt: skip

NOTE = (
    "20 simulated trajectories each, at 61 times, 4 of them held out. `left of others`: of u_t, relative, on "
    "held-out trajectories. `set apart`: fields below the gap of the spectrum; `by halves`: their largest η by "
    "equations learned from halves of the trajectories; `next η`: of the first field above the gap; `angle`: the "
    "largest principal angle between those set apart and the generators derived from the true equation, in "
    "radians, at random nodes of other trajectories. Seconds: the whole process on one thread. "
    "Rows may be of several commits; the JSON file has that of each."
)


def row(name: str, seed: int, out: Path) -> dict[str, Any]:
    """One discovery."""
    case, points, window = CASES[name]
    file = written(solutions(case, seed=seed, points=points), out / "data.npz")
    more = [] if window is None else ["--window", f"x={window[0]:g}:{window[1]:g}"]
    options = ["discover", "--data", str(file), *more, "--out", str(out), "--seed", str(seed), "--json", "--quiet"]
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "lieapp", *options], capture_output=True, text=True, check=False)
    wall, said = time.perf_counter() - began, json.loads(done.stdout)
    found: dict[str, Any] = {"equation": name, "seed": seed, "seconds": round(wall, 1), "commit": commit()}
    if "error" in said:
        return found | {"said": said["error"]["message"]}
    truth = lieapp.symmetries(curved(case).equation, periodic=() if window else "x")
    fields = [
        {str(z): str(e) for z, e in field.components.items()}
        for field in (truth.generators if window else truth.periodic)
    ]
    run = lieapp.open_run(said["run"])
    apart = run.result.apart
    nodes = places(solutions(case, 3, seed=seed + 100, points=points), inside=window)
    side = run.result.identified.learned.sides[0]
    return found | {
        "said": run.result.sentence, "form": f"{side.shown}, {side.form}", "error": side.error,
        "derived": len(fields), "apart": len(apart), "eta": max((slot.eta for slot in apart), default=None),
        "halves": max((slot.eta_halves for slot in apart), default=None),
        "next": run.result.spectrum.eta[len(apart)],
        "angle": angle(run.learned[: len(apart)], fields, nodes) if apart else None,
        "formulas": [form.shown.text for form in run.result.formulas],
    }  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each run; formulas below."""
    lines, below = [HEAD, ("---",) * len(HEAD)], []
    for one in rows:
        start, end = (one["equation"], str(one["seed"])), (f"{one['seconds']:.0f}",)
        if "form" not in one:
            lines.append((*start, one["said"], *[""] * (len(HEAD) - 4), *end))
            continue
        numbers = [number(one[key]) for key in ("eta", "halves", "next", "angle")]
        counts = (str(one["derived"]), str(one["apart"]))
        lines.append((*start, one["form"], percent(one["error"]), *counts, *numbers, *end))
        below.append(f"- {one['equation']}, seed {one['seed']}: {', '.join(one['formulas'])}")
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\nFormulas:\n\n" + "\n".join(below)


def main() -> None:
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(description="Fields of learned equations.")
    parser.add_argument("--only", default="", help="equations with this word")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    kept = arguments.out / "learned_equation.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    rows = {(one["equation"], one["seed"]): one for one in known}
    for name, seed in ((name, seed) for name in CASES if arguments.only in name for seed in arguments.seeds):
        with tempfile.TemporaryDirectory() as folder:
            rows[name, seed] = row(name, seed, Path(folder))
        print(json.dumps(rows[name, seed]), flush=True)
        kept.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    shown = [rows[key] for key in sorted(rows, key=lambda key: ([*CASES].index(key[0]), key[1]))]
    text = f"{heading('Fields of learned equations', [])}\n{NOTE} {arguments.note}\n\n{table(shown)}\n"
    (arguments.out / "learned_equation.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
