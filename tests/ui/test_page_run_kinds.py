"""Run: kinds that are no discovery on an equation: pictures, train, augment, truth, data, and unknown ones."""

import json

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save_file
from truth_results import truth_result

from lieapp.results.base import Result
from lieapp.runs.files import encode

NEAR = {"name": "rotation", "cosine": 0.9991}
PICTURES = {
    "domain": "images", "sentence": "1 of 2 slots are affine", "s": [-0.4, -0.2, 0.2, 0.4],
    "warnings": ["few pictures"],
    "generators": [
        {"slot": 1, "angle": 0.066, "angles": [0.09, 0.05, 0.04, 0.08], "affine": 0.999, "nearest": NEAR,
         "components": [{"name": "rotation", "value": 0.9991}]},
        {"slot": 2, "angle": 0.3, "angles": [0.4, 0.2, 0.2, 0.4], "affine": 0.2,
         "nearest": {**NEAR, "cosine": 0.1}},
    ],
    "reference": [{"name": "rotation", "field": {"x": "-y", "y": "x"}, "angle": 0.07, "cosine": 0.999}],
}  # fmt: skip


@pytest.fixture
def finished(make_run):
    """A done run of a kind, with a summary."""

    def make(kind, summary):
        run = make_run("done")
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        (run / "config.json").write_text(json.dumps({**config, "kind": kind}), encoding="utf-8")
        (run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        (run / "fields.safetensors").unlink()
        return run

    return make


@pytest.fixture
def pictures(finished):
    """A discovery on pictures, with moved pictures."""
    run = finished("discover", PICTURES)
    s = np.array([-0.4, -0.2, 0, 0.2, 0.4], dtype=np.float32)
    moved = np.random.default_rng(0).random((2, 5, 3, 1, 8, 8), dtype=np.float32)
    plane = {"learned": np.ones((2, 2, 8, 8), np.float32), "weight": np.ones((8, 8), np.float32)}
    save_file({"orbit/s": s, "orbit/pictures": moved, **plane}, run / "fields.safetensors")
    return run


def test_pictures(open_page, pictures, words):
    text = words(open_page("run", run=pictures.name))
    assert "1 of 2 slots are affine" in text and "few pictures" in text
    assert "| 1 | 0.066 | 0.999 | rotation | 0.9991 |" in text and "-y ∂x + x ∂y" in text.replace("−", "-")


def test_colours_have_their_cross_check(open_page, finished, words):
    parts = [{"name": "brightness", "value": -0.98}]
    near = {"name": "brightness", "cosine": 0.98}
    summary = {
        "domain": "colors", "sentence": "1 of 1 slots are nearly sums of named fields", "s": [-0.2, 0.2],
        "generators": [{"slot": 1, "angle": 0.05, "angles": [0.05, 0.05], "named": 0.99, "nearest": near,
                        "components": parts}],
        "reference": [{"name": "brightness", "field": {c: c for c in "rgb"}, "angle": 0.04, "cosine": 0.98}],
        "clipped": [0.125],
        "cross_check": {"slopes": [0.2, 0.4], "components": [parts], "cosines": [0.97], "angle": 0.25},
    }  # fmt: skip
    text = words(open_page("run", run=finished("discover", summary).name))
    assert "| 1 | 0.050 | 0.990 | brightness | 0.9800 | −0.98 brightness | 0.125 |" in text
    assert "| 1 | 0.200 | −0.98 brightness |" in text and "0.25 rad" in text


def test_the_slider_moves_pictures(open_page, pictures, words):
    app = open_page("run", run=pictures.name, view="Slots", s="-0.2")
    assert "Features turn by **0.050 rad** at s = -0.2" in words(app)
    # the field of this slot and no other, with its axes
    assert len(app.get("image")) == 2 and "reaches from −1 to 1" in words(app)
    before = app.get("image")[0].proto.SerializeToString()
    app.select_slider(key="s").set_value(0.4).run()
    assert not app.exception and "**0.080 rad** at s = 0.4" in words(app)
    assert app.get("image")[0].proto.SerializeToString() != before
    app.select_slider(key="s").set_value(0.0).run()
    assert "**0 rad** at s = 0," in words(app)


@pytest.mark.parametrize("view", ["Comparison", "Slots", "Figures", "Training", "Origin"])
def test_pictures_without_their_files(open_page, pictures, view):
    (pictures / "fields.safetensors").unlink()
    assert not open_page("run", run=pictures.name, view=view).error


def test_a_training(open_page, finished, words):
    summary = {
        "network": "small", "accuracy": 0.93, "sentence": "93.0 % are told right", "seconds": {"total": 3.0},
        "warnings": [], "classes": ["a", "b"], "cached": True,
    }  # fmt: skip
    summary |= {"parameters": 24058, "learned_from": 900, "judged_on": 100, "loss": 0.25}
    run = finished("train", summary)
    app = open_page("run", run=run.name)
    text = words(app)
    assert "93.0 % are told right" in text
    assert [(m.label, m.value) for m in app.metric] == [
        ("Told right", "93.0 %"), ("Loss", "0.25"), ("Training", "from the cache"),
    ]  # fmt: skip
    assert "network       small, 24058 parameters" in text and "classes       2: a, b" in text
    assert "nothing was trained" in text and not app.get("image")
    assert "total 3.0" in words(open_page("run", run=run.name, view="Origin"))


def test_a_training_with_its_curve(open_page, finished, words):
    summary = {"network": "small", "accuracy": 0.5, "sentence": "", "seconds": {"training": 61.0}, "cached": False}
    run = finished("train", summary)
    steps = [{"step": k, "loss": 2.0, "right": 0.5, "epoch": 1, "stage": "training"} for k in (1, 2, 3)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    (run / "network.safetensors").write_bytes(b"")
    app = open_page("run", run=run.name)
    assert len(app.get("image")) == 1 and app.metric[2].value == "1 min 1 s"
    assert f"lieapp discover --plugin ckdv --set trained={run}/network.safetensors" in words(app)
    (run / "metrics.jsonl").write_text("{}\n", encoding="utf-8")
    assert "No curves: no steps were recorded." in words(open_page("run", run=run.name))


def test_networks_on_moved_data(open_page, finished, words):
    row = {
        "variant": "none", "label": "none", "samples": 32, "scale": None, "values": [0.4, 0.6], "mean": 0.5,
        "spread": 0.14, "valid": 0.5, "steps": 9, "seconds": 2.0,
    }  # fmt: skip
    truth = {**row, "variant": "truth", "label": "truth", "values": [0.1, 0.1], "mean": 0.1, "spread": 0.0}
    summary = {
        "kind": "augment", "title": "KdV", "model": "fno", "measure": "nmse", "task": "single", "gap": 70,
        "variants": [row, truth], "seeds": [0, 1], "warnings": [], "seconds": {}, "sentence": "With 32 data, …",
    }  # fmt: skip
    run = finished("augment", summary)
    (run / "figures").mkdir()
    (run / "figures" / "training.svg").write_text('<svg xmlns="x"></svg>', encoding="utf-8")
    (run / "figures" / "data.svg").write_text("<script></script>", encoding="utf-8")
    (run / "figures" / "frames.svg").write_text("<svg>", encoding="utf-8")
    app = open_page("run", run=run.name)
    assert "| 32 | truth | 0.1 ± 0 | 5.00 | 0.1, 0.1 | 2.0 |" in words(app)
    assert "**NMSE.** Normalised mean square error" in words(app)
    # what is no picture isn't shown as one
    assert len(app.get("image")) == 1


def test_networks_on_moved_pictures(open_page, finished, words):
    row = {
        "variant": "none", "label": "none", "samples": 500, "scale": None, "values": [0.8, 0.9], "mean": 0.85,
        "spread": 0.07, "valid": 0.8, "steps": 9, "seconds": 2.0,
    }  # fmt: skip
    summary = {
        "kind": "augment", "title": "Pictures", "model": "small", "measure": "accuracy", "domain": "images",
        "judged_on": 1000, "variants": [row], "seeds": [0, 1], "warnings": [], "seconds": {}, "sentence": "500",
    }  # fmt: skip
    run = finished("augment", summary)
    app = open_page("run", run=run.name)
    assert not app.exception
    assert "| 500 | none | 85.0 ± 7.0 |" in words(app) and "test pictures" in words(app)


def test_a_derivation(open_page, finished, words):
    run = finished("truth", msgspec.to_builtins(truth_result()))
    assert "partial_{x}" in words(open_page("run", run=run.name))


def test_an_unknown_kind_shows_what_its_summary_holds(open_page, finished, words):
    summary = {
        "sentence": "64 of 64", "samples": 64,
        "rows": [{"name": "a|b *c*", "value": 1.5, "more": [1]}, {"name": "d"}],
        "nested": {"deep": 1}, "empty": [], "mixed": [1, {"a": 2}],
    }  # fmt: skip
    run = finished("data", summary)
    app = open_page("run", run=run.name)
    text = words(app)
    assert "samples  64" in text and "| a|b *c* | 1.5 |" in text and "| d | – |" in text
    assert "deep" not in text


class Counted(Result, tag_field="result", tag="test-counted", kw_only=True):
    """A result of a plugin's."""

    samples: int
    rows: list[dict[str, float]]


@pytest.mark.parametrize("known", [True, False])
def test_a_result_of_a_plugin_shows_what_it_holds(open_page, finished, words, known):
    found = Counted(sentence="64 of 64", warnings=["few"], samples=64, rows=[{"a": 1.5}])
    content = json.loads(encode(found))
    # of a plugin that is gone what all results have
    run = finished("count", content if known else {**content, "result": "test-gone"})
    text = words(open_page("run", run=run.name))
    assert "64 of 64" in text and "few" in text
    assert ("samples  64" in text) is known and ("| 1.5 |" in text) is known


STATES = [("train", state) for state in ("queued", "running", "failed", "cancelled", "lost")]
STATES += [(kind, "failed") for kind in ("augment", "truth", "data", "of a later version")]


@pytest.mark.parametrize(("kind", "state"), STATES)
def test_states_of_other_kinds(open_page, make_run, words, kind, state):
    run = make_run(state, error={"type": "X", "message": "it broke", "hint": ""} if state == "failed" else None)
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    (run / "config.json").write_text(json.dumps({**config, "kind": kind}), encoding="utf-8")
    text = words(open_page("run", run=run.name))
    assert {"failed": "it broke", "queued": "Waiting"}.get(state, "") in text
    assert (f"--resume {run.name}" in text) == (state in ("failed", "cancelled", "lost"))


@pytest.mark.parametrize("state", ["queued", "running", "failed", "cancelled", "done"])
def test_a_run_has_the_same_title_in_every_state(open_page, make_background, state):
    run = make_background("check", state)
    assert open_page("run", run=run.id).title[0].value == r"Warm \*bar\*"


def test_a_typed_derivation_is_titled_by_its_equation(open_page, make_background, words):
    typed = {"equation": ["u_t - u_xx"], "independent": ["t", "x"], "dependent": ["u"]}
    run = make_background("truth", "failed", typed=typed, error={"type": "X", "message": "it broke", "hint": ""})
    app = open_page("run", run=run.id)
    assert app.title[0].value.replace("\\", "") == "u_t - u_xx"
    assert "truth truth" not in words(app) and "truth · " in words(app)
