"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

from lieapp.results.truth import FamilyResult, TruthResult

__all__ = ["FamilyResult", "TruthResult"]
