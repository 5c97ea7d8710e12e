"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

from lieapp.results.discovery import EquationResult
from lieapp.results.truth import FamilyResult

__all__ = ["EquationResult", "FamilyResult"]
