"""Settings of a configuration as a form needs them: type, default, explanation, and the group of each."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import inspect as types

COMMON = ("preset", "method", "data", "variants", "slots", "seed")
"""Settings that are always shown, in this order; a configuration needn't have all of them."""

GROUPS: Mapping[str, Sequence[str]] = {
    "Data": (
        "samples", "held_out", "tolerance", "noise", "every_point", "every_time", "smoothing", "misfit", "slices",
        "held_out_slices", "pictures", "validation", "test", "side", "augment", "padding", "weighted",
        "weight_rounds", "weight_colors", "task", "history", "ahead", "starts",
    ),
    "Fields and network": (
        "stages", "network", "weights", "trained", "model", "modes", "degrees", "unknown_degree", "width", "layers",
        "features", "trunk", "head", "base", "ordered",
    ),
    "Training": (
        "seeds", "steps", "epochs", "passes", "batch", "rate", "cooling", "optimizer", "floor", "sobolev_epochs",
        "flow_batch", "flow_rate", "clip", "w_sym", "w_ortho", "w_lips", "w_sobolev", "tau",
    ),
    "Moving data": (
        "sigma", "scales", "backend", "weno_extra", "interpolation", "resampling", "nodes", "patch_time",
        "patch_space", "solver", "solver_step", "adjoint", "renew", "pool", "finite_samples",
    ),
    "Checks and formulas": ("cross_check", "library_degree", "budget"),
    "Machine": ("device", "threads", "dtype"),
}  # fmt: skip
"""Folded settings by what they are about, in the order in which the groups are shown."""

REST = "Further settings"
"""The group of settings that stand in no other."""

TEXTS = {
    "method": "neural: a small network by variable projection. spectrum: a fixed basis, one eigenproblem.",
    "slots": "How many fields are learned at most. Take a few more than you expect.",
    "seed": "The same seed repeats a run bit for bit on one machine with the same number of threads.",
    "device": "auto, cpu, cuda or cuda:0",
}
"""Explanations of what a configuration leaves without one."""

LABELS = {"data": "Data set"}
"""Names in other words: a group is called Data as well."""

_FIXED = ("kind", "plugin", "domain")
_PLAIN = (types.IntType, types.FloatType, types.StrType, types.BoolType, types.LiteralType)


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        kind: its type; of `float | None` that of the number.
        optional: whether None is a value, too.
        many: whether it is a tuple or list of `kind`.
    """

    name: str
    kind: types.Type
    default: Any
    text: str = ""
    optional: bool = False
    many: bool = False

    @property
    def label(self) -> str:
        """The name as words: `flow_rate` is "Flow rate"."""
        return LABELS.get(self.name) or self.name.replace("_", " ").capitalize()


@functools.cache
def settings(config: type[msgspec.Struct]) -> dict[str, Setting]:
    """The settings that a form can ask for, by name; tables within tables stay at their defaults."""
    info = types.type_info(config)
    assert isinstance(info, types.StructType)
    texts = {**TEXTS, **_texts(config)}
    found = {}
    for field in info.fields:
        setting = _setting(field, texts.get(field.name, ""))
        if setting is not None:
            found[field.name] = setting
    return found


def grouped(config: type[msgspec.Struct]) -> dict[str, list[Setting]]:
    """The settings that aren't common, by group; groups without any are left out."""
    known = settings(config)
    place = {name: group for group, names in GROUPS.items() for name in names}
    groups: dict[str, list[Setting]] = {group: [] for group in (*GROUPS, REST)}
    for group, names in GROUPS.items():
        groups[group] = [known[name] for name in names if name in known]
    groups[REST] = [s for name, s in known.items() if name not in place and name not in COMMON]
    return {group: members for group, members in groups.items() if members}


def _setting(field: types.Field, text: str) -> Setting | None:
    if field.name in _FIXED or field.required:
        return None
    kind, optional, many = field.type, False, False
    if isinstance(kind, types.UnionType):
        rest = [part for part in kind.types if not isinstance(part, types.NoneType)]
        optional = len(rest) < len(kind.types)
        if len(rest) > 1:
            return None
        kind = rest[0]
    if isinstance(kind, (types.VarTupleType, types.ListType)):
        kind, many = kind.item_type, True
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return Setting(field.name, kind, default, text, optional, many) if isinstance(kind, _PLAIN) else None


def _texts(config: type[Any]) -> dict[str, str]:
    """The sentence that stands below each field in the source, also of the classes it was made from."""
    found: dict[str, str] = {}
    for cls in reversed([c for c in config.__mro__ if issubclass(c, msgspec.Struct) and c is not msgspec.Struct]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(tree, ast.ClassDef)
        for field, text in pairwise(tree.body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                value = getattr(text.value, "value", None)
                if isinstance(value, str) and isinstance(field.target, ast.Name):
                    found[field.target.id] = " ".join(value.split())
    return found
