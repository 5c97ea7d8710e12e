"""A form made from a configuration's settings, and the command line that would do the same."""

from __future__ import annotations

import csv
import functools
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st
from msgspec import inspect as types

from lieapp.config_types import MACHINE
from lieapp.extension import Work
from lieapp.settings import bare, leaves, load_config
from lieapp.ui.words import plain

COMMON = ("preset", "method", "data", "variants", "slots", "seed")
"""Settings that are always shown, in this order; a configuration needn't have all of them."""

REST = "Further settings"
"""The heading of settings that stand under no other."""

OPTIONS = ("preset", "method", "data", "seed", "slots", "device")
"""Settings with an option of their own, in the order of the form; the others go through --set."""

OF_FILES = ("data.files", "data.map", "data.every", "data.window", "data.drop_nan", "data.parameter")
"""Settings with the option of their last word; of files it is --data."""

LONGEST = 1000
"""Characters of a text field: files have long names."""

COLUMNS = 3
"""Widgets beside each other in a folded group."""

LARGEST = 2**53 - 1
"""Above this a browser's numbers lose their last digits."""

_FIXED = ("kind", "plugin", "domain")
_PLAIN = (types.IntType, types.FloatType, types.StrType, types.BoolType, types.LiteralType)


@dataclass(frozen=True)
class Setting:
    """One setting: where it stands, as `flow.rate`; its type; what it means, is called and is folded under.

    Of `float | None` the type is that of the number; of a tuple or list, which has `many`, that of an item.
    """

    path: str
    kind: types.Type
    default: Any
    text: str
    label: str
    heading: str
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
    kind, many = bare(field.type), False
    if isinstance(kind, types.UnionType):
        rest = [part for part in kind.types if not isinstance(part, types.NoneType)]
        if len(rest) > 1:
            return None
        kind = bare(rest[0])
    if isinstance(kind, (types.VarTupleType, types.ListType)):
        kind, many = bare(kind.item_type), True
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if not isinstance(kind, _PLAIN):
        return None
    return Setting(path, kind, default, text, label, heading, many)


def address_prefix(config: type[msgspec.Struct]) -> str:
    """In front of a setting's path in the address: two forms have other defaults under the same names."""
    own = config.__name__.removesuffix("Config").lower()
    return "" if own == "discover" else f"{own}-"


def address(work: Work, config: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """The address of the form with these settings, those of a run's config.json too: what isn't a default."""
    flat, prefix, usual = dict(leaves(values)), address_prefix(config), next(iter(work.presets), None)
    preset = flat.get("preset") if flat.get("preset") in work.presets else usual
    defaults = dict(leaves(msgspec.to_builtins(load_config(config, plugin=str(values["plugin"]), preset=preset))))
    found: dict[str, str | list[str]] = {"plugin": str(values["plugin"]), "command": work.command}
    if preset != usual:
        found[f"{prefix}preset"] = str(preset)
        prefix += f"{preset}-"
    for path, setting in settings(config).items():
        if path in flat and path != "preset" and not _same(flat[path], defaults[path]):
            found[f"{prefix}{path}"] = _addressed(setting, flat[path])
    return found


def _addressed(setting: Setting, value: Any) -> str | list[str]:
    """A value as the widget of its setting writes it into the address."""
    if setting.many:
        names = list(map(str, value))
        return names if isinstance(setting.kind, types.LiteralType) else joined(names)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def ask_all(config: type[msgspec.Struct], defaults: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The whole form but the preset; the value of every setting that was asked for, by its path.

    Nested settings that mean nothing with what was chosen so far aren't asked for. Each widget is bound to the
    address under its path after `prefix`, so that a link opens the form as it stands.
    """
    values: dict[str, Any] = {}
    known, usual = settings(config), dict(leaves(defaults))
    common = [known[name] for name in COMMON if name in known and name != "preset"]
    if common:
        _row(common, usual, prefix, values, len(common))
    idle = getattr(config, "idle", lambda values: ())
    for heading, members in grouped(config).items():
        if members[0].section in idle(values):
            continue
        with st.expander(heading):
            for start in range(0, len(members), COLUMNS):
                _row(members[start : start + COLUMNS], usual, prefix, values, COLUMNS)
    return values


def laid_over(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, nested, with the values of those that were asked for."""
    found = {key: dict(value) if isinstance(value, Mapping) else value for key, value in defaults.items()}
    for path, value in values.items():
        section, _, name = path.rpartition(".")
        (found[section] if section else found)[name] = value
    return found


def _row(
    members: Sequence[Setting], defaults: Mapping[str, Any], prefix: str, values: dict[str, Any], width: int
) -> None:
    for column, setting in zip(st.columns(width), members, strict=False):
        with column:
            values[setting.path] = ask(setting, defaults[setting.path], prefix)


def ask(setting: Setting, default: Any, prefix: str = "") -> Any:
    """The widget of one setting; what it returns has the setting's type, or is text that a check refuses."""
    kind, text = setting.kind, (setting.text and plain(setting.text)) or None
    bound = {"key": f"{prefix}{setting.path}", "help": text, "bind": "query-params"}
    if setting.many:
        return _ask_many(setting, default, bound)
    if isinstance(kind, types.LiteralType):
        names = list(kind.values)
        return st.selectbox(setting.label, names, index=names.index(default), **bound)
    if isinstance(kind, types.BoolType):
        return st.checkbox(setting.label, value=default, **bound)
    if isinstance(kind, types.IntType):
        top = min(kind.le if kind.le is not None else LARGEST, LARGEST)
        return st.number_input(setting.label, kind.ge, top, default, 1, placeholder="by itself", **bound)
    if isinstance(kind, types.FloatType):
        # a step of a tenth of itself: rates and tolerances are far below 1
        value, low = (None if given is None else float(given) for given in (default, kind.ge))
        step = abs(value or 0.1) / 10
        return st.number_input(setting.label, low, None, value, step, format="%g", placeholder="by itself", **bound)
    return st.text_input(setting.label, value=default, max_chars=LONGEST, placeholder=_example(setting), **bound)


def _ask_many(setting: Setting, default: Sequence[Any], bound: Mapping[str, Any]) -> list[Any]:
    """Several names in the order in which they are chosen, or values typed with commas between them."""
    if isinstance(setting.kind, types.LiteralType):
        return st.multiselect(setting.label, list(setting.kind.values), default=list(default), **bound)
    text = st.text_input(
        setting.label, value=joined(default), max_chars=LONGEST, placeholder=_example(setting), **bound
    )
    if isinstance(setting.kind, types.StrType):
        return split(text)
    return [_number(part) for part in re.split(r"[,\s]+", text) if part]


def _example(setting: Setting) -> str:
    """What its text gives as one, `…: `t=0:10`.`; empty if it gives none."""
    found = re.search(r": `([^`]+)`\.", setting.text)
    return found[1] if found else ""


def joined(values: Sequence[Any]) -> str:
    """Values with commas between them; one that has a comma itself, as a file's name may, stands in quotes."""
    return ", ".join(f'"{value}"' if "," in str(value) else str(value) for value in values)


def split(text: str) -> list[str]:
    """The texts that commas separate."""
    rows = csv.reader(text.splitlines(), skipinitialspace=True)
    return [part.strip() for row in rows for part in row if part.strip()]


def _number(text: str) -> Any:
    """The number that a text is, else the text, which the check of the configuration then refuses by name."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def command_line(
    kind: str, values: Mapping[str, Any], defaults: Mapping[str, Any], root: Path, folders: Sequence[Path] = ()
) -> str:
    """What to type for the same run; settings at their default are left out; `folders` are those of plugins."""
    words = ["lieapp", kind, "--plugin", str(values["plugin"])]
    words += [word for folder in folders for word in ("--plugins", str(folder))]
    usual = dict(leaves(defaults))
    order = {name: place for place, name in enumerate((*OF_FILES, *OPTIONS))}
    for name, value in sorted(leaves(values), key=lambda item: order.get(item[0], len(order))):
        if name in _FIXED or _same(value, usual.get(name)):
            continue
        if name in OF_FILES:
            option = "data" if name == "data.files" else name.removeprefix("data.").replace("_", "-")
            parts = [value] if isinstance(value, str) else [] if isinstance(value, bool) else value
            words += [f"--{option}"] if value is True else [w for part in parts for w in (f"--{option}", part)]
            continue
        words += [f"--{name}", str(value)] if name in OPTIONS else ["--set", f"{name}={_written(value)}"]
    if root != Path("runs"):
        words += ["--out", str(root)]
    return shlex.join(words)


def _same(value: Any, default: Any) -> bool:
    return list(value) == list(default or ()) if isinstance(value, (list, tuple)) else value == default


def _written(value: Any) -> str:
    """As `--set` reads it: TOML, in which true and false are small."""
    return json.dumps(value) if isinstance(value, (bool, list, tuple)) else str(value)
