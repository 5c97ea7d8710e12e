"""Antiderivatives of coefficients: by powers, by undetermined coefficients, by parts, else by SymPy.

Each is verified by differentiation in the field.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial, reduce
from itertools import product
from operator import mul

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from lieapp.equations.coefficients import CoefficientField, Element, common_denominator, parted
from lieapp.errors import EquationError
from lieapp.lie.deadline import Clock
from lieapp.lie.normal_form import Row, echelon
from lieapp.lie.solving.state import State

ELEMENTARY = (sp.exp, sp.log, *TrigonometricFunction.__subclasses__(), *HyperbolicFunction.__subclasses__())
"""Functions that coefficients may contain; erf, Si, Ei and arctan stay integrals."""

SECONDS = 2.0
"""After which SymPy's search for one integral is given up: it may go on for ever where there is none."""

def antiderivative(state: State, element: Element, v: int) -> Element | None:
    """∫ element dv, or None when it isn't elementary in the supported functions. The field may grow."""
    field = state.field
    if not field.involves(element, v):
        return element * field.field.gens[v]
    found = _of_polynomial(field, element, v) or _of_its_kind(state, element, v)
    if found is not None:
        return found
    before = len(field.field.symbols)
    primitive = integral(state, field.expression(element), field.variables[v])
    result = None
    with suppress(EquationError):
        candidate = None if primitive is None else field.element(primitive)
        if candidate is not None and not field.reduce(field.diff(candidate, v) - field.lift(element)):
            result = candidate
            state.divide(field.field.raw_new(candidate.denom))
    if len(field.field.symbols) != before:
        state.lift()
    return result


def integral(state: State, expression: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """The antiderivative for positive symbols; of a Piecewise the generic branch, recorded.

    What isn't elementary stays a formal integral ∫ f(v) dv if `state.formal` says so, else None.
    """
    found, rest = sp.S.Zero, expression
    if expression.has(AppliedUndef):
        found, rest = parts_of_functions(sp.expand(expression), v)
    plain, rest = sp.expand(rest).as_independent(AppliedUndef, as_Add=True)
    if plain != 0:
        primitive = _elementary(state, plain, v)
        found, rest = (found, rest + plain) if primitive is None else (found + primitive, rest)
    if rest == 0:
        return found
    if not state.formal:
        return None
    # ∫ of each term that is a function of v alone times factors without v
    for term in sp.Add.make_args(sp.expand(rest)):
        outside, inside = sp.factor(term).as_independent(v, as_Add=False)
        if inside.free_symbols != {v}:
            return None
        found += outside * sp.Integral(inside, v)
    return found


def _elementary(state: State, expression: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    positive = {s: sp.Dummy(s.name, positive=True) for s in expression.free_symbols | {v}}
    back = {d: s for s, d in positive.items()}
    # each term of the numerator over the denominator, which is left in factors
    numerator, denominator = sp.fraction(sp.factor(expression))
    expression = sp.Add(*(term / denominator for term in sp.Add.make_args(sp.expand(numerator))))
    powers = _of_powers(state, expression, v)
    if powers is not None:
        return powers
    # Meijer's functions and Bronstein's heuristic take minutes to find that there is nothing
    work = partial(sp.integrate, expression.xreplace(positive), positive[v], meijerg=False, heurisch=False)
    try:
        found = Clock(SECONDS).within(0.0, work, None)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    if found is None:
        return None
    if isinstance(found, sp.Piecewise):
        found, condition = found.args[0]
        if isinstance(condition, sp.Ne):
            state.assume((condition.lhs - condition.rhs).xreplace(back))
    found = found.replace(lambda e: isinstance(e, (sp.asinh, sp.acosh, sp.atanh)), lambda e: e.rewrite(sp.log))
    if found.has(sp.Integral, sp.Piecewise, sp.I) or any(
        not isinstance(f, ELEMENTARY) for f in found.atoms(sp.Function)
    ):
        return None
    return _in_one_logarithm(found).xreplace(back)


def _in_one_logarithm(found: sp.Expr) -> sp.Expr:
    """log(sin x - 1)/2 + log(sin x + 1)/2 as log(cos x): the roots of both would hide that their product is cos x.

    The sign inside is a constant of integration.
    """
    logs = [e for e in found.atoms(sp.log) if e.has(sp.sin, sp.cos)]
    if len(logs) < 2:
        return found
    whole = sp.logcombine(sp.expand(2 * found), force=True)

    def simpler(argument: sp.Expr) -> sp.Expr:
        argument = sp.factor(sp.trigsimp(argument))
        return sp.log(-argument if argument.could_extract_minus_sign() else argument)

    return sp.expand_log(whole.replace(sp.log, simpler), force=True) / 2


def _of_powers(state: State, expression: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """∫ Σ c vᵉ with any exponents e ≠ -1, symbolic ones too."""
    total = sp.S.Zero
    for term in sp.Add.make_args(expression):
        outside, inside = term.as_independent(v, as_Add=False)
        powers = [factor.as_base_exp() for factor in sp.Mul.make_args(inside) if factor != 1]
        exponent = sp.expand(sum((e for _, e in powers), sp.S.Zero))
        if any(base != v for base, _ in powers) or exponent.has(v) or exponent == -1:
            return None
        state.assume(exponent + 1)
        total += outside * v ** (exponent + 1) / (exponent + 1)
    return total


def parts_of_functions(expression: sp.Expr, v: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """F and r with F' + r = expression; r is free of derivatives of arbitrary functions that F can have.

    Where the highest derivative g⁽ⁿ⁾ occurs linearly, A g⁽ⁿ⁾ = (∫ A dg⁽ⁿ⁻¹⁾)' - (what A's other dependence adds).
    """
    found = sp.S.Zero
    for _ in range(20):
        tops = sorted(expression.atoms(sp.Derivative), key=lambda d: (-d.derivative_count, str(d)))
        step = next((F for d in tops if (F := _lowered(expression, d)) is not None), None)
        if step is None:
            return found, expression
        found += step
        expression = sp.expand(expression - sp.diff(step, v))
    return found, expression


def _lowered(expression: sp.Expr, top: sp.Derivative) -> sp.Expr | None:
    ((v, n),) = top.variable_count
    w, z = sp.Dummy("w", positive=True), sp.Dummy("z")
    slope = sp.diff(expression.xreplace({top: z}), z)
    if slope == 0 or slope.has(z):
        return None
    below = sp.diff(top.expr, v, n - 1)
    primitive = sp.integrate(slope.xreplace({below: w}), w, meijerg=False, heurisch=False)
    return None if primitive.has(sp.Integral, sp.Piecewise) else primitive.xreplace({w: below})


def _of_polynomial(field: CoefficientField, element: Element, v: int) -> Element | None:
    """Term by term when v occurs only as a power above the line."""
    movers = field.movers(v)
    numer, denom = element.numer, element.denom
    if any(m[n] for m in denom for n in movers) or any(m[n] for m in numer for n in movers[1:]):
        return None
    result = field.zero
    for on, rest in parted(numer, (v,)).items():
        result += field.field.raw_new(rest) * field.field.gens[v] ** (on[v] + 1) / (on[v] + 1)
    return result / field.field.raw_new(denom)


MAX_TERMS = 60
"""Coefficients of the numerator that is sought."""


def _of_its_kind(state: State, element: Element, v: int) -> Element | None:
    """N/Q with (N/Q)' = n/d, where N is a polynomial in v and in the atoms that occur; None if there is none.

    d = Π pᵏ and Q = Π pᵏ⁻¹, but pᵏ where p divides p' (Risch and Norman's parallel integration; Bronstein 2005,
    *Symbolic Integration I*, ch. 10). The coefficients of N solve linear equations.
    """
    field = state.field
    if any(m[n] for part in (element.numer, element.denom) for m in part for n in field.arbitrary()):
        return None
    below = field.one
    for p, k in element.denom.sqf_list()[1]:
        slope = field.diff(field.field.raw_new(p), v)
        below *= field.field.raw_new(p) ** (k - 1 if slope and slope.numer.rem(p) else k)
    rational = not any(m[n] for p in (element.numer, element.denom) for m in p for n in field.movers(v)[1:])
    if rational and below == 1 and field.involves(field.field.raw_new(element.denom), v):
        # simple poles leave logarithms
        return None
    terms = _terms(field, element, below, v)
    if not terms:
        return None
    slopes = [field.diff(term, v) for term in terms]
    common = common_denominator([element, *slopes], field.field.ring.one)
    rows: dict[tuple[int, ...], Row] = {}
    for k, c in enumerate([*slopes, element]):
        polynomial = field.reduce_polynomial(c.numer * common.exquo(c.denom))
        for on, rest in parted(polynomial, field.movers(v)).items():
            rows.setdefault(on, {})[(k, ())] = field.field.raw_new(rest)
    last = (len(terms), ())
    solved = echelon(list(rows.values()), field)
    if any(pivot == last for pivot, _ in solved):
        return None
    found = sum((row.get(last, field.zero) * terms[k] for (k, _), row in solved), field.zero)
    if field.reduce(field.diff(found, v) - element):
        return None
    state.divide(field.field.raw_new(found.denom))
    return field.reduce(found)


def _terms(field: CoefficientField, element: Element, below: Element, v: int) -> list[Element]:
    """Monomials over `below` in v and the atoms that occur and those of their derivatives; none if too many."""
    movers = field.movers(v)

    def degrees(*elements: Element) -> dict[int, int]:
        parts = [p for e in elements for p in (e.numer, e.denom)]
        return {n: top for n in movers if (top := max(m[n] for p in parts for m in p))}

    above = degrees(element, below)
    for _ in movers:
        if field.arbitrary().intersection(above):
            return []
        # sin where there is cos
        above |= {n: 1 for k in list(above) for n in degrees(field.diff(field.field.gens[k], v)) if n not in above}
    above.setdefault(v, 0)
    algebraic = {n: degree for n, degree, _ in field._relations}
    most = max(sum(m[n] for n in movers) for p in (element.numer, below.numer) for m in p) + 1
    ranges = [range(min(top + 1, algebraic.get(n, top + 2) - 1) + 1) for n, top in above.items()]
    powers = [e for e in product(*ranges) if sum(e) <= most]
    if len(powers) > MAX_TERMS:
        return []
    gens = [field.field.gens[n] for n in above]
    return [reduce(mul, (g**e for g, e in zip(gens, es, strict=True)), field.one) / below for es in powers]
