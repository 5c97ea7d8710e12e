"""What is checked of `lieapp augment` before there is a run folder, and what its options mean, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from lieapp.api import PDE, LabelledPictures
from lieapp.config_augment import AugmentConfig, AugmentImagesConfig, check_ahead, check_history, check_modes
from lieapp.data.declared import check_discovery
from lieapp.data.images.places import check_place
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import ConfigError
from lieapp.runs.augment_along import along_pictures, along_solutions


def check_solutions(config: AugmentConfig, declaration: PDE) -> None:
    """Raises LieappError for an equation whose solutions can't be learned from, and settings that don't fit it."""
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


def check_pictures(config: AugmentImagesConfig, declaration: LabelledPictures) -> None:
    """Raises UsageError for pictures that aren't there."""
    check_place(config.data or declaration.data)


def complete_solutions(config: AugmentConfig, root: Path) -> AugmentConfig:
    """With the paths of the runs that are named."""
    return replace(config, variants=along_solutions(config.variants, config.plugin, root))


def complete_pictures(config: AugmentImagesConfig, root: Path) -> AugmentImagesConfig:
    """With the paths of the runs that are named."""
    return replace(config, variants=along_pictures(config.variants, config.plugin, root))


def solution_options(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as settings. Raises ConfigError for what is of pictures."""
    _check_model(plugin, "an equation", ("fno",), options["model"])
    if options["data"] is not None:
        raise ConfigError("--data: an equation has trajectories of its own.", hint="Leave --data out.")
    return {key: value for key, value in options.items() if key != "data"}


def picture_options(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as settings. Raises ConfigError for what is of equations."""
    _check_model(plugin, "pictures", ("small", "resnet"), options["model"])
    return {("pictures" if key == "samples" else key): value for key, value in options.items()}


def _check_model(plugin: str, what: str, models: tuple[str, ...], model: str | None) -> None:
    if model is not None and model not in models:
        raise ConfigError(
            f"--model {model}: {plugin} is {what}; the networks for that are {', '.join(models)}.",
            hint=f"Leave --model out for {models[0]}.",
        )
