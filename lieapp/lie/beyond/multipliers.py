"""Multipliers of conservation laws: Λ(x, u, …, u_K) with Eₐ(Λ·Δ) = 0 identically (Olver 1993, ch. 4.3; Anco and
Bluman 2002, Eur. J. Appl. Math. 13).

Λ depends on derivatives that are free on solutions only: then it vanishes only with its law, for equations in
solved form. Identities in all derivatives are written in other coordinates: with Δᵇ = wᵇ for new unknowns w, the
leading derivatives are functions of the free ones and of the wᵇ and their derivatives. Eₐ(Λ w) is then split by
these as well: what is free of w says that Λ is an adjoint symmetry, the rest that it is a variational derivative.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex, raised
from lieapp.equations.leading import Leading
from lieapp.lie.beyond.generalised import assembled, solved_leading
from lieapp.lie.beyond.jet_forms import JetForms, arguments
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.linear import Form, add, differentiated


def is_linear(system: System, leading: Leading) -> bool:
    """Whether each equation is linear in the leading derivatives.

    Else a law's multiplier contains leading derivatives: (u_t - F) μ is (u_t² - F²) μ/(u_t + F).
    """
    lead = [system.jets.symbol(*jet) for jet in leading.rules]
    return not any(sp.diff(r, a, b) != 0 for r in system.residuals for a in lead for b in lead)


def off_solutions(system: System, leading: Leading) -> tuple[Leading, list[sp.Expr]]:
    """Coordinates of all derivatives in which Δᵇ is simple, as rules, and the Δᵇ in them.

    New unknowns w with Δ = w where the equations are linear in their leading derivatives, without derivatives of
    these; else no rules.
    """
    jets = system.jets
    lead = list(leading.rules)
    symbols = [jets.symbol(*jet) for jet in lead]
    principal = {jet for r in system.residuals for jet in jets.jets(r).values() if leading.is_principal(jet)}
    slopes = sp.Matrix([[sp.diff(r, s) for s in symbols] for r in system.residuals])
    names = [n for n in (f"w{b}" for b in range(2 * len(symbols) + len(jets.dependent))) if n not in jets.dependent]
    wide = JetSpace(jets.independent, (*jets.dependent, *names[: len(system.residuals)]))
    for jet in principal.union(*(jets.jets(r).values() for r in system.residuals)):
        wide.symbol(*jet)
    off = Leading(wide)
    if len(lead) != len(system.residuals) or not principal <= set(lead) or slopes.has(*symbols):
        return off, list(system.residuals)
    new = [wide.symbol(len(jets.dependent) + b, jets.zero) for b in range(len(lead))]
    shifts = slopes.LUsolve(sp.Matrix(new)) if len(lead) > 1 else sp.Matrix([new[0] / slopes[0]])
    for jet, shift in zip(lead, shifts, strict=True):
        off.rules[jet] = off.canonical(leading.rules[jet] + shift)
    return off, list(new)


DEGREE = 1
"""Degree of the multipliers of ODEs of order n in the derivatives of order n - 1: integrals are of one more."""


def is_infinite(system: System, order: int) -> bool:
    """Whether multipliers up to an order are those of any functions of first integrals: of ODEs, from n - 1 on."""
    return len(system.jets.independent) == 1 and order >= system.jets.order(system.residuals) - 1


def multiplier_equations(system: System, order: int) -> DeterminingSystem:
    """The determining equations of multipliers of differential order up to `order`.

    Where these would be infinitely many, those of polynomials of a DEGREE in the highest derivatives.
    """
    leading = solved_leading(system)
    off, values = off_solutions(system, leading)
    jets, q = system.jets, len(system.jets.dependent)
    own = [off.jets.symbol(*jets.index(s)) for s in arguments(leading, order)]
    slopes = [
        {jet: off.reduce(sp.diff(r, s)) for s, jet in jets.jets(r).items()} for r in system.residuals
    ]
    asked = {J for found in slopes for _, J in found} | {J for _, J in map(jets.index, own)}
    coefficients = [*values, *(e for found in slopes for e in found.values())]
    forms = JetForms(off, system.parameters, own, asked, coefficients)
    field, unknowns = forms.field, forms.unknowns
    components = [unknowns.new(range(forms.size)) for _ in system.residuals]
    places = {jets.index(s): len(jets.independent) + n for n, s in enumerate(own)}
    conditions = []
    for a in range(q):
        terms: dict[MultiIndex, Form] = {}
        for b, (f, value) in enumerate(zip(components, values, strict=True)):
            function, w = unknowns.form(field, f), field.element(value)
            for (c, J), slope in slopes[b].items():
                if c == a:
                    _put(terms, J, forms.times(field.element(slope), function))
            for (c, J), v in places.items():
                if c == a:
                    _put(terms, J, forms.times(w, differentiated(function, v, field, unknowns)))
        conditions.append(_alternating(terms, forms))
    if is_infinite(system, order):
        top = [v for (_, J), v in places.items() if sum(J) == order]
        for powers in combinations_with_replacement(top, DEGREE + 1):
            K = [0] * forms.size
            for v in powers:
                K[v] += 1
            conditions += [{(f, tuple(K)): field.one} for f in components]
    return assembled(system, leading, forms, components, conditions)


def _put(terms: dict[MultiIndex, Form], J: MultiIndex, form: Form) -> None:
    for key, c in form.items():
        add(terms.setdefault(J, {}), key, c)


def _alternating(terms: dict[MultiIndex, Form], forms: JetForms) -> Form:
    """Σ (-D)_J P_J, the highest J first."""
    zero = forms.jets.zero
    while any(any(J) for J in terms):
        J = max(terms, key=lambda J: (sum(J), J))
        # in the order that the forms are made for
        i = min(k for k, n in enumerate(J) if n)
        form = {key: -c for key, c in forms.total(terms.pop(J), i).items()}
        _put(terms, raised(J, i, -1), form)
    return terms.get(zero, {})
