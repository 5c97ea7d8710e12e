"""`lieapp train`, `discover` and `check` on pictures, end to end at a small size, and what they refuse."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.json import encode
from PIL import Image
from safetensors.torch import load_file, save_file
from small_pictures import DISCOVER

from lieapp.augment.classifier import ClassifierTraining
from lieapp.pictures.extractor import read_extractor
from lieapp.report.current import current_fields
from lieapp.results.base import decode
from lieapp.runs.store.directory import RunDirectory

TURNING = '''"""Pictures seen by an extractor of their own."""
from lieapp.api import Images, hookimpl

def features(pixels):
    import torch
    return torch.stack([pixels.mean((1, 2, 3)), pixels.square().mean((1, 2, 3)), pixels[:, 0, :, 3].sum(1)], 1) + .1

mine = Images(name="mine", title="Mine", data="set.npz", flip=False, features=FEATURES)

@hookimpl
def lieapp_domains():
    return [mine]
'''
TRAIN = ("--set", "batch=16", "--set", "base=4", "--set", "threads=1", "--set", "epochs=2")


@pytest.fixture
def mine(tmp_path, place):
    (tmp_path / "plugins").mkdir()

    def write(features="features"):
        (tmp_path / "plugins" / "mine.py").write_text(TURNING.replace("FEATURES", features))

    write()
    return write


def in_state(folder, state):
    """The only run in a state."""
    (run,) = [run for run in RunDirectory.list(folder / "runs") if run.state == state]
    return run


def test_a_network_that_a_killed_run_has_trained_is_its_own(lieapp, place, tmp_path):
    first = lieapp("train", "--plugin", "images", "--data", place, *TRAIN, "--json").json
    run = RunDirectory.find(tmp_path / "runs", first["run"])
    rows = run.metrics()
    # as it is left by a kill between the cache and the result
    for name in ("summary.json", "network.safetensors"):
        (run.path / name).unlink()
    run.update(state="failed")
    again = lieapp("train", "--resume", first["run"], "--json").json
    assert {**again, "seconds": None} == {**first, "seconds": None} and again["cached"] is False
    assert run.metrics() == rows


def test_a_network_is_trained_once(lieapp, place, tmp_path):
    words = ("train", "--plugin", "images", "--data", place, *TRAIN, "--json")
    said = lieapp(*words)
    assert said.code == 0, said.err
    first = said.json
    assert first["learned_from"] == 72 and first["judged_on"] == 8 and first["cached"] is False
    run = RunDirectory.find(tmp_path / "runs", first["run"])
    assert run.state == "done" and run.config()["kind"] == "train" and run.summary() == decode(encode(first))
    assert [row["step"] for row in run.metrics()] == list(range(1, 9))
    assert "Validation accuracy" in (run.path / "report.html").read_text()
    assert (run.path / "figures" / "right.svg").exists()
    assert read_extractor(run.path / "network.safetensors")[1].accuracy == first["accuracy"]
    again = lieapp(*words).json
    assert again["cached"] is True and again["accuracy"] == first["accuracy"]
    other = lieapp(*words[:-1], "--seed", "1", "--json").json
    assert other["cached"] is False
    assert lieapp("train", "--resume", first["run"], "--json").json == first
    assert "Validation accuracy" in lieapp("train", "--plugin", "images", "--data", place, *TRAIN).out
    assert "train" in lieapp("runs", "list").out


def test_a_training_that_was_stopped_goes_on(lieapp, place, tmp_path, monkeypatch):
    words = ("train", "--plugin", "images", "--data", place, *TRAIN, "--json")
    whole = lieapp(*words).json
    (tmp_path / "cache" / "networks").rename(tmp_path / "aside")
    step = ClassifierTraining.step

    def stopped(self):
        row = step(self)
        if self.done == 3:
            in_state(tmp_path, "running").request_cancel()
        return row

    with monkeypatch.context() as patch:
        patch.setattr(ClassifierTraining, "step", stopped)
        assert lieapp(*words).code == 130
    run = in_state(tmp_path, "cancelled")
    said = lieapp("train", "--resume", run.id, "--json")
    assert said.json["loss"] == whole["loss"] and "resumed at step 3 of 8" in said.err
    assert [row["step"] for row in run.metrics()] == list(range(1, 9))


def test_discover_trains_what_the_cache_lacks(lieapp, place, tmp_path, monkeypatch):
    from lieapp.config_training import TrainConfig

    monkeypatch.setattr(TrainConfig, "presets", {"quick": {"epochs": 1, "batch": 16, "base": 4}, "paper": {}})
    words = ("discover", "--plugin", "images", "--data", place, *DISCOVER, "--json")
    said = lieapp(*words)
    assert said.code == 0, said.err
    found = said.json
    assert found["domain"] == "images" and found["method"] == "flow" and found["network"]["cached"] is False
    assert [row["slot"] for row in found["generators"]] == [1, 2]
    assert all(0 <= row["angle"] <= 3.2 and 0 <= row["affine"] <= 1 for row in found["generators"])
    assert [row["name"] for row in found["reference"]][-1] == "rotation" and len(found["inner"][0]) == 8
    assert found["count"] is None and found["truth"] == []
    run = RunDirectory.find(tmp_path / "runs", found["run"])
    assert run.summary() == decode(encode(found)) and run.state == "done"
    tensors = load_file(run.path / "fields.safetensors")
    assert tensors["learned"].shape == (2, 2, 9, 8) and tensors["orbit/pictures"].shape == (2, 5, 6, 1, 9, 8)
    still = tensors["orbit/pictures"][:, 2]
    assert torch.allclose(still, tensors["pictures"].expand_as(still), atol=1e-5)
    assert len(list(csv.reader((run.path / "generators.csv").open()))) == 1 + 2 + 8
    page = (run.path / "report.html").read_text()
    assert page.count("<svg") == 5 and "Angle of features over s" in page
    # the weight, both fields over it and a bar of colours for each figure; a strip is one picture
    assert page.count("data:image/png") == (1 + 1) + (2 + 1) + 2
    assert "along slot 2" in page and "rotation" in page and "<script" not in page
    assert {path.stem for path in (run.path / "figures").iterdir()} == {
        "angles",
        "weight",
        "fields",
        "strip1",
        "strip2",
    }
    again = lieapp(*words).json
    assert again["network"]["cached"] is True and again["generators"] == found["generators"]
    told = [RunDirectory.find(tmp_path / "runs", one["run"]).path / "log.txt" for one in (found, again)]
    assert "weight of pixels: measured, kept" in told[0].read_text()
    assert "weight of pixels: measured before" in told[1].read_text()
    assert lieapp("discover", "--resume", found["run"], "--json").json == found


def test_a_discovery_that_was_stopped_goes_on(lieapp, mine, tmp_path, monkeypatch):
    from lieapp.methods.descent import Descent

    words = ("discover", "--plugin", "mine", *DISCOVER, "--json")
    whole = lieapp(*words).json
    step = Descent.step

    def stopped(self):
        row = step(self)
        if self.done == 4:
            in_state(tmp_path, "running").request_cancel()
        return row

    with monkeypatch.context() as patch:
        patch.setattr(Descent, "step", stopped)
        assert lieapp(*words).code == 130
    run = in_state(tmp_path, "cancelled")
    shown = current_fields(run.path)
    assert (shown.stage, shown.step) == ("flow", 4) and len(shown.drawing.rows[0]) == 2
    said = lieapp("discover", "--resume", run.id, "--json")
    assert current_fields(run.path) is None
    assert said.json["generators"] == whole["generators"]
    assert [row["step"] for row in run.metrics()] == [1, 2, 3, 4, 5, 6]


def test_a_classifier_of_torchvision_with_local_weights(lieapp, place, tmp_path):
    from torchvision import models

    kind = "shufflenet_v2_x0_5"
    save_file(models.get_model(kind).state_dict(), tmp_path / "w.safetensors")
    words = ("train", "--plugin", "images", "--data", place, "--set", f"network={kind}", "--set", "epochs=0")
    words += ("--set", "weights=w.safetensors", "--set", "side=32", "--set", "threads=1", "--json")
    trained = lieapp(*words)
    assert trained.code == 0, trained.err
    assert trained.json["network"] == kind and 0 <= trained.json["accuracy"] <= 1
    assert lieapp(*words).json["cached"] is True
    said = lieapp("discover", "--plugin", "images", "--data", place, *DISCOVER, "--json", "--set", "steps=2",
                  "--set", f"trained={trained.json['file']}")  # fmt: skip
    assert said.code == 0, said.err
    assert len(said.json["generators"]) == 2
    origin = said.json["network"]["origin"]
    digest = hashlib.sha256(Path(trained.json["file"]).read_bytes()).hexdigest()
    assert (origin["source"], origin["sha256"]) == (trained.json["file"], digest)
    assert said.json["network"]["input"] == [36, 32]


def test_an_extractor_of_the_plugin_s_own(lieapp, mine, tmp_path):
    said = lieapp("discover", "--plugin", "mine", *DISCOVER, "--set", "network=")
    assert said.code == 0 and "rotation" in said.out and "affine (share of at least 0.9)" in said.out
    (run,) = RunDirectory.list(tmp_path / "runs")
    assert run.config()["network"] == ""
    named = lieapp("discover", "--plugin", "mine", *DISCOVER, "--set", "network=efficientnet-lite0", "--json")
    assert "has its own features, so no network is used" in named.error["message"]
    assert lieapp("check", "--plugin", "mine", "--json").json["ok"] is True


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ("lambda p: p.detach().flatten(1)", "differentiable"),
        ("lambda p: p", "one row"),
        ("lambda p: p.nothing", "AttributeError"),
        ("lambda p: p.flatten(1) + p.new_empty(len(p), 72).normal_(std=9)", "two calls"),
    ],
)
def test_check_says_what_is_wrong_with_an_extractor(lieapp, mine, features, words):
    mine(features)
    said = lieapp("check", "--plugin", "mine", "--json")
    assert said.code == 1
    assert [c["ok"] for c in said.json["checks"]] == [True, False] and words in said.json["checks"][1]["detail"]


def test_an_extractor_that_raises_is_named(lieapp, mine):
    mine("lambda p: p.nothing")
    said = lieapp("discover", "--plugin", "mine", *DISCOVER, "--json")
    assert said.code == 1 and said.error["type"] == "PluginError" and "mine: its features" in said.error["message"]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["truth", "--plugin", "images"], "UsageError", "pictures, not an equation"),
        (["data", "--plugin", "images", "--out", "a.h5"], "UsageError", "pictures, not an equation"),
        (["train", "--plugin", "kdv"], "UsageError", "it is an equation; `lieapp train` works on pictures"),
        (["train", "--plugin", "mine"], "UsageError", "its own features"),
        (["train", "--plugin", "images", "--set", "network=large"], "ConfigError", "no network is called 'large'"),
        (["train", "--plugin", "images", "--set", "augment=blur"], "ConfigError", "the kinds are rotation"),
        (["train", "--plugin", "images", "--set", "epochs=0"], "ConfigError", "give weights"),
        (["train", "--plugin", "images", "--set", "weights=w"], "ConfigError", "set network to its name"),
        (
            ["train", "--plugin", "images", "--set", "weights=w", "--set", "network=resnet50"],
            "UsageError",
            "weights = w: there is no such file",
        ),
        (["discover", "--plugin", "images", "--set", "nodes=3"], "ConfigError", "cubic splines need 4"),
        (["train", "--plugin", "images", "--set", "validation=1"], "ConfigError", "validation is 1"),
        (["discover", "--plugin", "images", "--method", "spectrum"], "ConfigError", "method"),
        (["discover", "--plugin", "kdv", "--data", "set.npz"], "DataError", "set.npz"),
        (["discover", "--plugin", "images", "--data", "a", "--data", "b"], "UsageError", "is given 2 times"),
        (["discover", "--plugin", "images", "--set", "sigma=200"], "ConfigError", "steps"),
        (["train", "--plugin", "images", "--data", "digits", "--set", "crops=5"], "UsageError", "crops = 5: crops"),
        (["augment", "--plugin", "images", "--data", "set.npz", "--set", "crops=5"], "UsageError", "of set.npz"),
        (["train", "--plugin", "images", "--data", "digit"], "UsageError", "did you mean 'digits'"),
        (["discover", "--plugin", "images", "--set", "trained=none"], "UsageError", "there is no such file"),
        (["discover", "--plugin", "images", "--data", "foto"], "UsageError", "no such file, folder or set"),
    ],
)
def test_what_is_refused_leaves_no_run(lieapp, mine, tmp_path, arguments, kind, words):
    said = lieapp(*arguments, "--json")
    assert not (tmp_path / "runs").exists()
    assert said.code in (1, 2) and said.error["type"] == kind and words in said.error["message"]
    assert said.error["hint"]


def test_a_network_for_pictures_of_another_size(lieapp, place, tmp_path):
    trained = lieapp("train", "--plugin", "images", "--data", place, *TRAIN, "--json").json["file"]
    np.savez(tmp_path / "other.npz", images=np.zeros((8, 9, 9), np.uint8), labels=np.arange(8) % 2)
    words = ("discover", "--plugin", "images", *DISCOVER, "--set", f"trained={trained}", "--json")
    said = lieapp(*words, "--data", "other.npz")
    assert said.error["type"] == "DataError" and "trained on 1 x 9 x 8" in said.error["message"]
    assert lieapp(*words, "--data", place).code == 0


CROPS = ("--set", "crops=40", "--set", "crop_side=8")


@pytest.fixture
def photos(tmp_path):
    """Photographs of several sizes, all of one class: pictures directly in a folder."""
    (tmp_path / "photos").mkdir()
    for n in range(5):
        values = np.random.default_rng(n).integers(0, 256, (20 + 3 * n, 30 - n), dtype=np.uint8)
        Image.fromarray(values).save(tmp_path / "photos" / f"{n}.png")
    return tmp_path / "photos"


def test_a_discovery_on_crops_is_judged_on_a_photograph_of_its_own(lieapp, mine, photos, tmp_path):
    words = ("discover", "--plugin", "mine", "--data", "photos", *DISCOVER, *CROPS, "--json")
    said = lieapp(*words)
    assert said.code == 0 and not said.json["warnings"], said.err
    run = RunDirectory.find(tmp_path / "runs", said.json["run"])
    facts, (held,) = run.provenance()["data"], run.provenance()["held_out_photographs"]
    assert (facts["crops"], facts["photographs"], facts["shape"]) == (40, 5, [1, 8, 8])
    assert Path(held).parent.name == "photos" and "8 crops of 1 of 5 photographs" in said.err
    assert load_file(run.path / "fields.safetensors")["pictures"].shape == (6, 1, 8, 8)
    for file in photos.glob("[1-4].png"):
        file.unlink()
    (warning,) = lieapp(*words).json["warnings"]
    assert "one photograph: crops for validation may overlap" in warning


def test_what_is_wrong_with_photographs(lieapp, mine, photos):
    train = ("train", "--plugin", "images", "--data", "photos", *TRAIN, "--json")
    said = lieapp(*train)
    assert "pictures of several sizes: 0.png has 30 x 20 pixels, 1.png 29 x 23" in said.error["message"]
    assert "--set crops=2000" in said.error["hint"]
    assert "all 40 pictures are of one class" in lieapp(*train, *CROPS).error["message"]
    discover = ("discover", "--plugin", "mine", "--data", "photos", *DISCOVER, "--json", "--set", "crops=9")
    said = lieapp(*discover, "--set", "crop_side=21")
    assert "0.png: it has 30 x 20 pixels; its shorter side must have at least" in said.error["message"]
    assert "crop_side is 3" in lieapp(*discover, "--set", "crop_side=3").error["message"]


def test_discoveries_with_several_seeds_share_the_network(lieapp, photos, monkeypatch):
    from lieapp.config_training import TrainConfig

    monkeypatch.setattr(TrainConfig, "presets", {"quick": {"epochs": 1, "batch": 16, "base": 4}, "paper": {}})
    for n, name in enumerate(("cat", "dog")):
        (photos / name).mkdir()
        (photos / f"{n}.png").rename(photos / name / f"{n}.png")
    words = ("discover", "--plugin", "images", "--data", "photos", *DISCOVER, *CROPS, "--set", "steps=1", "--json")
    first, second = (lieapp(*words, "--seed", seed).json for seed in "01")
    assert [found["network"]["cached"] for found in (first, second)] == [False, True]
    assert first["generators"] != second["generators"]


def test_a_classifier_of_crops_says_that_its_accuracy_is_of_known_photographs(lieapp, photos, tmp_path):
    for n, name in enumerate(("cat", "cat", "dog")):
        (photos / name).mkdir(exist_ok=True)
        (photos / f"{n}.png").rename(photos / name / f"{n}.png")
    said = lieapp("train", "--plugin", "images", "--data", "photos", *TRAIN, *CROPS, "--json")
    assert said.code == 0, said.err
    assert said.json["classes"] == ["cat", "dog"] and said.json["learned_from"] + said.json["judged_on"] == 40
    assert any("1 of 2 classes have one photograph each" in text for text in said.json["warnings"])
    # a whole photograph of the cat, and one of thirteen crops of the dog
    assert said.json["judged_on"] in (13 + 1, 14 + 1)


@pytest.mark.slow
def test_the_paper_s_preset_on_a_small_cifar10(lieapp, tmp_path, monkeypatch):
    from lieapp.config_training import TRAIN_PAPER, TrainConfig

    # the whole experiment is this one command; only sizes are reduced
    monkeypatch.setattr(TrainConfig, "presets", {"quick": {}, "paper": TRAIN_PAPER | {"epochs": 1, "batch": 26}})
    folder = tmp_path / "cifar" / "cifar-10-batches-bin"
    folder.mkdir(parents=True)
    records = np.random.default_rng(0).integers(0, 256, (6, 12, 3073), dtype=np.uint8)
    records[:, :, 0] = np.arange(12) % 4
    for name, batch in zip([*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"], records, strict=True):
        (folder / f"{name}.bin").write_bytes(batch.tobytes())
    (folder / "batches.meta.txt").write_text("airplane\nautomobile\n")
    small = ("steps=2", "batch=2", "weight_pictures=16", "held_out=4", "threads=1")
    words = ("discover", "--plugin", "images", "--data", str(folder.parent), "--preset", "paper", "--json")
    said = lieapp(*words, *(word for text in small for word in ("--set", text)))
    assert said.code == 0, said.err
    found = said.json
    assert found["network"]["settings"]["network"] == "resnet18" and found["network"]["learned_from"] == 52
    assert len(found["generators"]) == 10 and found["subspace"]["angle"] > 0
    config = RunDirectory.find(tmp_path / "runs", found["run"]).config()
    flow = config["flow"]
    assert (flow["tau"], flow["trunk"], flow["ordered"], config["interpolation"]) == (7.75, 256, False, "bilinear")
