"""`lieapp truth` and `lieapp check`: short work, kept as a run, as the app shows and starts it, with --out only."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET, convert

from lieapp.cli.options import (
    FOLDER,
    SAMPLES,
    Common,
    Outcome,
    common,
    names,
    of_files,
    print_document,
    typed_equation,
)
from lieapp.config import CheckConfig, TruthConfig
from lieapp.config_types import FileData
from lieapp.errors import EquationError, UsageError
from lieapp.pde.derivation import check_request, derive_in_child
from lieapp.registry.catalog import Entry
from lieapp.report.documents import check_document
from lieapp.report.truth_document import document
from lieapp.results.base import result_of
from lieapp.results.check import CheckResult, CheckRow
from lieapp.results.truth import TruthResult
from lieapp.runs import short
from lieapp.runs.pipeline import Found, find_resumable, sitting
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.reporter import reporting
from lieapp.settings import Config

ALL = "all"


@click.command("check")
@common("plugin", "plugins", "resume")
@of_files
@SAMPLES
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the checks as a run in this folder of runs.")
def check(settings: Common, out: Path | None, **typed: Any) -> Outcome:
    """Run a plugin's self-check: equation, derived symmetries, data. `--plugin all` checks every plugin.

    With --data the equation is checked on files: whether they solve it, and whether its symmetries hold there.
    """
    result = _checked_on_files(settings, out, typed) if any(typed.values()) else _checked(settings, out)
    return Outcome(result, lambda: print_document(check_document(result)), code=0 if result.ok else 1)


def _checked_on_files(settings: Common, out: Path | None, typed: Mapping[str, Any]) -> CheckResult:
    """Raises UsageError for what isn't an equation, and options that don't go together."""
    from lieapp.data.declared import check_equation

    if settings.plugin is None or settings.plugin == ALL or settings.resume or out:
        raise UsageError(
            "--data checks one plugin and isn't kept as a run.", hint="Give --plugin NAME and --data FILE."
        )
    entry = settings.entry(settings.plugin)
    check_equation(entry.declaration, "check --data", entry.kind.words)
    files = convert(entry.works()[0].typed(entry.name, typed)["data"], FileData)
    files.check()
    with reporting(settings.quiet) as report:
        return short.checked(short.rows_of(entry, report, files=files), entry)


def _checked(settings: Common, out: Path | None) -> CheckResult:
    def work(run: RunDirectory, entry: Entry) -> CheckResult:
        config = CheckConfig(plugin=entry.name)
        return sitting(run, config, lambda session: short.check(entry, session), quiet=settings.quiet)

    if settings.resume is not None:
        run, config, result = _begun(settings, out, "check", CheckConfig, CheckResult)
        return result or work(run, settings.catalog(run.plugin_folders()).get(config.plugin))
    plugin = settings.plugin
    if plugin is None:
        raise UsageError("check needs a plugin.", hint="Give --plugin NAME, or --plugin all.")
    if out is not None:
        if plugin == ALL:
            raise UsageError(
                "--out stores the checks of a single plugin.", hint="Give --plugin NAME, or leave --out out."
            )
        catalog = settings.catalog()
        entry, config = catalog.get(plugin), CheckConfig(plugin=plugin)
        return work(RunDirectory.create(out, config, plugin, entry=entry, folders=catalog.folders), entry)
    every = settings.catalog() if plugin == ALL else None
    entries = every.entries if every else [settings.entry(plugin)]
    broken = every.broken if every else []
    rows = [CheckRow(plugin=b.name, name="loads", ok=False, detail=str(b)) for b in broken]
    with reporting(settings.quiet) as report:
        rows += [row for entry in entries for row in short.rows_of(entry, report, among=every is not None)]
    return short.checked(rows, None if every else entries[0])


@click.command("truth")
@common("plugin", "plugins", "config", "sets", "resume")
@typed_equation
@click.option(
    "--periodic", multiple=True, callback=names, metavar="x", help="Variables in which solutions are periodic."
)
@click.option("--moving", multiple=True, callback=names, metavar="nu,k", help="Parameters to move as well.")
@click.option("--output", multiple=True, metavar="EXPR", help="What is measured of an ODE's solutions: 'c*x'.")
@click.option("--order", type=int, metavar="K", help="Also generalised and contact symmetries up to this order.")
@click.option("--explain", is_flag=True, help="Show the determining equations and every solving step.")
@click.option("--flows", is_flag=True, help="Find the finite flow of each generator.")
@click.option("--reductions", is_flag=True, help="Find each generator's invariants and reduce the equation by it.")
@click.option("--latex", is_flag=True, help="Print the result as LaTeX.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the derivation as a run in this folder of runs.")
def truth(settings: Common, out: Path | None, budget: float | None, **typed: Any) -> Outcome:
    """Derive the symmetries of a plugin's equation, or of one typed with --equation.

    `= 0` is implied. Each generator is proved by substitution. Families with arbitrary functions are
    listed apart, and so are the symmetries that respect a periodic domain.
    """
    # flags and lists that weren't typed leave what a file says
    wanted = {
        key: list(given) if isinstance(given, tuple) else given
        for key, given in typed.items() if given or (key == "order" and given is not None)
    }  # fmt: skip
    result = _derived(settings, out, {"budget": budget, **wanted})
    return Outcome(result, lambda: _show(result))


def _derived(settings: Common, out: Path | None, typed: dict[str, Any]) -> TruthResult:
    def work(run: RunDirectory, config: TruthConfig, folders: list[Path]) -> TruthResult:
        return sitting(run, config, lambda session: short.derive(config, session), folders, quiet=settings.quiet)

    if settings.resume is not None:
        run, config, result = _begun(settings, out, "truth", TruthConfig, TruthResult)
        return result or work(run, config, [*run.plugin_folders(), *settings.plugins])
    config = settings.load(TruthConfig, **typed)
    check_request(config)
    # here too, not only in the child: a mistyped name is answered at once
    entry = None
    if config.plugin is not None:
        from lieapp.data.declared import check_equation

        entry = settings.entry(config.plugin)
        check_equation(entry.declaration, "truth", entry.kind.words)
        if not config.periodic:
            _warn_of_period(entry.declaration)
    if out is None:
        return derive_in_child(config, settings.plugins)
    folders = [folder.resolve() for folder in settings.plugins]
    return work(
        RunDirectory.create(out, config, config.plugin or "truth", entry=entry, folders=folders), config, folders
    )


def _begun(
    settings: Common, out: Path | None, command: str, cls: type[Config], kind: type[Found]
) -> tuple[RunDirectory, Config, Found | None]:
    """A run of short work, of which nothing is kept half way, its settings, and its result if it is done."""
    run = find_resumable(out or Path("runs"), settings.resume or "", command, settings.given(cls))
    return run, run.config_as(cls), result_of(run.path, kind) if run.state == "done" else None


def _warn_of_period(declaration: Any) -> None:
    """On stderr: an equation that isn't periodic on the domain that is said to be."""
    import sympy as sp

    from lieapp.equations.equation import read_pde
    from lieapp.equations.regular import check_periodic

    system = read_pde(declaration)
    residuals = [sp.expand(residual) for residual in system.residuals]
    try:
        check_periodic(residuals, system.jets, declaration.region, declaration.periodic, system.name)
    except EquationError as error:
        print(f"warning: {error.message}", file=sys.stderr)


def _show(result: TruthResult) -> None:
    if result.latex is not UNSET:
        click.echo(result.latex)
    else:
        print_document(document(result, most=None))
