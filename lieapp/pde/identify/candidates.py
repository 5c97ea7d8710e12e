"""Terms that an equation may have: monomials in the unknowns and their derivatives in space."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy as sp

from lieapp.equations.evolution import evolution_form
from lieapp.equations.jets import JetSpace
from lieapp.equations.parsing import parse_system
from lieapp.errors import DataError, EquationError, ParseError, UsageError

MOST = 80
"""Candidates at most: more can't be told apart in a few hundred windows."""

ROWS = 2
"""Windows that each candidate needs; they overlap, so that about every fourth is independent."""


def library(
    jets: JetSpace, order: int, degree: int, windows: int, explicit: Sequence[str] = (), powers: int = 1
) -> tuple[list[sp.Expr], str]:  # fmt: skip
    """The candidates, and what was left out because there are too few windows.

    All monomials of this degree in the unknowns and their derivatives, with `order` derivatives in all; where these
    are too many, those with one differentiated factor, then of lower order. With explicit variables those and their
    multiples by powers of these variables.

    Raises DataError if there are too few windows for the second order.
    """
    most = min(MOST, windows // ROWS)
    tried = [(order, not explicit), *((n, False) for n in range(order, min(order, 2) - 1, -1))]
    for n, products in dict.fromkeys(tried):
        found = _monomials(jets, n, degree, products)
        multiples = [x**k for x in jets.independent if str(x) in explicit for k in range(1, powers + 1)]
        found = [factor * term for factor in (sp.S.One, *multiples) for term in found]
        if len(found) <= most:
            return found, _left_out(n, products, order, not explicit)
    raise too_few(windows, len(found))


def too_few(windows: int, candidates: int) -> DataError:
    """The error for more candidates than windows can tell apart."""
    return DataError(
        f"the data hold {windows} windows; {candidates} candidates need {ROWS * candidates}.",
        hint="Give more times, points or trajectories, or fewer candidates: --degree 2, --terms u_xx,u*u_x.",
    )


def _left_out(order: int, products: bool, asked: int, wanted: bool) -> str:
    parts = ["products of derivatives"] if wanted and not products else []
    parts += [f"derivatives above order {order}"] if order < asked else []
    return f"without {' and '.join(parts)}: so many candidates can't be told apart here" if parts else ""


def _monomials(jets: JetSpace, order: int, degree: int, products: bool) -> list[sp.Expr]:
    axes = len(jets.independent) - 1
    indices = [J for J in itertools.product(range(order + 1), repeat=axes) if sum(J) <= order]
    indices.sort(key=lambda J: (sum(J), [-n for n in J]))
    factors = [(sum(J), jets.symbol(a, (0, *J))) for J in indices for a in range(len(jets.dependent))]
    found = []
    for n in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(factors, n):
            orders = [k for k, _ in chosen if k]
            if sum(orders) <= order and (products or len(orders) < 2):
                found.append(sp.Mul(*(s for _, s in chosen)))
    return found


def written(term: sp.Expr, jets: JetSpace) -> str:
    """A monomial, variables first: `x*u*u_x`."""
    powers = term.as_powers_dict()
    order = [*jets.independent, *jets.jets(term)]
    factors = [f"{s}**{powers[s]}" if powers[s] > 1 else str(s) for s in order if powers[s]]
    return "*".join(factors) or "1"


def typed_terms(texts: Sequence[str], jets: JetSpace) -> list[sp.Expr]:
    """Candidates as they were typed: `u_xx`, `t*u*u_x`.

    Raises UsageError for what isn't one term without derivatives in time.
    """
    variables, u = [str(x) for x in jets.independent], jets.dependent
    found = []
    for text in texts:
        others = [f"{name}_{variables[0]}" for name in u[1:]]
        try:
            system = parse_system([f"{u[0]}_{variables[0]} - ({text})", *others], variables, u)
            term = sp.expand(evolution_form(system).rhs[0])
            here = {s: jets.symbol(*jet) for s, jet in system.jets.jets(term).items()}
        except ParseError:
            known, example = ", ".join([*variables, *u]), f"{u[0]}_{variables[-1]}"
            raise UsageError(
                f"--terms {text}: it is no term of these data, which have {known}.",
                hint=f"Terms are made of these and of derivatives in space: --terms {example},{u[0]}*{example}.",
            ) from None
        except EquationError:
            term, here = sp.S.Zero, {}
        if term == 0 or term.is_Add or not term.is_polynomial(*here, *jets.independent):
            raise UsageError(
                f"--terms {text}: it isn't one polynomial term without derivatives in {variables[0]}.",
                hint="Separate terms by commas: --terms u_xx,u*u_x.",
            )
        found.append((term / term.as_coeff_Mul()[0]).xreplace(here))
    return list(dict.fromkeys(found))
