"""`lieapp truth`: the symmetries of an equation, derived."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common
from lieapp.errors import EquationError

if TYPE_CHECKING:
    from lieapp.config import TruthConfig
    from lieapp.registry.catalog import Entry
    from lieapp.results.truth import TruthResult
    from lieapp.runs.store.directory import RunDirectory


@click.command("truth")
@common("plugin", "plugins", "config", "sets", "resume")
@click.option("--equation", multiple=True, metavar="EXPR", help="In jet notation: 'u_t + u*u_x + u_xxx'.")
@click.option("--independent", multiple=True, metavar="t,x", help="The independent variables.")
@click.option("--dependent", multiple=True, metavar="u,v", help="The unknowns.")
@click.option("--parameter", multiple=True, metavar="NAME:WHAT", help="A constant: 'g:positive, g != 3'.")
@click.option("--function", multiple=True, metavar="NAME:ARG", help="An arbitrary function of one argument: 'k:u'.")
@click.option("--periodic", multiple=True, metavar="x", help="Variables in which solutions are periodic.")
@click.option("--budget", type=float, metavar="SECONDS", help="After which the partial result is told.")
@click.option("--explain", is_flag=True, help="Show the determining equations and every solving step.")
@click.option("--flows", is_flag=True, help="Find the finite flow of each generator.")
@click.option("--reductions", is_flag=True, help="Invariants of each generator, and the equation reduced by it.")
@click.option("--latex", is_flag=True, help="Print the result as LaTeX.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the derivation as a run in this folder of runs.")
def command(
    settings: Common,
    budget: float | None,
    explain: bool,
    flows: bool,
    reductions: bool,
    latex: bool,
    out: Path | None,
    **typed: tuple[str, ...],
) -> Outcome:
    """Derive the symmetries of a plugin's equation, or of one typed with --equation.

    `= 0` is understood. Each generator is proved by substitution. Families with arbitrary functions are
    listed apart, and so are the symmetries that respect a periodic domain.
    """
    from lieapp.config import TruthConfig
    from lieapp.pde.derivation import check_request, derive_in_child

    if settings.resume is not None:
        return _resumed(settings, settings.resume, out or Path("runs"))
    options = {
        key: _names(values) if key in ("independent", "dependent", "periodic") else list(values)
        for key, values in typed.items()
        if values
    }
    flags = {"explain": explain, "flows": flows, "reductions": reductions, "latex": latex}
    wanted: dict[str, Any] = {key: True for key, given in flags.items() if given}
    config = settings.load(TruthConfig, **{"budget": budget, **wanted, **options})
    check_request(config)
    # here too, not only in the child: a mistyped name is answered at once
    entry = None
    if config.plugin is not None:
        from lieapp.data.declared import check_equation

        entry = settings.entry(config.plugin)
        check_equation(entry.declaration, "truth", entry.kind.words)
        if not config.periodic:
            _warn_of_period(entry.declaration)
    if out is not None:
        return _kept(settings, out, config, entry)
    return _outcome(derive_in_child(config, settings.plugins))


def _kept(settings: Common, out: Path, config: TruthConfig, entry: Entry | None) -> Outcome:
    """The same as a run: what the app shows and starts."""
    from lieapp.runs.store.directory import RunDirectory

    folders = [folder.resolve() for folder in settings.plugins]
    name = config.plugin or "truth"
    run = RunDirectory.create(out, config, name, entry=entry, folders=folders)
    return _work(settings, run, config, folders)


def _resumed(settings: Common, text: str, root: Path) -> Outcome:
    """A derivation that was queued, or that ended early: it begins anew, for nothing is kept half way."""
    from lieapp.config import TruthConfig
    from lieapp.results.base import result_of
    from lieapp.results.truth import TruthResult
    from lieapp.runs.resume import find_resumable, plugin_folders

    run = find_resumable(root, text, "truth", settings.given(TruthConfig))
    config = run.config_as(TruthConfig)
    if run.state == "done" and (result := result_of(run.path, TruthResult)):
        return _outcome(result)
    return _work(settings, run, config, [*plugin_folders(run), *settings.plugins])


def _work(settings: Common, run: RunDirectory, config: TruthConfig, folders: Sequence[Path]) -> Outcome:
    from lieapp.runs.derive import execute
    from lieapp.runs.pipeline import sitting

    return _outcome(sitting(run, config, lambda session: execute(config, session), folders, quiet=settings.quiet))


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


def _names(values: Sequence[str]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def _outcome(result: TruthResult) -> Outcome:
    return Outcome(result, lambda: _show(result))


def _show(result: TruthResult) -> None:
    from msgspec import UNSET

    from lieapp.cli.tables import print_document
    from lieapp.report.truth_document import document

    if result.latex is not UNSET:
        click.echo(result.latex)
    else:
        print_document(document(result, most=None))
