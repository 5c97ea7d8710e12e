"""Equations as a kind of declaration. Torch and the engine are loaded when work begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from lieapp.api import PDE, hookimpl
from lieapp.augment import typed as augment
from lieapp.config import DiscoverConfig
from lieapp.config_augment import AugmentConfig
from lieapp.config_types import file_options
from lieapp.document import Document, Draw, undrawn
from lieapp.errors import UsageError
from lieapp.extension import Kind, Work, lazily
from lieapp.results.conserved import LawsFromData
from lieapp.results.discovery import EquationResult

if TYPE_CHECKING:
    from lieapp.runs.store.session import Session


Found: TypeAlias = EquationResult | LawsFromData
"""Symmetries, or conservation laws."""


@hookimpl
def lieapp_kinds() -> list[Kind]:
    return [PDES]


def _placed(config: DiscoverConfig, declaration: PDE) -> PDE:
    """The declaration on the grids of the files, if there are any."""
    from lieapp.data.own import described

    return described(declaration, config.data) if config.data.files else declaration


def _costs(config: DiscoverConfig, declaration: PDE) -> list[str]:
    if config.sought != "symmetries":
        return []
    from lieapp.pde.cost import warnings

    return warnings(config, _placed(config, declaration))


def _estimate(config: DiscoverConfig, declaration: PDE) -> tuple[float, float]:
    from lieapp.pde.cost import estimate

    return estimate(config, _placed(config, declaration))


def _check(config: DiscoverConfig, declaration: PDE) -> None:
    from lieapp.data.declared import check_data, check_discovery
    from lieapp.data.sizes import check_sizes
    from lieapp.pde.cost import check_memory

    config.data.check()
    declaration = _placed(config, declaration)
    if config.data.extend and declaration.fitted is not None:
        raise UsageError(
            "--extend simulates the equation, and this one is learned from the data.", hint="Leave --extend out."
        )
    if config.data.extend:
        if len(declaration.periodic) < len(declaration.region) - 1:
            raise UsageError(
                "--extend simulates on periodic axes, and these data have an open one.", hint="Leave --extend out."
            )
        check_data(replace(declaration, source=None))
    check_discovery(declaration)
    check_sizes(config, declaration)
    if config.sought == "laws":
        from lieapp.pde.laws.densities import check_laws

        check_laws(config, declaration)
    else:
        check_memory(config, declaration)


def _execute(config: DiscoverConfig, declaration: PDE, session: Session) -> Found:
    work = "laws.discover" if config.sought == "laws" else "discover"
    result: Found = lazily(f"lieapp.pde.{work}:execute")(config, declaration, session)
    return result


def _document(result: Found, draw: Draw = undrawn) -> Document:
    page = "laws.document" if isinstance(result, LawsFromData) else "document"
    blocks: Document = lazily(f"lieapp.pde.{page}:document")(result, draw)
    return blocks


def _draw(result: Found, folder: Path) -> Draw:
    figures = "laws.document" if isinstance(result, LawsFromData) else "figures"
    drawn: Draw = lazily(f"lieapp.pde.{figures}:draw")(result, folder)
    return drawn


def _about(result: Found) -> str:
    if isinstance(result, LawsFromData):
        return "Conservation laws found in data"
    return f"Symmetries learned from data · {result.method} method"


def _complete(config: DiscoverConfig, root: Path) -> DiscoverConfig:
    """With absolute paths of files: a run may be resumed from another folder."""
    return msgspec.structs.replace(config, data=config.data.resolved())


PLANAR = "it has several axes of space, and networks are trained on one axis only so far"


def _typed(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the command line as settings: those of files stand together, how many are read among them."""
    given, rest = file_options(options)
    if rest.pop("laws", None):
        rest["sought"] = "laws"
    if (order := rest.pop("order", None)) is not None:
        if rest.get("sought") != "laws":
            raise UsageError("--order is the highest order in conservation laws.", hint="Give --laws too.")
        rest["laws"] = {"order": order}
    if given.get("files") and rest.get("samples"):
        given["samples"] = rest.pop("samples")
    return {**rest, "data": given} if given else rest


def equation_text(declaration: PDE) -> str:
    """The equation as SymPy writes it, numbers as they are meant: `-u` of `-1.0*u`."""
    from lieapp.equations.equation import exact

    equation = declaration.equation
    parts = equation if isinstance(equation, (list, tuple)) else [equation]
    sides = [(part.lhs, part.rhs) if hasattr(part, "lhs") else (part, 0) for part in parts]
    return "; ".join(f"{exact(left)} = {exact(right)}" for left, right in sides)


PDES = Kind(
    name="pde",
    declaration=PDE,
    words=("an equation", "equations"),
    check=lazily("lieapp.pde.check:check"),
    shown=equation_text,
    derivable=True,
    works=(
        Work(
            command="discover",
            words="Find symmetries",
            settings=DiscoverConfig,
            execute=_execute,
            check=_check,
            complete=_complete,
            typed=_typed,
            costs=_costs,
            estimate=_estimate,
            document=_document,
            draw=_draw,
            about=_about,
        ),
        Work(
            command="augment",
            words="Train on moved data",
            settings=AugmentConfig,
            execute=lazily("lieapp.augment.of_solutions:execute"),
            refused=lambda own: "" if len(own.region) <= 2 else PLANAR,
            check=augment.check_solutions,
            complete=augment.complete_solutions,
            typed=augment.solution_options,
            document=lazily("lieapp.augment.document:document"),
            draw=lazily("lieapp.augment.document:draw"),
            about=augment.about,
        ),
    ),
)
