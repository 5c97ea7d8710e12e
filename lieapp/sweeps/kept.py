"""What a sweep keeps in its own run folder: cells with their runs, a copy of the plugin files, its results."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lieapp.errors import ResumeError, RunError
from lieapp.reading import UnreadableError, contents, decode, reason
from lieapp.runs.store.directory import RunDirectory, new_id
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import opened, sealed
from lieapp.sweeps.carried import FOLDER, Files, plugin_files, write_files
from lieapp.sweeps.resolve import Plan, Resolved
from lieapp.sweeps.spec import SweepConfig

CELLS = "checkpoint/cells.json"
"""The cells; a resume reads it, so that it has a checksum."""

PROOF = ".shared"
"""A file of the sweep's folder: a worker that reads it has the folder of runs too."""


class Cells(msgspec.Struct, frozen=True):
    """Every cell in the order of the grid."""

    cells: list[Plan]


def create(config: SweepConfig, resolved: Resolved, out: Path) -> RunDirectory:
    """The folder of a new sweep, in which every cell has the id of its run. Raises RunError, PluginError."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", config.name) or "sweep"
    files = plugin_files(resolved.catalog)
    run = RunDirectory.create(out, config, name, folders=resolved.catalog.folders)
    write_files(files, run.path / FOLDER)
    taken: set[str] = set()
    plans = [_named(plan, f"{run.id} {place}", taken) for place, plan in enumerate(resolved.plans)]
    (run.path / CELLS).parent.mkdir()
    write_atomic(run.path / CELLS, sealed(Cells(plans)))
    return run


def _named(plan: Plan, content: str, taken: set[str]) -> Plan:
    """A cell with the id of its run, which is none of those taken."""
    attempt = 0
    while (found := new_id(plan.plugin, f"{content} {attempt}".encode())) in taken:
        attempt += 1
    taken.add(found)
    return msgspec.structs.replace(plan, run=found)


def read_cells(run: RunDirectory) -> list[Plan]:
    """The cells of a sweep. Raises ResumeError if they can't be read."""
    file = run.path / CELLS
    try:
        return decode(msgspec.json.encode(opened(contents(file))), Cells).cells
    except (OSError, UnreadableError) as error:
        raise ResumeError(f"{file} can't be read: {reason(error)}.", hint="Start a new sweep.") from None


def read_files(run: RunDirectory) -> Files:
    """The plugin files of a sweep, by path."""
    folder = run.path / FOLDER
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*.py"))}


def prove(run: RunDirectory) -> str:
    """Put something into the folder that only those can read who share it."""
    content = secrets.token_hex(16)
    write_atomic(run.path / PROOF, content.encode())
    return content


def earlier(config: SweepConfig, out: Path) -> RunDirectory:
    """The newest sweep in a folder of runs that has the content of this file. Raises ResumeError."""
    sweeps = [run for run in RunDirectory.list(out) if run.known_config().get("kind") == "sweep"]
    for run in reversed(sweeps):
        try:
            if msgspec.structs.replace(run.config_as(SweepConfig), on=config.on) == config:
                return run
        except RunError:
            continue  # of another version
    named = [run.id for run in sweeps if run.known_config().get("name") == config.name]
    told = f"; {named[-1]} had another content" if named else ""
    raise ResumeError(
        f"nothing to resume: {out} has no sweep of this file{told}.",
        hint=f"Leave --resume out to start it{', or give --resume RUN' if named else ''}.",
    )


def unfinished(runs: Sequence[RunDirectory]) -> list[int]:
    """The places of those runs that aren't done."""
    return [place for place, run in enumerate(runs) if not (run.path.exists() and run.state == "done")]
