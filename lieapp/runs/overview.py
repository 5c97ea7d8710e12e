"""What a run looks like from outside: one row for lists, pages and comparisons."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lieapp.errors import TYPED, RunError
from lieapp.results.base import Compared
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.label import label_of
from lieapp.runs.store.status import ACTIVE
from lieapp.settings import leaves


def row(run: RunDirectory) -> dict[str, Any]:
    """A run's place in a list. Never fails: what can't be read is None."""
    status = run.status()
    state, trouble = status.state, status.error
    config: dict[str, Any] = {}
    found = Compared()
    try:
        config = run.config()
        found = compared(run)
    except RunError as error:
        state, trouble = "unreadable", error.as_json()["error"]
    label = label_of(run)
    # of a finished run what it worked, without waiting in a queue or for being resumed
    worked = found.seconds.get("total") if status.state == "done" else None
    return {
        "run": run.id,
        "name": label.name,
        "note": label.note,
        "path": str(run.path),
        "state": state if config else "unreadable",
        "kind": config.get("kind"),
        "plugin": config.get("plugin"),
        "equation": equation_of(config) or _typed(run, config) or None,
        "data": _files(config),
        "method": config.get("method"),
        "seed": config.get("seed"),
        "stage": status.stage,
        "step": status.step,
        "total": status.total,
        "created": status.created or None,
        "seconds": worked if worked is not None else _seconds(status.created, status.finished, status.state),
        "count": found.count,
        "error": trouble,
    }


def equation_of(config: Mapping[str, Any]) -> str:
    """The equations that were typed for a run; empty of a plugin's."""
    return "; ".join(config.get("equation") or [])


def _files(config: Mapping[str, Any]) -> list[str]:
    """The names of the files that a run read."""
    data = config.get("data")
    files = data.get("files") if isinstance(data, Mapping) else None
    return [Path(file).name for file in files if isinstance(file, str)] if isinstance(files, list) else []


def _typed(run: RunDirectory, config: Mapping[str, Any]) -> str:
    """The equation that was typed for data in files, whose plugin has a name made of its content."""
    if not str(config.get("plugin") or "").startswith(TYPED):
        return ""
    origin = run.origin().plugin
    return origin.title if origin else ""


def compared(run: RunDirectory) -> Compared:
    """What is put beside other runs; nothing of a run without a result. Raises RunError if it can't be read."""
    found = run.summary()
    return found.compared() if found is not None else Compared()


def _seconds(created: float, finished: float | None, state: str) -> float | None:
    if not created:
        return None
    if finished is None and state not in ("queued", *ACTIVE):
        return None
    # another machine's clock may have been ahead
    return max(round((time.time() if finished is None else finished) - created, 1), 0.0)


def comparison(runs: Sequence[RunDirectory]) -> dict[str, Any]:
    """The results of several runs beside each other, and the settings in which they differ.

    Raises RunError for a result that can't be read.
    """
    configs = [run.known_config() for run in runs]
    return {
        "runs": [_result(run, compared(run), config) for run, config in zip(runs, configs, strict=True)],
        "differ": differing(configs),
    }


def _result(run: RunDirectory, found: Compared, config: Mapping[str, Any]) -> dict[str, Any]:
    """Count, cosines, angle and seconds of a run; None where it has no result."""
    return {
        "run": run.id,
        "state": run.state,
        "plugin": config.get("plugin"),
        "method": found.method,
        "count": found.count,
        "cosines": found.cosines,
        "angle": found.angle,
        "seconds": found.seconds.get("total"),
        "settings": config,
    }


def differing(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The settings, as dotted keys, that aren't the same in all configurations, with the value in each."""
    flat = [dict(leaves(config)) for config in configs]
    keys = dict.fromkeys(key for one in flat for key in one)
    values = {key: [one.get(key) for one in flat] for key in keys}
    return {key: row for key, row in values.items() if any(value != row[0] for value in row)}
