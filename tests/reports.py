"""The document and report of a result, by what the kinds register."""

from lieapp.augment import document as augment_document
from lieapp.document import undrawn
from lieapp.pde.kind import PDES
from lieapp.pictures.kind import IMAGES, TRAIN
from lieapp.results.augment import Augment
from lieapp.results.pictures import PictureDiscovery
from lieapp.results.training import Training
from lieapp.runs.pipeline import write_run_report
from lieapp.runs.store.directory import RunDirectory

DOCUMENTS = {
    PictureDiscovery: IMAGES.work("discover").document,
    Training: TRAIN.document,
    Augment: augment_document.document,
}


def report_of(folder, result):
    """report.html of a discovery on an equation."""
    work = PDES.work("discover")
    told = work.document(result, work.draw(result, folder))
    return write_run_report(RunDirectory(folder), result.title or "Run", work.about(result), told)


def document_of(result, draw=undrawn):
    """What a result of pictures, of a training or of trainings on moved data says."""
    return next(document for kind, document in DOCUMENTS.items() if isinstance(result, kind))(result, draw)
