"""Exact zero tests, and expressions in a short form, for flows, invariants and reductions.

As everywhere in `lieapp.lie` branches are the real generic ones: coordinates stand for positive numbers
while one computes, so that sqrt(t)**2 = t and log(t*x) = log(t) + log(x).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.errors import EquationError

CIRCULAR = (sp.sin, sp.cos, sp.tan, sp.sinh, sp.cosh, sp.tanh)
INVERSE = {
    sp.atan: sp.tan, sp.asin: sp.sin, sp.acos: sp.cos, sp.atanh: sp.tanh, sp.asinh: sp.sinh, sp.acosh: sp.cosh,
}  # fmt: skip
LARGE = 400
"""Operations beyond which an expression isn't given to SymPy's general simplification."""


class Positive:
    """Positive stand-ins for real symbols; those that are positive by themselves stay."""

    def __init__(self, symbols: Iterable[sp.Symbol]) -> None:
        self.stand_in = {s: s if s.is_positive else sp.Dummy(s.name, positive=True) for s in symbols}
        self.original = {d: s for s, d in self.stand_in.items()}

    def enter(self, expression: sp.Expr) -> sp.Expr:
        """The expression in the stand-ins."""
        return sp.sympify(expression, strict=True).xreplace(self.stand_in)

    def leave(self, expression: sp.Expr) -> sp.Expr:
        """The expression in the symbols themselves."""
        return expression.xreplace(self.original)


def element_of(
    expressions: Sequence[sp.Expr], variables: Sequence[sp.Symbol]
) -> tuple[CoefficientField, list[Element]]:
    """Expressions as elements of one field; other symbols are constants.

    Raises EquationError for functions that no field of coefficients holds.
    """
    if any(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for e in expressions):
        raise EquationError("An expression is infinite.", hint="Take another place.")
    constants = set().union(*(e.free_symbols for e in expressions)) - set(variables)
    field = CoefficientField(variables, sorted(constants, key=str))
    return field, field.elements(_without_sums_in_functions(_canonical_functions(e, ())) for e in expressions)


def vanishes(expression: sp.Expr, small: Sequence[sp.Symbol] = ()) -> bool:
    """Whether an expression is identically zero, decided exactly in a field of coefficients.

    Signs below roots and in logarithms are those at the origin of the `small` symbols. Inverse functions (atan,
    asin, …) of equal arguments count as one constant; what else they satisfy isn't seen, so that False may be
    wrong where they occur, True never is.
    """
    if expression == 0:
        return True
    expression = _related_angles(_without_sums_in_functions(_canonical_functions(expression, small)))
    # each inverse function as a symbol, one for equal arguments
    stand_in: dict[sp.Expr, sp.Symbol] = {}
    for node in sorted(expression.atoms(*INVERSE), key=lambda e: (e.count_ops(), str(e))):
        equal = (e for e in stand_in if type(e) is type(node) and vanishes(e.args[0] - node.args[0], small))
        first = next(equal, None)
        stand_in[node] = sp.Dummy("i") if first is None else stand_in[first]
    expression = expression.xreplace(stand_in)
    try:
        _, (element,) = element_of([expression], sorted(expression.free_symbols, key=str))
    except (EquationError, ZeroDivisionError):
        return False
    return not element


def _related_angles(expression: sp.Expr) -> sp.Expr:
    """Angles of which one is the sum or difference of two others, with that one expanded."""
    angles = sorted({_lowest_terms(f.args[0]) for f in expression.atoms(sp.sin, sp.cos)}, key=sp.count_ops)
    if len(angles) < 3 or all(a.is_polynomial() for a in angles):
        return expression
    for k, a in enumerate(angles):
        for pair in combinations(angles[:k], 2):
            for signs in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                if vanishes(a - sum(sign * angle for sign, angle in zip(signs, pair, strict=True))):
                    stand_in = [sp.Dummy(real=True) for _ in pair]
                    total = sum(sign * angle for sign, angle in zip(signs, stand_in, strict=True))
                    back = dict(zip(stand_in, pair, strict=True))
                    found = [f for f in expression.atoms(sp.sin, sp.cos) if _lowest_terms(f.args[0]) == a]
                    return expression.xreplace({f: sp.expand_trig(f.func(total)).xreplace(back) for f in found})
    return expression


def without_moduli(expression: sp.Expr, small: Sequence[sp.Symbol] = ()) -> sp.Expr:
    """|e| as e or -e, whichever is positive at the origin of the small symbols; e where that isn't known."""

    def sized(e: sp.Expr) -> sp.Expr:
        return -e if e.subs(dict.fromkeys(small, 0)).is_negative else e

    return expression.replace(sp.Abs, sized) if expression.has(sp.Abs) else expression


def _canonical_functions(e: sp.Expr, small: Sequence[sp.Symbol]) -> sp.Expr:
    """Roots and logarithms factor by factor, products of exponentials joined, f⁻¹(f(y)) = y."""
    if e.is_Atom:
        return e
    e = e.func(*(_canonical_functions(a, small) for a in e.args))
    if e.is_Mul and sum(isinstance(f, sp.exp) for f in e.args) > 1:
        exponents = [f.exp for f in e.args if isinstance(f, sp.exp)]
        e = sp.Mul(sp.exp(_lowest_terms(sp.Add(*exponents))), *(f for f in e.args if not isinstance(f, sp.exp)))
    elif isinstance(e, sp.exp):
        e = sp.exp(_lowest_terms(e.exp))
    elif isinstance(e, sp.sin | sp.cos):
        return e.func(_lowest_terms(e.args[0]))
    elif isinstance(e, sp.Abs):
        return without_moduli(e, small)
    elif e.is_Pow and not e.exp.is_Integer and (e.base.is_Add or e.base.is_Mul):
        parts = _signed_factors(e.base, small)
        return e if parts is None else sp.Mul(*(b ** (n * e.exp) for b, n in parts))
    elif isinstance(e, sp.log) and (e.args[0].is_Add or e.args[0].is_Mul):
        parts = _signed_factors(e.args[0], small)
        return e if parts is None else sp.Add(*(n * sp.log(b) for b, n in parts))
    elif type(e) in INVERSE and isinstance(e.args[0], INVERSE[type(e)]):
        return e.args[0].args[0]
    return e


def _lowest_terms(e: sp.Expr) -> sp.Expr:
    return e if e.is_Atom or e.is_polynomial() else sp.expand(sp.cancel(sp.together(e)))


def _signed_factors(base: sp.Expr, small: Sequence[sp.Symbol]) -> list[tuple[sp.Expr, sp.Expr]] | None:
    """Factors and multiplicities, each sum positive where the small symbols vanish; None if a sign is left over."""
    parts, sign = [], sp.S.One
    for factor in sp.Mul.make_args(sp.factor(sp.together(base))):
        b, n = factor.as_base_exp()
        if b.is_Add and n.is_Integer and b.subs(dict.fromkeys(small, 0)).is_negative:
            b, sign = -b, sign * (-1) ** n
        if b.is_Rational and n == 1:
            b, sign = abs(b), sign * sp.sign(b)
        parts.append((b, n))
    return parts if sign == 1 else None


def _without_sums_in_functions(expression: sp.Expr) -> sp.Expr:
    """sin(a + b) and the like by their addition theorems, so that sin(2 atan(x)) becomes rational."""
    if not any(isinstance(f.args[0].as_coeff_Mul()[1], (sp.atan, sp.asin, sp.acos)) or f.args[0].is_Add
               for f in expression.atoms(*CIRCULAR)):  # fmt: skip
        return expression
    return sp.expand_trig(expression)


def tidy(expression: sp.Expr) -> sp.Expr:
    """An equal expression in a short form, for positive symbols: fractions in lowest terms, powers combined."""
    if expression.is_Atom:
        return expression
    inner = expression.func(*(tidy(a) for a in expression.args))
    if inner.is_Pow and not inner.exp.is_Integer and inner.base.is_Add:
        base = sp.factor(sp.together(inner.base))
        inner = sp.expand_power_base(base**inner.exp) if base.is_Mul or base.is_Pow else inner
    if type(inner) in INVERSE and isinstance(inner.args[0], INVERSE[type(inner)]):
        return inner.args[0].args[0]
    if not (inner.is_Add or inner.is_Mul or inner.is_Pow):
        return inner
    forms = [inner]
    if inner.count_ops() < LARGE:
        try:
            # one fraction, factored; every other function counts as a symbol
            together = sp.factor(sp.together(sp.powsimp(inner)))
        except (sp.PolynomialError, NotImplementedError):
            together = inner
        forms += [together, sp.factor_terms(together), sp.expand(together)]
        if together.is_Mul or together.is_Pow:
            forms.append(sp.powsimp(together))
    return min(forms, key=lambda e: (e.count_ops() + 3 * _nested_fractions(e), len(str(e))))


def _nested_fractions(expression: sp.Expr) -> int:
    """Fractions inside of denominators."""
    powers = [p for p in expression.atoms(sp.Pow) if p.exp.could_extract_minus_sign() and p.base.is_Add]
    return sum(any(a.exp.could_extract_minus_sign() for a in p.base.atoms(sp.Pow)) for p in powers)
