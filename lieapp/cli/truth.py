"""`lieapp truth`: the symmetries of an equation, derived."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import FOLDER, Common, Outcome, common, print_document
from lieapp.cli.working import begun, sitting
from lieapp.errors import EquationError

if TYPE_CHECKING:
    from lieapp.config import TruthConfig
    from lieapp.registry.catalog import Entry
    from lieapp.results.truth import TruthResult
    from lieapp.runs.directory import RunDirectory


def _names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


@click.command("truth")
@common("plugin", "plugins", "config", "sets", "resume")
@click.option("--equation", multiple=True, metavar="EXPR", help="In jet notation: 'u_t + u*u_x + u_xxx'.")
@click.option("--independent", multiple=True, callback=_names, metavar="t,x", help="The independent variables.")
@click.option("--dependent", multiple=True, callback=_names, metavar="u,v", help="The unknowns.")
@click.option("--parameter", multiple=True, metavar="NAME:WHAT", help="A constant: 'g:positive, g != 3'.")
@click.option("--function", multiple=True, metavar="NAME:ARG", help="An arbitrary function of one argument: 'k:u'.")
@click.option(
    "--periodic", multiple=True, callback=_names, metavar="x", help="Variables in which solutions are periodic."
)
@click.option("--budget", type=float, metavar="SECONDS", help="After which the partial result is told.")
@click.option("--explain", is_flag=True, help="Show the determining equations and every solving step.")
@click.option("--flows", is_flag=True, help="Find the finite flow of each generator.")
@click.option("--reductions", is_flag=True, help="Invariants of each generator, and the equation reduced by it.")
@click.option("--latex", is_flag=True, help="Print the result as LaTeX.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the derivation as a run in this folder of runs.")
def truth(settings: Common, out: Path | None, budget: float | None, **typed: Any) -> Outcome:
    """Derive the symmetries of a plugin's equation, or of one typed with --equation.

    `= 0` is understood. Each generator is proved by substitution. Families with arbitrary functions are
    listed apart, and so are the symmetries that respect a periodic domain.
    """
    from lieapp.config import TruthConfig
    from lieapp.runs.derivation import check_request, derive_in_child

    if settings.resume is not None:
        return _resumed(settings, out or Path("runs"))
    # flags and lists that weren't typed leave what a file says
    wanted: dict[str, Any] = {
        key: list(given) if isinstance(given, tuple) else given for key, given in typed.items() if given
    }
    config = settings.load(TruthConfig, budget=budget, **wanted)
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
    from lieapp.runs.directory import RunDirectory

    folders = [folder.resolve() for folder in settings.plugins]
    name = config.plugin or "truth"
    run = RunDirectory.create(out, config, name, entry=entry, folders=folders)
    return _work(settings, run, config, folders)


def _resumed(settings: Common, root: Path) -> Outcome:
    from lieapp.config import TruthConfig
    from lieapp.results.truth import TruthResult
    from lieapp.runs.resume import plugin_folders

    run, config, result = begun(settings, root, "truth", TruthConfig, TruthResult)
    if result is not None:
        return _outcome(result)
    return _work(settings, run, config, [*plugin_folders(run), *settings.plugins])


def _work(settings: Common, run: RunDirectory, config: TruthConfig, folders: Sequence[Path]) -> Outcome:
    from lieapp.runs.derive import execute

    return _outcome(sitting(settings, run, config, lambda session: execute(config, session), folders))


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


def _outcome(result: TruthResult) -> Outcome:
    return Outcome(result, lambda: _show(result))


def _show(result: TruthResult) -> None:
    from msgspec import UNSET

    from lieapp.report.truth_document import document

    if result.latex is not UNSET:
        click.echo(result.latex)
    else:
        print_document(document(result, most=None))
