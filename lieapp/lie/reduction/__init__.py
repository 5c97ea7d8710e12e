"""Finite flows, invariants, and reductions of a system by its symmetries (Olver 1993, ch. 2 and 3)."""
