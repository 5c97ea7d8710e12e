"""What `lieapp augment` does with each kind of declaration: its settings, its checks, its pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lieapp.api import PDE, Images
from lieapp.config_augment import AugmentConfig, AugmentImagesConfig, check_ahead, check_history, check_modes
from lieapp.errors import ConfigError, UsageError
from lieapp.runs.augment_along import along_pictures, along_solutions
from lieapp.symbolic.equation import read_pde
from lieapp.symbolic.evolution import evolution_form

if TYPE_CHECKING:
    from lieapp.registry.catalog import Catalog
    from lieapp.results.augment import Augment
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.reporter import RunReporter


@dataclass(frozen=True)
class AugmentKind:
    """One kind of declaration.

    Args:
        declaration: its class in `lieapp.api`.
        domain: what config.json says is moved; None of equations, which don't say it.
        config: the settings.
        models: the networks that can be trained.
        check: raises, before there is a run folder, for what can't be learned from.
        along: makes variants whole: (typed, plugin, folder of runs) -> with paths of runs.
        execute: does or goes on with a run and returns its result; loads torch.
    """

    declaration: type[Any]
    domain: str | None
    config: type[Any]
    models: tuple[str, ...]
    check: Callable[[Any, Any], None]
    along: Callable[[Sequence[str], str, Path], tuple[str, ...]]
    execute: Callable[[Any, RunDirectory, Catalog, RunReporter], Augment]


def augment_kind(declaration: Any) -> AugmentKind:
    """How networks are trained for a declaration. Raises UsageError where that isn't done."""
    for kind in KINDS:
        if isinstance(declaration, kind.declaration):
            return kind
    raise UsageError(
        f"{declaration.name}: networks are trained on moved solutions of equations and on moved pictures only.",
        hint="`lieapp plugins` lists the plugins.",
    )


def augment_kind_of_run(document: Mapping[str, Any]) -> AugmentKind:
    """The kind of a run, from its config.json; an equation's where nothing is said."""
    return next((kind for kind in KINDS if kind.domain == document.get("domain")), KINDS[0])


def check_model(kind: AugmentKind, plugin: str, model: str | None) -> None:
    """Raises ConfigError for a network of the other kind."""
    if model is not None and model not in kind.models:
        what = "pictures" if kind.domain else "an equation"
        raise ConfigError(
            f"--model {model}: {plugin} is {what}; the networks for that are {', '.join(kind.models)}.",
            hint=f"Leave --model out for {kind.models[0]}.",
        )


def _check_equation(config: Any, declaration: Any) -> None:
    from lieapp.data.declared import check_discovery

    check_discovery(declaration)
    if min(config.samples) < config.batch:
        raise ConfigError(
            f"samples = {min(config.samples)}: fewer than batch = {config.batch}, of which a step takes one each.",
            hint=f"Set batch to {min(config.samples)} or less, or use more samples.",
        )
    if declaration.source is None:
        check_modes(config.modes, max(declaration.points[x] for x in declaration.periodic))
        evolution = evolution_form(read_pde(declaration))
        times = declaration.keep_last or declaration.points[evolution.jets.independent[evolution.time]]
        if is_single(config, declaration):
            check_ahead(config.ahead, times)
        else:
            check_history(config.history, times)


def is_single(config: AugmentConfig, declaration: PDE) -> bool:
    """Whether one state is predicted: what happens to it depends on t where t stands in the equation."""
    evolution = evolution_form(read_pde(declaration))
    t = evolution.jets.independent[evolution.time]
    return config.task == "single" or (config.task == "auto" and any(rate.has(t) for rate in evolution.rhs))


def _check_pictures(config: Any, declaration: Any) -> None:
    from lieapp.data.images.places import check_place

    check_place(config.data or declaration.data)


# torch and the engine: more than a second to load, so only once everything typed is known to be right


def _solutions(config: Any, run: RunDirectory, catalog: Catalog, report: RunReporter) -> Augment:
    from lieapp.runs.augment import execute
    from lieapp.runs.augment_operators import OfSolutions

    return execute(OfSolutions(config, run, catalog, report))


def _pictures(config: Any, run: RunDirectory, catalog: Catalog, report: RunReporter) -> Augment:
    from lieapp.runs.augment import execute
    from lieapp.runs.augment_pictures import OfPictures

    return execute(OfPictures(config, run, catalog, report))


KINDS = (
    AugmentKind(PDE, None, AugmentConfig, ("fno",), _check_equation, along_solutions, _solutions),
    AugmentKind(
        Images, "images", AugmentImagesConfig, ("small", "resnet"), _check_pictures, along_pictures, _pictures
    ),
)
