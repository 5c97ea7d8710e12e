"""What people write on a run, its name and a note, in label.json of its folder; and the end of a run's folder."""

from __future__ import annotations

import shutil

import msgspec

from lieapp.errors import RunError, refused
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import decoded, encode, write_atomic
from lieapp.runs.store.status import ACTIVE

FILE = "label.json"


class Label(msgspec.Struct, frozen=True):
    """A name that stands for the run in lists, and a note."""

    name: str = ""
    note: str = ""


def label_of(run: RunDirectory) -> Label:
    """What was written on a run; nothing where nobody did, or it can't be read."""
    return decoded(run.path / FILE, Label) or Label()


def write_label(run: RunDirectory, name: str, note: str) -> None:
    """Keep a name and a note. Raises RunError if the run is gone, a link, or its folder can't be written."""
    _present(run)
    with refused(RunError, f"{run.id} can't be written", f"Ask the owner of {run.path} for permission."):
        write_atomic(run.path / FILE, encode(Label(" ".join(name.split()), note.strip())))


def delete(run: RunDirectory) -> None:
    """Remove a run's folder. Raises RunError if it is gone, a link, waits, is worked on, or can't be removed."""
    _present(run)
    with run.locked() as free:
        if not free or run.state in ("queued", *ACTIVE):
            raise RunError(f"{run.id} is {run.state}; it can't be deleted.", hint="Cancel it first.")
        # renamed first, so that no list sees it half deleted
        gone = run.path.with_name(f".deleted-{run.id}")
        # what an earlier try may have left
        shutil.rmtree(gone, ignore_errors=True)
        with refused(RunError, f"{run.id} can't be deleted", f"Ask the owner of {run.path} for permission."):
            run.path.rename(gone)
            shutil.rmtree(gone)


def _present(run: RunDirectory) -> None:
    """Raises RunError of a run that was deleted by another tab or command, or is a link to one elsewhere."""
    if run.path.is_symlink():
        raise RunError(f"{run.id} is a link.", hint=f"Open the folder of {run.path.resolve()}, or remove the link.")
    if not run.path.is_dir():
        raise RunError(f"{run.id} is no longer there.", hint="It was deleted; `lieapp runs list` shows all.")
