"""Lie algebras by structure constants: series, centre, Killing form, radicals, Levi factor and its type."""

from lieapp.lie.algebra.scalars import Scalars, Undecided
from lieapp.lie.algebra.series import Algebra, Table

__all__ = ["Algebra", "Scalars", "Table", "Undecided"]
