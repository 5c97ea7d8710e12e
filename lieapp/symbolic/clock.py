"""u_t = a(t) G[u] with G free of t is autonomous in the time τ = ∫ a dt."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from lieapp.symbolic.splitting import Splitting


def common_rate(splitting: Splitting) -> tuple[sp.Expr, Splitting] | None:
    """a(t) and the splitting of u_τ = G[u]; None if t doesn't enter by one common factor alone."""
    evolution = splitting.evolution
    t = evolution.jets.independent[evolution.time]
    parts = [*splitting.linear.values(), *(term for n in splitting.nonlinear for term in sp.Add.make_args(n))]
    rates = {term.as_independent(*(term.free_symbols - {t}), as_Add=False)[0] for term in parts if term != 0}
    rates = {rate.as_independent(t, as_Add=False)[1] for rate in rates}
    if len(rates) != 1 or not (rate := rates.pop()).free_symbols:
        return None
    linear = {key: sp.cancel(c / rate) for key, c in splitting.linear.items()}
    nonlinear = tuple(sp.expand(sp.cancel(sp.expand(n) / rate)) for n in splitting.nonlinear)
    if any(e.has(t) for e in (*linear.values(), *nonlinear)):
        return None
    return rate, replace(splitting, linear=linear, nonlinear=nonlinear)
