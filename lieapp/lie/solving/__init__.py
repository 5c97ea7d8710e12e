"""The small-step solver for overdetermined linear systems of determining equations."""

from lieapp.lie.solving.engine import solve
from lieapp.lie.solving.state import Solution, State, Step

__all__ = ["Solution", "State", "Step", "solve"]
