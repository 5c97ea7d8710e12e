"""Equations as a kind of declaration. Torch and the engine are loaded when work begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from lieapp.results.characteristics import GeneralisedFromData
from lieapp.results.conserved import LawsFromData
from lieapp.results.discovery import EquationResult

if TYPE_CHECKING:
    from lieapp.data.own import OwnGrid
    from lieapp.runs.store.session import Session


Found: TypeAlias = EquationResult | LawsFromData | GeneralisedFromData
"""Point symmetries, conservation laws, or generalised symmetries."""


@hookimpl
def lieapp_kinds() -> list[Kind]:
    return [PDES]


def _placed(config: DiscoverConfig, declaration: PDE) -> tuple[PDE, list[OwnGrid]]:
    """The declaration on the grids of the files, if there are any, and these."""
    from lieapp.data.own import counted_grids, declared_on, names

    if not config.data.files:
        return declaration, []
    grids = counted_grids(config.data, *names(declaration))
    return declared_on(declaration, config.data, [grid.axes for grid in grids]), grids


def _costs(config: DiscoverConfig, declaration: PDE) -> list[str]:
    if config.sought != "symmetries":
        return []
    from lieapp.pde.cost import warnings

    return warnings(config, *_placed(config, declaration))


def _estimate(config: DiscoverConfig, declaration: PDE) -> tuple[float, float] | None:
    if config.sought != "symmetries":
        return None
    from lieapp.pde.cost import estimate

    return estimate(config, *_placed(config, declaration))


def _check(config: DiscoverConfig, declaration: PDE) -> None:
    from lieapp.data.declared import check_data, check_discovery
    from lieapp.data.sizes import check_sizes
    from lieapp.pde.cost import check_memory

    config.data.check()
    declaration, grids = _placed(config, declaration)
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
    if config.sought == "symmetries":
        check_memory(config, declaration, own=grids)
    else:
        checked: Callable[[DiscoverConfig, PDE], None] = lazily(CHECKS[config.sought])
        checked(config, declaration)


CHECKS = {
    "laws": "lieapp.pde.laws.checks:check_laws",
    "generalised": "lieapp.pde.generalised.characteristics:check_generalised",
}
"""What is checked before a run."""

ROOMS: dict[type[msgspec.Struct], str] = {LawsFromData: "laws.", GeneralisedFromData: "generalised."}
"""Where the pages of a result are made."""


def _execute(config: DiscoverConfig, declaration: PDE, session: Session) -> Found:
    room = "" if config.sought == "symmetries" else f"{config.sought}."
    result: Found = lazily(f"lieapp.pde.{room}discover:execute")(config, declaration, session)
    return result


def _document(result: Found, draw: Draw = undrawn) -> Document:
    blocks: Document = lazily(f"lieapp.pde.{ROOMS.get(type(result), '')}document:document")(result, draw)
    return blocks


def _draw(result: Found, folder: Path) -> Draw:
    page = f"{room}document" if (room := ROOMS.get(type(result))) else "figures"
    drawn: Draw = lazily(f"lieapp.pde.{page}:draw")(result, folder)
    return drawn


def _about(result: Found) -> str:
    if isinstance(result, LawsFromData):
        return "Conservation laws found in data"
    what = "Generalised symmetries" if isinstance(result, GeneralisedFromData) else "Symmetries"
    return f"{what} learned from data · {result.method} method"


def _complete(config: DiscoverConfig, declaration: PDE, root: Path) -> DiscoverConfig:
    """With absolute paths of files: a run may be resumed from another folder."""
    return msgspec.structs.replace(config, data=config.data.resolved())


def _unspread(config: DiscoverConfig) -> str:
    if config.sought != "symmetries":
        return f"sought = {config.sought}"
    adaptive = "flow" in config.plan and config.moving.solver in ("dopri5", "dopri8", "bosh3")
    return f"a flow by solver = {config.moving.solver}, whose steps depend on the whole batch," if adaptive else ""


def _batches(config: DiscoverConfig) -> dict[str, int]:
    """Of the methods that train: a stage without epochs is passed over."""
    found = {"projection": config.projection.batch}
    found |= {name: own.batch for name, own in (("gradient", config.gradient), ("flow", config.flow)) if own.epochs}
    return {f"{name}.batch": size for name, size in found.items() if name in config.plan}


PLANAR = "it has several axes of space, and networks are trained on one axis only so far"


def _typed(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the command line as settings: those of files stand together, how many are read among them."""
    given, rest = file_options(options)
    rest |= _sought(rest.pop("laws", None), rest.pop("fields", None), rest.pop("order", None), rest)
    if given.get("files") and rest.get("samples"):
        given["samples"] = rest.pop("samples")
    return {**rest, "data": given} if given else rest


def _sought(laws: bool | None, fields: str | None, order: int | None, rest: Mapping[str, Any]) -> dict[str, Any]:
    """What --laws, --fields and --order ask for, as settings. Raises UsageError for what contradicts itself."""
    if laws and fields is not None:
        raise UsageError("--laws and --fields are both given.", hint="Give one of them.")
    sought = "laws" if laws else "generalised" if fields == "generalised" else rest.get("sought")
    if fields == "generalised" and rest.get("method") not in (None, "spectrum"):
        raise UsageError(
            f"--method {rest['method']} finds point fields; generalised ones are found by spectrum.",
            hint="Give --method spectrum, or leave it out.",
        )
    found = {} if sought is None else {"sought": sought}
    if order is None:
        return found
    if sought not in ("laws", "generalised"):
        raise UsageError(
            "--order is the highest order of derivatives in conservation laws and generalised symmetries.",
            hint="Give --laws or --fields generalised too.",
        )
    return {**found, sought: {"order": order}}


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
            follow=lazily("lieapp.pde.discover:follow"),
            unspread=_unspread,
            batches=_batches,
            keeper=lazily("lieapp.pde.file_chunks:keeper"),
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
            follow=lazily("lieapp.augment.of_solutions:follow"),
            batches=lambda config: {"batch": config.batch},
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
