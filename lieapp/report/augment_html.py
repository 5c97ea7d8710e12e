"""report.html of a training on moved data: the table, curves, and a prediction beside the truth."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from safetensors.numpy import load_file

from lieapp.report.augment_figures import augment_figures
from lieapp.report.augment_words import TEXT, Summary, explained, measure, rows, sentence
from lieapp.report.html import NUMBER, page, provenance_html, replace_file, seconds_html, table_html
from lieapp.report.material import Material, read_material

PREDICTIONS = "predictions.safetensors"

TITLES = {
    "data": ("Against the number of data", "Each point is a mean over seeds."),
    "frames": (
        "Along the rollout",
        "Each window is predicted from the one before. Mean over test trajectories and seeds.",
    ),
    "training": ("In training", "On validation data, mean over seeds; the network of the best epoch is tested."),
    "prediction": (
        "A prediction beside the truth",
        "The first test trajectory and the networks of the first seed, with the most data.",
    ),
}
"""Heading and caption of each figure."""


def write_augment_report(run_dir: Path) -> Path:
    """Write report.html and figures/*.svg from the files of a run; returns the report's path."""
    material = read_material(run_dir)
    file = run_dir / PREDICTIONS
    figures = augment_figures(material.summary, material.metrics, load_file(file) if file.exists() else {})
    (run_dir / "figures").mkdir(exist_ok=True)
    for key, svg in figures.items():
        replace_file(run_dir / "figures" / f"{key}.svg", svg)
    path = run_dir / "report.html"
    replace_file(path, _document(material, figures))
    return path


def _document(material: Material, figures: Mapping[str, str]) -> str:
    summary = material.summary
    kind = f"Training on moved data · {summary['model']} · run {material.folder.name}"
    head = f'<p class="kind">{escape(kind)}</p>'
    head += f'<h1>{escape(summary["title"])}</h1><p class="verdict">{escape(sentence(summary))}</p>'
    warnings = "".join(f"<li>{escape(str(words))}</li>" for words in summary["warnings"])
    head += f'<ul class="warnings">{warnings}</ul>' if warnings else ""
    drawn = [
        (key, title, f"<figure>{figures[key]}<figcaption>{escape(caption)}</figcaption></figure>")
        for key, (title, caption) in TITLES.items()
        if key in figures
    ]
    sections = [
        ("table", "Results", _table(summary)),
        *drawn,
        ("seconds", "Seconds per stage", seconds_html(summary)),
        ("provenance", "Provenance", provenance_html(material)),
    ]
    return page(str(summary["title"]), head, sections)


def _table(summary: Summary) -> str:
    heads, lines = rows(summary)
    marks = ["" if head in TEXT else NUMBER for head in heads]
    cells = [[mark + escape(cell) for mark, cell in zip(marks, line, strict=True)] for line in lines]
    note = f"{measure(summary)}; mean and spread (standard deviation) over seeds. {explained(summary)}"
    table = table_html([mark + escape(head) for mark, head in zip(marks, heads, strict=True)], cells)
    return f'{table}<p class="note">{escape(note)}</p>'
