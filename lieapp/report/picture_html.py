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
from lieapp.report.picture_tables import (
    TEXT,
    Rows,
    Summary,
    along_rows,
    check_rows,
    figures_of,
    named_rows,
    slot_rows,
    words_of,
)  # fmt: skip

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
    title, words = str(summary["title"]), words_of(summary)
    head = f'<p class="kind">Symmetries learned from pictures · run {escape(material.folder.name)}</p>'
    head += f'<h1>{escape(title)}</h1><p class="verdict">{escape(summary["sentence"])}</p>'
    warnings = "".join(f"<li>{escape(str(words))}</li>" for words in summary["warnings"])
    head += f'<ul class="warnings">{warnings}</ul>' if warnings else ""
    sections = [
        ("slots", "Learned fields", _table(slot_rows(summary)) + _note(words.share_note)),
        ("named", words.named, _table(named_rows(summary)) + _note(words.named_note)),
        ("along", "Inner products", _table(along_rows(summary)) + _note(ALONG)),
        *_cross_check(summary),
        *(
            (shown.key, shown.title, f"<figure>{figures[shown.key]}</figure>{_note(shown.note)}")
            for shown in figures_of(summary)
        ),
        ("seconds", "Seconds per stage", seconds_html(summary)),
        ("provenance", "Provenance", provenance_html(material)),
    ]
    return page(title, head, sections)


ALONG = (
    "Of slots of norm 1 with the independent ones of the named fields, orthonormalised under the weight in this "
    "order: what a column adds to those before it."
)


def _cross_check(summary: Summary) -> list[tuple[str, str, str]]:
    """The section on fields that are borne best for s -> 0; none where that wasn't asked."""
    check = summary.get("cross_check")
    if check is None:
        return []
    along = ", ".join(f"{value:.3f}" for value in check["cosines"])
    words = (
        "Of all quadratic fields those that the network bears best for s → 0, by an eigenproblem without training. "
        f"Largest principal angle between as many of them and the slots: {check['angle']:.2f} rad; cosines of the "
        f"slots with their span: {along}."
    )
    return [("check", "Cross-check", _table(check_rows(summary)) + _note(words))]


def _table(content: Rows) -> str:
    heads, rows = content
    marks = ["" if head in TEXT else NUMBER for head in heads]
    return table_html(_marked(marks, heads), [_marked(marks, row) for row in rows])


def _marked(marks: Sequence[str], cells: Sequence[str]) -> list[str]:
    return [mark + escape(cell) for mark, cell in zip(marks, cells, strict=True)]


def _note(words: str) -> str:
    return f'<p class="note">{escape(words)}</p>' if words else ""
