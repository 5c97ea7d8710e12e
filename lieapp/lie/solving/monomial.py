"""One-term equations ∂_v^n f = 0: f = 0 or a polynomial in v of degree below n."""

from __future__ import annotations

from lieapp.lie.linear import Form
from lieapp.lie.solving.state import State


def one_term(state: State) -> bool:
    """Integrate one equation with a single term, the lowest orders first; only one variable is integrated."""
    found = [e for e in state.equations if len(e) == 1 and sum(1 for n in next(iter(e))[1] if n) <= 1]
    if not found:
        return False
    equation = min(found, key=lambda e: (sum(next(iter(e))[1]), next(iter(e))))
    f, K = next(iter(equation))
    if not any(K):
        state.substitute(f, {}, "vanish")
        return True
    v = next(i for i, n in enumerate(K) if n)
    state.substitute(f, polynomial(state, f, v, K[v]), "integrate")
    return True


def mixed_term(state: State) -> bool:
    """Integrate ∂_x^m ∂_y^n f = 0: f = Σ xʲ gⱼ(y, …) + Σ yᵏ hₖ(x, …).

    The parts overlap in the monomials xʲ yᵏ, so constants may come twice; the basis drops repetitions.
    """
    found = [e for e in state.equations if len(e) == 1]
    if not found:
        return False
    f, K = next(iter(min(found, key=lambda e: (sum(next(iter(e))[1]), next(iter(e))))))
    value: Form = {}
    for v, n in enumerate(K):
        if n:
            value |= polynomial(state, f, v, n)
    state.substitute(f, value, "integrate")
    return True


def polynomial(state: State, f: int, v: int, degree: int) -> Form:
    """Σ_{k<degree} vᵏ gₖ with new functions gₖ of the other arguments of f."""
    rest = state.unknowns.arguments[f] - {v}
    x = state.field.field.gens[v]
    return {(state.unknowns.new(rest), state.unknowns.zero): x**k for k in range(degree)}
