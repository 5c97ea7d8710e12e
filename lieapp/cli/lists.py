"""What there is: `lieapp plugins`, `lieapp runs`, and runs side by side, `lieapp compare`."""

from __future__ import annotations

import datetime
from typing import Any

import click
import msgspec

from lieapp.cli.options import Common, Outcome, common, print_line, print_table
from lieapp.document import cosine
from lieapp.errors import RunError
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.results.sweep import Sweep
from lieapp.runs.overview import comparison, row
from lieapp.runs.process.queue import cancel
from lieapp.runs.store.directory import RunDirectory, check_readable
from lieapp.settings import leaves


@click.command("plugins")
@common("plugins")
def plugins(settings: Common) -> Outcome:
    """List the plugins, kinds, methods and ready networks with their sources, and any broken files."""
    catalog = settings.catalog()
    document = {
        "plugins": [
            {
                "name": entry.name,
                "title": entry.title,
                "kind": entry.kind.name,
                "equation": entry.kind.shown(entry.declaration),
                "file": entry.file,
                "sha256": entry.sha256,
                "source": entry.source,
                "hooks": entry.hooks,
            }
            for entry in catalog.entries
        ],
        "kinds": [
            {
                "name": name,
                "declaration": known.item.declaration.__name__,
                "commands": [work.command for work in known.item.works],
                "place": known.place,
                "source": known.source,
            }
            for name, known in catalog.kinds.items()
        ],
        "methods": [
            {
                "name": name,
                "title": known.item.title,
                "parts": list(known.item.parts),
                "refines": known.item.refine is not None,
                "place": known.place,
                "source": known.source,
            }
            for name, known in catalog.methods.items()
        ],
        "networks": [
            {
                "name": name,
                "title": known.item.title,
                "family": known.item.member is not None,
                "missing": known.item.missing,
                "takes_weights": known.item.takes_weights,
                "accuracy": known.item.accuracy,
                "place": known.place,
                "source": known.source,
            }
            for name, known in catalog.networks.items()
        ],
        "broken": catalog.broken,
    }
    return Outcome(document, lambda: _show_plugins(catalog))


def _show_plugins(catalog: Catalog) -> None:
    rows = [
        (entry.name, entry.title, entry.source, entry.file, ", ".join(entry.hooks)) for entry in catalog.entries
    ]
    print_table("Plugins", ("name", "title", "source", "file", "hooks"), rows)
    kinds = [
        (name, known.item.words[1], ", ".join(work.command for work in known.item.works), known.source, known.place)
        for name, known in catalog.kinds.items()
    ]
    print_table("Kinds", ("name", "what", "commands", "source", "place"), kinds)
    methods = [(name, known.item.title, known.source, known.place) for name, known in catalog.methods.items()]
    print_table("Methods", ("name", "what", "source", "place"), methods)
    networks = [
        (name, known.item.title, " and ".join(known.item.missing), known.source, known.place)
        for name, known in catalog.networks.items()
    ]
    print_table("Networks", ("name", "what", "not installed", "source", "place"), networks)
    for broken in catalog.broken:
        print_line(f"broken: {broken}", style="red")


def _cell(value: Any) -> Any:
    """Several names with commas between them."""
    return ", ".join(value) or None if isinstance(value, list) else value


@click.group("runs")
def runs() -> None:
    """List, show, draw or cancel runs. RUN is an id, the beginning of one, or a path."""


@runs.command("list")
@common("out")
def list_runs(settings: Common) -> Outcome:
    """List all runs of a folder, oldest first."""
    check_readable(settings.out)
    rows = [row(run) for run in RunDirectory.list(settings.out)]

    def show() -> None:
        if not rows:
            print_line(f"No runs in {settings.out} yet; `lieapp discover --plugin ckdv` makes one.")
            return
        labels = [key for key in ("data", "name", "note") if any(one[key] for one in rows)]
        keys = ("state", "kind", "method", "stage", "count", "seconds", *labels)
        lines = ([one["run"], one["equation"] or one["plugin"], *(_cell(one[key]) for key in keys)] for one in rows)
        print_table(f"Runs in {settings.out}", ("run", "plugin or equation", *keys), lines)

    return Outcome({"runs": rows}, show)


@runs.command("show")
@common("out")
@click.argument("run", metavar="RUN")
def show_run(settings: Common, run: str) -> Outcome:
    """Show the state, settings, origin and result of a run."""
    found = RunDirectory.find(settings.out, run)
    summary = found.summary()
    document = {
        **row(found),
        "config": found.config(),
        "provenance": found.provenance(),
        "status": msgspec.to_builtins(found.status()),
        "summary": summary,
    }
    said = summary.sentence if summary else None
    return Outcome(document, lambda: _show_run(document, said))


@runs.command("figures")
@common("out")
@click.argument("run", metavar="RUN")
def draw_run(settings: Common, run: str) -> Outcome:
    """Write the figures of a finished run as PDF, for papers, into its folder figures/."""
    # matplotlib and NumPy take their time to load
    from lieapp.report.page import write_pdfs

    found = RunDirectory.find(settings.out, run)
    result = found.summary()
    work = load_catalog(found.plugin_folders()).work_of_run(found.config())
    if isinstance(result, Sweep):
        from lieapp.sweeps.table import document

        told = document(result)
    elif work is None or result is None:
        raise RunError(f"{found.id} has no figures.", hint="`lieapp runs list` shows the state of all runs.")
    else:
        told = work.document(result, work.draw(result, found.path))
    paths = write_pdfs(found.path, told)
    files = [str(path) for path in paths]
    return Outcome({"run": found.id, "figures": files}, lambda: print_line("\n".join(files) or "No figures."))


@runs.command("cancel")
@common("out")
@click.argument("run", metavar="RUN")
def cancel_run(settings: Common, run: str) -> Outcome:
    """Stop a run; completed work is kept."""
    found = RunDirectory.find(settings.out, run)
    state = cancel(found)
    words = "cancelled" if state == "cancelled" else "asked to stop"
    return Outcome({"run": found.id, "state": state}, lambda: click.echo(f"{found.id}: {words}"))


def _show_run(document: dict[str, Any], said: str | None) -> None:
    keys = ("run", "name", "note", "path", "state", "stage", "seconds")
    rows: list[tuple[str, Any]] = [(key, document[key]) for key in keys if document[key] != ""]
    if document["created"]:
        rows.append(("created", datetime.datetime.fromtimestamp(document["created"]).isoformat(" ", "seconds")))
    if document["error"]:
        rows.append(("error", " ".join(filter(None, (document["error"].get(k) for k in ("message", "hint"))))))
    rows += [(f"config {key}", value) for key, value in leaves(document["config"])]
    rows += [(f"origin {key}", value) for key, value in document["provenance"].items()]
    rows += [(key, told) for key, told in (("count", document["count"]), ("result", said)) if told is not None]
    print_table("Run", ("what", "value"), rows)


@click.command("compare")
@common("out")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
def compare(settings: Common, runs: tuple[str, ...]) -> Outcome:
    """Compare runs: exact generators, cosines, angle, seconds, and the settings that differ.

    RUN is an id, the beginning of one, or a path.
    """
    document = comparison([RunDirectory.find(settings.out, text) for text in runs])
    return Outcome(document, lambda: _show_compared(document))


def _show_compared(document: dict[str, Any]) -> None:
    from lieapp.report.comparison import differences

    differ = dict(differences(document["differ"]))
    columns = ("run", "state", "count", "cosines", "angle", "seconds", *differ)
    rows = []
    for place, run in enumerate(document["runs"]):
        cosines = " ".join(map(cosine, run["cosines"] or ())) or None
        measured = (run["count"], cosines, _number(run["angle"]), _number(run["seconds"]))
        rows.append((run["run"], run["state"], *measured, *(values[place] for values in differ.values())))
    print_table("Runs", columns, rows)


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, (int, float)) else "–"
