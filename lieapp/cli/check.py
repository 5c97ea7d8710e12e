"""`lieapp check`: a plugin verifies itself."""

from __future__ import annotations

from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.errors import UsageError

ALL = "all"


@click.command("check")
@common("plugin", "plugins")
def command(settings: Common) -> Outcome:
    """Let a plugin verify itself: equation, derived symmetries, data. `--plugin all` checks every one."""
    from lieapp.runs.reporter import reporting

    if settings.plugin is None:
        raise UsageError("check needs a plugin.", hint="Give --plugin NAME, or --plugin all.")
    rows: list[dict[str, Any]] = []
    if settings.plugin != ALL:
        entries = [settings.entry(settings.plugin)]
    else:
        catalog = settings.catalog()
        entries = catalog.entries
        rows += [{"plugin": b.name, "name": "loads", "ok": False, "detail": str(b)} for b in catalog.broken]
    with reporting(settings.quiet) as report:
        from lieapp.domains.check import check

        for entry in entries:
            report.stage(f"check {entry.name}")
            for result in check(entry, report):
                rows.append(
                    {
                        "plugin": entry.name,
                        "name": result.name,
                        "ok": bool(result.ok),
                        "detail": str(result.detail),
                    }
                )
    ok = all(row["ok"] for row in rows)
    return Outcome({"ok": ok, "checks": rows}, lambda: _show(rows), code=0 if ok else 1)


def _show(rows: list[dict[str, Any]]) -> None:
    from lieapp.cli.tables import print_table

    cells = [(row["plugin"], row["name"], "ok" if row["ok"] else "FAILED", row["detail"]) for row in rows]
    print_table("Checks", ("plugin", "check", "", "detail"), cells)
