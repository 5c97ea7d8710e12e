"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

from lieapp.results.augment import Augment, Classifiers, Operators
from lieapp.results.check import CheckResult
from lieapp.results.discovery import EquationResult
from lieapp.results.pictures import PictureDiscovery
from lieapp.results.training import Network, Training
from lieapp.results.truth import FamilyResult, TruthResult

__all__ = [
    "Augment", "CheckResult", "Classifiers", "EquationResult", "FamilyResult", "Network", "Operators",
    "PictureDiscovery", "Training", "TruthResult",
]  # fmt: skip
