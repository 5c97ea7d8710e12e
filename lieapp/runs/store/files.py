"""Small files written so that a reader never meets half of one."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from lieapp.errors import RunError, refused
from lieapp.reading import UnreadableError, read

if TYPE_CHECKING:
    from torch import Tensor

Known = TypeVar("Known")


def encode(value: Any) -> bytes:
    """JSON for people: indented, one line at the end; numbers of numpy and torch become plain ones.

    What isn't text, as bytes in a file's name that are no UTF-8, is written as `\\udcff`.
    """
    try:
        found = msgspec.json.encode(value, enc_hook=plain)
    except UnicodeEncodeError:
        found = msgspec.json.encode(_as_text(msgspec.to_builtins(value, enc_hook=plain)))
    return msgspec.json.format(found, indent=2) + b"\n"


def _as_text(value: Any) -> Any:
    """Plain values with escapes in place of lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_as_text(key): _as_text(inner) for key, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, list | tuple) else value


def decoded(file: Path, kind: type[Known]) -> Known | None:
    """What a JSON file holds; None if it isn't there or holds something else."""
    try:
        return read(file, kind)
    except (OSError, UnreadableError):
        return None


def plain(value: Any) -> Any:
    """The plain form of an array's or tensor's numbers, and of a path. Raises TypeError for anything else."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} can't be written as JSON")


@contextlib.contextmanager
def naming(file: Path) -> Iterator[None]:
    """Let system errors inside the block name `file`: those of a full disk name none, others a draft."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error


def write_atomic(file: Path, content: bytes) -> None:
    """Replace a file in one step: readers see the old content or the new, whenever they look.

    Raises OSError that names the file.
    """
    with naming(file):
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(name, 0o644)
            os.replace(name, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def append_line(file: Path, line: bytes) -> None:
    """Add one line with a single write, so that lines of two writers don't mix.

    Raises OSError that names the file.
    """
    with naming(file), file.open("ab", buffering=0) as stream:
        stream.write(line + b"\n")


@contextlib.contextmanager
def process_lock(file: Path) -> Iterator[bool]:
    """Hold a file's lock for the block; False if another process holds it. It ends with the process.

    Record locks, because children made by fork don't inherit them: an orphan must not keep a dead run locked.
    Where the file system knows no locks, the answer is True and the caller looks at the status instead.
    Raises RunError if the file can't be made.
    """
    hint = "Free disk space, or ask its owner for permission to write."
    with refused(RunError, f"{file.parent}: the folder can't be written", hint):
        stream = file.open("ab")
    with stream:
        try:
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # POSIX allows either for "held by another"
            yield False
            return
        except OSError:
            pass
        yield True


CURRENT = "current.safetensors"
"""Fields of a training that goes on; gone when the run is done."""


def write_tensors(file: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any] | None = None) -> None:
    """Write arrays as float32; `facts` go into the header as JSON. Raises OSError."""
    from safetensors.torch import save

    header = None if facts is None else {"facts": json.dumps(facts)}
    write_atomic(file, save({k: v.float().cpu().contiguous() for k, v in tensors.items()}, metadata=header))
