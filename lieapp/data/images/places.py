"""What `--data` and a network may name, checked without torch and before any work."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from lieapp.errors import UsageError

SETS = ("offline", "fashion-mnist", "digits", "photographs", "cifar10")
"""Sets that have a name of their own; a file or folder of the same name goes first."""


CUT = "photographs"
"""The only one of them that crops are cut from."""


def check_place(text: str, crops: int = 0) -> None:
    """Raises UsageError unless `text` is a file or folder that exists, or the name of a set; and allows crops."""
    place = Path(text).expanduser()
    if text in SETS or place.exists():
        if crops and not place.is_dir() and (text != CUT or place.exists()):
            raise no_crops(text, crops)
        return
    near = get_close_matches(text, SETS, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"the named data sets are {', '.join(SETS)}."
    raise UsageError(
        f"--data {text}: there is no such file, folder or set; {meant}",
        hint="Give a folder of classes, idx files, CIFAR-10's folder, or an .npz file with images and labels.",
    )


def no_crops(text: str, crops: int) -> UsageError:
    """The error for crops of pictures that aren't in files of their own."""
    return UsageError(
        f"crops = {crops}: crops are cut from folders of picture files and the set {CUT}; the pictures of {text} "
        "have one size already.",
        hint="Leave crops out, or give --data such a folder.",
    )


def check_file(text: str, key: str, hint: str) -> None:
    """Raises UsageError unless there is such a file, that of a trained network or of weights."""
    if not Path(text).is_file():
        raise UsageError(f"{key} = {text}: there is no such file.", hint=hint)
