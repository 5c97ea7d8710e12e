"""What documents of searches beyond point symmetries share: their frame, the spectrum, the class by derivation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lieapp.document import (
    Block,
    Caption,
    Document,
    Draw,
    Figure,
    Notice,
    Text,
    figures,
    joined,
    number,
    seconds,
    undrawn,
)
from lieapp.drawing import Drawing
from lieapp.extension import outcome
from lieapp.pde.identify.document import equation as equation_blocks
from lieapp.pde.identify.document import path as path_blocks
from lieapp.results.from_data import FromData


def framed(result: FromData, found: Sequence[Block], shown: Sequence[Caption], draw: Draw) -> Document:
    """Equation and outcome, what was found, figures, how the equation was identified, seconds."""
    blocks: list[Block] = [*result.equation_shown, *outcome(result)]
    if result.fitted is not None:
        blocks.append(Notice("The equation was learned from these data: nothing is proved of it.", "warning"))
    blocks += [*found, *figures(shown, draw)]
    if result.identified is not None:
        blocks += [*equation_blocks(result.identified), *path_blocks(result.identified)]
    return [*blocks, *seconds(result.seconds)]


def derived(result: FromData, one: str, several: str, added: str = "") -> list[Block]:
    """How much of a class is derived, and what was tried.

    Args:
        one, several: what is derived, `law` and `laws`.
        added: what the number includes.
    """
    if result.derived is None:
        told = f"The {several} of the class aren't derived: that needs a known polynomial equation."
    else:
        between = "" if result.angle is None else f"; the angle between both spans is {number(result.angle)} rad"
        what = one if result.derived == 1 else several
        told = f"By the exact condition this class holds {result.derived} {what}{added}{between}."
    return [Text(told), Text(joined([f"`{name}`" for name in result.candidates]), small=True)]


def spectrum_drawing(result: FromData, title: str, of: str, label: str) -> Drawing:
    """The quotient of every combination."""
    from lieapp.figures.charts import spectrum

    return spectrum(or_nan(result.spectrum.eta), result.spectrum.gap_after, title, of, label)


def or_nan(values: Sequence[float | None]) -> list[float]:
    """NaN for what isn't finite."""
    return [value if value is not None else float("nan") for value in values]


def drawn(made: Mapping[str, Drawing], shown: Sequence[Caption]) -> Draw:
    """The figures that were made, with their captions."""
    captions = {one.key: one for one in shown}

    def found(key: str) -> Figure:
        if key not in made:
            return undrawn(key)
        return Figure(key, captions[key].title, captions[key].caption, made[key])

    return found
