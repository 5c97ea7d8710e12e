"""`lieapp holds`: a given field tested; `classify`: special parameters and functions; `laws`: conservation laws."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from lieapp.cli.options import FOLDER, Common, Outcome, common, of_data, print_document, typed_equation
from lieapp.config_symbolic import ClassifyConfig, EquationConfig, HoldsConfig, LawsConfig
from lieapp.config_types import FileData
from lieapp.errors import UsageError
from lieapp.pde.derivation import check_request
from lieapp.pde.questions import classify_in_child, holds_in_child, laws_in_child
from lieapp.report.questions_document import classify_document, holds_document, laws_document
from lieapp.results.base import result_of
from lieapp.results.classification import ClassifyResult
from lieapp.results.laws import LawsResult
from lieapp.runs import short
from lieapp.runs.pipeline import find_resumable, sitting
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.reporter import reporting


@click.command("holds")
@common("plugin", "plugins", "config", "sets")
@typed_equation
@click.option("--field", metavar="FIELD", help="The field: 'x: a*t, u: 1', or 'a*t*d_x + d_u'.")
def holds(settings: Common, budget: float | None, field: str | None, **typed: Any) -> Outcome:
    """Test whether a given field is a symmetry, and for which values of its unknown constants and functions.

    Names in the field that are neither coordinates nor of the equation are unknown constants; f(t) is an unknown
    function. What is found is proved by substitution.
    """
    wanted: dict[str, Any] = {key: list(given) for key, given in typed.items() if given}
    config = settings.load(HoldsConfig, **{"budget": budget, "field": field, **wanted})
    check_equation_of(settings, config)
    result = holds_in_child(config, settings.plugins)
    return Outcome(result, lambda: print_document(holds_document(result)))


@click.command("classify")
@common("plugin", "plugins", "config", "sets", "resume")
@typed_equation
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the classification as a run in this folder of runs.")
def classify(settings: Common, budget: float | None, out: Path | None, **typed: Any) -> Outcome:
    """Find the parameters and functions for which an equation has more symmetries.

    Each condition under which there may be more is solved and the special equation derived, up to scalings and
    translations, until nothing is left or the budget ends. With --out, --resume goes on with it.
    """
    wanted: dict[str, Any] = {key: list(given) for key, given in typed.items() if given}
    result = _classified(settings, out, {"budget": budget, **wanted})
    return Outcome(result, lambda: print_document(classify_document(result)))


def _classified(settings: Common, out: Path | None, typed: dict[str, Any]) -> ClassifyResult:
    def work(run: RunDirectory, config: ClassifyConfig, folders: list[Path]) -> ClassifyResult:
        return sitting(run, config, lambda session: short.classify(config, session), folders, quiet=settings.quiet)

    if settings.resume is not None:
        run = find_resumable(out or Path("runs"), settings.resume, "classify", settings.given(ClassifyConfig))
        result = result_of(run.path, ClassifyResult)
        if result is not None and not result.pending:
            return result
        config = run.config_as(ClassifyConfig)
        config = replace(config, budget=typed["budget"] or config.budget)
        return work(run, config, [*run.plugin_folders(), *settings.plugins])
    config = settings.load(ClassifyConfig, **typed)
    check_equation_of(settings, config)
    check_class(config)
    if out is None:
        with reporting(settings.quiet) as report, short.watched(report) as (notes, watch):
            return classify_in_child(config, settings.plugins, None, notes, watch)
    entry = None if config.plugin is None else settings.entry(config.plugin)
    folders = [folder.resolve() for folder in settings.plugins]
    name = config.plugin or "classify"
    return work(RunDirectory.create(out, config, name, entry=entry, folders=folders), config, folders)


@click.command("laws")
@common("plugin", "plugins", "config", "sets", "resume")
@typed_equation
@of_data
@click.option("--order", type=int, metavar="K", help="Highest order of derivatives in multipliers (default 2).")
@click.option("--actions", is_flag=True, help="Tell what symmetries make of the laws, and which generate all.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the laws as a run in this folder of runs.")
def laws(
    settings: Common, budget: float | None, order: int | None, actions: bool, out: Path | None, **typed: Any
) -> Outcome:
    """Derive the conservation laws of a plugin's equation, or of one typed with --equation.

    Multipliers depend on the variables, the unknowns and their derivatives up to an order. Densities and fluxes are
    exact, and each law is proved. Families with arbitrary functions are listed apart. With --data, the totals of
    the densities along the trajectories of files are told.
    """
    files = {key: typed.pop(key) for key in ("data", "map", "every", "window", "drop_nan")}
    settings = _with_files(settings, files, typed, out or Path("runs"))
    wanted: dict[str, Any] = {key: list(given) for key, given in typed.items() if given}
    if files["data"]:
        wanted["data"] = _file_data(files, ())
    result = _laws(settings, out, {"budget": budget, "order": order, "actions": actions or None, **wanted})
    return Outcome(result, lambda: print_document(laws_document(result)))


def _file_data(files: Mapping[str, Any], parameter: Sequence[str]) -> FileData:
    given = {key: value for key, value in files.items() if key != "data" and value is not None}
    return FileData(files=tuple(files["data"] or ()), parameter=tuple(parameter), **given)


def _with_files(settings: Common, files: Mapping[str, Any], typed: dict[str, Any], root: Path) -> Common:
    """With the equation of files as a plugin if one is typed, which is taken out of what was typed."""
    data = _file_data(files, typed["parameter"] if files["data"] else ())
    data.check()
    if not data.files or not typed["equation"]:
        return settings
    from lieapp.pde.typed import plugin_of

    name, folder = plugin_of(typed["equation"], data, root, typed["independent"], typed["dependent"])
    for key in ("equation", "independent", "dependent", "parameter", "function"):
        typed[key] = ()
    return dataclasses.replace(settings, plugin=name, plugins=(*settings.plugins, folder))


def _laws(settings: Common, out: Path | None, typed: dict[str, Any]) -> LawsResult:
    def work(run: RunDirectory, config: LawsConfig, folders: list[Path]) -> LawsResult:
        return sitting(run, config, lambda session: short.laws(config, session), folders, quiet=settings.quiet)

    if settings.resume is not None:
        run = find_resumable(out or Path("runs"), settings.resume, "laws", settings.given(LawsConfig))
        done = result_of(run.path, LawsResult) if run.state == "done" else None
        return done or work(run, run.config_as(LawsConfig), [*run.plugin_folders(), *settings.plugins])
    config = settings.load(LawsConfig, **typed)
    check_equation_of(settings, config)
    if out is None:
        with reporting(settings.quiet) as report, tempfile.TemporaryDirectory(prefix="lieapp-") as place:
            along = short.files_of(config, settings.plugins, report, Path(place))
            with short.watched(report) as (notes, watch):
                result = laws_in_child(config, settings.plugins, notes, watch)
            if along is not None:
                short.add_files(result, along, report)
            return result
    entry = None if config.plugin is None else settings.entry(config.plugin)
    folders = [folder.resolve() for folder in settings.plugins]
    run = RunDirectory.create(out, config, config.plugin or "laws", entry=entry, folders=folders)
    return work(run, config, folders)


def check_class(config: ClassifyConfig) -> None:
    """Raises UsageError for a typed equation without parameters and functions: there is nothing to classify."""
    if config.equation and not (config.parameter or config.function):
        raise UsageError(
            f"{config.equation[0]!r} has neither parameters nor arbitrary functions; there is nothing to classify.",
            hint="Declare some: --parameter n, or --function k:u.",
        )


def check_equation_of(settings: Common, config: EquationConfig) -> None:
    """Raises UsageError unless one equation is given; here too, so that a mistyped name is answered at once."""
    check_request(config)
    if config.plugin is not None:
        from lieapp.data.declared import check_equation

        entry = settings.entry(config.plugin)
        check_equation(entry.declaration, config.kind, entry.kind.words)
