"""What the paper calls approximate symmetries, measured: u d_u of Burgers and d_t of cKdV.

    python benchmarks/approximate.py [--plugins burgers ckdv] [--seeds 0 1 2 3 4] [--out FILE]

For each seed: a basis is solved on the training trajectories; then η of the claimed field and of every direction of
that basis, on the held-out ones. The rank counts the directions with a smaller η. Beside it the fields that come
next after the exact ones: η, a short formula where one holds them, and what it leaves of the invariance condition.
Two bases: that of the spectrum method at its highest degree, and one of fields that don't depend on x and are
quadratic in t, whose directions are short formulas.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sympy as sp
import torch
from machine import heading
from studies import RESULTS, Case, case, spread, table

from lieapp.compare.closed_form.approximate import decimals, sketch
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import measure
from lieapp.compare.subspace import cosines, normalised
from lieapp.config import DiscoverConfig
from lieapp.domains.formulas import FixedFields
from lieapp.domains.spread import EveryComponent
from lieapp.lie.invariance import defect
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.fields import Combination, Joined
from lieapp.methods.result import SIZE, judge
from lieapp.methods.spectrum import factors, spectrum
from lieapp.numerics.processor import use_processor

CLAIMED = {"burgers": ("u", "u"), "ckdv": ("t", "1")}
"""Component and its value, of the field that the paper calls approximate (section "PDEs")."""

DEFAULT = DiscoverConfig(plugin="")

NEXT = 3
"""Fields after the exact ones that are told."""

BASES = {"default": (DEFAULT.modes, DEFAULT.spectrum.degrees[-1]), "simple": (0, 2)}
"""Highest Fourier mode and degree in t: of the spectrum method's basis, and of one that formulas can hold."""

CLAMP = 1e-4
"""Residuals below this count as this in the code published with the paper."""

CLAIM_HEAD = (
    "equation", "field", "leftover", "basis", "η", "directions with a smaller η", "its cosine with their span",
    "residual at s = .4",
)  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """One claimed field on one set of data.

    Args:
        eta: on held-out data.
        rank: how many of the `of` directions have a smaller η.
        cosine: of the claimed field with the span of those.
        residual: median over the data of the absolute residual of solutions moved by s = .4, in the equation's own
            units, to set beside CLAMP.
        next_eta, next_cosine: of the directions after the exact ones, and their cosines with the claimed field.
        formulas: of those, each with the η of the formula and its leftover.
    """

    eta: float
    rank: int
    of: int
    cosine: float
    residual: float
    next_eta: list[float]
    next_cosine: list[float]
    formulas: list[tuple[str, str, str]]


def main() -> None:
    """Measure, print and write the tables."""
    arguments = parse()
    use_processor(1)
    claims = [CLAIM_HEAD]
    beside = [("equation", "basis", "place", "η", "cosine with the claimed field")]
    formulas = [("equation", "basis", "seed", "place", "η", "formula", "η of the formula", "its leftover")]
    for name in arguments.plugins:
        held = [case(name, arguments.samples, arguments.held_out, seed) for seed in arguments.seeds]
        for basis in BASES:
            found = [measured(one, name, basis) for one in held]
            claims.append((*claim_row(held[0], name, basis, found),))
            for k in range(len(found[0].next_eta)):
                values = spread([c.next_eta[k] for c in found]), spread([c.next_cosine[k] for c in found])
                beside.append((name, basis, f"{held[0].count + k + 1}", *values))
            for seed, claim in zip(arguments.seeds, found, strict=True):
                for k, row in enumerate(claim.formulas):
                    if k == 0 or seed == arguments.seeds[0]:
                        place = f"{held[0].count + k + 1}"
                        formulas.append((name, basis, str(seed), place, f"{claim.next_eta[k]:.2g}", *row))
            print(" | ".join(claims[-1]), flush=True)
    parts = [
        heading("What the paper calls approximate"), note(arguments), table(claims),
        "Directions that come next after the exact ones:", table(beside), "Their formulas:", table(formulas),
    ]  # fmt: skip
    arguments.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def claim_row(one: Case, name: str, basis: str, found: Sequence[Claim]) -> tuple[str, ...]:
    """The line of a claimed field, over the seeds."""
    return (
        name, shown(claimed(one, name)), leftover(one, name), basis, spread([c.eta for c in found]),
        f"{spread([c.rank for c in found], '.0f')} of {found[0].of}", spread([c.cosine for c in found], ".3f"),
        spread([c.residual for c in found], ".1e"),
    )  # fmt: skip


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="What the paper calls approximate symmetries, measured.")
    parser.add_argument("--plugins", nargs="+", choices=list(CLAIMED), default=list(CLAIMED))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--samples", type=int, default=DEFAULT.samples)
    parser.add_argument("--held-out", type=int, default=DEFAULT.held_out)
    parser.add_argument("--out", type=Path, default=RESULTS / "approximate.md")
    return parser.parse_args()


def claimed(one: Case, name: str) -> dict[str, sp.Expr]:
    """The components of the claimed field."""
    symbols = {str(x): x for x in one.domain.evolution.jets.coordinates}
    component, value = CLAIMED[name]
    return {c: symbols.get(value, sp.S.One) if c == component else sp.S.Zero for c in symbols}


def measured(one: Case, name: str, kind: str) -> Claim:
    """The claimed field beside all directions of a basis."""
    domain, data = one.domain, one.data
    basis = TensorBasis(domain.arguments, Degrees(*BASES[kind], DEFAULT.spectrum.unknown_degree))
    count = len(domain.components)
    with torch.no_grad():
        solved = spectrum(factors(domain, EveryComponent(basis, count), data.train.batches(DEFAULT.slices, SIZE)))
    every = Combination(basis, solved.coefficients.reshape(-1, basis.count, count))
    own = FixedFields(domain.scaled_field(claimed(one, name), data.scales))
    judged = judge(domain, Joined(every, own), data.held_out.batches(DEFAULT.held_out_slices, SIZE))
    eta, mine = judged.eta[:-1], float(judged.eta[-1])
    smaller = [k for k in range(len(eta)) if eta[k] < mine]
    after = torch.argsort(eta)[one.count : one.count + NEXT].tolist()
    inner = normalised(judged.gram)[-1]
    # residuals are relative changes of the unknown per time window
    unit = data.scales.size[-1] / data.scales.size[domain.evolution.time]
    return Claim(
        eta=mine,
        rank=len(smaller),
        of=len(eta),
        cosine=cosines(judged.gram, smaller, [len(eta)])[0],
        residual=0.4 * unit * median_residual(one, own, float(judged.gram[-1, -1])),
        next_eta=eta[after].tolist(),
        next_cosine=inner[after].abs().tolist(),
        formulas=written(one, Combination(basis, every.coefficients[after]), kind),
    )


def median_residual(one: Case, field: FixedFields, square: float) -> float:
    """Median of |M| for the field at norm 1, in scaled units."""
    values, weight = [], 0.0
    with torch.no_grad():
        for batch in one.data.held_out.batches(DEFAULT.held_out_slices, SIZE):
            _, q = one.domain.characteristic(batch, field)
            values.append(one.domain.tangent(batch, q).abs().flatten())
            weight += float(batch.weight.sum())
    return float(torch.cat(values).median()) / (square / weight) ** 0.5


def written(one: Case, fields: Combination, kind: str) -> list[tuple[str, str, str]]:
    """Formula, its η and its leftover, of each field."""
    domain, data = one.domain, one.data
    functions = described_by(one, kind)
    held = measure(
        domain, functions, domain.system.jets.coordinates, data.scales, fields,
        lambda: data.held_out.batches(DEFAULT.held_out_slices // 2, SIZE),
    )  # fmt: skip
    result = []
    for k in range(len(fields.coefficients)):
        found = sketch(domain.system, held, k)
        if found is None:
            result.append((f"none in {len(functions)} functions", "", ""))
            continue
        left = sp.Add(*(by_jets(one, e) for e in found.leftover))
        result.append((shown(found.field.components), f"{found.eta:.2g}", f"`{left}`"))
    return result


def described_by(one: Case, kind: str) -> list[sp.Expr]:
    """What formulas are made of: the simple basis's own functions, or a rational library."""
    system = one.domain.system
    if kind == "default":
        functions = library(system, one.domain.arguments.periodic, DEFAULT.formulas.library_degree)
        return [f for f in functions if f.is_rational_function()]
    t, u = system.jets.independent[one.domain.evolution.time], system.jets.unknowns[0]
    return [t**i * u**j for j in range(DEFAULT.spectrum.unknown_degree + 1) for i in range(BASES[kind][1] + 1)]


def by_jets(one: Case, expression: sp.Expr) -> sp.Expr:
    """The expression as a polynomial in the jets, each coefficient one fraction with decimals."""
    jets = sorted((s for s in expression.free_symbols if one.domain.system.jets.is_jet(s)), key=str)
    if not jets:
        return decimals(expression)
    terms = sp.Poly(expression, *jets).terms()
    return sp.Add(*(
        sp.N(sp.factor(sp.together(value)), 3) * sp.Mul(*(s**n for s, n in zip(jets, powers, strict=True)))
        for powers, value in terms
    ))  # fmt: skip


def shown(components: dict[str, sp.Expr]) -> str:
    """`(…) d_t + (…) d_x`."""
    parts = [f"({decimals(e)}) d_{c}" for c, e in components.items() if e != 0]
    return f"`{' + '.join(parts)}`"


def leftover(one: Case, name: str) -> str:
    """What the claimed field leaves of the invariance condition, exactly."""
    return f"`{sp.Add(*(sp.factor(e) for e in defect(one.domain.system, claimed(one, name))))}`"


def note(arguments: argparse.Namespace) -> str:
    """What the tables mean."""
    seeds = " ".join(map(str, arguments.seeds))
    bases = "; ".join(f"{name}: {modes} Fourier modes, degree {n} in t" for name, (modes, n) in BASES.items())
    return (
        f"Seeds {seeds}; for each {arguments.samples} trajectories to solve on, {arguments.held_out} to judge on. "
        f"Bases of degree {DEFAULT.spectrum.unknown_degree} in u ({bases}). Values are median (min–max) over the "
        "seeds. "
        "η is the relative error that a solution moved by the field accumulates over the window: 0 for a symmetry, "
        "at most .1 for what we call approximate. The last column of the first table is the median absolute "
        "residual of solutions moved by the field of norm 1, to first order in s, in the equation's own units; the "
        f"code published with the paper counts every residual below {CLAMP:g} as {CLAMP:g}. Formulas of the "
        "default basis are sought among rational functions of degree 2, those of the simple one among its own; "
        '"none" where five terms leave more than a twentieth of the field\'s square. The first of each seed and '
        "all of the first seed are told."
    )


if __name__ == "__main__":
    main()
