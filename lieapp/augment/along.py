"""What data are moved along: `truth`, a run's fields or formulas, a translation, or a mix, as one line says.

learned.safetensors keeps the learned fields of a run as functions: what they are made of, as JSON in its header,
and their numbers as tensors; no code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import sympy as sp
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from lieapp.compare.closed_form.measure import LibraryFeatures
from lieapp.domains.base import Arguments
from lieapp.domains.solutions import Scales
from lieapp.equations.equation import System
from lieapp.equations.parsing import parse_expression
from lieapp.errors import EquationError, ParseError, RunError, UnknownRunError, UsageError
from lieapp.lie.names import name
from lieapp.lie.stages import derive
from lieapp.lie.vector_field import Field
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import Beside, Extended
from lieapp.methods.fields import Combination, Scaled, Slotted
from lieapp.methods.generator import GeneratorNetwork
from lieapp.methods.network import FeatureNetwork
from lieapp.results import EquationResult
from lieapp.results.base import read_result


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
        config = msgspec.json.decode((path / "config.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise UnknownRunError(
            f"{path} is no run directory.", hint="`lieapp runs list` shows all; `lieapp discover` makes one."
        ) from None
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
    return result


KINDS = ("formulas", "fields", "approximate")
"""What of a run: proved formulas, exact learned fields, approximate ones."""

BUDGET = 60.0
"""Seconds that the derivation of the truth may take."""


@dataclass
class LearnedSlots:
    """Some of the learned fields of one run.

    Args:
        learned: all of them.
        slots: the places of those that are meant.
        run: whose they are.
    """

    learned: Learned
    slots: list[int]
    run: Path | None = None

    @property
    def names(self) -> list[str]:
        return [f"slot {n + 1}" for n in self.slots]


@dataclass
class Along:
    """Generators.

    Args:
        formulas: by name.
        learned: one stack for each run.
    """

    formulas: dict[str, Field] = field(default_factory=dict)
    learned: list[LearnedSlots] = field(default_factory=list)


def read_along(spec: str, system: System, periods: dict[sp.Symbol, sp.Expr]) -> Along:
    """The generators that `spec` names, see `Mover.of`; none of them for `none`.

    Args:
        periods: exactly, of the periodic variables.

    Raises UsageError for what can't be meant, RunError for a run that doesn't fit, EquationError if nothing is
    derived.
    """
    along = Along()
    for part in spec.split("+"):
        kind, _, run = part.strip().partition(":")
        if part.strip() == "none":
            continue
        if part.strip() == "truth":
            found = derive(system, list(periods), periods, BUDGET)
            if not found.periodic:
                raise EquationError(
                    f"{system.name}: no generator was derived that keeps solutions periodic; nothing can be moved.",
                    hint="Move along the fields of a run.",
                )
            _add(along, system, found.periodic)
        elif part.strip().startswith("d_"):
            coordinate, names = part.strip()[2:], [str(c) for c in system.jets.coordinates]
            if coordinate not in names:
                raise UsageError(
                    f"d_{coordinate}: {system.name} has no coordinate {coordinate!r}.",
                    hint=f"Its coordinates are {', '.join(names)}.",
                )
            _add(along, system, [Field({c: sp.Integer(int(c == coordinate)) for c in names})])
        elif kind == "formulas" and run:
            _add(along, system, proved_formulas(Path(run), read_run(Path(run), system), system))
        else:
            kind, run = (kind, run) if kind in KINDS and run else ("fields", part.strip())
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


FILE = "learned.safetensors"
"""Name of the file in a run directory."""

Known = tuple[tuple[str, ...], Scales]
"""Names and scales of the arguments."""


@dataclass(frozen=True)
class Learned:
    """Learned fields in scaled coordinates.

    Args:
        fields: one for each slot.
        arguments: names of what they may depend on, independent variables first.
        components: names of what they move, among the arguments.
        scales: physical = origin + size x scaled, of the arguments.
    """

    fields: Slotted
    arguments: tuple[str, ...]
    components: tuple[str, ...]
    scales: Scales


def content_of(learned: Learned) -> bytes:
    """The bytes of a file. Raises TypeError for fields of a kind that isn't known here, a bug."""
    tensors: dict[str, Tensor] = {}
    facts = {
        "fields": _described(learned.fields, "fields", tensors),
        "coordinates": learned.arguments,
        "scales": asdict(learned.scales),
    }
    if learned.components != learned.arguments:
        facts["components"] = learned.components
    kept = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    return save(kept, metadata={"facts": json.dumps(facts)})


def read_learned(file: Path) -> Learned:
    """The learned fields of a file. Raises RunError if there is none or it can't be read."""
    try:
        content = file.read_bytes()
        length = int.from_bytes(content[:8], "little")
        facts = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["facts"])
        names, scales = (
            tuple(facts["coordinates"]),
            Scales(*(tuple(facts["scales"][k]) for k in ("origin", "size"))),
        )
        fields = _made(facts["fields"], "fields", load(content), (names, scales))
    except FileNotFoundError:
        raise RunError(
            f"{file.parent.name}: there is no {FILE}; its learned fields weren't kept as functions.",
            hint="Runs of `lieapp discover` keep them when they are done; start that run again.",
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise RunError(f"{file} can't be read: {error}.", hint="Start that run again.") from None
    return Learned(fields, names, tuple(facts.get("components", names)), scales)


COMPOSED: dict[str, tuple[type, tuple[str, ...], tuple[str, ...]]] = {
    "scaled": (Scaled, ("fields",), ("factors",)),
    "combination": (Combination, ("features",), ("coefficients",)),
    "extended": (Extended, ("basis", "further"), ("mix",)),
    "beside": (Beside, ("network", "further"), ()),
}
"""Things made of others and of tensors: both their attributes and, in this order, what they are made with."""


def _described(thing: Any, key: str, tensors: dict[str, Tensor]) -> dict[str, Any]:
    """What a thing is made of; its numbers go to `tensors`, under names that begin with the key."""
    for kind, (cls, parts, numbers) in COMPOSED.items():
        if isinstance(thing, cls):
            tensors |= {f"{key}.{name}": getattr(thing, name) for name in numbers}
            inner = {name: _described(getattr(thing, name), f"{key}.{name}", tensors) for name in parts}
            return {"kind": kind, **inner}
    if isinstance(thing, TensorBasis):
        return {"kind": "basis", **_kinds(thing.arguments), **asdict(thing.degrees)}
    if isinstance(thing, LibraryFeatures):
        tensors[f"{key}.norms"] = thing.norms
        return {"kind": "library", "functions": [str(f) for f in thing.functions]}
    if isinstance(thing, (FeatureNetwork, GeneratorNetwork)):
        tensors.update({f"{key}.{name}": value for name, value in thing.state_dict().items()})
        return {"kind": "features" if isinstance(thing, FeatureNetwork) else "generators", **_sizes(thing)}
    raise TypeError(f"fields made of {type(thing).__name__} can't be kept")


def _kinds(arguments: Arguments) -> dict[str, Any]:
    """What each argument is; what they are called stands once in the file."""
    return {"periodic": arguments.periodic, "dependent": arguments.dependent}


def _sizes(network: FeatureNetwork | GeneratorNetwork) -> dict[str, Any]:
    known = {**_kinds(network.arguments), "modes": network.modes}
    if isinstance(network, FeatureNetwork):
        return {**known, "width": network.head.in_features, "features": network.head.out_features}
    width, head = network.inner.shape[1:]
    return {**known, "slots": network.slots, "width": width, "head": head, "unit": network.unit}


def _made(facts: dict[str, Any], key: str, tensors: dict[str, Tensor], known: Known) -> Any:
    kind, given = facts["kind"], {k: v for k, v in facts.items() if k != "kind"}
    if kind in COMPOSED:
        cls, parts, numbers = COMPOSED[kind]
        inner = [_made(facts[name], f"{key}.{name}", tensors, known) for name in parts]
        return cls(*inner, *(tensors[f"{key}.{name}"] for name in numbers))
    if kind == "library":
        names, scales = known
        symbols = {name: sp.Symbol(name, real=True) for name in names}
        functions = [parse_expression(text, symbols, integrals=True) for text in facts["functions"]]
        made = LibraryFeatures(functions, list(symbols.values()), scales)
        made.norms = tensors[f"{key}.norms"]
        return made
    arguments = Arguments(known[0], *(tuple(given.pop(key)) for key in ("periodic", "dependent")))
    if kind == "basis":
        return TensorBasis(arguments, Degrees(**given))
    state = {name.removeprefix(f"{key}."): v for name, v in tensors.items() if name.startswith(f"{key}.")}
    if kind == "generators":
        given["components"] = state["outer"].shape[2]
    made_of: nn.Module = {"features": FeatureNetwork, "generators": GeneratorNetwork}[kind](arguments, **given)
    made_of.to(next(iter(state.values())).dtype).load_state_dict(state)
    return made_of.requires_grad_(False)
