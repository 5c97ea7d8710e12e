"""`lieapp runs list|show|cancel`: what was run, is running and waits."""

from __future__ import annotations

import datetime
from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common


@click.group("runs")
def command() -> None:
    """List, show or cancel runs. RUN is an id, the beginning of one, or a path."""


@command.command("list")
@common("out")
def list_runs(settings: Common) -> Outcome:
    """List all runs of a folder, oldest first."""
    from lieapp.cli.tables import print_line, print_table
    from lieapp.runs.overview import row
    from lieapp.runs.store.directory import RunDirectory, check_readable

    check_readable(settings.out)
    rows = [row(run) for run in RunDirectory.list(settings.out)]

    def show() -> None:
        if not rows:
            print_line(f"No runs in {settings.out} yet; `lieapp discover --plugin ckdv` makes one.")
            return
        keys = ("run", "state", "kind", "plugin", "method", "stage", "count", "seconds")
        print_table(f"Runs in {settings.out}", keys, ([one[key] for key in keys] for one in rows))

    return Outcome({"runs": rows}, show)


@command.command("show")
@common("out")
@click.argument("run", metavar="RUN")
def show_run(settings: Common, run: str) -> Outcome:
    """Show a run: its state, settings, origin and result."""
    import msgspec

    from lieapp.results.base import Result
    from lieapp.runs.overview import row
    from lieapp.runs.store.directory import RunDirectory

    found = RunDirectory.find(settings.out, run)
    summary = found.summary()
    document = {
        **row(found),
        "config": found.config(),
        "provenance": found.provenance(),
        "status": msgspec.to_builtins(found.status()),
        "summary": summary,
    }
    said = summary.sentence if isinstance(summary, Result) else None
    return Outcome(document, lambda: _show(document, said))


@command.command("cancel")
@common("out")
@click.argument("run", metavar="RUN")
def cancel_run(settings: Common, run: str) -> Outcome:
    """Ask a run to stop; what it has done so far is kept."""
    from lieapp.runs.process.queue import cancel
    from lieapp.runs.store.directory import RunDirectory

    found = RunDirectory.find(settings.out, run)
    state = cancel(found)
    words = "cancelled" if state == "cancelled" else "asked to stop"
    return Outcome({"run": found.id, "state": state}, lambda: click.echo(f"{found.id}: {words}"))


def _show(document: dict[str, Any], said: str | None) -> None:
    from lieapp.cli.tables import print_table
    from lieapp.settings import leaves

    rows: list[tuple[str, Any]] = [(key, document[key]) for key in ("run", "path", "state", "stage", "seconds")]
    if document["created"]:
        rows.append(("created", datetime.datetime.fromtimestamp(document["created"]).isoformat(" ", "seconds")))
    if document["error"]:
        rows.append(("error", " ".join(filter(None, (document["error"].get(k) for k in ("message", "hint"))))))
    rows += [(f"config {key}", value) for key, value in leaves(document["config"])]
    rows += [(f"origin {key}", value) for key, value in document["provenance"].items()]
    rows += [(key, told) for key, told in (("count", document["count"]), ("result", said)) if told is not None]
    print_table("Run", ("what", "value"), rows)
