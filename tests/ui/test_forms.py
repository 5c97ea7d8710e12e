"""Forms: nothing of a configuration is forgotten, and the command line says what the form says."""

import shlex
from pathlib import Path

import msgspec
import pytest
from lieapp.ui.works import Work

from lieapp import config as configs
from lieapp.config import load_config
from lieapp.ui.forms import OPTIONS, command_line
from lieapp.ui.schema import COMMON, REST, grouped, settings

FORMS = [configs.DiscoverConfig, configs.DiscoverImagesConfig, configs.TrainConfig]
FIXED = {"kind", "plugin", "domain"}

form = pytest.mark.parametrize("struct", FORMS, ids=lambda struct: struct.__name__)


@form
def test_every_setting_is_asked_for_and_explained(struct):
    shown = settings(struct)
    assert set(shown) == set(struct.__struct_fields__) - FIXED
    assert [name for name, setting in shown.items() if not setting.text] == []
    placed = [setting.name for members in grouped(struct).values() for setting in members]
    assert sorted([*placed, *(name for name in COMMON if name in shown)]) == sorted(shown)


class _New(msgspec.Struct, kw_only=True):
    """A configuration that the groups know nothing of."""

    plugin: str
    slots: int = 2
    sparkle: float | None = None
    """How much."""
    table: dict[str, int] = {}
    either: int | str = 1


def test_a_setting_that_no_group_knows_stands_at_the_end():
    assert [(s.name, s.text, s.optional) for s in grouped(_New)[REST]] == [("sparkle", "How much.", True)]


@form
def test_defaults_are_those_of_the_configuration(struct):
    made = load_config(struct, plugin="warm")
    assert {name: setting.default for name, setting in settings(struct).items()} == {
        name: getattr(made, name) for name in settings(struct)
    }


CHANGES = {
    "method": "spectrum", "seed": 3, "device": "cpu", "samples": 12, "noise": 0.01, "smoothing": 1e-9,
    "degrees": [2, 4], "stages": ["spectrum"], "cross_check": False, "patch_time": 0,
}  # fmt: skip


@pytest.mark.parametrize("changes", [{}, *({k: v} for k, v in CHANGES.items() if k != "stages"), CHANGES], ids=str)
def test_the_command_line_means_the_same_settings(changes):
    defaults = msgspec.to_builtins(load_config(configs.DiscoverConfig, plugin="warm"))
    words = shlex.split(command_line("discover", {**defaults, **changes}, defaults, Path("runs")))
    assert words[:4] == ["lieapp", "discover", "--plugin", "warm"]
    pairs = list(zip(words[4::2], words[5::2], strict=True))
    sets = [value for name, value in pairs if name == "--set"]
    options = {name.lstrip("-"): value for name, value in pairs if name != "--set"}
    options = {name: int(value) if value.isdigit() else value for name, value in options.items()}
    assert set(options) <= set(OPTIONS) and len(pairs) == len(changes)
    meant = load_config(configs.DiscoverConfig, None, sets, plugin="warm", **options)
    assert meant == load_config(configs.DiscoverConfig, plugin="warm", **changes)


def test_forms_of_other_settings_have_other_addresses():
    made = [Work("discover", "", struct, lambda *_: None).prefix for struct in FORMS]
    assert len(set(made)) == len(FORMS) and made[0] == ""
