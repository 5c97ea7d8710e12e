"""Discovery in files: those published with papers, files on open axes, windows, noise, a travelling wave, planes.

    python benchmarks/own_data.py [--parts papers layouts open window noise wave plane linear rates] [--only WORD]
        [--methods spectrum neural] [--seeds 0 1 2 3 4]

Each row is `lieapp discover` in a process of its own; rows are added to benchmarks/results/own_data.json, from
which own_data.md is made. Files of papers are those in ../shared/data; rows for them are left out without it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from discover import RESULTS, commit
from machine import heading
from scipy.integrate import solve_ivp

PAPERS = Path(__file__).parents[1].parent / "shared" / "data"
BURGERS = ("--equation", "u_t + u*u_x - nu*u_xx", "--parameter")
PARTS = {
    "papers": "Files published with papers",
    "layouts": "Three solutions of KdV, or one, in every layout that is read (tests/data/readers/layouts.py)",
    "open": "Burgers (ν = .1) on x in [-1, 1], 8 exact solutions, 10 times, 128 points",
    "window": "A window of x cut out of periodic data that `lieapp data` wrote, 8 trajectories",
    "noise": "White noise in the file, as a share of the values' standard deviation",
    "wave": "One solitary wave of KdV",
    "plane": "λ-ω on 32 x 32, simulated",
    "linear": "Linear equations, modulo superposition",
    "rates": "Constant coefficients that bring exponentials and waves",
}
HEAD = ("data", "method", "seeds", "derived", "proved", "what", "not proved", "undecided", "false exact", "misfit",
        "discovery / s", "process / s", "memory / GiB")  # fmt: skip
NOTE = """Rows of earlier calls are kept and replaced one by one; `own_data.json` says at which commit each was
measured. "derived": generators that the equation has on such axes; "proved": how many were written down and proved,
seed by seed, and "what" for the first of them; "not proved": derived ones that the proved span of a seed doesn't
hold, with the least cosine of each with the span of all exact slots;
"undecided": exact on these data and neither proved nor refuted; "false exact": exact slots beyond the derived
number. Seconds are medians, of the discovery stage and of the whole process, start, check by the other method and
report included; memory is the largest of a process. The layout of LPSDA stretches each sample's grid, so that the
data don't solve KdV, which is told; its periods differ, so that its axis counts as open."""


class Case(NamedTuple):
    """One row: what it is called, the options of the command line, the methods."""

    part: str
    name: str
    options: tuple[str, ...]
    methods: tuple[str, ...] = ("spectrum",)
    seeds: int = 1


def cases(folder: Path) -> Iterator[Case]:
    """All rows; their files are made in a folder."""
    files, kdv = {path.stem: str(path) for path in PAPERS.glob("*.mat")}, ("--plugin", "kdv", "--data")
    if files:
        square = (*BURGERS[:1], "u_t + u*u_x", "--data", files["burgers_wsindy_square"])
        shock = (*BURGERS, "nu:0.01/pi", "--data", files["burgers_shock"])
        ks = ("--plugin", "ks", "--data", files["kuramoto_sivashinsky_pysindy"])
        allen = ("--equation", "u_t - d*u_xx - 5*u + 5*u**3", "--parameter", "d:1e-4", "--data")
        yield Case("papers", "KdV_sine", (*kdv, files["KdV_sine"]))
        yield Case("papers", "KdV_sine, x in [-10, 10]", (*kdv, files["KdV_sine"], "--window", "x=-10:10"))
        wrong = ("--equation", "u_t + 6*u*u_x + u_xxx", "--data", files["KdV_sine"])
        yield Case("papers", "KdV_sine, 6 u u_x typed", wrong)
        yield Case("papers", "burgers_sine", (*BURGERS, "nu:0.1", "--data", files["burgers_sine"]))
        yield Case("papers", "burgers_shock", shock)
        yield Case("papers", "burgers_shock, t in [0, .3]", (*shock, "--window", "t=0:0.3"))
        yield Case("papers", "burgers_shock, x in [.2, .9]", (*shock, "--window", "x=0.2:0.9"))
        yield Case("papers", "kuramoto_sivashinsky", ks)
        yield Case("papers", "allen_cahn", (*allen, files["allen_cahn"]))
        yield Case("papers", "burgers_wsindy_square", square)
        yield Case("papers", "burgers_wsindy_square, --map", (*square, "--map", "u=U_exact(x,t), t=t, x=x"))
    else:
        print(f"{PAPERS} is absent: no files of papers")
    for name, place, mapping in laid_out(folder):
        asked = ("--map", mapping) if mapping else ()
        equation = ("--equation", "u_t + u*u_x + u_xxx", "--data", place)
        if asked:
            yield Case("layouts", f"{name}, without --map", (*equation, *QUICK))
        yield Case("layouts", name + (", --map" if asked else ""), (*equation, *asked, *QUICK))
    for nodes in ("uniform", "Chebyshev", "uneven"):
        file = str(cole_hopf(folder / f"{nodes}.npz", nodes))
        yield Case("open", nodes, (*BURGERS, "nu:0.1", "--data", file), ("spectrum", "neural"), 5)
    for name, windows in (("kdv", ("x=30:90",)), ("ks", ("x=10:50",)), ("heat", ("x=6:26",))):
        file = str(folder / f"{name}.nc")
        for window in windows:
            yield Case("window", f"{name}, {window}", ("--plugin", name, "--data", file, "--window", window))
    for share in (0.0, 0.01, 0.05):
        if files:
            for option, name in ((kdv[:2], "KdV_sine"), (ks[:2], "kuramoto_sivashinsky_pysindy")):
                file = str(noisy(folder, Path(files[name]), share))
                yield Case("noise", f"{name}, {share:.0%}", (*option, "--data", file))
        file = str(noisy(folder, folder / "uniform.npz", share))
        yield Case("noise", f"Burgers, open, {share:.0%}", (*BURGERS, "nu:0.1", "--data", file))
    yield Case("wave", "3c sech², c = 1", (*kdv, str(solitary(folder / "wave.npz"))), ("spectrum", "neural"))
    yield Case("plane", "lambda_omega", ("--plugin", "lambda_omega", "--set", "cross_check=false"), seeds=2)


    own, both = ("--plugins", str(Path(__file__).parent / "plugins"), "--plugin"), ("spectrum", "neural")
    yield Case("linear", "heat, simulated", ("--plugin", "heat"), both, 5)
    heat = ("--plugin", "heat", "--data", str(folder / "heat.nc"), "--window", "x=6:26")
    yield Case("linear", "heat, x=6:26", heat, both, 5)
    for name in ("linear_system", "slowing_heat"):
        yield Case("linear", f"{name}, simulated", (*own, name), both, 5)
    for name in ("damped_kdv", "rotating_burgers"):
        yield Case("rates", f"{name}, simulated", (*own, name), both, 5)
    logarithmic = ("--equation", "u_t - u_xx - u*log(u)", "--data", str(entropic(folder / "entropic.npz")))
    yield Case("rates", "u log u, periodic", logarithmic, both, 2)
    yield Case("rates", "u log u, x=3:11", (*logarithmic, "--window", "x=3:11"), both, 2)
    planck = ("--equation", "u_t - u - x*u_x - u_xx", "--data", str(gaussian(folder / "gaussian.npz")))
    yield Case("rates", "Fokker-Planck, open", planck, both, 2)


QUICK = ("--set", "cross_check=false", "--set", "finite.samples=0")


def laid_out(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Names of layouts, files and the mappings that these need; KdV on a period of 16, 20 times up to 1."""
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "data" / "readers"))
    import layouts

    import lieapp
    from lieapp.registry.catalog import load_catalog

    pde = load_catalog().get("kdv").declaration
    t, x = pde.region
    initial = lieapp.SumOfSines(terms=6, amplitude=0.5, wavenumbers=(1, 2, 3))
    box = {"region": {t: (0, 1), x: (0, 16)}, "points": {t: 20, x: 64}, "keep_last": None}
    layouts.U = lieapp.simulate(replace(pde, **box, initial=initial), samples=3).values[:, :, 0].numpy()
    for name, layout in layouts.LAYOUTS.items():
        place = folder / f"layout-{name.replace(' ', '-')}"
        place.mkdir()
        yield name, str(layout.write(place / "waves")), layout.mapping


def gaussian(file: Path, samples: int = 8) -> Path:
    """Sums of exp(-(x - m e^-t)²/2v)/√v, v = 1 + (s² - 1) e^-2t: exact solutions of u_t = (x u)_x + u_xx."""
    rng, t, x = np.random.default_rng(0), np.linspace(0, 1, 12)[:, None], np.linspace(-2, 2, 96)
    u = np.zeros((samples, len(t), len(x)))
    for sample in u:
        for _ in range(4):
            m, s, a = rng.uniform(-2, 2), rng.uniform(0.5, 1.5), rng.uniform(0.3, 1)
            v = 1 + (s**2 - 1) * np.exp(-2 * t)
            sample += a * np.exp(-((x - m * np.exp(-t)) ** 2) / (2 * v)) / np.sqrt(v)
    np.savez(file, u=u, t=t[:, 0], x=x)
    return file


def entropic(file: Path, samples: int = 8, points: int = 256, length: float = 16.0) -> Path:
    """Solutions of u_t = u_xx + u log u, u = exp(w), w_t = w_xx + w_x² + w by Fourier modes in x and BDF in t."""
    rng, times, x = np.random.default_rng(0), np.linspace(0, 1.2, 25), np.arange(points) * length / points
    k = 2 * np.pi * np.fft.rfftfreq(points, length / points)

    def rate(_: float, w: np.ndarray) -> np.ndarray:
        modes = np.fft.rfft(w)
        slope = np.fft.irfft(1j * k * modes, points)
        return np.fft.irfft(-(k**2) * modes, points) + slope**2 + w

    found = []
    for _ in range(samples):
        first = np.zeros(points)
        for j in range(1, 5):
            first += rng.normal() / (2 * j) * np.sin(2 * np.pi * j * x / length + rng.uniform(0, 6.3))
        solved = solve_ivp(rate, (0, times[-1]), first, method="BDF", t_eval=times, rtol=1e-9, atol=1e-10)
        found.append(np.exp(solved.y.T))
    np.savez(file, u=np.stack(found), t=times, x=x)
    return file


def cole_hopf(file: Path, nodes: str, samples: int = 8) -> Path:
    """u = -2ν ψ_x/ψ, ψ = 1 + Σ a exp(k x + ν k² t): exact solutions of Burgers, ν = .1, on the open interval."""
    if not file.exists():
        rng, nu, t = np.random.default_rng(0), 0.1, np.linspace(0, 1, 10)
        uneven = np.sort(np.concatenate([[-1, 1], rng.uniform(-1, 1, 126)]))
        known = {"uniform": np.linspace(-1, 1, 128), "Chebyshev": -np.cos(np.pi * np.arange(128) / 127)}
        x = known.get(nodes, uneven)
        k, a = rng.uniform(-4, 4, (samples, 3)), rng.uniform(0.3, 1, (samples, 3))
        k, a = k[:, None, None], a[:, None, None]
        terms = a * np.exp(nu * k**2 * t[:, None, None] + k * x[:, None])
        u = -2 * nu * (terms * k).sum(-1) / (1 + terms.sum(-1))
        np.savez(file, u=u, t=t, x=x)
    return file


def solitary(file: Path) -> Path:
    """One solitary wave of u_t + u u_x + u_xxx = 0 on a box that it doesn't feel."""
    x, t = np.arange(256) * 0.25 - 32, np.linspace(0, 10, 41)
    np.savez(file, u=3 / np.cosh((x - t[:, None] + 5) / 2) ** 2, t=t, x=x)
    return file


def noisy(folder: Path, source: Path, share: float) -> Path:
    """The values of a file as lieapp reads them, with white noise, in a npz file."""
    from lieapp.data.files import read

    (data,) = read(source)
    u, rng = data.u.values.real, np.random.default_rng(0)
    file = folder / f"{source.stem}-{share}.npz"
    axes = {name: data[name].values for name in ("t", "x")}
    np.savez(file, u=(u + share * u.std() * rng.standard_normal(u.shape)).squeeze(), **axes)
    return file


def run(case: Case, method: str, seed: int) -> dict[str, Any]:
    """One process; what its JSON says, how long it took from outside and the memory it needed."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as out:
        simulated = Path(case.options[-3]) if "--window" in case.options and ".nc" in case.options[-3] else None
        if simulated and not simulated.exists():
            data = ("data", "--plugin", case.options[1], "--samples", "8", "--out", str(simulated))
            subprocess.run([sys.executable, "-m", "lieapp", *data, "--quiet"], check=True, capture_output=True)
        command = [sys.executable, "-m", "lieapp", "discover", *case.options, "--method", method]
        command += ["--seed", str(seed), "--out", folder, "--json", "--quiet"]
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        out.seek(0)
        said = json.loads(out.read())
        noted = [json.loads(f.read_text(encoding="utf-8")) for f in Path(folder).glob("*/provenance.json")]
    row = {
        "part": case.part, "data": case.name, "method": method, "seed": seed, "commit": commit(),
        "misfit": noted[0].get("misfit") if noted else None, "wall": round(wall, 1),
        "memory": round(used.ru_maxrss / 2**20, 2),
    }  # fmt: skip
    if "error" not in said:
        return row | told(said)
    for place in (Path(option).parent for option in case.options if Path(option).is_absolute()):
        said["error"]["message"] = said["error"]["message"].replace(f"{place}/", "")
    return row | {"refused": said["error"]}


def told(said: dict[str, Any]) -> dict[str, Any]:
    """What the table needs of a result."""
    words = [text for text in said["warnings"] if "can't be decided" in text]
    proved = [row["shown"]["text"] for row in said["formulas"] if row["proved"]]
    missing = {} if said["formulas_check"]["holds_derived"] else {
        row["shown"]["text"]: row["cosine"] for row in said["truth"] if row["shown"]["text"] not in proved
    }  # fmt: skip
    return {
        "derived": len(said["truth"]), "proved": proved, "missing": missing, "count": said["count"],
        "undecided": int(words[0].split()[0]) if words else 0, "sentence": said["sentence"],
        "families": len(said["families"]), "warnings": said["warnings"], "seconds": said["seconds"],
        "eta": [row["eta"] for row in said["generators"]], "cross_check": said["cross_check"],
    }  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each file and method; refusals and sentences below."""
    lines, below = [HEAD, ("---",) * len(HEAD)], []
    for key in dict.fromkeys((row["data"], row["method"]) for row in rows):
        group = [row for row in rows if (row["data"], row["method"]) == key]
        first, seeds = group[0], " ".join(str(row["seed"]) for row in group)
        fit = f"{first['misfit']:.1e}" if first["misfit"] is not None else "not told"
        walls, memory = spread(row["wall"] for row in group), f"{max(row['memory'] for row in group):.1f}"
        if "refused" in first:
            lines.append((*key, seeds, "refused", *[""] * 5, fit, "", walls, memory))
            below.append(f"- {key[0]}: {first['refused']['message']} *{first['refused']['hint']}*")
            continue
        numbers = " ".join(str(len(row["proved"])) for row in group)
        lost = sorted(((c or 0, name) for row in group for name, c in row["missing"].items()), reverse=True)
        missing = [f"{name} ({c:.3g})" for name, c in {name: c for c, name in lost}.items()]
        undecided = "–".join(map(str, sorted({row["undecided"] for row in group})))
        spare = sum(max(0, row["count"] - row["derived"]) for row in group if not row["families"])
        lines.append((
            *key, seeds, str(first["derived"]), numbers, "; ".join(first["proved"]) or "none",
            "; ".join(missing) or "none", undecided, str(spare) if not first["families"] else "family", fit,
            spread(row["seconds"].get("discovery", 0.0) for row in group), walls, memory,
        ))  # fmt: skip
        warned = list(dict.fromkeys(t for row in group for t in row["warnings"]))
        below.append(f"- {key[0]}, {key[1]}: {first['sentence']}{''.join(f' *{text}*' for text in warned)}")
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\nWhat was said:\n\n" + "\n".join(below)


def spread(values: Iterator[float]) -> str:
    """Median, and least to largest where there are several."""
    found = sorted(values)
    ends = f" ({found[0]:.1f}–{found[-1]:.1f})" if len(found) > 1 else ""
    return f"{found[len(found) // 2]:.1f}{ends}"


def main() -> None:
    """Run, print and write the tables."""
    parser = argparse.ArgumentParser(description="Discovery in files.")
    parser.add_argument("--parts", nargs="*", default=list(PARTS))
    parser.add_argument("--only", default="", help="rows with this word")
    parser.add_argument("--methods", nargs="+", default=["spectrum", "neural"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    arguments = parser.parse_args()
    file = arguments.out / "own_data.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = {(row["part"], row["data"], row["method"], row["seed"]): row for row in known}
    with tempfile.TemporaryDirectory() as folder:
        made = list(cases(Path(folder)))
        for case in made:
            if case.part not in arguments.parts or arguments.only not in case.name:
                continue
            for method in (m for m in case.methods if m in arguments.methods):
                for seed in arguments.seeds[: case.seeds]:
                    row = run(case, method, seed)
                    rows[case.part, case.name, method, seed] = row
                    print(json.dumps(row), flush=True)
                    file.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    order = {key: n for n, key in enumerate((c.part, c.name, m) for c in made for m in c.methods)}
    shown = sorted(rows.items(), key=lambda item: (order.get(item[0][:3], len(order)), item[0][3]))
    text = f"{heading('Discovery in files', None if arguments.parts else [])}\n{NOTE} {arguments.note}\n"
    for key, title in PARTS.items():
        part = [row for (name, *_), row in shown if name == key]
        text += f"\n## {title}\n\n{table(part)}\n" if part else ""
    (arguments.out / "own_data.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
