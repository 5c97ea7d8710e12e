"""The pages of docs/ as the Help page shows them; a wheel has them as `lieapp/_docs`."""

from __future__ import annotations

import re
from pathlib import Path

import lieapp

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def folder() -> Path | None:
    """Where they lie: inside the package, or in a checkout beside it; None if they were left out."""
    package = Path(lieapp.__file__).parent
    inside, beside = package / "_docs", package.parent / "docs"
    if inside.is_dir():
        return inside
    return beside if beside.is_dir() and (package.parent / "pyproject.toml").is_file() else None


def names() -> list[str]:
    """The pages by name, the index first."""
    place = folder()
    found = sorted(file.stem for file in place.glob("*.md")) if place else []
    return sorted(found, key=lambda name: name != "index")


def text(name: str) -> str:
    """The text of one of `names()`, with links that stay inside the app; empty if there is none of that name."""
    place = folder()
    # compared, not joined: what an address says can't lead out of the folder
    if place is None or name not in names():
        return ""
    return _LINK.sub(_inside, (place / f"{name}.md").read_text(encoding="utf-8"))


def title(name: str) -> str:
    """The first heading."""
    lines = text(name).splitlines()
    return lines[0].removeprefix("# ").strip() if lines else name


def _inside(match: re.Match[str]) -> str:
    image, words, target = match.groups()
    page, _, _ = target.partition("#")
    if image:
        return f"*{words}*"
    if target.startswith("https://"):
        return match[0]
    if page.endswith(".md") and "/" not in page:
        return f"[{words}](help?doc={page.removesuffix('.md')})"
    # files of a checkout: there may be none where this runs
    return f"{words} (`{target}`)" if page else words
