"""What `--data` and a network may name, checked without torch and before any work."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from lieapp.errors import UsageError

SETS = ("offline", "fashion-mnist", "digits", "photographs", "cifar10")
"""Sets that have a name of their own; a file or folder of the same name goes first."""


def check_place(text: str) -> None:
    """Raises UsageError unless `text` is a file or folder that exists, or the name of a set."""
    if text in SETS or Path(text).expanduser().exists():
        return
    near = get_close_matches(text, SETS, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"the named data sets are {', '.join(SETS)}."
    raise UsageError(
        f"--data {text}: there is no such file, folder or set; {meant}",
        hint="Give a folder of classes, idx files, CIFAR-10's folder, or an .npz file with images and labels.",
    )


def check_file(text: str, key: str, hint: str) -> None:
    """Raises UsageError unless there is such a file, that of a trained network or of weights."""
    if not Path(text).is_file():
        raise UsageError(f"{key} = {text}: there is no such file.", hint=hint)
