"""Which derivative the letters of a typed jet mean: `xx` of u_xx, `time_x` of u_time_x."""

from __future__ import annotations

from collections.abc import Sequence

from lieapp.equations.jets import MultiIndex


class AmbiguousError(ValueError):
    """Letters that can be read as different derivatives."""


def multi_index(letters: str, variables: Sequence[str]) -> MultiIndex | None:
    """How often each variable occurs in `txx` or `time_x`; None if something else does.

    Raises AmbiguousError if names of variables put together are the name of another: `xx` beside `x`.
    """
    found = readings(letters, variables)
    if len(found) > 1:
        meant = " or ".join(_words(J, variables) for J in sorted(found))
        raise AmbiguousError(f"{letters!r} can mean the derivative with respect to {meant}")
    return next(iter(found), None)


def readings(letters: str, variables: Sequence[str]) -> set[MultiIndex]:
    """Every way to read the letters as variables, with or without `_` between them."""
    zero = (0,) * len(variables)
    # the readings of what stands before each place
    before: list[set[MultiIndex]] = [{zero}] + [set() for _ in letters]
    for place, letter in enumerate(letters):
        if letter == "_":
            before[place + 1] |= before[place]
        for i, variable in enumerate(variables):
            if letters.startswith(variable, place):
                end = place + len(variable)
                before[end] |= {(*J[:i], J[i] + 1, *J[i + 1 :]) for J in before[place]}
    return before[-1] - {zero}


def _words(J: MultiIndex, variables: Sequence[str]) -> str:
    return " and ".join(f"{x}{f', {n} times' if n > 1 else ''}" for x, n in zip(variables, J, strict=True) if n)
