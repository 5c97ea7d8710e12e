"""Integrating c ∂_vⁿ f = known, where other functions are constant in v or occur as derivatives in v.

Antiderivatives of coefficients are verified by differentiation.
"""

from __future__ import annotations

from contextlib import suppress

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.errors import EquationError
from lieapp.lie.linear import Form, Key, add, combined, lifted, raised
from lieapp.lie.solving.state import State, form_sort_key

ELEMENTARY = (sp.exp, sp.log, *TrigonometricFunction.__subclasses__(), *HyperbolicFunction.__subclasses__())
"""Functions that coefficients may contain; erf, Si, Ei and arctan stay integrals."""


def antiderivative(state: State, element: Element, v: int) -> Element | None:
    """∫ element dv, or None when it isn't elementary in the supported functions. The field may grow."""
    field = state.field
    if not field.involves(element, v):
        return element * field.field.gens[v]
    polynomial = _of_polynomial(field, element, v)
    if polynomial is not None:
        return polynomial
    before = len(field.field.symbols)
    primitive = integral(state, field.expression(element), field.variables[v])
    result = None
    with suppress(EquationError):
        candidate = None if primitive is None else field.element(primitive)
        if candidate is not None and not field.reduce(field.diff(candidate, v) - field.lift(element)):
            result = candidate
    if len(field.field.symbols) != before:
        state.lift()
    return result


def integral(state: State, expression: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """The antiderivative for positive symbols; of a Piecewise the generic branch, recorded.

    What isn't elementary stays a formal integral ∫ f(v) dv if `state.formal` says so, else None.
    """
    found, rest = _by_parts(sp.expand(expression), v) if expression.has(AppliedUndef) else (sp.S.Zero, expression)
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
    try:
        # Meijer's functions and Bronstein's heuristic take minutes to find that there is nothing
        found = sp.integrate(expression.xreplace(positive), positive[v], meijerg=False, heurisch=False)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
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
    return found.xreplace(back)


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


def _by_parts(expression: sp.Expr, v: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
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


def one_term(state: State, mixed: bool = False) -> bool:
    """Integrate one equation with a single term, the lowest orders first; ∂_x^m ∂_y^n f = 0 if `mixed`.

    Then f = Σ xʲ gⱼ(y, …) + Σ yᵏ hₖ(x, …). The parts overlap in the monomials xʲ yᵏ, so constants may come twice;
    the basis drops repetitions.
    """
    found = [next(iter(e)) for e in state.equations if len(e) == 1]
    found = [(f, K) for f, K in found if mixed or sum(map(bool, K)) <= 1]
    if not found:
        return False
    f, K = min(found, key=lambda key: (sum(key[1]), key))
    value: Form = {}
    for v, n in enumerate(K):
        if n:
            value |= polynomial(state, f, v, n)
    state.substitute(f, value, "integrate" if any(K) else "vanish")
    return True


def polynomial(state: State, f: int, v: int, degree: int) -> Form:
    """Σ_{k<degree} vᵏ gₖ with new functions gₖ of the other arguments of f."""
    rest = state.unknowns.arguments[f] - {v}
    x = state.field.field.gens[v]
    return {(state.unknowns.new(rest), state.unknowns.zero): x**k for k in range(degree)}


def integrate(state: State) -> bool:
    """Integrate the shortest equation in which some function occurs as one pure derivative."""
    for equation in sorted(state.equations, key=form_sort_key):
        for key in sorted(equation, key=lambda k: sum(k[1])):
            f, K = key
            moved = [v for v, n in enumerate(K) if n]
            if len(moved) != 1 or sum(g == f for g, _ in equation) > 1 or not state.entire(equation, f):
                continue
            tried = state.first_try("integrate", frozenset(equation.items()), key)
            if tried and _integrate(state, equation, key, moved[0]):
                return True
    return False


def _integrate(state: State, equation: Form, key: Key, v: int) -> bool:
    f, K = key
    # what was tried before may have brought new atoms
    equation = lifted(equation, state.field)
    pivot = equation[key]
    known = {other: -c / pivot for other, c in equation.items() if other != key}
    for _ in range(K[v]):
        result = form_antiderivative(state, known, v)
        if result is None:
            return False
        known = result
    homogeneous = polynomial(state, f, v, K[v])
    value = combined((state.field.one, known), (state.field.one, homogeneous))
    state.use(equation, key, value, "integrate")
    return True


def form_antiderivative(state: State, form: Form, v: int) -> Form | None:
    """∫ form dv by parts: ∫ r g_v = r g - ∫ r_v g, and ∫ r · g = g ∫ r where g doesn't depend on v."""
    result: Form = {}
    pending = list(form.items())
    while pending:
        (g, K), r = pending.pop()
        r = state.field.lift(r)
        if v not in state.unknowns.arguments[g]:
            value = antiderivative(state, r, v)
            if value is None:
                return None
            result = lifted(result, state.field)
            add(result, (g, K), value)
        elif K[v]:
            lower = raised(K, v, -1)
            add(result, (g, lower), r)
            slope = state.field.diff(r, v)
            if slope:
                pending.append(((g, lower), -slope))
        else:
            return None
    return result
