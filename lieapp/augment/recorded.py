"""What a run of `lieapp discover` found, as far as data can be moved along it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lieapp.augment.learned import FILE, Learned, read_learned
from lieapp.equations.equation import System
from lieapp.equations.parsing import parse_expression
from lieapp.errors import ParseError, RunError, UnknownRunError
from lieapp.lie.vector_field import Field
from lieapp.results import EquationResult
from lieapp.results.base import read_result


@dataclass(frozen=True)
class Recorded:
    """A finished discovery.

    Args:
        path: of its directory.
        result: what it found.
    """

    path: Path
    result: EquationResult

    def learned(self, verdict: str) -> tuple[Learned, list[int]]:
        """Its learned fields, and the places of those with a verdict.

        Raises RunError if there is none or if the fields weren't kept.
        """
        verdicts = [slot.verdict for slot in self.result.generators]
        slots = [n for n, found in enumerate(verdicts) if found == verdict]
        if not slots:
            raise RunError(
                f"{self.path.name}: none of its {len(verdicts)} fields is {verdict} "
                f"({', '.join(verdicts) or 'there are none'}); there is nothing to move data along.",
                hint="Name another run, or a longer one of `lieapp discover`.",
            )
        return read_learned(self.path / FILE), slots

    def proved(self, system: System) -> list[Field]:
        """Its proved formulas. Raises RunError if there is none."""
        rows = [form.field for form in self.result.formulas if form.proved and form.field]
        if not rows:
            raise RunError(
                f"{self.path.name}: no formula of it was proved; there is nothing to move data along.",
                hint=f"Move along fields:{self.path.name}, or along truth.",
            )
        symbols = {str(c): c for c in system.jets.coordinates}
        try:
            return [Field({c: parse_expression(text, symbols) for c, text in row.items()}) for row in rows]
        except ParseError as error:
            raise RunError(f"{self.path.name}: {error.message}", hint="Start that run again.") from None


def read_run(path: Path, system: System) -> Recorded:
    """A run that fits an equation.

    Raises UnknownRunError if the folder is no run, RunError if it isn't done, can't be read, or is of another kind
    or plugin.
    """
    config = _config(path)
    if config is None:
        raise UnknownRunError(
            f"{path} is no run directory.", hint="`lieapp runs list` shows all; `lieapp discover` makes one."
        )
    if config.get("kind") != "discover" or "domain" in config:
        what = "pictures" if config.get("kind") == "discover" else f"kind {config.get('kind')}"
        raise RunError(f"{path.name} is a run of {what}.", hint="Name a run of `lieapp discover` of an equation.")
    if config.get("plugin") != system.name:
        raise RunError(
            f"{path.name} found generators of {config.get('plugin')}; the data are of {system.name}.",
            hint=f"Name a run of `lieapp discover --plugin {system.name}`.",
        )
    result = read_result(path)
    if result is None:
        raise RunError(f"{path.name} isn't done: it has no summary.json.", hint=f"Go on with --resume {path.name}.")
    if not isinstance(result, EquationResult):
        raise RunError(f"{path.name} is of another version of lieapp.", hint="Start that run again.")
    return Recorded(path, result)


def _config(path: Path) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode((path / "config.json").read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None
