"""A form made from a configuration's fields, and the command line that would do the same."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st
from msgspec import inspect

LABELS = {
    "method": "Method",
    "preset": "Preset",
    "seed": "Seed",
    "slots": "Slots",
    "samples": "Trajectories to learn from",
    "held_out": "Trajectories kept aside for judging",
    "device": "Device",
}
HELP = {
    "method": "neural: a small network by variable projection. spectrum: a fixed basis, one eigenproblem. "
    "Each run cross-checks one with the other.",
    "preset": "quick: seconds to a minute. paper: the published method with its own settings, hours to days.",
    "seed": "The same seed repeats a run bit for bit on one machine with the same number of threads.",
    "slots": "How many fields are learned at most. Take a few more than you expect.",
    "samples": "One trajectory alone lets fields that are tangent to it pass for symmetries; take many.",
    "held_out": "η, verdict and cosines are measured on these only.",
    "device": "auto, cpu, cuda or cuda:0",
}
OPTIONS = ("method", "preset", "seed", "slots", "device")
"""Settings with an option of their own; the others go through --set."""

_FIXED = ("kind", "plugin")


def fields(config: type[msgspec.Struct]) -> dict[str, inspect.Field]:
    """The settings that a form can ask for, by name; nested ones are left at their defaults."""
    shown = (inspect.IntType, inspect.FloatType, inspect.StrType, inspect.BoolType, inspect.LiteralType)
    info = inspect.type_info(config)
    assert isinstance(info, inspect.StructType)
    return {f.name: f for f in info.fields if f.name not in _FIXED and isinstance(f.type, shown)}


def ask(setting: inspect.Field, default: Any, version: str = "") -> Any:
    """The widget of one setting; what it returns has the setting's type.

    Another `version` makes another widget, which begins at its default again.
    """
    label = LABELS.get(setting.name, setting.name.replace("_", " ").capitalize())
    key, text, kind = f"set_{setting.name}{version}", HELP.get(setting.name), setting.type
    if isinstance(kind, inspect.LiteralType):
        values = list(kind.values)
        return st.selectbox(label, values, index=values.index(default), key=key, help=text)
    if isinstance(kind, inspect.BoolType):
        return st.checkbox(label, value=default, key=key, help=text)
    if isinstance(kind, inspect.IntType):
        # above 2^53 a browser's numbers lose their last digits
        top = min(kind.le if kind.le is not None else 2**53 - 1, 2**53 - 1)
        return st.number_input(label, kind.ge, top, default, 1, key=key, help=text)
    if isinstance(kind, inspect.FloatType):
        return st.number_input(label, value=float(default), format="%g", key=key, help=text)
    return st.text_input(label, value=default, key=key, help=text, max_chars=100)


def command_line(kind: str, values: dict[str, Any], defaults: dict[str, Any], root: Path) -> str:
    """What to type for the same run; settings at their default are left out."""
    words = ["lieapp", kind, "--plugin", str(values["plugin"])]
    for name, value in sorted(values.items(), key=lambda item: item[0] not in OPTIONS):
        if name in _FIXED or value == defaults.get(name):
            continue
        words += [f"--{name}", str(value)] if name in OPTIONS else ["--set", f"{name}={value}"]
    if root != Path("runs"):
        words += ["--out", str(root)]
    return shlex.join(words)
