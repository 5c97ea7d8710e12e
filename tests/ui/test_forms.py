"""Forms: nothing of a configuration is forgotten, and the command line says what the form says."""

import functools
import shlex
from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from registered import CATALOG, DISCOVER
from settings_docs import rows

from lieapp.cli.options import ALWAYS
from lieapp.cli.working import TAKEN, discover
from lieapp.config_types import told
from lieapp.settings import from_values, load_config
from lieapp.ui.forms import (
    COMMON,
    OPTIONS,
    REST,
    address_prefix,
    command_line,
    grouped,
    joined,
    laid_over,
    settings,
    split,
)

COMMON_OPTIONS = (*TAKEN, *ALWAYS)
FORMS = list(dict.fromkeys(CATALOG.all_settings().values()))

form = pytest.mark.parametrize("struct", FORMS, ids=lambda struct: struct.__name__)


@form
def test_every_setting_is_asked_for_and_explained(struct):
    shown = settings(struct)
    assert set(shown) == {path for path, _, _ in rows(struct)} - {"kind", "plugin", "domain"}
    assert [path for path, setting in shown.items() if not setting.text] == []
    placed = [setting.path for members in grouped(struct).values() for setting in members]
    assert sorted([*placed, *(name for name in COMMON if name in shown)]) == sorted(shown)


@form
def test_labels_are_words(struct):
    labels = [setting.label for setting in settings(struct).values()]
    assert [label for label in labels if label[:2] == "W " or "_" in label or len(label) < 3] == []


class _Inner(msgspec.Struct, kw_only=True, frozen=True):
    bend: Annotated[float, told("How far.", "Bending")] = 1.0


class _New(msgspec.Struct, kw_only=True):
    """A configuration that nobody grouped."""

    plugin: str
    slots: int = 2
    sparkle: Annotated[float | None, told("How much.")] = None
    table: dict[str, int] = {}
    either: int | str = 1
    inner: Annotated[_Inner, told("", "Turning")] = _Inner()


def test_a_setting_of_no_group_and_one_that_is_nested():
    found = grouped(_New)
    assert [(s.path, s.text) for s in found[REST]] == [("sparkle", "How much.")]
    assert [(s.path, s.label, s.text) for s in found["Turning"]] == [("inner.bend", "Bending", "How far.")]


@form
def test_defaults_are_those_of_the_configuration(struct):
    made = load_config(struct, plugin="warm")
    for path, setting in settings(struct).items():
        assert functools.reduce(getattr, path.split("."), made) == setting.default


def test_sections_of_what_is_not_used_mean_nothing():
    others = {"laws", "generalised"}
    assert DISCOVER.idle({"method": "neural"}) == {"gradient"} | others
    assert DISCOVER.idle({"method": "spectrum"}) == {"gradient", "flow"} | others
    unchecked = DISCOVER.idle({"method": "spectrum", "cross_check": False})
    assert unchecked == {"gradient", "flow", "projection"} | others
    assert DISCOVER.idle({"stages": ["gradient"]}) == {"flow", "projection"} | others
    methods = {"spectrum", "projection", "gradient", "flow"}
    assert DISCOVER.idle({"sought": "laws"}) == methods | {"generalised"}


CHANGES = {
    "method": "spectrum", "seed": 3, "device": "cpu", "samples": 12, "noise": 0.01, "smoothing": 1e-9,
    "spectrum.degrees": [2, 4], "stages": ["spectrum"], "cross_check": False, "flow.patch_time": 0,
}  # fmt: skip


@pytest.mark.parametrize("changes", [{}, *({k: v} for k, v in CHANGES.items() if k != "stages"), CHANGES], ids=str)
def test_the_command_line_means_the_same_settings(changes):
    defaults = msgspec.to_builtins(load_config(DISCOVER, plugin="warm"))
    words = shlex.split(command_line("discover", laid_over(defaults, changes), defaults, Path("runs")))
    assert words[:4] == ["lieapp", "discover", "--plugin", "warm"]
    pairs = list(zip(words[4::2], words[5::2], strict=True))
    sets = [value for name, value in pairs if name == "--set"]
    options = {name.lstrip("-"): value for name, value in pairs if name != "--set"}
    options = {name: int(value) if value.isdigit() else value for name, value in options.items()}
    assert set(options) <= set(OPTIONS) and len(pairs) == len(changes)
    meant = load_config(DISCOVER, None, sets, plugin="warm", **options)
    assert meant == from_values(DISCOVER, laid_over(defaults, changes))


def test_forms_of_other_settings_have_other_addresses():
    made = [address_prefix(struct) for struct in FORMS]
    assert len(set(made)) == len(FORMS) and made[0] == ""


@pytest.mark.parametrize("slots", [4, 12])
def test_the_command_line_of_files_means_the_same_settings(slots):
    data = {"data.files": ["/data/a b.mat", "/data/c,d.mat"], "data.map": "u=usol(x,t), x=x, t=t",
            "data.every": "t=2", "data.window": "t=0:1", "data.parameter": ["nu:0.1", "mu:2"],
            "data.samples": 3}  # fmt: skip
    defaults = msgspec.to_builtins(load_config(DISCOVER, plugin="warm"))
    values = laid_over(defaults, {**data, "slots": slots})
    words = shlex.split(command_line("discover", values, defaults, Path("runs")))[2:]
    typed = discover.make_context("discover", words).params
    work = CATALOG.get("kdv").kind.work("discover")
    own = {k: v for k, v in typed.items() if k not in (*COMMON_OPTIONS, "learn_equation")}
    assert load_config(DISCOVER, None, typed["sets"], plugin="warm", **work.typed("warm", own)) == from_values(
        DISCOVER, values
    )


def test_texts_with_commas_between_them():
    names = ["/home/me/a b.mat", "/home/me/c, d.mat", "1"]
    assert split(joined(names)) == names and split("a, , b") == ["a", "b"] and split("") == []
