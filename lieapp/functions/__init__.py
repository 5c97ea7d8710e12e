"""Maps y = f(x): vector fields that leave them invariant or equivariant. A plugin imports `Function` from here."""

from lieapp.functions.declaration import Function

__all__ = ["Function"]
