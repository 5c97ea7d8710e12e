"""States and times in words, and text from files made safe for Markdown."""

from __future__ import annotations

import re
from typing import NamedTuple

from lieapp.document import duration as duration
from lieapp.progress import has_count
from lieapp.runs.store.status import Status


class Sign(NamedTuple):
    """How a state is shown: a word, an icon and a colour; the word alone is enough to know it."""

    word: str
    icon: str
    colour: str
    meaning: str


SIGNS = {
    "queued": Sign("queued", ":material/hourglass_empty:", "gray", "waiting for earlier runs to end"),
    "starting": Sign("starting", ":material/hourglass_top:", "blue", "its process is starting"),
    "running": Sign("running", ":material/play_circle:", "blue", "its process is active"),
    "done": Sign("done", ":material/check_circle:", "green", "finished"),
    "cancelled": Sign("cancelled", ":material/stop_circle:", "orange", "stopped on request"),
    "failed": Sign("failed", ":material/error:", "red", "ended with an error"),
    "lost": Sign("lost", ":material/help:", "orange", "its process died without an error"),
    "unreadable": Sign("unreadable", ":material/broken_image:", "red", "its status can't be read"),
}

WORKING = ("queued", "starting", "running")
"""States in which a page looks again by itself."""

LONGEST = 5000
"""Characters of one formula; a page with longer ones can't be read, and stalls the browser."""

RESUMABLE = ("cancelled", "failed", "lost")


def sign(state: str) -> Sign:
    """The sign of a state, also of one that a later version writes."""
    return SIGNS.get(state, Sign(state, ":material/help:", "gray", ""))


def ago(moment: float | None, now: float) -> str:
    """How long ago, in one unit."""
    if not moment:
        return "–"
    seconds = max(now - moment, 0.0)
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def step_of(status: Status) -> str:
    """How far a stage is: `step 3 of 9`, `step 3 of 9, loss 0.1` or `3 of 9 chunks`."""
    far = f"{status.step} of {status.total}" if status.total else str(status.step)
    if not status.text:
        return f"step {far}"
    if has_count(status.text):
        return status.text
    # a text without numbers says what is counted
    named = not any(map(str.isdigit, status.text))
    return f"{far} {status.text}" if named else f"step {far}, {status.text}"


def plain(text: object) -> str:
    """Text that Markdown shows as it is: `u*u_x` is a product, and no plugin sends links or images."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~:&@])", r"\\\1", str(text)).replace("\n", " ")


def advice(text: object) -> str:
    """A hint as it is, but with what stands between backticks, commands to type, as code."""
    parts = str(text).replace("\n", " ").split("`")
    if len(parts) % 2 == 0:
        return plain(text)
    return "".join(f"`{part}`" if place % 2 and part.strip() else plain(part) for place, part in enumerate(parts))


def unbroken(text: object) -> str:
    """A number or an interval that isn't broken at its hyphens and blanks in a narrow cell."""
    return plain(text).replace("\\-", "\u2011").replace(" ", "\u00a0")


def enclosed(latex: str) -> str:
    """LaTeX that can't leave its formula, whoever wrote it: no dollars, and no bars, which end a table's cell."""
    kept = re.sub(r"[$`\n\r]", " ", latex)[:LONGEST]
    return kept.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
