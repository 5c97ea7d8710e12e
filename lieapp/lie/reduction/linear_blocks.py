"""Coupled linear equations X' = A(σ) X + b(σ) whose ∫A commutes with A, by the exponential exp(∫A)."""

from __future__ import annotations

import sympy as sp

from lieapp.lie.reduction.exact import tidy, vanishes
from lieapp.lie.reduction.integrals import exponential, primitive


def fundamental_matrix(A: sp.Matrix, sigma: sp.Symbol, at_zero: bool) -> tuple[sp.Matrix, sp.Matrix] | None:
    """Φ = exp(∫A) and its inverse; None if an entry has no antiderivative or the family doesn't commute."""
    entries = [primitive(e, sigma, at_zero) if e != 0 else sp.S.Zero for e in A]
    if any(e is None for e in entries):
        return None
    B = sp.Matrix(*A.shape, [tidy(e) for e in entries])
    if not all(vanishes(e) for e in A * B - B * A):
        return None
    forward, backward = matrix_exponential(B), matrix_exponential(-B)
    if forward is None or backward is None:
        return None
    return forward, backward


def matrix_exponential(B: sp.Matrix) -> sp.Matrix | None:
    """exp B in real form: 2 x 2 blocks, nilpotent matrices plus a multiple of 1, and what SymPy's exp gives."""
    n = B.shape[0]
    trace = sp.expand(B.trace()) / n
    N = (B - trace * sp.eye(n)).applyfunc(sp.expand)
    front = exponential(trace)
    series, power = sp.eye(n), sp.eye(n)
    for k in range(1, n + 1):
        power = (power * N).applyfunc(sp.expand) / k
        if all(vanishes(e) for e in power):
            return front * series
        series += power
    if n == 2:
        return front * _of_traceless_pair(N)
    return _by_sympy(N, front)


def _of_traceless_pair(N: sp.Matrix) -> sp.Matrix:
    """exp N = cosh r + N sinh r / r with r² = -det N; cos and sin where that is negative."""
    square = sp.factor(-N.det())
    negative = square.is_negative or (square.is_positive is not True and square.could_extract_minus_sign())
    # cosh r and sinh r / r are even, so the sign of r is free
    if N[0, 0] == 0 and sp.expand(N[0, 1] + N[1, 0] if negative else N[0, 1] - N[1, 0]) == 0:
        r = N[1, 0]
    else:
        r = sp.sqrt(-square if negative else square).replace(sp.Abs, lambda e: e)
    even, odd = (sp.cos(r), sp.sin(r)) if negative else (sp.cosh(r), sp.sinh(r))
    return sp.eye(2) * even + (N / r).applyfunc(tidy) * odd


def _by_sympy(N: sp.Matrix, front: sp.Expr) -> sp.Matrix | None:
    """SymPy's exp of a numeric matrix times one expression, if its entries come out real."""
    pivot = next(e for e in N if e != 0)
    M = (N / pivot).applyfunc(sp.cancel)
    if M.free_symbols:
        return None
    scale = sp.Dummy("c", positive=True)
    try:
        found = (M * scale).exp()
    except (NotImplementedError, ValueError):
        return None
    real = found.applyfunc(lambda e: sp.simplify(e.rewrite(sp.cos)))
    if real.has(sp.I):
        return None
    return front * real.subs(scale, pivot)
