"""What moves parameters, and what outputs determine, as the result that commands, reports and pages read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp
from msgspec import UNSET, UnsetType

from lieapp.document import Formula
from lieapp.lie.parameters.identifiable import Identified
from lieapp.lie.parameters.moving import Moving
from lieapp.lie.vector_field import formula_of
from lieapp.results.truth import MovingResult, OutputsResult


def told_moving(found: Moving | None, seen: Identified | None) -> MovingResult | UnsetType:
    """Both as one result; unset if no parameters were to move."""
    if found is None:
        return UNSET
    return MovingResult(
        parameters=list(found.parameters),
        sought=found.sought,
        generators=[field.as_json() for field in found.generators],
        complete=found.complete,
        groups=list(map(str, found.groups)),
        reason=found.reason,
        identifiable={} if seen is None else seen.parameters,
        identification=UNSET if seen is None else _outputs(seen),
        parameters_shown=list(map(_named, found.parameters)),
        generators_shown=[field.formula() for field in found.generators],
        groups_shown=list(map(formula_of, found.groups)),
    )


def _outputs(seen: Identified) -> OutputsResult:
    return OutputsResult(
        outputs=list(map(str, seen.outputs)),
        parameters=seen.parameters,
        states=seen.states,
        generators=[field.as_json() for field in seen.generators],
        sought=seen.sought,
        unseen=list(seen.unseen),
        directions=seen.directions,
        combinations=list(map(str, seen.combinations)),
        missing=seen.missing,
        reason=seen.reason,
        outputs_shown=list(map(formula_of, seen.outputs)),
        parameters_shown=list(map(_named, seen.parameters)),
        states_shown=list(map(_named, seen.states)),
        generators_shown=[field.formula() for field in seen.generators],
        combinations_shown=list(map(formula_of, seen.combinations)),
    )


def _named(name: str) -> Formula:
    return formula_of(sp.Symbol(name))


def lines(found: Moving | None, seen: Identified | None) -> Iterator[str]:
    """A few lines for a notebook or terminal."""
    if found is None:
        return
    names = ", ".join(found.parameters)
    if names:
        shown = "" if found.complete else "not "
        yield f"moving {names} ({found.sought or 'nothing'} sought, {shown}shown to be complete)"
    yield from (f"  E{k} = {field.text()}" for k, field in enumerate(found.generators, start=1))
    yield from [f"  dimensionless: {', '.join(map(str, found.groups))}"] if found.groups else []
    if seen is None:
        return
    yield f"measuring {', '.join(map(str, seen.outputs))}: {verdicts(seen.parameters)}"
    yield from (f"  H{k} = {field.text()} keeps all outputs" for k, field in enumerate(seen.generators, start=1))
    yield from [f"  combinations: {', '.join(map(str, seen.combinations))}"] if seen.combinations else []


def sentence_of(result: MovingResult) -> str:
    """ "; 1 more moves nu; identifiable: r; not identifiable: K, c" """
    moving, said = len(result.generators), ""
    if result.parameters:
        said = f"; {moving or 'no'} more move{'s' if moving == 1 else ''} {', '.join(result.parameters)}"
    return said + (f"; {verdicts(result.identifiable)}" if result.identifiable else "")


def verdicts(identifiable: Mapping[str, bool | None]) -> str:
    """ "identifiable: r; not identifiable: K, c; undecided: d" """
    told = {"identifiable": True, "not identifiable": False, "undecided": None}
    names = {words: [n for n, v in identifiable.items() if v is verdict] for words, verdict in told.items()}
    return "; ".join(f"{words}: {', '.join(found)}" for words, found in names.items() if found)


def rows(found: Moving | None, seen: Identified | None) -> Iterator[str]:
    """The same as rows of an `aligned` block of LaTeX."""
    if found is None:
        return
    if found.parameters:
        yield rf"& \text{{moving }} {', '.join(sp.latex(sp.Symbol(n)) for n in found.parameters)}"
    yield from (f"E_{{{k}}} &= {field.latex()}" for k, field in enumerate(found.generators, start=1))
    if found.groups:
        yield rf"& \text{{dimensionless groups }} {', '.join(map(sp.latex, found.groups))}"
    if seen is not None:
        yield rf"& \text{{keeping }} {', '.join(map(sp.latex, seen.outputs))}"
        yield from (f"H_{{{k}}} &= {field.latex()}" for k, field in enumerate(seen.generators, start=1))
        if seen.combinations:
            yield rf"& \text{{determined }} {', '.join(map(sp.latex, seen.combinations))}"
