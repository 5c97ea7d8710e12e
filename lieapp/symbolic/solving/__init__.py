"""The small-step solver for overdetermined linear systems of determining equations."""

from lieapp.symbolic.solving.engine import solve
from lieapp.symbolic.solving.state import Solution, State, Step

__all__ = ["Solution", "State", "Step", "solve"]
