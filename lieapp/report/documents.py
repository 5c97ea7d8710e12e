"""The document of any result, by its type."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lieapp.augment import document
from lieapp.document import Block, Column, Document, Heading, Table, Text
from lieapp.extension import outcome
from lieapp.pde import document
from lieapp.pictures import document, training_document
from lieapp.report import check_document, truth_document
from lieapp.report.parts import Drawn, nothing_drawn
from lieapp.results import Augment, CheckResult, EquationResult, PictureDiscovery, Training, TruthResult
from lieapp.results.base import Result

ROWS = 100
"""Lines of a table at most of a result without a document; the rest stands in summary.json."""


def document_of(result: Result, drawn: Drawn = nothing_drawn) -> Document:
    """What a result says; of a kind that has no document whatever it holds."""
    match result:
        case EquationResult():
            return document.document(result)
        case TruthResult():
            return truth_document.document(result)
        case CheckResult():
            return check_document.document(result)
        case PictureDiscovery():
            return document.document(result, drawn)
        case Training():
            return training_document.document(result, drawn)
        case Augment():
            return document.document(result, drawn)
    return [*outcome(result), *_held(result)]


def _held(result: Result) -> Iterator[Block]:
    """Numbers and texts as one table, lists of flat objects as one each."""
    shared = {field.encode_name for field in msgspec.structs.fields(Result)} | {"result", "seconds"}
    held = {key: value for key, value in msgspec.to_builtins(result).items() if key not in shared}
    facts = [[_said(key), _cell(value)] for key, value in held.items() if isinstance(value, str | int | float)]
    if facts:
        yield from (Heading("Result", "held"), Table([Column("what"), Column("value")], facts))
    for key, value in held.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            rows = [{k: v for k, v in row.items() if not isinstance(v, list | dict)} for row in value]
            heads = list(dict.fromkeys(head for row in rows for head in row))
            cells = [[_cell(row.get(head)) for head in heads] for row in rows[:ROWS]]
            yield Heading(_said(key).capitalize(), key)
            yield Table([Column(_said(head)) for head in heads], cells)
            if len(rows) > ROWS:
                yield Text(f"{ROWS} of {len(rows)} lines.", small=True)


def _said(key: str) -> str:
    return key.replace("_", " ")


def _cell(value: object) -> str | None:
    return None if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
