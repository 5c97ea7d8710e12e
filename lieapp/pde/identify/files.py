"""The equation of data in files: read, identified, and the commands and the plugin file that go on with it."""

from __future__ import annotations

import dataclasses
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from lieapp.config_types import FILE_OPTIONS, FileData
from lieapp.data.own_trajectories import Room, undeclared
from lieapp.data.trajectories import Trajectories
from lieapp.document import percent
from lieapp.equations.plugin_file import plugin_text, write
from lieapp.errors import DataError, RunError, UsageError
from lieapp.pde.identify.candidates import library
from lieapp.pde.identify.find import Wanted, identify
from lieapp.pde.identify.learned import NODES, ORDERS, TRAJECTORIES, Learning
from lieapp.pde.identify.windows import jets_of
from lieapp.pde.typed import draft_of
from lieapp.progress import Reporter, SilentReporter
from lieapp.reading import contents
from lieapp.results.base import read_result
from lieapp.results.discovery import EquationResult
from lieapp.results.identification import Identification, Learned
from lieapp.runs.store.checkpoint import Checkpoint
from lieapp.runs.store.sealed import opened


def identify_files(
    data: FileData, wanted: Wanted | None = None, report: Reporter | None = None, learn: bool | None = False
) -> Identification:
    """The equation of files.

    Args:
        learn: whether a right side is learned from the trajectories; None: if no short equation is made of the
            candidates.

    Raises what reading them, `identify` and, if it was asked for, `learned_from` raise.
    """
    wanted, report = wanted or Wanted(), report or SilentReporter()
    if not data.files:
        raise UsageError("identify needs data.", hint="Give --data FILE.")
    with tempfile.TemporaryDirectory(prefix="lieapp-") as folder:
        # what is read in stretches is needed no longer than this
        pieces, copies = undeclared(data, report, Room(Checkpoint(Path(folder))))
        return _identified(data, pieces, copies, wanted, report, learn)


def _identified(
    data: FileData, pieces: Sequence[Trajectories], copies: Sequence[str], wanted: Wanted, report: Reporter,
    learn: bool | None,
) -> Identification:  # fmt: skip
    names, count = [str(piece.facts["file"]) for piece in pieces], sum(piece.samples for piece in pieces)
    fields = tuple(field for text in wanted.symmetries for field in _fields(text))
    wanted = dataclasses.replace(wanted, symmetries=fields)
    report.line(f"{'one trajectory' if count == 1 else f'{count} trajectories'} of {', '.join(pieces[0].unknowns)}")
    found = identify(pieces, wanted, names, report)
    if learn or (learn is None and found.inexpressible):
        found = learned_from(pieces, found, report, asked=bool(learn))
    said = dict.fromkeys(str(piece.facts["notes"]) for piece in pieces if "notes" in piece.facts)
    found = replace(found, notes=[*found.notes, *said, *copies])
    command = _command(found, data, pieces[0].time_name, count >= TRAJECTORIES)
    return replace(found, files=list(data.files), command=command)


def _fields(text: str) -> list[str]:
    """The field that was typed, or those that a run proved. Raises RunError for a run without any."""
    if not (Path(text) / "config.json").is_file():
        return [text]
    result = read_result(Path(text))
    formulas = result.formulas if isinstance(result, EquationResult) else []
    found = [form.field for form in formulas if form.proved and form.field]
    if not found:
        raise RunError(f"--symmetry {text}: the run proved no field.", hint="Type a field: --symmetry d_x.")
    return [" + ".join(f"({value})*d_{name}" for name, value in field.items()) for field in found]


def _command(found: Identification, data: FileData, time: str, many: bool) -> str:
    """What goes on with the equation: discovery, or derivation alone where it is of second order in time.

    Args:
        many: whether there are trajectories enough to learn a right side where no short equation is made of the
            candidates.
    """
    files = [part for file in data.files for part in ("--data", file)]
    more = [
        part for key, option in FILE_OPTIONS.items()
        if key != "files" and (value := getattr(data, key, None))
        for part in (f"--{option.replace('_', '-')}", *([] if value is True else [str(value)]))
    ]  # fmt: skip
    equations = [part for e in found.equations for part in ("--equation", e.text)]
    if not equations and found.inexpressible and many:
        return shlex.join(["lieapp", "discover", *files, *more])
    if not equations:
        return shlex.join(["lieapp", "inspect", data.files[0], *more[: 2 * bool(data.map)]])
    if found.equations[0].left.endswith(f"_{time}{time}"):
        unknowns = ",".join(e.unknown for e in found.equations)
        variables = ",".join(found.variables)
        return shlex.join(["lieapp", "truth", *equations, "--independent", variables, "--dependent", unknowns])
    return shlex.join(["lieapp", "discover", *files, *more, *equations])


def learned_from(
    pieces: Sequence[Trajectories], found: Identification, report: Reporter, asked: bool
) -> Identification:
    """With right sides learned from trajectories, or, unless that was asked for, why they can't be.

    Raises DataError if they can't be, and that was asked for.
    """
    jets = jets_of(pieces[0])
    try:
        learned = Learning(pieces, jets, library(jets, ORDERS[-1], Wanted().degree, NODES)[0]).learned(report)
    except DataError as error:
        if asked:
            raise
        why = f"{error.message.rstrip('.')}: {error.hint.rstrip('.')}"
        return replace(found, undecided=[*found.undecided, why])
    return replace(found, learned=learned, sentence=learned_sentence(found, learned))


def learned_sentence(found: Identification, learned: Learned) -> str:
    """What was learned, and how well."""
    sides = "; ".join(
        f"{side.shown}, {side.form}, leaves {percent(side.error)} of {side.left}" for side in learned.sides
    )
    why = "" if found.equations else "No short equation is claimed. "
    return f"{why}Learned from {learned.trajectories} trajectories: {sides} on {learned.held_out} others."


KEPT = "identified.json"
"""The identification in the folder of a run whose equation it found."""


def of_first_order(found: Identification) -> list[str]:
    """The equations, as discovery needs them. Raises DataError if there are none, or they are of second order."""
    if found.learned is not None:
        return [side.text for side in found.learned.sides]
    if not found.equations:
        raise DataError(_none(found), hint="`lieapp identify` shows the path; or give --equation or --plugin.")
    if found.command.startswith("lieapp truth"):
        raise DataError(
            f"{found.sentence.rstrip('.')}: it is of second order in time, and fields are learned for equations of "
            "first order.",
            hint=f"Derive its symmetries: {found.command}.",
        )
    return [equation.text for equation in found.equations]


def learned_settings(given: Callable[[str], object]) -> dict[str, Any]:
    """Settings of a run on a learned equation: small bases, where a gap shows above errors of the right side.

    Args:
        given: what was typed for a setting; these are left as they are.
    """
    found: dict[str, Any] = {}
    if not any(map(given, ("method", "stages", "preset"))):
        found["method"] = "spectrum"
    if not given("slots"):
        found["slots"] = 8
    if not any(map(given, ("spectrum", "spectrum.degrees", "degrees"))):
        found["spectrum"] = {"degrees": [2, 4]}
    return found


def _none(found: Identification) -> str:
    """Why there is no equation, and no right side was learned in its place."""
    return f"{found.sentence.rstrip('.')}; {found.undecided[-1]}." if found.inexpressible else found.sentence


def read_identified(folder: Path) -> Identification | None:
    """The identification that a run began with, if it did. Raises RunError if it can't be read."""
    file = folder / KEPT
    if not file.exists():
        return None
    try:
        return msgspec.convert(opened(contents(file)), Identification)
    except (OSError, ValueError) as error:
        raise RunError(f"{file} can't be read: {error}.", hint="Start that run again.") from None


def write_plugin(found: Identification, data: FileData, file: Path) -> Identification:
    """Write the equation as a plugin file.

    Raises DataError if there is no equation, UsageError for another name, PluginError where it can't be written.
    """
    if not found.equations:
        raise DataError(f"{file} isn't written: {found.sentence}", hint="Give other data, or other --terms.")
    equations = [equation.text for equation in found.equations]
    system, draft = draft_of(equations, data, found.variables, [equation.unknown for equation in found.equations])
    text = plugin_text(system, dataclasses.replace(draft, name=file.stem))
    return replace(found, file=str(write(text, file.stem, file.parent)))


def check_plugin(file: Path) -> None:
    """Before any work: raises UsageError for what can't be the name of a new plugin file."""
    if file.suffix != ".py":
        raise UsageError(f"--write {file}: a plugin file ends with .py.", hint="For example plugins/mine.py.")
    if file.exists():
        raise UsageError(f"--write {file}: the file already exists.", hint="Give another name.")
