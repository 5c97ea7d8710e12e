"""learned.safetensors: the learned fields of a run as functions, so that anything can be moved along them later.

A file holds what the fields are made of, as JSON in its header, and their numbers as tensors; no code.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sympy as sp
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from lieapp.compare.closed_form.measure import LibraryFeatures
from lieapp.domains.base import Arguments
from lieapp.domains.solutions import Scales
from lieapp.domains.spread import Homogeneous
from lieapp.equations.parsing import parse_expression
from lieapp.errors import RunError
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import Beside, Extended
from lieapp.methods.fields import Combination, Scaled, Slotted
from lieapp.methods.network import FeatureNetwork, GeneratorNetwork
from lieapp.reading import facts_in

FILE = "learned.safetensors"
"""Name of the file in a run directory."""

Known = tuple[tuple[str, ...], Scales]
"""Names and scales of the arguments."""


@dataclass(frozen=True)
class Learned:
    """Learned fields in scaled coordinates, physical = origin + size x scaled, one for each slot.

    What they may depend on, the `arguments`, has independent variables first; `components` are what they move.
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
        facts = facts_in(content, "facts", dict[str, Any])
        names = tuple(facts["coordinates"])
        scales = Scales(*(tuple(facts["scales"][k]) for k in ("origin", "size")))
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
    if isinstance(thing, Homogeneous):
        inner = _described(thing.features, f"{key}.features", tensors)
        return {"kind": "homogeneous", "features": inner, "unknowns": thing.unknowns}
    if isinstance(thing, TensorBasis):
        return {"kind": "basis", **_kinds(thing.arguments), **asdict(thing.degrees)}
    if isinstance(thing, LibraryFeatures):
        tensors[f"{key}.norms"] = thing.norms
        return {"kind": "library", "functions": [str(f) for f in thing.functions]}
    if isinstance(thing, (FeatureNetwork, GeneratorNetwork)):
        tensors.update({f"{key}.{name}": value for name, value in thing.state_dict().items()})
        known = {**_kinds(thing.arguments), "modes": thing.modes}
        if isinstance(thing, FeatureNetwork):
            head = thing.head
            return {"kind": "features", **known, "width": head.in_features, "features": head.out_features}
        width, inner = thing.inner.shape[1:]
        sizes = {"slots": thing.slots, "width": width, "head": inner, "unit": thing.unit}
        return {"kind": "generators", **known, **sizes}
    raise TypeError(f"fields made of {type(thing).__name__} can't be kept")


def _kinds(arguments: Arguments) -> dict[str, Any]:
    """What each argument is; what they are called stands once in the file."""
    return {"periodic": arguments.periodic, "dependent": arguments.dependent}


def _made(facts: dict[str, Any], key: str, tensors: dict[str, Tensor], known: Known) -> Any:
    kind, given = facts["kind"], {k: v for k, v in facts.items() if k != "kind"}
    if kind in COMPOSED:
        cls, parts, numbers = COMPOSED[kind]
        inner = [_made(facts[name], f"{key}.{name}", tensors, known) for name in parts]
        values = [tensors[f"{key}.{name}"] for name in numbers]
        if kind == "combination" and values[0].shape[1] != inner[0].count:
            raise ValueError("its network has other features: another version of lieapp wrote it")
        return cls(*inner, *values)
    if kind == "homogeneous":
        return Homogeneous(_made(facts["features"], f"{key}.features", tensors, known), facts["unknowns"])
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
