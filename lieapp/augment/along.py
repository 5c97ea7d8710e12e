"""What data are moved along: `truth`, a run's fields or formulas, a translation, or a mix, as one line says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sympy as sp

from lieapp.augment.learned import FILE, Learned, read_learned
from lieapp.augment.typed import OF_RUNS, check_found_for
from lieapp.equations.equation import System
from lieapp.equations.parsing import parse_expression
from lieapp.errors import EquationError, ParseError, RunError, UnknownRunError, UsageError
from lieapp.lie.stages import derive
from lieapp.lie.vector_field import Field, name
from lieapp.reading import UnreadableError, contents, decode_object
from lieapp.results.base import read_result
from lieapp.results.discovery import EquationResult


def proved_formulas(path: Path, result: EquationResult, system: System) -> list[Field]:
    """The proved formulas of a run. Raises RunError if there is none."""
    rows = [form.field for form in result.formulas if form.proved and form.field]
    if not rows:
        raise RunError(
            f"{path.name}: no formula of it was proved; there is nothing to move data along.",
            hint=f"Move along fields:{path.name}, or along truth.",
        )
    symbols = {str(c): c for c in system.jets.coordinates}
    try:
        return [Field({c: parse_expression(text, symbols) for c, text in row.items()}) for row in rows]
    except ParseError as error:
        raise RunError(f"{path.name}: {error.message}", hint="Start that run again.") from None


def read_run(path: Path, system: System) -> EquationResult:
    """What a run found that fits an equation.

    Raises UnknownRunError if the folder is no run, RunError if it isn't done, can't be read, or is of another kind
    or plugin.
    """
    try:
        config = decode_object(contents(path / "config.json"))
    except (OSError, UnreadableError):
        raise UnknownRunError(
            f"{path} is no run directory.", hint="`lieapp runs list` shows all; `lieapp discover` makes one."
        ) from None
    if config.get("kind") != "discover" or "domain" in config:
        what = "pictures" if config.get("kind") == "discover" else f"kind {config.get('kind')}"
        raise RunError(f"{path.name} is a run of {what}.", hint="Name a run of `lieapp discover` of an equation.")
    result = read_result(path)
    if result is None:
        raise RunError(f"{path.name} isn't done: it has no summary.json.", hint=f"Go on with --resume {path.name}.")
    if not isinstance(result, EquationResult):
        raise RunError(f"{path.name} is of another version of lieapp.", hint="Start that run again.")
    check_found_for(path.name, str(config.get("plugin")), result, system)
    return result


BUDGET = 60.0
"""Seconds that the derivation of the truth may take."""


@dataclass
class LearnedSlots:
    """Some of the learned fields of one run: the places of those that are meant."""

    learned: Learned
    slots: list[int]
    run: Path | None = None

    @property
    def names(self) -> list[str]:
        return [f"slot {n + 1}" for n in self.slots]


@dataclass
class Along:
    """Generators: formulas by name, and one stack of learned fields for each run."""

    formulas: dict[str, Field] = field(default_factory=dict)
    learned: list[LearnedSlots] = field(default_factory=list)


def read_along(spec: str, system: System, periods: dict[sp.Symbol, sp.Expr]) -> Along:
    """The generators that `spec` names, see `Mover.of`; none of them for `none`. The periods are exact.

    Raises UsageError for an unknown word, RunError for a run that doesn't fit, EquationError if nothing is
    derived.
    """
    along = Along()
    for part in map(str.strip, spec.split("+")):
        kind, _, run = part.partition(":")
        if part == "none":
            continue
        if part == "truth":
            found = derive(system, list(periods), periods, BUDGET)
            if not found.periodic:
                raise EquationError(
                    f"{system.name}: no generator was derived that keeps solutions periodic; nothing can be moved.",
                    hint="Move along the fields of a run.",
                )
            _add(along, system, found.periodic)
        elif part.startswith("d_"):
            coordinate, names = part[2:], [str(c) for c in system.jets.coordinates]
            if coordinate not in names:
                raise UsageError(
                    f"d_{coordinate}: {system.name} has no coordinate {coordinate!r}.",
                    hint=f"Its coordinates are {', '.join(names)}.",
                )
            _add(along, system, [Field({c: sp.Integer(int(c == coordinate)) for c in names})])
        elif kind == "formulas" and run:
            _add(along, system, proved_formulas(Path(run), read_run(Path(run), system), system))
        else:
            kind, run = (kind, run) if kind in OF_RUNS and run else ("fields", part)
            _add_learned(along, kind, run, system)
    return along


def _add(along: Along, system: System, fields: Sequence[Field]) -> None:
    independent = [str(x) for x in system.jets.independent]
    for one in fields:
        # the same generator may be named twice, by truth and by a run
        if one not in along.formulas.values():
            told = name(one, independent)
            along.formulas[told if told not in along.formulas else one.text()] = one


def _add_learned(along: Along, kind: str, run: str, system: System) -> None:
    path = Path(run)
    if not run or not path.is_dir():
        raise UsageError(
            f"can't move along {run!r}: it is neither a run directory nor one of the words.",
            hint="Write none, truth, d_t, or formulas:RUN, fields:RUN, approximate:RUN with a run of `lieapp "
            "discover`; join several by +.",
        )
    verdict = "approximate" if kind == "approximate" else "exact"
    verdicts = [slot.verdict for slot in read_run(path, system).generators]
    slots = [n for n, found in enumerate(verdicts) if found == verdict]
    if not slots:
        raise RunError(
            f"{path.name}: none of its {len(verdicts)} fields is {verdict} "
            f"({', '.join(verdicts) or 'there are none'}); there is nothing to move data along.",
            hint="Name another run, or a longer one of `lieapp discover`.",
        )
    learned = read_learned(path / FILE)
    names = [str(c) for c in system.jets.coordinates]
    if not sorted(learned.arguments) == sorted(learned.components) == sorted(names):
        raise UsageError(
            f"{path.name} has fields in {', '.join(learned.components)}; {system.name} has {', '.join(names)}.",
            hint="The plugin's file has changed since; start that run again.",
        )
    same = next((stack for stack in along.learned if stack.run == path), None)
    if same is None:
        along.learned.append(LearnedSlots(learned, slots, path))
    else:
        same.slots += [n for n in slots if n not in same.slots]
