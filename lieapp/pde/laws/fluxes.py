"""Fluxes and multipliers of proved conservation laws D_t T + Σ D_i Xⁱ = 0 of an evolution equation uᵃ_t = Fᵃ."""

from __future__ import annotations

import sympy as sp

from lieapp.equations.evolution import Evolution
from lieapp.equations.jets import Jet
from lieapp.equations.variational import NoPotentialError, euler, potentials


def multipliers(evolution: Evolution, density: sp.Expr) -> list[sp.Expr]:
    """Λ_a = E_a(T): Σ_a Λ_a (uᵃ_t - Fᵃ) is a divergence."""
    return [euler(density, evolution.jets, a) for a in range(len(evolution.rhs))]


def change(evolution: Evolution, density: sp.Expr) -> sp.Expr:
    """D_t T on solutions, Σ ∂T/∂uᵃ_J D_J Fᵃ + ∂T/∂t."""
    jets = evolution.jets
    known: dict[Jet, sp.Expr] = {(a, jets.zero): f for a, f in enumerate(evolution.rhs)}
    result = sp.diff(density, jets.independent[evolution.time])
    for symbol, jet in jets.jets(density).items():
        result += sp.diff(density, symbol) * jets.from_below(known, jet, jets.total_derivative)
    return sp.expand(result)


def fluxes(evolution: Evolution, density: sp.Expr) -> dict[str, sp.Expr]:
    """Xⁱ for each axis of space, checked by D_t T + Σ D_i Xⁱ = 0; empty where none is found in closed form."""
    rate, jets = change(evolution, density), evolution.jets
    try:
        found = potentials(rate, jets, evolution.space)
    except NoPotentialError:
        return {}
    left = rate - sum(jets.total_derivative(found[i], i) for i in evolution.space)
    if sp.expand(left) != 0 and sp.simplify(left) != 0:
        return {}
    return {str(jets.independent[i]): -found[i] for i in evolution.space}
