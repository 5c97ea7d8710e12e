"""Data files on their way to workers that don't see them: by content, once for each machine."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from lieapp.data.opening import beside, stamp
from lieapp.errors import DataError, refused
from lieapp.extension import Reader

LARGEST = 2**28
"""Bytes of a file that is sent at most."""

PIECE = 2**23
"""Bytes that are sent at a time."""

KEPT = 30 * 86400
"""Seconds for which a worker's machine keeps a file that no cell reads."""

DRAFT = 86400
"""Seconds after which a file that has arrived in part only, and to which nobody adds, is removed."""

UNCHANGED = "Put the old file back and resume, or start a new sweep."


class DataFile(msgspec.Struct, frozen=True):
    """A file of the user's, as it was when the sweep began.

    Args:
        path: absolute, on the machine of the sweep.
        size: None of a folder.
        modified: in nanoseconds.
        sha256: empty of what isn't sent, a folder or a file of more than `LARGEST` bytes.
        group: of files that have to lie in one folder, what their contents make together.
    """

    path: str
    size: int | None
    modified: int
    sha256: str = ""
    group: str = ""

    def place(self, folder: Path) -> Path:
        """Where it lies in the folder of all that are sent."""
        return folder / (self.group or self.sha256) / Path(self.path).name


def together(path: str, readers: Sequence[Reader]) -> list[DataFile]:
    """A file and those that are read besides it, as they are now. Raises DataError if one can't be read."""
    _, *others = found = [described(path), *(described(str(other)) for other in beside(Path(path), readers))]
    if not others:
        return found
    if not all(one.sha256 for one in found):
        # one of them has to be readable at its path, and so the others too
        return [msgspec.structs.replace(one, sha256="") for one in found]
    group = hashlib.sha256("".join(one.sha256 for one in found).encode()).hexdigest()
    return [msgspec.structs.replace(one, group=group) for one in found]


def described(path: str) -> DataFile:
    """A file as it is now. Raises DataError if it can't be read."""
    size, modified = stamp(Path(path))
    if os.path.isdir(path):
        return DataFile(path, None, modified)
    if size > LARGEST:
        return DataFile(path, size, modified)
    with refused(DataError, f"{path} can't be read", "Ask its owner for permission to read it."):
        return DataFile(path, size, modified, _digest(path, os.stat(path)))


def is_seen(file: DataFile) -> bool:
    """Whether this machine has it at its own path, with the same size and content.

    What isn't sent isn't compared by content; a folder only has to be there.
    """
    try:
        there = os.stat(file.path)
        if file.size is None:
            return os.path.isdir(file.path)
        if there.st_size != file.size:
            return False
        return not file.sha256 or _digest(file.path, there) == file.sha256
    except OSError:
        return False


def _digest(path: str, now: os.stat_result) -> str:
    """The sha256 of a file; size and times tell one that was written anew."""
    return _computed(path, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)


# a worker asks before each cell
@functools.lru_cache(maxsize=1024)
def _computed(path: str, *known: int) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def pieces(file: DataFile) -> Iterator[tuple[int, bytes]]:
    """Its content, with the place of each piece. Raises DataError if the file isn't what it was."""
    try:
        now = described(file.path)
    except DataError as error:
        raise DataError(error.message, hint=UNCHANGED) from None
    if now.sha256 != file.sha256:
        raise DataError(f"{file.path} has changed since the sweep began.", hint=UNCHANGED)
    with refused(DataError, f"{file.path} can't be read", UNCHANGED), open(file.path, "rb") as stream:
        place = 0
        while piece := stream.read(PIECE):
            yield place, piece
            place += len(piece)


def kept(file: DataFile, folder: Path) -> Path | None:
    """Where a file lies that was sent to this machine; None if it wasn't, or if it has been damaged since.

    Args:
        folder: of all that are sent.
    """
    place = file.place(folder)
    try:
        if not file.sha256 or _digest(str(place), place.stat()) != file.sha256:
            return None
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(place.parent)
    return place


def take(file: DataFile, folder: Path, sender: str, start: int, piece: bytes) -> bool:
    """Keep a piece of a file; whether the whole file is here. Without a piece, that alone is said.

    Raises DataError for a content with another sha256, OSError if it can't be written.
    """
    place = file.place(folder)
    draft = place.with_name(f".{sender}")
    if kept(file, folder) is not None:
        # another sweep may have sent the same file meanwhile
        draft.unlink(missing_ok=True)
        return True
    if not piece:
        forget(folder)
        return False
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("r+b" if start else "wb") as stream:
            stream.seek(start)
            stream.write(piece)
        if start + len(piece) == file.size:
            _finish(file, draft)
            draft.replace(place)
    except (DataError, OSError) as error:
        # a part would keep the disk full
        with contextlib.suppress(OSError):
            draft.unlink()
            place.parent.rmdir()
        if isinstance(error, OSError):
            error.filename = str(place)
        raise
    return start + len(piece) == file.size


def _finish(file: DataFile, draft: Path) -> None:
    """Check what has arrived. Raises DataError for a content with another sha256."""
    with draft.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != file.sha256:
        raise DataError(
            f"{file.path} arrived with sha256 {found[:8]}, and has {file.sha256[:8]} where the sweep began.",
            hint=UNCHANGED,
        )
    # runs know large files by their time
    os.utime(draft, ns=(file.modified, file.modified))


def forget(folder: Path) -> None:
    """Remove what no cell has read for `KEPT` seconds, and what has arrived in part only."""
    with contextlib.suppress(OSError):
        for old in folder.iterdir():
            if time.time() - old.stat().st_mtime > KEPT:
                shutil.rmtree(old, ignore_errors=True)
            for draft in old.glob(".*"):
                if draft.is_file() and time.time() - draft.stat().st_mtime > DRAFT:
                    draft.unlink()
