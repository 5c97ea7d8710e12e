"""Which simpler equation the data nearly solve: what a short window leaves of an equation.

A term c of u_t = F changes solutions by T rms(c) over a window of length T. Terms that together change them by less
than a share SMALL of their spread are left out; fields that are slow on such data are symmetries of what is left.
"""

from __future__ import annotations

import math
from collections import defaultdict

import sympy as sp
import torch

from lieapp.document import Formula
from lieapp.equations.evolution import Evolution
from lieapp.equations.printing import equation_of
from lieapp.methods.result import SIZE
from lieapp.methods.verdict import SMALL
from lieapp.numerics.codegen import Tape
from lieapp.pde.data import UNIT_DEVIATION
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.results.discovery import Simpler

SLICES = 16
"""Held-out slices on which terms are measured."""


def simpler(domain: PDEDomain, data: PDEDataset) -> Simpler | None:
    """The equation without the terms that hardly change these data; None if each term counts."""
    evolution = domain.evolution
    terms = terms_of(evolution)
    found = shares(domain, data, terms)
    if not all(map(math.isfinite, found)):
        return None
    spent: dict[int, float] = defaultdict(float)
    left_out = set[int]()
    for k in sorted(range(len(terms)), key=found.__getitem__):
        a, share = terms[k][0], found[k]
        if spent[a] + share < SMALL:
            spent[a] += share
            left_out.add(k)
    if not left_out:
        return None
    jets = evolution.jets
    rest = [sp.Add(*(term for k, (b, term) in enumerate(terms) if b == a and k not in left_out))
            for a in range(len(evolution.rhs))]  # fmt: skip
    return Simpler(
        equation=[equation_of(u_t - f, jets) for (u_t, _), f in zip(evolution.rates(), rest, strict=True)],
        left_out=[Formula(str(terms[k][1]), sp.latex(terms[k][1])) for k in sorted(left_out)],
        share=max(spent.values()),
    )


def terms_of(evolution: Evolution) -> list[tuple[int, sp.Expr]]:
    """The terms of each right-hand side, with the number of its unknown."""
    return [(a, term) for a, f in enumerate(evolution.rhs) for term in sp.Add.make_args(f) if term != 0]


def shares(domain: PDEDomain, data: PDEDataset, terms: list[tuple[int, sp.Expr]]) -> list[float]:
    """T rms(term) over the standard deviation of its unknown, on held-out slices."""
    evolution, size = domain.evolution, data.scales.size
    jets, p = evolution.jets, len(evolution.jets.independent)
    needed = {s: index for _, term in terms for s, index in jets.jets(term).items()}
    tape = Tape([term for _, term in terms], [*jets.independent, *needed])
    sums, whole = torch.zeros(len(terms), dtype=torch.float64), 0.0
    for batch in data.held_out.batches(SLICES, SIZE):
        plain = zip(data.scales.origin, size, batch.points.unbind(1), strict=True)
        physical = [origin + scale * z for origin, scale, z in plain]
        d = domain.linearisation.differentiator(batch.grid, batch.points)
        orders = [(physical[p + b], tuple(J[i] for i in evolution.space)) for b, J in needed.values()]
        values = tape(*physical[:p], *(d.derivatives(u, [J])[J] for u, J in orders))
        sums += torch.stack([(batch.weight * value**2).sum().cpu() for value in values])
        whole += float(batch.weight.sum())
    spread = [UNIT_DEVIATION * scale for scale in size[p:]]
    changes = (sums / whole).sqrt() * size[evolution.time]
    return [float(change) / spread[a] for change, (a, _) in zip(changes, terms, strict=True)]
