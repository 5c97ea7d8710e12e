"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

from lieapp.results.check import CheckResult
from lieapp.results.discovery import EquationResult
from lieapp.results.truth import FamilyResult, TruthResult

__all__ = ["CheckResult", "EquationResult", "FamilyResult", "TruthResult"]
