"""Factors that may vanish: of what is divided by, and of equations.

An equation that is a power is its base, what can't vanish is divided out, other products are refused. The
symmetries of P·Q = 0 are those that P = 0 and Q = 0 have in common, since a flow takes each to itself; solving for
one derivative would keep one of them and lose the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.arbitrary import Composed
from lieapp.equations.equation import System
from lieapp.equations.inverse import opaque, opened
from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError


def vanishing_factors(
    expression: sp.Expr, constants: Iterable[sp.Symbol], known: Sequence[sp.Expr] = ()
) -> list[sp.Expr]:
    """The factors of a divisor that may vanish identically for some values of the constants.

    Coordinates are generic, so `nu*u` may vanish only through nu, and `u + nu` never vanishes identically.
    Of arbitrary functions k(u) everything counts that vanishes for special ones; `k_u` is the derivative.
    `known` are expressions declared nonzero.
    """
    expression, functions = named(expression)
    free = {*constants, *functions}
    if not expression.free_symbols & free:
        return []
    bases = [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.numer(sp.together(expression))))]
    return [b for b in bases if _may_vanish(b, free, functions, known)]


def _may_vanish(
    factor: sp.Expr, constants: set[sp.Symbol], functions: Mapping[sp.Symbol, sp.Expr], known: Sequence[sp.Expr]
) -> bool:
    if not factor.free_symbols & constants or _cannot_vanish(factor):
        return False
    if any(sp.expand(factor - sign * k) == 0 for k in known for sign in (1, -1)):
        return False
    # u k_u + 1 vanishes for a special k(u)
    tied = {x for s in factor.free_symbols & functions.keys() for x in functions[s].free_symbols}
    generic = factor.free_symbols - constants - tied
    if generic and factor.is_polynomial(*generic):
        return not any(c.is_nonzero for c in sp.Poly(factor, *generic).coeffs())
    return True


def named(expression: sp.Expr) -> tuple[sp.Expr, dict[sp.Symbol, sp.Expr]]:
    """The expression with k(u) and derivatives of it written k and k_uu, and what these symbols stand for."""
    found = sorted(expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef), key=str)
    names: dict[sp.Expr, sp.Symbol] = {}
    for e in found:
        function = e.expr if isinstance(e, sp.Derivative) else e
        if isinstance(e, Composed):
            # with its argument: there may be several
            names[e] = sp.Symbol(str(e), real=True)
            continue
        letters = "".join(str(v) * int(n) for v, n in e.variable_count) if isinstance(e, sp.Derivative) else ""
        names[e] = sp.Symbol(f"{function.func}" + (f"_{letters}" if letters else ""), real=True)
    return expression.xreplace(names), {s: e for e, s in names.items()}


def spelled(expression: sp.Expr) -> sp.Expr:
    """The expression as lists write it: k, k_u for an arbitrary k(u) and its derivatives."""
    plain = {f: s for s, f in named(expression)[1].items() if not isinstance(f, Composed)}
    return expression.xreplace(plain)


def without_products(system: System) -> tuple[System, list[sp.Expr]]:
    """The system with equations in place of their powers and multiples, and the factors that were divided out.

    A factor without derivatives of the unknowns, as u in u u_t - u u_xx, is divided out: it vanishes for single
    functions only. Told are those that vanish for some functions or parameters. Raises EquationError if two factors
    with derivatives are left, or two factors of an equation without any.
    """
    residuals, divided = [], list[sp.Expr]()
    for residual in system.residuals:
        equation, by = one_equation(residual, system)
        residuals.append(equation)
        divided += [e for e in by if e not in divided]
    changed = tuple(residuals)
    return (system if changed == system.residuals else replace(system, residuals=changed)), divided


def one_equation(residual: sp.Expr, system: System) -> tuple[sp.Expr, list[sp.Expr]]:
    """The only factor that says anything, and those divided out.

    Raises EquationError if more than one does, or none.
    """
    jets = system.jets
    plain = _is_plain(residual, jets)
    factors = [] if plain else [f for f in _factors(residual) if not _cannot_vanish(f)]
    sides = [f for f in factors if jets.order([f])] or [f for f in factors if jets.jets(f)]
    if len(sides) > 1:
        refuse(sides, system.name)
    if not factors and not plain:
        raise EquationError(
            f"{system.name}: {residual} = 0 has no solution, since {residual} never vanishes.",
            hint="Correct the equation, or leave it out.",
        )
    if not sides and not plain:
        return residual, []
    alone = plain or (len(factors) == 1 and all(n == 1 and f.as_base_exp()[0] == f for f, n in listed(residual)))
    equation, slopes = opened(residual if alone else sides[0], jets)
    divided = []
    for factor in [*factors, *slopes]:
        if factor in sides[:1]:
            continue
        parameters = vanishing_factors(factor, system.parameters, system.nonzero)
        divided += [factor] if jets.jets(factor) and factor not in slopes else parameters
    return equation, divided


def refuse(factors: Sequence[sp.Expr], name: str) -> None:
    """Raises EquationError: an equation is the product of these."""
    product = "*".join(f"({f})" if f.is_Add else str(f) for f in factors)
    each = " or ".join(f"{f} = 0" for f in factors)
    raise EquationError(
        f"{name}: {product} = 0 is a product of equations.",
        hint=f"Each factor has symmetries of its own; give one of them: {each}.",
    )


def _is_plain(residual: sp.Expr, jets: JetSpace) -> bool:
    """Whether a derivative stands alone with a number, quickly seen: such an equation has no factors."""
    found = jets.jets(residual)
    slopes = {s: sp.diff(residual, s) for s, (_, J) in found.items() if any(J)} if residual.is_Add else {}
    return any(slope.is_Rational and slope != 0 for slope in slopes.values())


def _factors(expression: sp.Expr) -> list[sp.Expr]:
    """The bases of the irreducible factors of the numerator, without numbers and their powers."""
    found: list[sp.Expr] = []
    for factor, _ in listed(expression):
        base = factor.as_base_exp()[0]
        parts = [base] if base == factor else [] if base.is_number else _factors(base)
        found += [f for f in parts if f not in found]
    return found


def listed(expression: sp.Expr) -> list[tuple[sp.Expr, int]]:
    """The factors of the numerator with their powers, without numbers.

    Powers and functions that SymPy can't factor as polynomials count as names.
    """
    numer = sp.numer(sp.together(expression))
    if numer.is_number:
        return []
    unknown = sorted(numer.atoms(AppliedUndef, sp.Derivative), key=lambda e: (-e.count_ops(), str(e)))
    names = {e: sp.Dummy(real=True) for e in unknown}
    plain = numer.xreplace(names)
    try:
        factors = sp.factor_list(plain)[1]
    except (sp.PolynomialError, sp.PolificationFailed, TypeError):
        # exp(y_x - y) and yⁿ with n > 1 unknown
        parts = {e: sp.Dummy(real=True) for e in opaque(plain)}
        inner = {s: e for e, s in names.items()}
        names |= {e.xreplace(inner): s for e, s in parts.items()}
        factors = sp.factor_list(plain.xreplace(parts))[1]
    back = {s: e for e, s in names.items()}
    return [(f.xreplace(back), n) for f, n in factors]


def _cannot_vanish(factor: sp.Expr) -> bool:
    return bool(factor.is_nonzero or factor.is_positive or factor.is_negative)
