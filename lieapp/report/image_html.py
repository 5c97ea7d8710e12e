"""report.html of a discovery on pictures: tables, the weight, the fields and strips of moved pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from safetensors.numpy import load_file

from lieapp.report.html import NUMBER, page, provenance_html, replace_file, seconds_html, table_html
from lieapp.report.image_figures import Tensors, field_figure, strip_figure, weight_figure
from lieapp.report.image_tables import Rows, Summary, named_rows, slot_rows
from lieapp.report.material import Material, read_material

WORDS = ("name", "field", "nearest")
"""Columns of text; the others hold numbers."""


def write_image_report(run_dir: Path) -> Path:
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
    slots = summary["generators"]
    names = [f"{row['slot']}: {row['nearest']['name']} {row['nearest']['cosine']:.3f}" for row in slots]
    strips = {f"strip{place + 1}": strip_figure(tensors, place) for place in range(len(slots))}
    return {"weight": weight_figure(tensors), "fields": field_figure(tensors, names), **strips}


def _document(material: Material, figures: Mapping[str, str]) -> str:
    summary = material.summary
    title = str(summary["title"])
    head = f'<p class="kind">Symmetries learned from pictures · run {escape(material.folder.name)}</p>'
    head += f'<h1>{escape(title)}</h1><p class="verdict">{escape(summary["sentence"])}</p>'
    warnings = "".join(f"<li>{escape(str(words))}</li>" for words in summary["warnings"])
    head += f'<ul class="warnings">{warnings}</ul>' if warnings else ""
    numbers = [row["slot"] for row in summary["generators"]]
    strips = "".join(f"<h3>Slot {n}</h3><figure>{figures[f'strip{n}']}</figure>" for n in numbers)
    sections = [
        ("slots", "Learned fields", _table(slot_rows(summary)) + _note(SLOTS)),
        ("named", "Affine fields", _table(named_rows(summary)) + _note(NAMED)),
        ("fields", "Fields in the plane", f"<figure>{figures['fields']}</figure>{_note(FIELDS)}"),
        ("weight", "Weight of pixels", f"<figure>{figures['weight']}</figure>{_note(WEIGHT)}"),
        ("strips", "Held-out pictures, moved", strips),
        ("seconds", "Seconds per stage", seconds_html(summary)),
        ("provenance", "Provenance", provenance_html(material)),
    ]
    return page(title, head, sections)


SLOTS = (
    "Angle: between the features of held-out pictures before and after, mean over flow parameters. Affine: length "
    "of the projection of the field, of norm 1, on the span of the affine ones. Nothing is proved of pictures."
)
NAMED = "Angles of affine fields of norm 1: how well the network bears each, beside what was learned."
FIELDS = "Arrows of one panel share a scale; behind them the weight of pixels."
WEIGHT = "How much the features depend on where a pixel's content stands: inner products count pixels by it."


def _table(content: Rows) -> str:
    heads, rows = content
    marks = ["" if head in WORDS else NUMBER for head in heads]
    return table_html(_marked(marks, heads), [_marked(marks, row) for row in rows])


def _marked(marks: Sequence[str], cells: Sequence[str]) -> list[str]:
    return [mark + escape(cell) for mark, cell in zip(marks, cells, strict=True)]


def _note(words: str) -> str:
    return f'<p class="note">{escape(words)}</p>'
