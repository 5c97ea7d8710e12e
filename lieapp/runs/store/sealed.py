"""Files that a resume reads bear the checksum of their own content, SHA-256, so that no damage is gone on from.

In JSON it stands under the key `sha256` and is that of the file without this key. In safetensors it stands in the
header's metadata and is that of the file with zeros in its place: both stay readable for other programs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from lieapp.errors import ResumeError
from lieapp.reading import UnreadableError, contents, decode_object, reason
from lieapp.runs.store.files import encode

if TYPE_CHECKING:
    from torch import Tensor

KEY, BLANK = "sha256", "0" * 64

IN_HEADER = re.compile(rb'"sha256":"([0-9a-f]{64})"')
"""In the raw header; quotes of JSON inside its texts are escaped there."""

LONGEST_HEADER = 100 * 2**20
"""Bytes, as the safetensors library has it."""

CHUNK = 2**22

BESIDE = ("config.json", "provenance.json", "identified.json", "predictions.safetensors")
"""What a resume reads beside the folder checkpoint/."""

CHUNKS = "data"
"""The folder in checkpoint/ of trajectories in chunks."""

WRONG = "its content isn't the one that was written: the checksum differs"


def sealed(value: msgspec.Struct | Mapping[str, Any]) -> bytes:
    """JSON of an object, with its checksum."""
    body = encode(value)
    return encode({**msgspec.json.decode(body, type=dict[str, Any]), KEY: hashlib.sha256(body).hexdigest()})


def opened(content: bytes) -> dict[str, Any]:
    """The object of `sealed`, also one without a checksum. Raises UnreadableError for a wrong one."""
    found = decode_object(content)
    kept = found.pop(KEY, None)
    if kept is not None and kept != hashlib.sha256(encode(found)).hexdigest():
        raise UnreadableError(WRONG)
    return found


def sealed_tensors(tensors: Mapping[str, Tensor], **facts: str) -> bytes:
    """A safetensors file with facts and the checksum in its header."""
    from safetensors.torch import save

    content = bytearray(save({k: v.contiguous() for k, v in tensors.items()}, metadata={**facts, KEY: BLANK}))
    found = IN_HEADER.search(content, 8, 8 + int.from_bytes(content[:8], "little"))
    assert found is not None  # it was just written
    start, end = found.span(1)
    del found  # it keeps the array from being written
    content[start:end] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def check_sealed(folder: Path) -> list[str]:
    """Check what a resume of the run in `folder` reads; names of files that have no checksum.

    Chunks of trajectories, which may be large, are checked as they are read: `Checkpoint.data`.

    Raises ResumeError for a file that is damaged.
    """
    without = []
    for file in _files(folder):
        try:
            is_sealed = _file_checked(file) if file.suffix == ".safetensors" else _object_checked(file)
        except (OSError, UnreadableError) as error:
            hint = "Start a new run." if file.parent == folder else remedy(file)
            raise ResumeError(f"{file} can't be read: {reason(error)}.", hint=hint) from None
        if not is_sealed:
            without.append(file.relative_to(folder).as_posix())
    return without


def remedy(file: Path) -> str:
    """What to do about a file in checkpoint/ that is damaged: of many chunks, one is no reason to start over."""
    if file.parent.name == CHUNKS:
        return "Delete this file: its trajectories are simulated or read again, and all else stays."
    return "Delete the folder checkpoint/ to start that run over."


def _files(folder: Path) -> Iterator[Path]:
    yield from (file for name in BESIDE if (file := folder / name).exists())
    # drafts of a killed process begin with a dot
    kept = [file for file in sorted((folder / "checkpoint").rglob("*")) if file.parent.name != CHUNKS]
    yield from (file for file in kept if not file.name.startswith(".") and not file.is_dir())


def _object_checked(file: Path) -> bool:
    """Whether a file of JSON has a checksum, which is then right."""
    content = contents(file)
    if content.strip().isdigit() or not content:
        return False  # as earlier versions kept a number
    opened(content)
    return KEY in decode_object(content)


def _file_checked(file: Path) -> bool:
    with file.open("rb") as stream:
        return tensors_checked(stream)


def tensors_checked(stream: BinaryIO) -> bool:
    """Whether a safetensors file has a checksum, which is then right; read in pieces, for it may be large.

    Raises UnreadableError for a wrong checksum, and for what isn't such a file.
    """
    start = stream.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > LONGEST_HEADER:
        raise UnreadableError("it isn't a safetensors file")
    header = stream.read(length)
    found = IN_HEADER.search(header)
    if found is None:
        decode_object(header)
        return False
    place = found.start(1)
    total = hashlib.sha256(start + header[:place] + BLANK.encode() + header[place + len(BLANK) :])
    while piece := stream.read(CHUNK):
        total.update(piece)
    if total.hexdigest().encode() != found[1]:
        raise UnreadableError(WRONG)
    return True
