"""Second-order linear ODEs that special functions solve: Airy, Bessel, Mathieu, Hermite and Legendre.

y = w exp(-∫p/2) brings y'' + p y' + q y = 0 to w'' + I w = 0 with I = q - p²/4 - p'/2, and I is compared with that
of each equation (Kamke, Differentialgleichungen I, C 2.14 to 2.162; DLMF chapters 9, 10, 14, 18, 28).
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from lieapp.lie.solving.antiderivative import integral
from lieapp.lie.solving.state import State

Solutions = list[sp.Expr] | None


def special(state: State, a: list[sp.Expr], x: sp.Symbol) -> Solutions:
    """Two solutions by special functions, real where their arguments are; None if the equation isn't one of these.

    The second one of Mathieu's, Hermite's and Legendre's equations is w ∫ dx/w².
    """
    if len(a) != 3:
        return None
    q, p, _ = a
    invariant = sp.factor(sp.simplify(q - p**2 / 4 - sp.diff(p, x) / 2))
    exponent = integral(state, sp.apart(p, x) if p.is_rational_function(x) else p, x)
    found = None if exponent is None else next((w for kind in KINDS if (w := kind(invariant, x)) is not None), None)
    if found is None or exponent is None:
        return None
    if len(found) == 1:
        (w,) = found
        if not state.formal:
            return None
        found = [w, w * sp.Integral(1 / w**2, x)]
    if any(symbol in state.field.constants for w in found for symbol in w.free_symbols):
        state.assume_special(sp.Tuple(*found))
    factor = sp.exp(sp.expand(-exponent / 2)).replace(sp.Abs, lambda e: e)
    return [factor * w for w in found]


def _airy(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """w'' = (a x + b) w: Ai and Bi of ∛a (x + b/a)."""
    if not invariant.is_polynomial(x) or sp.degree(invariant, x) != 1:
        return None
    b: sp.Expr = -1 * invariant.subs(x, 0)
    a: sp.Expr = -1 * sp.diff(invariant, x)
    root = -((-a) ** sp.Rational(1, 3)) if a.is_negative else a ** sp.Rational(1, 3)
    z = sp.expand(root * (x + b / a))
    return [sp.airyai(z), sp.airybi(z)]


def _bessel(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """x² I = β² γ² x^(2γ) + 1/4 - ν² γ²: √x J_ν(β x^γ) and √x Y_ν(β x^γ), or I and K where β² < 0."""
    terms = sp.Add.make_args(sp.expand(invariant * x**2))
    constant = sp.Add(*(t for t in terms if not t.has(x)))
    moving = [t for t in terms if t.has(x)]
    if len(moving) != 1:
        return None
    c, power = moving[0].as_independent(x, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != x or exponent.has(x) or exponent == 0:
        return None
    gamma = exponent / 2
    square = sp.factor((sp.Rational(1, 4) - constant) / gamma**2)
    if square.is_negative:
        return None
    order = _root(square)
    sign = -1 if sp.factor(c).could_extract_minus_sign() or c.is_negative else 1
    z = _root(sp.factor(sign * c / gamma**2)) * x**gamma
    first, second = (sp.besselj, sp.bessely) if sign > 0 else (sp.besseli, sp.besselk)
    return [sp.sqrt(x) * first(order, z), sp.sqrt(x) * second(order, z)]


def _exponential(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """I = ω²/4 (β² exp ωx - ν²): J_ν(β exp(ωx/2)) and Y_ν, or I and K where β² < 0."""
    constant, moving = sp.expand(invariant).as_independent(x, as_Add=True)
    c, wave = moving.as_independent(x, as_Add=False)
    omega = sp.diff(wave.exp, x) if isinstance(wave, sp.exp) else x
    square = sp.factor(-4 * constant / omega**2)
    if omega.has(x) or square.is_negative:
        return None
    sign = -1 if sp.factor(c).could_extract_minus_sign() or c.is_negative else 1
    z = _root(sp.factor(4 * sign * c / omega**2)) * sp.exp(omega * x / 2)
    first, second = (sp.besselj, sp.bessely) if sign > 0 else (sp.besseli, sp.besselk)
    return [first(_root(square), z), second(_root(square), z)]


def _root(square: sp.Expr) -> sp.Expr:
    """A square root, that of n² being n: either sign will do."""
    return sp.powdenest(sp.sqrt(square), force=True).replace(sp.Abs, lambda e: e)


def _mathieu(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """I = α + β cos ωx with a = 4α/ω², q = -2β/ω², z = ωx/2."""
    waves = [w for w in invariant.atoms(sp.cos) if w.has(x)]
    if len(waves) != 1 or not invariant.is_polynomial(waves[0]) or sp.degree(invariant, waves[0]) != 1:
        return None
    wave = waves[0]
    omega = sp.diff(wave.args[0], x)
    beta, alpha = sp.Poly(invariant, wave).all_coeffs()
    if sp.Tuple(omega, alpha, beta).has(x) or sp.expand(wave.args[0] - omega * x) != 0:
        return None
    return [sp.mathieuc(4 * alpha / omega**2, -2 * beta / omega**2, omega * x / 2)]


def _hermite(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """I = κ² (2n + 1 - κ² s²), s = x + shift: exp(-κ²s²/2) H_n(κ s); for an order n that is a symbol."""
    if not invariant.is_polynomial(x) or sp.degree(invariant, x) != 2:
        return None
    a, b, c = sp.Poly(invariant, x).all_coeffs()
    if not (a.is_negative or a.could_extract_minus_sign()):
        return None
    kappa = (-a) ** sp.Rational(1, 4)
    shift = b / (2 * a)
    n = sp.factor(((c - a * shift**2) / sp.sqrt(-a) - 1) / 2)
    if n.is_number:
        return None
    s = x + shift
    return [sp.exp(-sp.expand(kappa**2 * s**2 / 2)) * sp.hermite(n, kappa * s)]


def _legendre(invariant: sp.Expr, x: sp.Symbol) -> Solutions:
    """I = (1 + n(n+1)(1 - x²))/(1 - x²)²: √(x² - 1) P_n(x); for an order n that is a symbol."""
    numerator = sp.factor(invariant * (1 - x**2) ** 2)
    if not numerator.is_polynomial(x) or sp.degree(numerator, x) != 2:
        return None
    a, b, c = sp.Poly(numerator, x).all_coeffs()
    if b != 0 or sp.expand(a + c - 1) != 0 or a.is_number:
        return None
    n = _root(sp.factor(sp.Rational(1, 4) - a)) - sp.Rational(1, 2)
    return [sp.sqrt(x**2 - 1) * sp.legendre(sp.expand(n), x)]


KINDS: tuple[Callable[[sp.Expr, sp.Symbol], Solutions], ...] = (
    _airy,
    _bessel,
    _exponential,
    _mathieu,
    _hermite,
    _legendre,
)
