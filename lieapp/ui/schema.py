"""Settings of a configuration as a form needs them: type, default, explanation, and the heading of each."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import inspect as types

from lieapp.config_types import MACHINE
from lieapp.settings import bare

COMMON = ("preset", "method", "data", "variants", "slots", "seed")
"""Settings that are always shown, in this order; a configuration needn't have all of them."""

REST = "Further settings"
"""The heading of settings that stand under no other."""

_FIXED = ("kind", "plugin", "domain")
_PLAIN = (types.IntType, types.FloatType, types.StrType, types.BoolType, types.LiteralType)


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        path: where it stands: `seed`, `flow.rate`.
        kind: its type; of `float | None` that of the number.
        text: what it means.
        label: what it is called.
        heading: what it is folded under.
        optional: whether None is a value, too.
        many: whether it is a tuple or list of `kind`.
    """

    path: str
    kind: types.Type
    default: Any
    text: str
    label: str
    heading: str
    optional: bool = False
    many: bool = False

    @property
    def section(self) -> str:
        """The nested settings that it is one of; empty for none."""
        return self.path.rpartition(".")[0]


# composed anew with each catalog: not kept for ever
@functools.lru_cache(maxsize=32)
def settings(config: type[msgspec.Struct]) -> dict[str, Setting]:
    """The settings that a form can ask for, by their path."""
    return {setting.path: setting for setting in _of(types.type_info(config), "", "")}


def grouped(config: type[msgspec.Struct]) -> dict[str, list[Setting]]:
    """The settings that aren't common, by heading: those of nested settings after the others, the machine last."""
    groups: dict[str, list[Setting]] = {}
    for setting in settings(config).values():
        if setting.path not in COMMON:
            groups.setdefault(setting.heading, []).append(setting)

    def place(heading: str) -> tuple[bool, bool]:
        return heading == MACHINE, bool(groups[heading][0].section)

    return {heading: groups[heading] for heading in sorted(groups, key=place)}


def _of(info: types.Type, section: str, heading: str) -> list[Setting]:
    assert isinstance(info, types.StructType)
    found = []
    for field in info.fields:
        told = _told(field.type)
        label = told.get("title") or field.name.replace("_", " ").capitalize()
        inner = bare(field.type)
        if isinstance(inner, types.StructType):
            found += _of(inner, f"{field.name}.", label)
        elif field.name not in _FIXED and not field.required:
            text, group = told.get("description", ""), heading or told.get("group") or REST
            setting = _setting(field, f"{section}{field.name}", text, label, group)
            found += [] if setting is None else [setting]
    return found


def _told(kind: types.Type) -> dict[str, str]:
    """What is said of a type: title, description and group."""
    if not isinstance(kind, types.Metadata):
        parts: Sequence[types.Type] = kind.types if isinstance(kind, types.UnionType) else ()
        return next((told for part in parts if (told := _told(part))), {})
    return {**(kind.extra_json_schema or {}), **(kind.extra or {})}


def _setting(field: types.Field, path: str, text: str, label: str, heading: str) -> Setting | None:
    kind, optional, many = bare(field.type), False, False
    if isinstance(kind, types.UnionType):
        rest = [part for part in kind.types if not isinstance(part, types.NoneType)]
        optional = len(rest) < len(kind.types)
        if len(rest) > 1:
            return None
        kind = bare(rest[0])
    if isinstance(kind, (types.VarTupleType, types.ListType)):
        kind, many = bare(kind.item_type), True
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if not isinstance(kind, _PLAIN):
        return None
    return Setting(path, kind, default, text, label, heading, optional, many)
