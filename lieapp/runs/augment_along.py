"""What was typed after --with or --moved-by, made whole before any work: runs found by their ids, of the plugin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lieapp.errors import UnknownRunError, UsageError
from lieapp.runs.directory import RunDirectory

OF_RUNS = ("fields", "formulas", "approximate")
"""What of a run of an equation is meant, before its name."""

PICTURES = ("none", "default", "affine")
"""Ways to change pictures that need no run."""


def along_solutions(variants: Sequence[str], plugin: str, root: Path, option: str = "--with") -> tuple[str, ...]:
    """Variants of an equation, each run with its path; `option` is what errors call the place.

    `approximate` alone means the approximate fields of the one run that is named besides. Raises UsageError for a
    word or run that can't be meant, and runs of another plugin.
    """
    parts = [part.strip() for variant in variants for part in variant.split("+")]
    found = {run: _found(run, plugin, root, option) for part in parts if (run := _split(part)[1])}
    return tuple(
        "+".join(_solution(part.strip(), found, plugin, option) for part in v.split("+")) for v in variants
    )


def along_pictures(variants: Sequence[str], plugin: str, root: Path) -> tuple[str, ...]:
    """Variants of pictures, each run with its path. Raises UsageError as above."""
    return tuple(v if v in PICTURES else str(_found(v, plugin, root, "--with")) for v in variants)


def _split(part: str) -> tuple[str, str]:
    """What of a run, and which: the second is empty for words."""
    kind, sign, run = part.partition(":")
    if kind in OF_RUNS:
        return kind, run
    if part in ("none", "truth") or part.startswith("d_") or (sign and kind == ""):
        return part, ""
    return "fields", part


def _solution(part: str, found: dict[str, Path], plugin: str, option: str) -> str:
    kind, run = _split(part)
    if run:
        return f"{kind}:{found[run]}"
    if kind not in OF_RUNS:
        return part
    named = set(found.values())
    if len(named) != 1:
        what = "no run is named" if not named else f"{len(named)} runs are named"
        raise UsageError(
            f"{option} {part}: {what} whose fields are meant.", hint=f"Write {kind}:RUN. {_make(plugin)}"
        )
    return f"{kind}:{next(iter(named))}"


def _found(text: str, plugin: str, root: Path, option: str) -> Path:
    try:
        run = RunDirectory.find(root, text)
    except UnknownRunError as error:
        raise UsageError(
            f"{option} {text}: neither one of the words nor a run: {error.message}", hint=_make(plugin)
        ) from None
    config = run.config()
    if config.get("kind") != "discover" or config.get("plugin") != plugin:
        raise UsageError(
            f"{option} {text}: {run.id} is a run of `lieapp {config.get('kind')}` of {config.get('plugin')}; one "
            f"that found fields of {plugin} is needed.",
            hint=_make(plugin),
        )
    if run.summary() is None:
        raise UsageError(
            f"{option} {text}: {run.id} isn't done.", hint=f"Type `lieapp discover --resume {run.path}`."
        )
    return run.path


def _make(plugin: str) -> str:
    return f"`lieapp discover --plugin {plugin}` makes a run; `lieapp runs list` shows those there are."
