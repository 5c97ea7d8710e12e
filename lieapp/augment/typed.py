"""What was typed after --with or --moved-by, made whole before any work: runs found by their ids, of the plugin.

What is checked of `lieapp augment` before there is a run folder, and what its options mean, without torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from lieapp.api import PDE, Images
from lieapp.config_augment import AugmentConfig, AugmentImagesConfig, check_ahead, check_history, check_modes
from lieapp.config_training import READY
from lieapp.config_types import file_options
from lieapp.data.declared import check_discovery
from lieapp.equations.equation import System, read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.printing import equation_of
from lieapp.errors import TYPED, ConfigError, RunError, UnknownRunError, UsageError
from lieapp.results.augment import Augment
from lieapp.results.discovery import EquationResult
from lieapp.runs.store.directory import RunDirectory

OF_RUNS = ("fields", "formulas", "approximate")
"""What of a run is meant, before its name: exact learned fields, proved formulas, approximate fields."""

WORDS = "none, truth, d_t and its like"
"""What solutions can be moved along besides runs."""

LAWS = ("penalty", "projection")
"""Parts of a variant that move nothing: conservation laws are used in training, or on predictions."""

PICTURES = ("none", "default", "affine")
"""Ways to change pictures that need no run."""


def along_solutions(variants: Sequence[str], plugin: str, root: Path, option: str = "--with") -> tuple[str, ...]:
    """Variants of an equation, each run with its path; `option` is what errors call the place.

    `approximate` alone means the approximate fields of the one run that is named besides. Raises UsageError for an
    unknown word or run, runs of another plugin, and runs that have nothing of what is meant.
    """
    parts = [part.strip() for variant in variants for part in variant.split("+")]
    words = ", ".join((WORDS, *LAWS)) if option == "--with" else WORDS
    runs = {run: _found(run, plugin, root, option, words) for part in parts if (run := _split(part)[1])}
    return tuple("+".join(_solution(part.strip(), runs, plugin, option) for part in v.split("+")) for v in variants)


def moves(variant: str) -> str:
    """What a variant moves data along: all its parts but those of conservation laws."""
    return "+".join(part for part in map(str.strip, variant.split("+")) if part not in LAWS) or "none"


def laws_in(variant: str) -> set[str]:
    """Its parts of conservation laws, see `LAWS`."""
    return {*LAWS} & {*map(str.strip, variant.split("+"))}


def _split(part: str) -> tuple[str, str]:
    """What of a run, and which: the second is empty for words."""
    kind, sign, run = part.partition(":")
    if kind in OF_RUNS:
        return kind, run
    if part in ("none", "truth", *LAWS) or part.startswith("d_") or (sign and kind == ""):
        return part, ""
    return "fields", part


def _solution(part: str, runs: dict[str, RunDirectory], plugin: str, option: str) -> str:
    kind, name = _split(part)
    if not name and kind not in OF_RUNS:
        return part
    named = {run.path: run for run in ([runs[name]] if name else runs.values())}
    if len(named) != 1:
        what = "no run is named" if not named else f"{len(named)} runs are named"
        raise UsageError(
            f"{option} {part}: {what} whose fields are meant.", hint=f"Write {kind}:RUN. {_make(plugin)}"
        )
    ((path, run),) = named.items()
    _check_holds(run, kind, f"{option} {part}")
    return f"{kind}:{path}"


def _check_holds(run: RunDirectory, kind: str, place: str) -> None:
    """Raises UsageError for a run that has nothing of what is meant."""
    found = run.summary()
    if not isinstance(found, EquationResult):
        raise UsageError(f"{place}: {run.id} is of another version of lieapp.", hint="Start that run again.")
    if kind == "formulas":
        if not any(form.proved for form in found.formulas):
            raise UsageError(
                f"{place}: no formula of {run.id} was proved; there is nothing to move data along.",
                hint=f"Move along fields:{run.id}, or along truth.",
            )
        return
    wanted = "approximate" if kind == "approximate" else "exact"
    verdicts = [slot.verdict for slot in found.generators]
    if wanted not in verdicts:
        raise UsageError(
            f"{place}: none of the {len(verdicts)} fields of {run.id} is {wanted} ({', '.join(verdicts)}); there "
            "is nothing to move data along.",
            hint="Name another run, or a longer one of `lieapp discover`.",
        )


def _found(text: str, plugin: str, root: Path, option: str, words: str) -> RunDirectory:
    try:
        run = RunDirectory.find(root, text)
    except UnknownRunError as error:
        raise UsageError(
            f"{option} {text}: neither one of the words ({words}) nor a run: {error.message}", hint=_make(plugin)
        ) from None
    config = run.config()
    # names of typed equations tell their data too; whether the equation is the same is said later
    other = str(config.get("plugin"))
    typed = "domain" not in config and any(name.startswith(TYPED) for name in (other, plugin))
    if config.get("kind") != "discover" or not (other == plugin or typed):
        raise UsageError(
            f"{option} {text}: it is a run of `lieapp {config.get('kind')}` of {config.get('plugin')}; one "
            f"that found fields of {plugin} is needed.",
            hint=_make(plugin),
        )
    if run.summary() is None:
        raise UsageError(f"{option} {text}: it isn't done.", hint=f"Type `lieapp discover --resume {run.path}`.")
    return run


def _make(plugin: str) -> str:
    return f"`lieapp discover {of_plugin(plugin)}` makes a run; `lieapp runs list` shows those there are."


def check_found_for(run: str, plugin: str, result: EquationResult, system: System) -> None:
    """Raises RunError for fields of another plugin; a typed equation is known by what it says."""
    if plugin == system.name:
        return
    found, wanted = plugin, system.name
    if plugin.startswith(TYPED) or system.name.startswith(TYPED):
        found = "; ".join(formula.text for formula in result.equation_shown)
        wanted = "; ".join(equation_of(residual, system.jets).text for residual in system.residuals)
    if found != wanted:
        raise RunError(
            f"{run} found generators of {found}; the data are of {wanted}.",
            hint=f"Name a run of `lieapp discover {of_plugin(system.name)}`.",
        )


def of_plugin(plugin: str) -> str:
    """The options that name it; a typed equation is named by itself and its files."""
    return "--data FILE --equation EXPR" if plugin.startswith(TYPED) else f"--plugin {plugin}"


def check_solutions(config: AugmentConfig, declaration: PDE) -> None:
    """Raises LieappError for an equation whose solutions can't be learned from, and settings that don't fit it."""
    count = None
    config.data.check()
    if config.data.files:
        # NumPy and xarray take their time to load
        from lieapp.augment.own import placed

        declaration, count = placed(declaration, config.data)
    check_discovery(declaration)
    system = read_pde(declaration)
    named = {_split(part)[1] for variant in config.variants for part in variant.split("+")} - {""}
    for run in map(RunDirectory, map(Path, named)):
        if isinstance(found := run.summary(), EquationResult):
            check_found_for(run.id, str(run.config().get("plugin")), found, system)
    if min(config.samples) < config.batch:
        raise ConfigError(
            f"samples = {min(config.samples)}: fewer than batch = {config.batch}, of which a step takes one each.",
            hint=f"Set batch to {min(config.samples)} or less, or use more samples.",
        )
    if count is not None:
        from lieapp.augment.own import parts_of

        parts_of(config, count)
    if count is not None or declaration.source is None:
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


def complete_solutions(config: AugmentConfig, declaration: PDE, root: Path) -> AugmentConfig:
    """With the paths of the runs that are named, and absolute ones of files."""
    variants = along_solutions(config.variants, config.plugin, root)
    return replace(config, variants=variants, data=config.data.resolved())


def complete_pictures(config: AugmentImagesConfig, declaration: Images, root: Path) -> AugmentImagesConfig:
    """With the paths of the runs that are named. Raises UsageError as `along_solutions`."""
    words, plugin = ", ".join(PICTURES), config.plugin
    found = (v if v in PICTURES else str(_found(v, plugin, root, "--with", words).path) for v in config.variants)
    return replace(config, variants=tuple(found))


def solution_options(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as settings. Raises ConfigError for what is of pictures."""
    _check_model(plugin, "an equation", ("fno",), options["model"])
    given, rest = file_options(options)
    return {**rest, "data": given} if given else rest


def picture_options(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as settings. Raises ConfigError for what is of equations."""
    _check_model(plugin, "pictures", ("small", "resnet", READY), options["model"])
    return {("pictures" if key == "samples" else key): value for key, value in options.items()}


def _check_model(plugin: str, what: str, models: tuple[str, ...], model: str | None) -> None:
    if model is not None and model not in models:
        raise ConfigError(
            f"--model {model}: {plugin} is {what}; the networks for that are {', '.join(models)}.",
            hint=f"Leave --model out for {models[0]}.",
        )


def about(result: Augment) -> str:
    """What stands above the title of a report."""
    return f"Training on moved data · {result.model}"
