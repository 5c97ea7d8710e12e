"""What explains: the pages of docs/, which a wheel has as `lieapp/_docs`, and the terms that docs/terms.md holds.

`tip("eta")` is the text for a widget's `help=`; `popover("eta", "cosine")` a button that opens several.
"""

from __future__ import annotations

import re

import streamlit as st

from lieapp.registry.loader import shipped_folder

TERMS_PAGE = "terms"

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_KEY = re.compile(r"^<!-- (\w+) -->\n(.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def names() -> list[str]:
    """The pages by name, the index first."""
    place = shipped_folder("docs")
    found = sorted(file.stem for file in place.glob("*.md")) if place else []
    return sorted(found, key=lambda name: name != "index")


def text(name: str) -> str:
    """The text of one of `names()`, with links that stay inside the app; empty if there is none of that name."""
    return re.sub(r"<!--.*?-->\n", "", _written(name))


def title(name: str) -> str:
    """The first heading."""
    lines = text(name).splitlines()
    return lines[0].removeprefix("# ").strip() if lines else name


def _written(name: str) -> str:
    place = shipped_folder("docs")
    # compared, not joined: what an address says can't lead out of the folder
    if place is None or name not in names():
        return ""
    return _LINK.sub(_inside, (place / f"{name}.md").read_text(encoding="utf-8"))


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


TERMS = {key: " ".join(told.split()) for key, told in _KEY.findall(_written(TERMS_PAGE))}
"""What each symbol and score means, in Markdown, by its key in docs/terms.md; in the order of the Help page."""


def tip(key: str) -> str:
    """The text of a term for `help=`, with a link to the docs; empty where these were left out."""
    return TERMS[key] if TERMS else ""


def popover(*keys: str, label: str = "Symbols") -> None:
    """A button that opens the explanations of several terms."""
    with st.popover(label, icon=":material/help:", type="tertiary"):
        for key in keys:
            st.markdown(tip(key))
