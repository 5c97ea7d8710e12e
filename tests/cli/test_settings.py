"""Configuration: who wins, and what is said about a key or value that isn't right."""

import pytest
from msgspec.structs import fields
from registered import CATALOG, DISCOVER

from lieapp.config import DataConfig, TruthConfig
from lieapp.config_pictures import DiscoverImagesConfig
from lieapp.config_training import TrainConfig
from lieapp.errors import ConfigError
from lieapp.settings import given, load_config, parse_set


def is_float(field) -> bool:
    return isinstance(field.default, float)


def test_options_win_over_set_over_file_over_defaults(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('plugin = "a"\nslots = 5\nsamples = 6\nseed = 7\n')
    config = load_config(DISCOVER, file, ["samples=8", "seed=9"], seed=10, slots=None)
    assert (config.plugin, config.slots, config.samples, config.seed) == ("a", 5, 8, 10)
    assert config.held_out == DISCOVER(plugin="a").held_out


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a=3", ("a", 3)),
        ("a = 2.5", ("a", 2.5)),
        ("a=true", ("a", True)),
        ('a="3"', ("a", "3")),
        ("a=[1, 2]", ("a", [1, 2])),
        ("a=.3", ("a", 0.3)),
        ("a=-.3", ("a", -0.3)),
        ("a=[.1, .2e-1,3.5]", ("a", [0.1, 0.02, 3.5])),
        ('a="x, .3"', ("a", "x, .3")),
        ("a=./.3", ("a", "./.3")),
        ("a=cuda:0", ("a", "cuda:0")),
        ("a=", ("a", "")),
        ("a=b=c", ("a", "b=c")),
        ("a.b=1", ("a.b", 1)),
        ("a=1\nb=2", ("a", "1\nb=2")),
    ],
)
def test_values_of_set_are_toml_or_text(text, parsed):
    assert parse_set(text) == parsed


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (["slot=3"], "slot: there is no such key"),
        (["slots=many"], "slots is 'many'.*expected int, got str"),
        (["slots=0"], "slots is 0.*int >= 1"),
        (["seed=true"], "expected int, got bool"),
        (["method=foo"], "method is 'foo'.*expected one of flow, gradient, neural, projection, spectrum"),
        (["device=gpu"], "device is 'gpu'.*expected auto, cpu or cuda:0"),
        (["kind=truth"], "kind is 'truth'.*discover"),
        (["samples=nan"], "finite"),
        (["plugin.name=a"], "plugin is"),
        (["slots=2", "slots.a=2"], "not a table"),
        (["=3"], "key=value"),
        (["slots"], "key=value"),
        (["degrees=[-1]"], r"degrees\[0\] is -1 \(from --set degrees=\[-1\]\): expected int >= 1"),
        (["degrees=[2, 4.5]"], r"degrees\[1\] is 4\.5 \(from"),
        (["degrees=5"], "degrees is 5.*expected a list"),
        (["degrees=[4,2]"], "^degrees \\[4, 2\\] must ascend"),
    ],
)
def test_what_is_wrong_is_named_with_its_path_and_origin(sets, words):
    with pytest.raises(ConfigError, match=words) as caught:
        load_config(DISCOVER, None, ["plugin=a", *sets])
    assert caught.value.exit_code == 2 and caught.value.hint


WRITTEN = [("degrees=5", "Write spectrum.degrees=[5]. docs"), ("degrees=x", "docs")]


@pytest.mark.parametrize(("text", "hint"), WRITTEN)
def test_a_number_where_a_list_is_expected_is_written_as_one(text, hint):
    with pytest.raises(ConfigError) as caught:
        load_config(DISCOVER, None, ["plugin=a", text])
    assert caught.value.hint.startswith(hint)


def test_an_error_that_asks_ends_with_its_question_mark():
    with pytest.raises(ConfigError) as caught:
        load_config(TrainConfig, None, ["plugin=a", "augment=rotat"])
    assert caught.value.message.endswith("did you mean rotation?")


FLOATS = [(cls, f.name) for cls in (TruthConfig, DataConfig, DISCOVER) for f in fields(cls) if is_float(f)]


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("cls", "key"), FLOATS, ids=lambda value: getattr(value, "__name__", value))
def test_numbers_are_finite(cls, key, text):
    with pytest.raises(ConfigError, match=f"{key} is {text} .*finite") as caught:
        load_config(cls, None, [f"{key}={text}"], plugin="a")
    assert caught.value.hint == f"Give {key} a number such as 0.001, or leave it out for its default."


@pytest.mark.parametrize(
    ("sets", "section", "key", "value"),
    [
        (["steps=3"], "projection", "steps", 3),
        (["degrees=[2]"], "spectrum", "degrees", (2,)),
        # of the first stage, then of those after it, then of the one that checks
        (["rate=0.5"], "projection", "rate", 0.5),
        (["epochs=3"], "flow", "epochs", 3),
        (['stages=["projection","gradient"]', "epochs=3"], "gradient", "epochs", 3),
        (["epochs=3", "preset=paper"], "flow", "epochs", 3),
        (["batch=3", "method=spectrum"], "projection", "batch", 3),
        # with the section as prefix
        (["flow_rate=0.5"], "flow", "rate", 0.5),
        (["finite_samples=0"], "finite", "samples", 0),
        # the later one wins, however it is written
        (["steps=3", "projection.steps=4"], "projection", "steps", 4),
        (["projection.steps=4", "steps=3"], "projection", "steps", 3),
    ],
)
def test_a_key_without_its_section(sets, section, key, value, tmp_path):
    assert getattr(getattr(load_config(DISCOVER, None, sets, plugin="a"), section), key) == value
    if len(sets) == 1:
        file = tmp_path / "c.toml"
        file.write_text(sets[0])
        assert getattr(getattr(load_config(DISCOVER, file, plugin="a"), section), key) == value


def test_a_file_has_tables_and_a_preset_lies_below_it(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('preset = "paper"\n[flow]\nepochs = 7\n')
    config = load_config(DISCOVER, file, ["head=9"], plugin="a")
    assert (config.flow.epochs, config.flow.batch, config.flow.head) == (7, 4, 9)
    assert config.moving.backend == "weno" and config.stages == ("flow",)


def test_several_of_one_name_are_all_told():
    with pytest.raises(ConfigError, match=r"epochs: 2 settings .* gradient\.epochs, flow\.epochs") as told:
        load_config(DISCOVER, None, ["epochs=2", "method=spectrum"], plugin="a")
    assert "before the dot" in told.value.hint


def test_the_nearest_key_is_named():
    with pytest.raises(ConfigError) as caught:
        load_config(DISCOVER, None, ["plugin=a", "heldout=3"])
    assert "held_out" in caught.value.hint


def test_missing_plugin():
    with pytest.raises(ConfigError, match="plugin is missing"):
        load_config(DataConfig)


def test_bad_toml_is_told_with_its_line(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("samples = 3\nslots 4\n")
    with pytest.raises(ConfigError, match=r"c\.toml: .*line 2"):
        load_config(DISCOVER, file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not a text file"):
        load_config(DISCOVER, file)
    for missing in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError, match=str(missing)):
            load_config(DISCOVER, missing)


def test_only_what_was_typed(tmp_path):
    assert given(DISCOVER, None, ["slots=3"], seed=None, method="spectrum") == {
        "slots": 3,
        "method": "spectrum",
    }
    assert given(DISCOVER, None, ["steps=3", "flow_rate=1"]) == {"projection.steps": 3, "flow.rate": 1.0}
    # of the run that is gone on with
    assert given(DISCOVER, None, ["epochs=3"], beside={"stages": ["gradient"]}) == {"gradient.epochs": 3}
    assert given(TruthConfig, None, ["budget=5"]) == {"budget": 5.0}
    with pytest.raises(ConfigError, match="slots"):
        given(DISCOVER, None, ["slots=x"])


@pytest.mark.parametrize("text", ["degrees=[]", "degrees=[4,2]", "degrees=[2,2]"])
def test_degrees_must_ascend(text):
    with pytest.raises(ConfigError, match="degrees"):
        load_config(DISCOVER, None, [text], plugin="kdv")


def test_what_the_items_of_a_list_may_be():
    with pytest.raises(
        ConfigError, match=r"stages\[0\] is 'foo'.*expected one of flow, gradient, projection, spectrum"
    ):
        load_config(DISCOVER, None, ["plugin=a", 'stages=["foo"]'])


def test_a_key_of_another_command_is_said_to_be_one():
    with pytest.raises(ConfigError, match="epochs: there is no such key in DiscoverImagesConfig") as told:
        load_config(DiscoverImagesConfig, None, ["epochs=2"], CATALOG.all_settings, plugin="a")
    assert "`lieapp train`" in told.value.hint and "equations" in told.value.hint
    with pytest.raises(ConfigError) as told:
        load_config(DiscoverImagesConfig, None, ["quark=2"], plugin="a")
    assert told.value.hint.startswith("Known keys: ")
