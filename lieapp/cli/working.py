"""`lieapp discover`, `train` and `augment`: work on a plugin, kept as a run.

Work is started with everything checked, and taken up again with --resume.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import msgspec

from lieapp.cli.options import (
    SAMPLES,
    Common,
    Outcome,
    common,
    of_equation,
    of_files,
    on_cluster,
    parts,
    print_document,
    print_line,
)
from lieapp.config_types import DiscoverData
from lieapp.document import undrawn, without
from lieapp.errors import ConfigError, PluginError, ResumeError, RunError, UnknownPluginError, UsageError
from lieapp.extension import Work
from lieapp.numerics.processor import check_device
from lieapp.numerics.torchrun import launch
from lieapp.registry.catalog import Catalog
from lieapp.results.base import Result
from lieapp.results.identification import Identification
from lieapp.runs.along import check_spread, leading
from lieapp.runs.pipeline import Helpers, find_resumable, unless_refused, work_on
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.label import delete
from lieapp.runs.store.reporter import reporting
from lieapp.runs.store.sealed import sealed
from lieapp.settings import written
from lieapp.sweeps.place import Local, Remote, check_installed, place_of

SHIPPED = ("neural", "spectrum", "projection", "gradient", "flow")
"""Methods that --help names without loading any; `lieapp plugins` lists those of plugins too."""

PRESET = click.option("--preset", metavar="quick|paper", help="Default settings: fast ones, or the paper's.")
DATA = click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or the name of a data set.")
TAKEN = ("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
"""The common options of all three."""


def _installed() -> str:
    """For --help, which loads no plugin: the entry points of installed plugins, by their metadata alone."""
    names = sorted({point.name for point in entry_points(group="lieapp")})
    return f" (installed: {', '.join(names)})" if names else ""


def _whole(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    """Whole numbers. Raises ConfigError for anything else."""
    numbers = []
    for part in parts(context, parameter, text) or ():
        try:
            numbers.append(int(part))
        except ValueError:
            option = f"--{parameter.name}"
            raise ConfigError(
                f"{option}: {part!r} isn't a whole number.", hint=f"For example {option} 0,1,2."
            ) from None
    return None if text is None else numbers


@click.command("discover")
@common(*TAKEN)
@click.option(
    "--method", metavar="NAME",
    help=f"Discovery method: {', '.join(SHIPPED)}, or a plugin's{_installed()}; see `lieapp plugins`.",
)
@PRESET
@of_files
@SAMPLES
@click.option("--extend", type=int, metavar="N", help="Simulate N more trajectories; told apart from the file.")
@of_equation
@click.option("--learn-equation", is_flag=True, help="Learn the right side of u_t = F from the trajectories of "
              "--data, also where a short equation is found; nothing is proved then.")  # fmt: skip
@click.option("--laws", is_flag=True, default=None, help="Find conservation laws in place of symmetries.")
@click.option("--fields", type=click.Choice(["point", "generalised"]), help="Kind of symmetries; point by default.")
@click.option(
    "--order", type=click.IntRange(0), metavar="N",
    help="With --laws or --fields generalised: highest order of derivatives.",
)
@click.option("--slots", type=int, metavar="N", help="Fields to begin with; more join until there is a gap.")
@on_cluster("Processes that share the chunks of simulated trajectories: of this machine, or a scheduler of Dask.")
def discover(settings: Common, on: str | None, scheduler_file: Path | None, **typed: Any) -> Outcome:
    """Find the symmetries in data of a plugin and compare them with the derived ones.

    For files of --data without --plugin and --equation, the equation is identified first; where none is short, its
    right side is learned from many trajectories, and the method is spectrum by default. In pictures, fields are
    sought that keep what a network sees of them, and compared with the affine ones. Makes a run directory with
    data, learned fields and tables.
    """
    place = None
    if on is not None or scheduler_file is not None:
        check_installed("lieapp discover --on")
        place = place_of(on, scheduler_file)
    beside: dict[str, msgspec.Struct] = {}
    fitted, learn = None, typed.pop("learn_equation")
    unknown = typed["equation"] is None and settings.resume is None and settings.typed("plugin") is None
    files = _files(settings, typed, "discover") if unknown else DiscoverData()
    if learn and not files.files:
        raise UsageError(
            "--learn-equation takes the place of a known equation, and needs data.",
            hint="Give --data FILE, without --plugin, --equation and --resume.",
        )
    if files.files:
        from lieapp.pde.identify.files import KEPT, learned_settings, of_first_order

        found = _identified(files, settings, learn)
        beside[KEPT] = found
        typed["equation"], typed["independent"] = of_first_order(found), found.variables
        typed["dependent"] = found.unknowns
        if found.learned is not None:
            fitted = found.learned.error
            typed |= learned_settings(lambda key: typed.get(key) or settings.typed(key))
    return done(_of_equation(settings, typed, "discover", fitted), "discover", typed, beside, place)


def _identified(files: DiscoverData, settings: Common, learn: bool) -> Identification:
    """The equation of files for which none was typed; it is learned if that is asked for, or if none is short."""
    from lieapp.pde.identify.files import identify_files

    with reporting(settings.quiet) as report:
        found = identify_files(files, report=report, learn=learn or None)
        report.line(found.sentence)
    return found


def _files(settings: Common, typed: Mapping[str, Any], command: str) -> DiscoverData:
    """The files that the options, a configuration file or --set name, and how they are read."""
    catalog = settings.catalog()
    # any plugin will do: settings of equations are the same for all
    works = [work for known in catalog.kinds.values() if known.item.derivable for work in known.item.works]
    work = next(work for work in works if work.command == command)
    own = {key: value for key, value in typed.items() if key not in ("equation", "independent", "dependent")}
    given = settings.given(catalog.settings(work), owners=catalog.all_settings, **work.typed("", own))
    found = {key.removeprefix("data."): value for key, value in given.items() if key.startswith("data.")}
    return msgspec.convert(found, DiscoverData)


def _of_equation(settings: Common, typed: dict[str, Any], command: str, fitted: float | None = None) -> Common:
    """The options with the equation as a plugin if one is typed, which is taken out of them.

    Args:
        fitted: of one that was learned, see `api.PDE`.

    Raises UsageError if there are two equations.
    """
    equation, independent, dependent = (typed.pop(key) for key in ("equation", "independent", "dependent"))
    if equation is None:
        return settings
    from lieapp.pde.typed import plugin_of

    if settings.plugin is not None or settings.resume is not None:
        other = "--plugin" if settings.plugin is not None else "--resume"
        raise UsageError(f"--equation and {other} are both given.", hint="Give one of them.")
    data = _files(settings, typed, command)
    name, folder = plugin_of(equation, data, settings.out, independent or (), dependent or (), fitted)
    return replace(settings, plugin=name, plugins=(*settings.plugins, folder))


@click.command("train")
@common(*TAKEN)
@DATA
@PRESET
def train(settings: Common, **typed: Any) -> Outcome:
    """Train a network on labelled pictures; `lieapp discover` then uses its features.

    The network is kept in a cache and found there by pictures and settings.
    """
    return done(settings, "train", typed)


@click.command("augment")
@common(*TAKEN)
@click.option(
    "--with", "variants", callback=parts, metavar="WAY[,WAY…]", help="Augmentations to compare: none, truth, a "
        "run, …"
)
@click.option(
    "--samples", callback=_whole, metavar="N[,N…]", help="Number of training samples; several numbers give a curve."
)
@click.option("--seeds", callback=_whole, metavar="N[,N…]", help="Seeds of networks and moves.")
@click.option(
    "--model", metavar="NAME", help="Network: fno for equations; small, resnet or efficientnet-lite0 for pictures."
)
@PRESET
@of_files
@of_equation
def augment(settings: Common, **typed: Any) -> Outcome:
    """Train networks on data moved along symmetries, and compare them with those trained on the data as they are.

    A network for each way, number of data and seed; makes a run directory with table, curves and predictions.
    Solutions are simulated, or read from --data.
    """
    return done(_of_equation(settings, typed, "augment"), "augment", typed)


def done(
    settings: Common, command: str, typed: Mapping[str, Any], beside: Mapping[str, msgspec.Struct] | None = None,
    place: Local | Remote | None = None,
) -> Outcome:  # fmt: skip
    """A command that works on a plugin: a new run, or one that is gone on with; one that is done says its result.

    Args:
        typed: its own options, None for those that weren't typed.
        beside: files that a new run begins with.
        place: where processes help.

    Raises LieappError for what was typed, before there is a run folder, and for what comes up on the way.
    """
    if settings.resume is None:
        work, result = _started(settings, command, typed, beside or {}, place)
    else:
        work, result = _resumed(settings, command, typed, place)

    # a terminal that shows the log has the warnings already
    logged = settings.resume is None and not settings.quiet and sys.stdout.isatty() and sys.stderr.isatty()

    def show() -> None:
        print_document(without(work.document(result, undrawn), result.warnings if logged else ()))
        if result.run and (report := Path(result.run) / "report.html").exists():
            print_line(f"report: {report}")

    return Outcome(result, show)


def _started(
    settings: Common, command: str, typed: Mapping[str, Any], beside: Mapping[str, msgspec.Struct],
    place: Local | Remote | None,
) -> tuple[Work, Result]:  # fmt: skip
    name = settings.typed("plugin")
    if not isinstance(name, str):
        told = "is missing" if name is None else f"is {name!r}: expected str, the name of a plugin"
        other = " or --equation; `lieapp identify --data FILE` finds that of data" if typed.get("data") else ""
        raise ConfigError(f"plugin {told}.", hint=f"Give --plugin NAME{other}.")
    catalog = settings.catalog()
    entry = catalog.get(name)
    work = catalog.work(entry, command)
    given = settings.load(catalog.settings(work), owners=catalog.all_settings, **work.typed(name, typed))
    config = work.complete(given, entry.declaration, settings.out)
    check_device(getattr(config, "device", "cpu"))
    work.check(config, entry.declaration)
    check_spread(config, catalog, work)
    _check_helped(config, work, place)
    run = RunDirectory.create(settings.out, config, name, entry=entry, folders=catalog.folders)
    for file, content in beside.items():
        write_atomic(run.path / file, sealed(content))
    with unless_refused(run), _unless_alone(run, place):
        help = _help(place, run, config, catalog, work)
        return work, work_on(run, config, catalog, work, quiet=settings.quiet, help=help)


def _check_helped(config: Any, work: Work, place: Local | Remote | None) -> None:
    """Raises UsageError where processes were asked to help with what one process does."""
    if place is None:
        return
    what = f"`lieapp {work.command}` of {config.plugin}" if work.keeper is None else ""
    what = "a process of torchrun" if launch() is not None else what
    if what:
        raise UsageError(f"--on {place}: {what} has no use for other processes.", hint="Leave --on out.")


@contextlib.contextmanager
def _unless_alone(run: RunDirectory, place: Local | Remote | None) -> Iterator[None]:
    """Work on a new run; of one whose processes can't be had, before its first stage, no folder is left."""
    if place is None:
        yield
        return
    # Dask takes half a second to load
    from lieapp.sweeps.connecting import ClusterError

    try:
        yield
    except ClusterError:
        if not run.status().stage:
            delete(run)
        raise


def _help(place: Local | Remote | None, run: RunDirectory, config: Any, catalog: Catalog, work: Work) -> Helpers:
    if place is None:
        return partial(leading, run, config, catalog)
    # Dask takes half a second to load
    from lieapp.sweeps.team import helped

    return partial(helped, place, run, config, catalog, catalog.get(config.plugin), work)


def _resumed(
    settings: Common, command: str, typed: Mapping[str, Any], place: Local | Remote | None
) -> tuple[Work, Result]:
    text = settings.resume or ""
    try:
        found = RunDirectory.find(settings.out, text)
        document, folders = found.config(), found.plugin_folders()
    except RunError:
        document, folders = {}, []  # that there is none is said below
    catalog = settings.catalog(folders)
    work = catalog.work_of_run(document) if document.get("kind") == command else None
    given = {} if work is None else _given(settings, catalog, work, document, typed)
    run = find_resumable(settings.out, text, command, given)
    if work is None:
        raise ResumeError(
            f"{run.id} works on {document.get('domain')}, which no plugin here registers as a kind.",
            hint="Give --plugins the folder of the plugin that does; `lieapp plugins` lists what is registered.",
        )
    config, summary = run.config_as(catalog.settings(work)), run.summary()
    if run.state == "done" and summary is not None:
        return work, summary
    check_device(getattr(config, "device", "cpu"))
    check_spread(config, catalog, work)
    _check_helped(config, work, place)
    help = _help(place, run, config, catalog, work)
    return work, work_on(run, config, catalog, work, quiet=settings.quiet, help=help)


def _given(
    settings: Common, catalog: Catalog, work: Work, document: Mapping[str, Any], typed: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings that were typed beside --resume, as the run's config.json would have them."""
    cls, plugin = catalog.settings(work), str(document.get("plugin"))
    given = settings.given(cls, owners=catalog.all_settings, beside=document, **work.typed(plugin, typed))
    try:
        whole = msgspec.convert({**document, **{key: value for key, value in given.items() if "." not in key}}, cls)
        declaration = catalog.get(plugin).declaration
    except (msgspec.ValidationError, UnknownPluginError, PluginError):
        return given  # settings that aren't the run's, or a run or plugin that can't be read: said below
    completed = written(work.complete(whole, declaration, settings.out))
    return {key: completed.get(key, value) if "." not in key else value for key, value in given.items()}

