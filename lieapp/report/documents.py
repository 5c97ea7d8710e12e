"""The document of any result, by its type."""

from __future__ import annotations

from lieapp.document import Document
from lieapp.extension import outcome
from lieapp.report import (
    augment_document,
    check_document,
    discovery_document,
    picture_document,
    training_document,
    truth_document,
)
from lieapp.report.parts import Drawn, nothing_drawn
from lieapp.results import Augment, CheckResult, EquationResult, PictureDiscovery, Training, TruthResult
from lieapp.results.base import Result


def document_of(result: Result, drawn: Drawn = nothing_drawn) -> Document:
    """What a result says; of a kind that has no document its sentence and warnings."""
    match result:
        case EquationResult():
            return discovery_document.document(result)
        case TruthResult():
            return truth_document.document(result)
        case CheckResult():
            return check_document.document(result)
        case PictureDiscovery():
            return picture_document.document(result, drawn)
        case Training():
            return training_document.document(result, drawn)
        case Augment():
            return augment_document.document(result, drawn)
    return outcome(result)
