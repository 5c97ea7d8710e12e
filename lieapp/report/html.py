"""Parts of report.html of runs on pictures and on moved data."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lieapp.report.material import Json, Material, finite
from lieapp.report.page import replace_file
from lieapp.report.parts import provenance_rows
from lieapp.report.style import CSS

__all__ = ["NUMBER", "page", "provenance_html", "replace_file", "seconds_html", "table_html"]


def page(title: str, head: str, sections: Sequence[tuple[str, str, str]]) -> str:
    """A page of sections, each with its key, its heading and its HTML."""
    links = "".join(f'<a href="#{key}">{escape(name)}</a>' for key, name, _ in sections)
    body = "".join(f'<section><h2 id="{key}">{escape(name)}</h2>{html}</section>\n' for key, name, html in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # nothing in a run folder may fetch or run anything, whatever its strings say
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(title)} · lieapp</title><style>{CSS}</style></head><body>\n"
        f"<header>{head}<nav>{links}</nav></header>\n<main>{body}</main></body></html>\n"
    )


def seconds_html(summary: Json) -> str:
    """Stages and how long each took."""
    rows = [(stage, value) for stage, value in (summary.get("seconds") or {}).items() if finite(value) is not None]
    if not rows:
        return '<p class="note">No times were recorded.</p>'
    cells = [[escape(stage), f"{NUMBER}{value:.2f}"] for stage, value in rows]
    return table_html(["stage", NUMBER + "seconds"], cells)


def provenance_html(material: Material) -> str:
    """What the run came from."""
    rows = provenance_rows(material.provenance, material.config)
    if not rows:
        return '<p class="note">No provenance was recorded.</p>'
    return table_html(["what", "value"], [[escape(key), escape(value)] for key, value in rows], "small")


NUMBER = "\0"
"""In front of a heading or a cell: set as a number."""


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of HTML that is already escaped."""

    def cell(tag: str, html: str) -> str:
        return f'<{tag} class="n">{html[1:]}</{tag}>' if html.startswith(NUMBER) else f"<{tag}>{html}</{tag}>"

    top = "".join(cell("th", words) for words in head)
    lines = "".join(f"<tr>{''.join(cell('td', html) for html in row)}</tr>" for row in rows)
    style = f' class="{kind}"' if kind else ""
    return f'<div class="scroll"><table{style}><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'
