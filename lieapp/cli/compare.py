"""`lieapp compare`: several runs side by side."""

from __future__ import annotations

from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common


@click.command("compare")
@common("out")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
def command(settings: Common, runs: tuple[str, ...]) -> Outcome:
    """Compare runs: exact generators, cosines, angle, seconds, and the settings that differ.

    RUN is an id, the beginning of one, or a path.
    """
    from lieapp.runs.overview import comparison
    from lieapp.runs.store.directory import RunDirectory

    document = comparison([RunDirectory.find(settings.out, text) for text in runs])
    return Outcome(document, lambda: _show(document))


def _show(document: dict[str, Any]) -> None:
    from lieapp.cli.tables import print_table
    from lieapp.document import cosine

    differ = document["differ"]
    columns = ("run", "state", "count", "cosines", "angle", "seconds", *differ)
    rows = []
    for place, run in enumerate(document["runs"]):
        cosines = [cosine(value) for value in run["cosines"] or []]
        rows.append(
            (
                run["run"],
                run["state"],
                run["count"],
                " ".join(cosines) or None,
                _number(run["angle"], 3),
                _number(run["seconds"], 3),
                *(values[place] for values in differ.values()),
            )
        )
    print_table("Runs", columns, rows)


def _number(value: Any, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, (int, float)) else "–"
