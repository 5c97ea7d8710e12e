"""report.html: one file that stands alone, without scripts and without anything from the network."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from lieapp.report import wording
from lieapp.report.at_size import NOTE, at_size, folds, size_table
from lieapp.report.figures import FINITE, Figure, figures
from lieapp.report.formula import expression_latex, field_latex
from lieapp.report.material import Json, Material, read_material
from lieapp.report.mathml import latex_to_mathml
from lieapp.report.style import CSS


def write_report(run_dir: Path) -> Path:
    """Write report.html and figures/*.svg from the files of a run; returns the report's path."""
    material = read_material(run_dir)
    pictures = figures(material)
    folder = run_dir / "figures"
    folder.mkdir(exist_ok=True)
    for picture in pictures:
        if picture.svg:
            replace_file(folder / f"{picture.key}.svg", picture.svg)
        else:
            # of an earlier report of this run: the app would go on showing it
            (folder / f"{picture.key}.svg").unlink(missing_ok=True)
    path = run_dir / "report.html"
    replace_file(path, document(material, pictures))
    return path


def document(material: Material, pictures: Sequence[Figure]) -> str:
    """The whole page."""
    summary = material.summary
    title = str(summary.get("title") or summary.get("plugin") or material.config.get("plugin") or "Run")
    sections = [
        ("derived-table", "Derived from the equation", _truth(summary)),
        ("slots", "Learned slots", _slots(summary)),
        *([("formulas", "Closed forms", _formulas(summary))] if summary.get("formulas") else []),
        *_pictures(summary, pictures),
        ("check", "Cross-check", f"<p>{escape(wording.cross_check(summary))}</p>"),
        ("seconds", "Seconds per stage", seconds_html(summary)),
        ("provenance", "Provenance", provenance_html(material)),
    ]
    return page(title, _head(material, title), sections)


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


def _head(material: Material, title: str) -> str:
    summary = material.summary
    method = summary.get("method") or material.config.get("method") or ""
    kind = f"Symmetries learned from data · {method} method · run {material.folder.name}"
    latex = summary.get("equation_latex")
    parts = [f'<p class="kind">{escape(kind)}</p>', f"<h1>{escape(title)}</h1>"]
    for line in [latex] if isinstance(latex, str) else latex or []:
        parts.append(f'<div class="equation">{latex_to_mathml(str(line), block=True)}</div>')
    parts.append(f'<p class="verdict">{escape(wording.sentence(summary))}</p>')
    warnings = summary.get("warnings") or []
    if warnings:
        items = "".join(f"<li>{escape(str(words))}</li>" for words in warnings)
        parts.append(f'<ul class="warnings">{items}</ul>')
    return "".join(parts)


def _truth(summary: Json) -> str:
    rows = wording.derived(summary)
    if not rows:
        return '<p class="note">No generators were derived for this run.</p>'
    cells = [
        [escape(row.name), latex_to_mathml(field_latex(row.field)), _n(wording.cosine(row.cosine))] for row in rows
    ]
    html = table_html(["generator", "field", "cosine with the learned span"], cells)
    angle = wording.subspace(summary)
    html += f'<p class="note">{escape(angle)}</p>' if angle else ""
    return html + _families(summary)


def _families(summary: Json) -> str:
    families = summary.get("families") or []
    if not families:
        return ""
    items = []
    for family in families:
        field = latex_to_mathml(field_latex({str(k): str(v) for k, v in (family.get("field") or {}).items()}))
        conditions = [latex_to_mathml(expression_latex(str(c)) + " = 0") for c in family.get("conditions") or []]
        items.append(f"<li>{field}{' where ' if conditions else ''}{', '.join(conditions)}</li>")
    note = f'<p class="note">{escape(wording.MEMBERS)}</p>'
    return f"<p>Families with arbitrary functions, not compared:</p><ul>{''.join(items)}</ul>{note}"


def _slots(summary: Json) -> str:
    rows = wording.slots(summary)
    if not rows:
        return '<p class="note">No learned fields were written.</p>'
    cells = [
        [_n(str(row.number)), _n(wording.number(row.eta)), _n(row.interval or "–"), escape(row.words)]
        for row in rows
    ]
    note = "η is the relative error that a moved solution gathers over the time window, on held-out data. " + (
        "Exact slots lie in the span of the closed forms, which were proved."
        if wording.all_proved(summary)
        else "Exact means a candidate here: η falls towards the floor as the ansatz grows; nothing is proved."
    )
    return (
        table_html([NUMBER + "slot", NUMBER + "η", NUMBER + wording.INTERVAL, "verdict"], cells)
        + f'<p class="note">{note}</p>'
    )


def _formulas(summary: Json) -> str:
    cells = []
    for row in wording.written(summary):
        rest = "; ".join(latex_to_mathml(expression_latex(part)) for part in row.leftover.split("; ") if part)
        formula = latex_to_mathml(field_latex(row.field)) if row.field else "–"
        cells.append([formula, _n(wording.number(row.eta)), escape(row.words), rest])
    note = (
        "η of the formula on held-out data. Proved: substituted into the exact invariance condition it leaves 0; "
        "the leftover is what another one leaves there."
    )
    table = table_html(["field", NUMBER + "η", "exact invariance condition", "leftover term"], cells)
    return f'<p>{escape(wording.proof(summary))}</p>{table}<p class="note">{note}</p>'


def _pictures(summary: Json, pictures: Sequence[Figure]) -> Iterator[tuple[str, str, str]]:
    """A section for each figure; those at finite size share one, with their table."""
    sized = [picture for picture in pictures if picture.key in FINITE]
    for picture in pictures:
        if picture.key not in FINITE:
            yield picture.key, picture.title, _figure(picture)
        elif picture is sized[0] and at_size(summary):
            yield "finite", "At finite size", _at_size(summary) + "".join(map(_figure, sized))


def _at_size(summary: Json) -> str:
    rows = at_size(summary)
    head, cells = size_table(rows)
    last = len(head) - 1
    table = table_html(
        [*(NUMBER + escape(words) for words in head[:last]), escape(head[last])],
        [[*map(_n, row[:last]), escape(row[last])] for row in cells],
    )
    return table + "".join(f'<p class="note">{escape(words)}</p>' for words in (NOTE, folds(rows)) if words)


def _figure(picture: Figure) -> str:
    if not picture.svg:
        return f'<p class="note">{escape(picture.note)}</p>'
    return f"<figure>{picture.svg}<figcaption>{escape(picture.caption)}</figcaption></figure>"


def seconds_html(summary: Json) -> str:
    """Stages and how long each took."""
    rows = wording.stage_seconds(summary)
    if not rows:
        return '<p class="note">No times were recorded.</p>'
    return table_html(["stage", NUMBER + "seconds"], [[escape(stage), _n(f"{value:.2f}")] for stage, value in rows])


def provenance_html(material: Material) -> str:
    """What the run came from."""
    rows = provenance_rows(material)
    if not rows:
        return '<p class="note">No provenance was recorded.</p>'
    return table_html(["what", "value"], [[escape(key), escape(value)] for key, value in rows], "small")


def provenance_rows(material: Material) -> list[tuple[str, str]]:
    """What a run came from, as pairs of a dotted key and its value; settings and seeds last."""
    return [*_flat(material.provenance), *_flat(material.config, "config")]


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Nested objects as dotted keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, (list, tuple)):
        if all(isinstance(item, (str, int, float)) for item in value):
            yield key, " ".join(map(str, value))
        else:
            for place, item in enumerate(value):
                yield from _flat(item, f"{key}[{place}]")
    elif value is not None:
        yield key, str(value)


NUMBER = "\0"
"""In front of a heading or a cell: set as a number."""


def _n(words: str) -> str:
    return NUMBER + escape(words)


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of HTML that is already escaped."""

    def cell(tag: str, html: str) -> str:
        return f'<{tag} class="n">{html[1:]}</{tag}>' if html.startswith(NUMBER) else f"<{tag}>{html}</{tag}>"

    top = "".join(cell("th", words) for words in head)
    lines = "".join(f"<tr>{''.join(cell('td', html) for html in row)}</tr>" for row in rows)
    style = f' class="{kind}"' if kind else ""
    return f'<div class="scroll"><table{style}><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def replace_file(path: Path, text: str) -> None:
    """Write beside and rename: a page that reads meanwhile sees the old file or the new one."""
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        # that of a full disk names no file
        raise OSError(error.errno, error.strerror, str(path)) from error
