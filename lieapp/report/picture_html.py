"""report.html of a discovery on pictures: tables, the weight, the fields and strips of moved pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from safetensors.numpy import load_file

from lieapp.report.color_figures import color_figures
from lieapp.report.html import NUMBER, page, provenance_html, replace_file, seconds_html, table_html
from lieapp.report.image_figures import image_figures
from lieapp.report.material import Material, read_material
from lieapp.report.picture_figures import Tensors, strips
from lieapp.report.picture_tables import TEXT, Rows, Summary, along_rows, figures_of, tables

FIGURES = {"images": image_figures, "colors": color_figures}
"""What is drawn of fields and weight, by what is moved."""


def write_picture_report(run_dir: Path) -> Path:
    """Write report.html and figures/*.svg from the files of a run; returns the report's path."""
    material = read_material(run_dir)
    figures = drawn(material.summary, load_file(run_dir / "fields.safetensors"))
    (run_dir / "figures").mkdir(exist_ok=True)
    for key, svg in figures.items():
        replace_file(run_dir / "figures" / f"{key}.svg", svg)
    path = run_dir / "report.html"
    replace_file(path, _document(material, figures))
    return path


def drawn(summary: Summary, tensors: Tensors) -> dict[str, str]:
    """Each figure as SVG, by its key."""
    return {**FIGURES[summary["domain"]](summary, tensors), **strips(tensors)}


def _document(material: Material, figures: Mapping[str, str]) -> str:
    summary = material.summary
    title = str(summary["title"])
    head = f'<p class="kind">Symmetries learned from pictures · run {escape(material.folder.name)}</p>'
    head += f'<h1>{escape(title)}</h1><p class="verdict">{escape(summary["sentence"])}</p>'
    warnings = "".join(f"<li>{escape(str(words))}</li>" for words in summary["warnings"])
    head += f'<ul class="warnings">{warnings}</ul>' if warnings else ""
    told = [
        (f"table{number}", heading, _table(rows) + _note(note))
        for number, (heading, rows, note) in enumerate(tables(summary), 1)
    ]
    shown = [
        (figure.key, figure.title, f"<figure>{figures[figure.key]}</figure>{_note(figure.note)}")
        for figure in figures_of(summary)
    ]
    sections = [
        *told,
        ("along", "Inner products", _table(along_rows(summary)) + _note(ALONG)),
        *shown,
        ("seconds", "Seconds per stage", seconds_html(summary)),
        ("provenance", "Provenance", provenance_html(material)),
    ]
    return page(title, head, sections)


ALONG = (
    "Of slots of norm 1 with the independent ones of the named fields, orthonormalised under the weight in this "
    "order: what a column adds to those before it."
)


def _table(content: Rows) -> str:
    heads, rows = content
    marks = ["" if head in TEXT else NUMBER for head in heads]
    return table_html(_marked(marks, heads), [_marked(marks, row) for row in rows])


def _marked(marks: Sequence[str], cells: Sequence[str]) -> list[str]:
    return [mark + escape(cell) for mark, cell in zip(marks, cells, strict=True)]


def _note(words: str) -> str:
    return f'<p class="note">{escape(words)}</p>' if words else ""
