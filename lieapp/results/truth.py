"""What a derivation found: the JSON of `lieapp truth`."""

from __future__ import annotations

import msgspec

from lieapp.document import Formula


class FamilyResult(msgspec.Struct, kw_only=True):
    """Generators with arbitrary functions.

    Args:
        functions: the arguments of each arbitrary function.
        conditions: what the functions must fulfil, in jet notation.
        field: the generator, a component for each coordinate.
    """

    functions: dict[str, list[str]]
    conditions: list[str]
    field: dict[str, str]
    functions_shown: list[Formula] = []
    conditions_shown: list[Formula] = []
    shown: Formula
