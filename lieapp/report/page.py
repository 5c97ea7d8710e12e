"""A document as report.html: one file that stands alone, without scripts and without anything from the network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from latex2mathml.converter import convert

from lieapp import document as doc
from lieapp.figures.files import pdf, svg
from lieapp.runs.store.files import write_atomic

CSS = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.25rem 4rem; background: #fff; color: #1f2328;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .5rem 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 1px solid #d0d7de; }
.kind { color: #57606a; margin: 0; }
.equation { overflow-x: auto; padding: .6rem 0; font-size: 1.2rem; }
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math, serif; }
.notice { background: #eef4fb; border-left: 4px solid #0b5cad; padding: .7rem 1rem; margin: 1rem 0; }
.notice.success { font-size: 1.12rem; font-weight: 600; background: #eef5f1; border-color: #009e73; }
.notice.warning { background: #fff6e5; border-color: #b35c00; }
.notice.error { background: #fdeeee; border-color: #b42318; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 20rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1.2rem .35rem 0;
  border-bottom: 1px solid #d0d7de; }
th { font-weight: 600; color: #57606a; font-size: .9rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption, .note { color: #57606a; font-size: .92rem; max-width: 46rem; margin: .4rem 0 0; }
nav { font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .8rem 0 0; }
a { color: #0b5cad; }
@media print {
  nav { display: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } body { padding: 0; }
}
"""


def write_report(folder: Path, title: str, kind: str, document: doc.Document) -> Path:
    """Write report.html and figures/*.svg into the folder of a run; returns the report's path.

    Args:
        title: the report's heading.
        kind: what stands above it in small letters.
    """
    place = folder / "figures"
    place.mkdir(exist_ok=True)
    drawn = {}
    told = [*document]
    for number, block in enumerate(document):
        if isinstance(block, doc.Figure) and block.drawing:
            try:
                drawn[block.key] = svg(block.drawing)
            except (ValueError, OverflowError) as error:
                # numbers that no axis can hold: the rest of the report still stands
                told[number] = replace(block, drawing=None, note=f"This figure could not be drawn ({error}).")
    for file in [*place.glob("*.svg"), *place.glob("*.pdf")]:
        if file.stem not in drawn:
            # of an earlier report of this run
            file.unlink()
    for key, text in drawn.items():
        write_atomic(place / f"{key}.svg", text.encode())
    path = folder / "report.html"
    write_atomic(path, page(title, kind, told, drawn).encode())
    return path


def write_pdfs(folder: Path, document: doc.Document) -> list[Path]:
    """Write figures/*.pdf into the folder of a run, a page for each figure; returns their paths."""
    place = folder / "figures"
    place.mkdir(exist_ok=True)
    paths = []
    for block in document:
        if isinstance(block, doc.Figure) and block.drawing:
            paths.append(place / f"{block.key}.pdf")
            write_atomic(paths[-1], pdf(block.drawing))
    return paths


def fragment(document: doc.Document) -> str:
    """A document within another page, such as a notebook's: plain elements without a style sheet."""
    return _blocks(document, {})


def page(title: str, kind: str, document: doc.Document, drawn: Mapping[str, str] | None = None) -> str:
    """The whole page: what stands before the first heading goes into its head.

    Args:
        drawn: figures as SVG by their keys; the others are drawn here.
    """
    parts = doc.sections(document)
    top = [block for head, blocks in parts if not head.text for block in blocks]
    named = [(head, blocks) for head, blocks in parts if head.text]
    links = "".join(f'<a href="#{escape(head.key)}">{escape(head.text)}</a>' for head, _ in named if head.key)
    body = "".join(f"<section>{_heading(head)}{_blocks(blocks, drawn or {})}</section>\n" for head, blocks in named)
    start = f'<p class="kind">{escape(kind)}</p><h1>{escape(title)}</h1>{_blocks(top, drawn or {})}'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # nothing in a run folder may fetch or run anything, whatever its strings say
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(title)} · lieapp</title><style>{CSS}</style></head><body>\n"
        f"<header>{start}<nav>{links}</nav></header>\n<main>{body}</main></body></html>\n"
    )


def mathml(formula: doc.Formula, *, block: bool = False) -> str:
    """One `<math>` element; the text where its LaTeX can't be read."""
    try:
        found = convert(formula.latex, display="block" if block else "inline")
    except Exception:  # the library raises errors of many kinds for LaTeX it can't read
        return f"<code>{escape(formula.text)}</code>"
    # fractions in a table row at full size too: indices within them would else be too small to read
    return found if block else found.replace("<math ", '<math displaystyle="true" ', 1)


def _heading(head: doc.Heading) -> str:
    anchor = f' id="{escape(head.key)}"' if head.key else ""
    return f"<h2{anchor}>{escape(head.text)}</h2>"


def _blocks(blocks: Iterable[doc.Block], drawn: Mapping[str, str]) -> str:
    return "".join(_block(block, drawn) for block in blocks)


def _block(block: doc.Block, drawn: Mapping[str, str]) -> str:
    match block:
        case doc.Heading():
            return _heading(block)
        case doc.Text():
            kind = ' class="note"' if block.small else ""
            return f"<p{kind}>{_words(block.words)}</p>"
        case doc.Formula():
            return f'<div class="equation">{mathml(block, block=True)}</div>'
        case doc.Notice():
            return f'<p class="notice {block.level}">{_words(block.words)}</p>'
        case doc.Table():
            return _table(block)
        case doc.Figure():
            return _figure(block, drawn)


def _words(words: doc.Words) -> str:
    return "".join(
        re.sub("`([^`]+)`", r"<code>\1</code>", escape(part)) if isinstance(part, str) else mathml(part)
        for part in doc.inline(words)
    )


def _table(block: doc.Table) -> str:
    def line(tag: str, cells: Sequence[doc.Cell]) -> str:
        return "".join(_cell(tag, column, cell) for column, cell in zip(block.columns, cells, strict=True))

    top = line("th", [column.head for column in block.columns])
    lines = "".join(f"<tr>{line('td', row)}</tr>" for row in block.rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cell(tag: str, column: doc.Column, cell: doc.Cell) -> str:
    words = _words(cell) if cell else "–" * (tag == "td")
    return f'<{tag} class="n">{words}</{tag}>' if column.number else f"<{tag}>{words}</{tag}>"


def _figure(block: doc.Figure, drawn: Mapping[str, str]) -> str:
    if block.drawing is None:
        return f'<p class="note">{escape(block.note)}</p>'
    shown = drawn.get(block.key) or svg(block.drawing)
    return f"<figure>{shown}<figcaption>{escape(block.caption)}</figcaption></figure>"
