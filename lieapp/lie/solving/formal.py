"""Integration with integrals that aren't elementary, when nothing else is left to do: ∫ g(t) dt, ∫ exp(cos(t)) dt.

Late, since most functions turn out to vanish before they must be integrated, and since two such integrals may
depend on each other without the coefficient field knowing it.
"""

from __future__ import annotations

from lieapp.lie.solving.integrate import integrate
from lieapp.lie.solving.ode import ordinary
from lieapp.lie.solving.state import State


def formal(state: State) -> bool:
    """Integrate one equation; integrals that aren't elementary stay as they are."""
    state.formal = True
    try:
        return integrate(state) or ordinary(state)
    finally:
        state.formal = False
