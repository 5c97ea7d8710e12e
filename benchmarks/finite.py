"""Moved solutions: what each differentiator leaves of the residual, and how true and wrong generators change it.

    python benchmarks/finite.py [--plugins …] [--samples 2] [--seed 0] [--out FILE]

For each equation and differentiator: the relative residual of true solutions (rms of u_t - F, as relative change of
u per time window) and, to set beside the reference implementation, the median of its absolute value in physical
units.
Then the finite defect rms(R_s - R_0) / (|s| rms Q) at |s| = .1 and .4, the larger of both signs, for every derived
generator that the periodic domain keeps and for six fields that are no symmetries.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import sympy as sp
import torch
from machine import heading

from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import PatchData
from lieapp.methods.fields import Joined, Scaled
from lieapp.methods.result import judge
from lieapp.numerics.processor import use_processor
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.finite import FiniteJudgement, judge_finite
from lieapp.pde.known import Derived, derived
from lieapp.pde.residual import Backend
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

FIVE = ("kdv", "ks", "burgers", "nkdv", "ckdv")
BACKENDS = {
    "curvilinear": Backend("curvilinear"),
    "weno": Backend("weno"),
    "weno, extra 2": Backend("weno", (("extra", 2),)),
    "bilinear": Backend("bilinear"),
}
REFERENCE = {"kdv": 1.3e-3, "ks": 3.0e-2, "nkdv": 8e-3, "burgers": 2e-6, "ckdv": 1.6e-6}
"""Median absolute residual of true solutions in the code published with the paper."""

S = (0.1, 0.4)
RESULTS = Path(__file__).parent / "results" / "finite.md"


def wrong(domain: PDEDomain, length: float) -> dict[str, dict[str, sp.Expr]]:
    """Six fields that are symmetries of none of the equations."""
    t, x, u = domain.evolution.jets.coordinates
    zero = sp.S.Zero
    return {
        "u d_u": {"t": zero, "x": zero, "u": u},
        "d_u": {"t": zero, "x": zero, "u": sp.S.One},
        "t d_t": {"t": t, "x": zero, "u": zero},
        "sin(2 pi x/L) d_x": {"t": zero, "x": sp.sin(2 * sp.pi * x / length), "u": zero},
        "u d_x": {"t": zero, "x": u, "u": zero},
        "u d_t": {"t": u, "x": zero, "u": zero},
    }


def main() -> None:
    """Measure, print and write the tables."""
    arguments = parse()
    use_processor(1)
    catalog = load_catalog()
    medians = ("median absolute residual", "reference's median")
    floors = [("equation", "differentiator", "relative residual (rms)", *medians)]
    changes = [("equation", "differentiator", "generator", *(f"s = ±{s}" for s in S), "eta", "fewest nodes left")]
    for name in arguments.plugins:
        base = PDEDomain(catalog.get(name).declaration)
        data = base.dataset(8, arguments.samples, arguments.seed)
        truth = derived(base, 60.0, SilentReporter())
        for label, backend in BACKENDS.items():
            domain = PDEDomain(base.declaration, backend)
            floors.append((name, label, *floor(domain, data), f"{REFERENCE[name]:.1e}"))
            print(" | ".join(floors[-1]), flush=True)
            for row in change(domain, data, truth):
                changes.append((name, label, *row))
                print(" | ".join(changes[-1]), flush=True)
    text = "\n\n".join(
        [heading("Residual of moved solutions"), note(arguments), table(floors), "Finite defects:", table(changes)]
    )
    arguments.out.write_text(text + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Residual of moved solutions.")
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def floor(domain: PDEDomain, data: PDEDataset) -> tuple[str, str]:
    """Relative and median absolute residual of the held-out solutions as they are."""
    patches = PatchData(data.held_out.source, data.scales, domain.evolution.time, (0, 0), torch.float64)
    found = [domain.residual(batch) for batch in patches.batches(1)]
    unit = data.scales.size[-1] / data.scales.size[domain.evolution.time]
    median = torch.cat([r.value[r.valid[:, None]] for r in found]).abs().median() * unit
    rms = torch.cat([r.mean(2) for r in found]).square().mean().sqrt()
    return f"{float(rms):.1e}", f"{float(median):.1e}"


def change(domain: PDEDomain, data: PDEDataset, truth: Derived) -> list[tuple[str, ...]]:
    """A line for each true and each wrong generator."""
    others = wrong(domain, data.scales.size[1])
    names = [*truth.names, *others]
    formulas = [*(f.components for f in truth.formulas), *others.values()]
    fields = [domain.scaled_field(formula, data.scales) for formula in formulas]
    stack = FixedFields(lambda points: torch.cat([field(points) for field in fields]))
    batches = list(data.held_out.batches(48, 8))
    judged = judge(domain, Joined(stack), batches)
    norms = (torch.diagonal(judged.gram) / sum(batch.weight.sum() for batch in batches)).sqrt()
    whole = PatchData(data.held_out.source, data.scales, domain.evolution.time, (0, 0), torch.float64)
    patches = list(whole.batches(1))
    values = sorted([*S, *(-s for s in S)])
    found = judge_finite(domain, Scaled(stack, 1 / norms), judged.reach, patches, values, 0.1, SilentReporter())
    return [
        (name, *(worst(found, slot, s) for s in S), f"{judged.eta[slot]:.1e}", f"{found.share[slot].min():.2f}")
        for slot, name in enumerate(names)
    ]


def worst(found: FiniteJudgement, slot: int, s: float) -> str:
    """The larger defect of both signs of s, where nodes are left."""
    values = [float(found.defect[slot, k]) for k, value in enumerate(found.s) if abs(value) == s]
    seen = [value for value in values if value < float("inf")]
    return f"{max(seen):.1e}" if seen else "no node left"


def note(arguments: argparse.Namespace) -> str:
    """What the tables mean."""
    return (
        f"Held-out trajectories: {arguments.samples}, seed {arguments.seed}, whole windows, float64, RK4 with "
        "steps of .1. Generators have norm 1. The reference's medians are those of the paper's published code."
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """Markdown."""
    lines = [rows[0], ("---",) * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
