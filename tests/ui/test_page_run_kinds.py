"""Run: kinds that are no discovery on an equation: pictures, train, augment, truth, data, and unknown ones."""

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save_file
from truth_results import truth_result

from lieapp.document import Formula
from lieapp.pictures.document import right_chart
from lieapp.results.base import Result
from lieapp.results.characteristics import CharacteristicFound, GeneralisedFromData
from lieapp.results.classification import BranchResult, ClassifyResult
from lieapp.results.conserved import LawFound, LawsFromData, SameTotal, Unconserved
from lieapp.results.discovery import Spectrum
from lieapp.results.sweep import Cell, Row, Spread, Sweep
from lieapp.results.training import Planted
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import encode


@pytest.fixture
def finished(make_run):
    """A done run of a kind, with a result."""

    def make(kind, result):
        run = make_run("done")
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        (run / "config.json").write_text(json.dumps({**config, "kind": kind}), encoding="utf-8")
        RunDirectory(run).write_summary(result)
        (run / "fields.safetensors").unlink()
        return run

    return make


@pytest.fixture
def pictures(finished, made):
    """A discovery on pictures, with moved pictures."""
    run = finished("discover", made.pictures())
    s = np.array([-0.4, -0.2, 0, 0.2, 0.4], dtype=np.float32)
    moved = np.random.default_rng(0).random((2, 5, 3, 1, 8, 8), dtype=np.float32)
    plane = {"learned": np.ones((2, 2, 8, 8), np.float32), "weight": np.ones((8, 8), np.float32)}
    save_file({"orbit/s": s, "orbit/pictures": moved, **plane}, run / "fields.safetensors")
    return run


def test_pictures(open_page, pictures, words):
    text = words(open_page("run", run=pictures.name))
    assert "1 of 2 slots are affine" in text and "few pictures" in text
    assert "| 1 | 0.066 | 0.999 | rotation | 0.9991 |" in text and "-y,partial_{x} + x,partial_{y}" in text
    # pictures aren't clipped
    assert "clipped" not in text.lower() and "Affine fields" in text


def test_a_sweep(open_page, finished, words):
    cells = [
        Cell(key={"plugin": "ckdv", "seed": seed}, state="done", run=f"runs/{seed}", count=seed) for seed in (1, 3)
    ]
    spread = Spread.of([1, 3])
    rows = [Row(key={"plugin": "ckdv"}, cells=2, done=2, count=spread)]
    run = finished("sweep", Sweep(cells=cells, table=rows, sentence="2 of 2 cells are done"))
    text = " ".join(words(open_page("run", run=run.name)).split())
    assert "2 of 2 cells are done" in text and "| ckdv | 2/2 | 2 ± 1.4 (1 to 3) |" in text


def test_figures_of_pictures(open_page, pictures, words):
    app = open_page("run", run=pictures.name, view="Figures")
    text = words(app)
    assert "Fields in the plane" in text and "moved along slot 2" in text and "Weight of pixels" in text
    # two fields, the weight, and a strip of the second slot
    assert len(app.get("plotly_chart")) == 4


def test_colours_have_their_cross_check(open_page, finished, made, words):
    text = words(open_page("run", run=finished("discover", made.colors()).name))
    assert "| 1 | 0.050 | 0.990 | brightness | 0.9800 | −0.98 brightness | 0.125 |" in text
    assert "| 1 | 0.200 | −0.98 brightness |" in text and "0.25 rad" in text and "Named fields" in text


def test_the_slider_moves_pictures(open_page, pictures, words):
    app = open_page("run", run=pictures.name, view="Slots", s="-0.2")
    assert "Features turn by **0.050 rad** at s = -0.2" in words(app)
    # the field of this slot and no other, with its axes
    assert len(app.get("plotly_chart")) == 2 and "reaches from −1 to 1" in words(app)
    before = app.get("plotly_chart")[0].proto.SerializeToString()
    app.select_slider(key="s").set_value(0.4).run()
    assert not app.exception and "**0.084 rad** at s = 0.4" in words(app)
    assert app.get("plotly_chart")[0].proto.SerializeToString() != before
    app.select_slider(key="s").set_value(0.0).run()
    assert "**0 rad** at s = 0," in words(app)


def test_conservation_laws(open_page, finished, words):
    shown, times = Formula("u**2", "u^{2}"), [0.0, 1.0, 2.0]
    law = LawFound(
        density="u**2", shown=shown, flux={"x": "2*u**3/3"}, multiplier=["2*u"], order=0, proved=True,
        verdict="proved", eta=1e-6, drift=2e-5, values=[1.0, 1.0, 1.0],
    )  # fmt: skip
    mass = SameTotal(density="u", shown=Formula("u", "u"), value=0.0, proved=True)
    other = Unconserved(density="u**3", shown=Formula("u**3", "u^{3}"), drift=0.4, values=[0.1, 0.3, 0.5])
    result = LawsFromData(
        sentence="Found 1 conservation law, proved: u**2", count=1, laws=[law], same=[mass], same_directions=1,
        spectrum=Spectrum(method="quotient of variances", eta=[1e-6, 0.5, 0.9], gap_after=1), derived=2, time=times,
        candidates=["u", "u**2", "u**3"], unconserved=other, seconds={"total": 3.0},
    )  # fmt: skip
    app = open_page("run", run=finished("discover", result).name)
    text = words(app)
    assert "Found 1 conservation law" in text and "u^{2}" in text and "conserved by the equation, proved" in text
    assert len(app.get("plotly_chart")) == 2 and "Totals along a held-out trajectory" in text


def test_generalised_symmetries(open_page, finished, words):
    row = CharacteristicFound(
        characteristic={"u": "u_x"}, characteristic_shown=[Formula("u_x", "u_{x}")], order=1, kind="point",
        proved=True, verdict="proved", eta=1e-9,
    )  # fmt: skip
    result = GeneralisedFromData(
        sentence="Found 1 symmetry", count=1, generalised=[row], order=3, derived=1, candidates=["1", "u_x"],
        spectrum=Spectrum(method="spectrum", eta=[1e-9, 0.5], gap_after=1), kept=[5],
    )  # fmt: skip
    app = open_page("run", run=finished("discover", result).name)
    text = words(app)
    assert "u_{x}" in text and "| point | 1 | proved |" in text and "this class holds 1 symmetry" in text
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.parametrize("view", ["Comparison", "Slots", "Figures", "Training", "Origin"])
def test_pictures_without_their_files(open_page, pictures, view):
    (pictures / "fields.safetensors").unlink()
    assert not open_page("run", run=pictures.name, view=view).error


@pytest.mark.parametrize("content", [b"{", b'{"result": "pictures", "s": "none"}'])
def test_a_result_that_cannot_be_read_is_told(open_page, pictures, words, content):
    (pictures / "summary.json").write_bytes(content)
    app = open_page("run", run=pictures.name)
    assert "can't be read" in words(app) and "run it again" in words(app) and app.error


def test_a_training(open_page, finished, made, words):
    run = finished("train", made.training())
    app = open_page("run", run=run.name)
    text = words(app)
    assert "93.0 % are told right" in text
    assert (
        "| Accuracy | Loss | Training |\n| --: | --: | --: |\n| 93.0 % | 0.25 | from the cache |"
        in text.replace("\xa0", " ")
    )
    assert "| network | small, 24058 parameters |" in text and "| classes | 2: a, b |" in text
    assert "the network was in the cache" in text and not app.get("plotly_chart")
    assert "total 3.0" in words(open_page("run", run=run.name, view="Origin"))


def test_a_planted_network(open_page, finished, made, words):
    planted = Planted(
        field="rotation", reach=0.72, angle=0.18, angle_before=0.56, others={"shear along x": 0.36},
        others_before={"shear along x": 0.61}, accuracy_before=0.975,
    )  # fmt: skip
    settings = {"invariance": "rotation", "planting": {"features": 16, "ridge": 0.02}, "epochs": 6}
    run = finished("train", made.training(planted=planted, loss=None, settings=settings))
    app = open_page("run", run=run.name)
    text = words(app).replace("\xa0", " ")
    assert not app.exception and not app.get("plotly_chart") and "No curves" not in text
    assert "| 93.0 % | – | from the cache |" in text and "the nearest mean feature, which has no loss" in text
    assert "| rotation (planted) | 0.56 | 0.18 |\n| shear along x | 0.61 | 0.36 |" in text
    assert "| invariance | rotation |\n| planting | features = 16, ridge = 0.02 |" in text and "epochs" not in text
    links = [link.proto.label for link in app.get("page_link")]
    assert "Run again with changes" in links and "Derive" not in links


def test_a_training_with_its_curve(open_page, finished, made, words):
    result = made.training(seconds={"training": 61.0}, cached=False)
    run = finished("train", result)
    result.file = f"{run}/network.safetensors"
    RunDirectory(run).write_summary(result)
    steps = [{"step": k, "loss": 2.0, "right": 0.5, "epoch": 1, "stage": "training"} for k in (1, 2, 3)]
    lines = "".join(json.dumps(step) + "\n" for step in steps)
    (run / "metrics.jsonl").write_text(lines, encoding="utf-8")
    app = open_page("run", run=run.name)
    assert len(app.get("plotly_chart")) == 1 and "| 1 min 1 s |" in words(app).replace("\xa0", " ")
    assert f"`lieapp discover --plugin ckdv --set trained={run}/network.safetensors`" in words(app)
    (run / "metrics.jsonl").unlink()
    assert right_chart([{}]) is None
    assert "No curves: no steps were recorded." in words(open_page("run", run=run.name))


def test_networks_on_moved_data(open_page, finished, made, words):
    result = made.operators()
    result.task, result.gap = "single", 70
    result.variants = [
        made.entry("none", 32, [0.4, 0.6], seconds=2.0), made.entry("truth", 32, [0.1, 0.1], seconds=2.0),
    ]  # fmt: skip
    run = finished("augment", result)
    lines = [{"variant": "none", "samples": 32, "epoch": e, "valid": 1 / e, "loss": 1, "step": e} for e in (1, 2)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    app = open_page("run", run=run.name)
    assert "| 32 | truth | 0.1 ± 0 | 5.00 | 0.1, 0.1 | 2.0 |" in words(app).replace("\xa0", " ")
    (told,) = [head.help for head in app.subheader if head.value == "Results"]
    assert all(f"**{word}.**" in told for word in ("Variant", "NMSE", "Rollout"))
    assert "**NMSE.** Normalised mean squared error" in told
    # validation alone: one number of data, and no rollout
    assert len(app.get("plotly_chart")) == 1


def test_networks_on_moved_pictures(open_page, finished, made, words):
    result = made.classifiers()
    result.variants = [made.entry("none", 500, [0.8, 0.9], spread=0.07)]
    app = open_page("run", run=finished("augment", result).name)
    assert not app.exception
    assert "| 500 | none | 85.0 ± 7.0 |" in words(app).replace("\xa0", " ") and "test pictures" in words(app)


def test_a_derivation(open_page, finished, words):
    run = finished("truth", msgspec.to_builtins(truth_result()))
    assert "partial_{x}" in words(open_page("run", run=run.name))


def test_a_classification(open_page, finished, words):
    branch = BranchResult(
        conditions=["n = 0"], parent=None, where={"n": "0"}, parameters=[], dimension=6, infinite=True,
        generators=[], more=[], families=[], certified=True, unsolved=[],
    )  # fmt: skip
    result = ClassifyResult(
        sentence="no special cases", branches=[branch], left=["k + 1 = 0"], excluded=[], pending=[], seen=[],
        seconds=1.0, equation_shown=[],
    )  # fmt: skip
    text = words(open_page("run", run=finished("classify", msgspec.to_builtins(result)).name))
    assert "6 + families" in text and "k + 1 = 0" in text


class Counted(Result, tag_field="result", tag="test-counted", kw_only=True):
    """A result of a plugin's."""

    samples: int
    rows: list[dict[str, Any]]
    nested: dict[str, int]
    empty: list[int]
    mixed: list[Any]


@pytest.mark.parametrize("known", [True, False])
def test_a_result_of_a_plugin_shows_what_it_holds(open_page, finished, words, known):
    rows = [{"name": "a|b *c*", "value": 1.5, "more": [1]}, {"name": "d"}]
    found = Counted(
        sentence="64 of 64", warnings=["few"], samples=64, rows=rows, nested={"deep": 1}, empty=[],
        mixed=[1, {"a": 2}],
    )  # fmt: skip
    content = json.loads(encode(found))
    # of a plugin that is gone what all results have
    run = finished("count", content if known else {**content, "result": "test-gone"})
    text = words(open_page("run", run=run.name))
    assert "64 of 64" in text and "few" in text and "deep" not in text
    assert ("| samples | 64 |" in text) is known
    assert ("| a|b *c* | 1.5 |" in text) is known and ("| d | – |" in text) is known


STATES = [("train", state) for state in ("queued", "running", "failed", "cancelled", "lost")]
STATES += [(kind, "failed") for kind in ("augment", "truth", "data", "of a later version")]


@pytest.mark.parametrize(("kind", "state"), STATES)
def test_states_of_other_kinds(open_page, make_run, words, kind, state):
    run = make_run(state, error={"type": "X", "message": "it broke", "hint": ""} if state == "failed" else None)
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    (run / "config.json").write_text(json.dumps({**config, "kind": kind}), encoding="utf-8")
    text = words(open_page("run", run=run.name))
    assert {"failed": "it broke", "queued": "Queued for"}.get(state, "") in text
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
