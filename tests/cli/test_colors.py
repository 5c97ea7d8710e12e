"""`lieapp discover` and `check` on colours, end to end at a small size, and what they refuse."""

import csv
import importlib.util

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from lieapp.runs.store.directory import RunDirectory

OWN = '''"""Colour pictures seen by an extractor of their own."""
from lieapp.api import Colors, hookimpl

def features(pixels):
    return pixels.flatten(1)

mine = Colors(name="mine", title="Mine", data="set.npz", flip=False, features=FEATURES)

@hookimpl
def lieapp_domains():
    return [mine]
'''
SMALL = tuple(
    part
    for text in (
        "steps=6", "batch=4", "trunk=16", "head=8", "held_out=8", "threads=1", "colors=40", "weight_pictures=10",
        "lattice=5",
    )
    for part in ("--set", text)
)  # fmt: skip
COLORED = np.random.default_rng(0).integers(0, 256, (80, 6, 6, 3), dtype=np.uint8)
LABELS = np.arange(80) % 2


@pytest.fixture(autouse=True)
def mine(tmp_path):
    """A plugin called mine, and its pictures in set.npz."""
    (tmp_path / "plugins").mkdir()

    def write(features="features", images=COLORED, labels=LABELS):
        np.savez(tmp_path / "set.npz", images=images, labels=labels)
        (tmp_path / "plugins" / "mine.py").write_text(OWN.replace("FEATURES", features))

    write()
    return write


@pytest.mark.parametrize("interpolation", ["trilinear", "nearest"])
def test_a_discovery_of_colours(lieapp, tmp_path, interpolation):
    words = ("discover", "--plugin", "mine", *SMALL, "--set", f"interpolation={interpolation}", "--json")
    said = lieapp(*words)
    assert said.code == 0, said.err
    found = said.json
    assert found["domain"] == "colors" and found["coordinates"] == ["r", "g", "b"] and found["network"] is None
    assert [row["slot"] for row in found["generators"]] == [1, 2, 3]
    names = [row["name"] for row in found["reference"]]
    assert [row["basic"] for row in found["reference"]] == [True] * 6 + [False] * 3
    assert found["basis"]["names"] == names[:6] and len(found["basis"]["inner"][0]) == 6
    for row, along in zip(found["generators"], found["basis"]["inner"], strict=True):
        assert row["named"] == pytest.approx(np.linalg.norm(along), abs=1e-5) and 1 <= len(row["components"]) <= 3
        assert row["nearest"]["name"] in names
    assert len(found["clipped"]) == 3 and all(0 <= part <= 1 for part in found["clipped"])
    # an angle doesn't see the length of features, which are the pixels
    still = found["reference"][names.index("brightness")]
    assert still["angle"] < min(row["angle"] for row in found["reference"] if row is not still)
    check = found["cross_check"]
    assert check["slopes"] == sorted(check["slopes"]) and check["slopes"][0] < 0.01 * check["slopes"][1]
    ((lowest,), *_) = check["components"]
    assert lowest["name"] == "brightness" and abs(lowest["value"]) == pytest.approx(1, abs=1e-3)
    assert len(check["cosines"]) == 3 and 0 <= check["angle"] <= np.pi / 2
    run = RunDirectory.find(tmp_path / "runs", found["run"])
    tensors = load_file(run.path / "fields.safetensors")
    assert tensors["colors"].shape == (3, 40) and tensors["weight"].shape == (40,)
    assert tensors["learned"].shape == (3, 3, 40) and tensors["palette/colors"].shape == (3, 7, 3, 40)
    assert torch.allclose(tensors["palette/colors"][:, 3], tensors["colors"].expand(3, 3, 40), atol=1e-5)
    assert tensors["orbit/pictures"].shape == (3, 5, 6, 3, 6, 6)
    assert len(list(csv.reader((run.path / "generators.csv").open()))) == 1 + 3 + 9
    page = (run.path / "report.html").read_text()
    assert (
        page.count("<svg") == 7
        and "Angle of features over s" in page
        and "Moved palettes" in page
        and "<script" not in page
    )
    figures = {path.stem for path in (run.path / "figures").iterdir()}
    assert figures == {"angles", "fields", "palette", "weight", "strip1", "strip2", "strip3"}
    again = lieapp(*words).json
    assert again["generators"] == found["generators"]
    assert lieapp("discover", "--resume", found["run"], "--json").json == found


def test_what_is_printed_and_checked(lieapp):
    said = lieapp("discover", "--plugin", "mine", *SMALL)
    assert said.code == 0 and "hue rotation" in said.out and "nearly made of named fields" in said.out
    assert "clipped" in said.out
    assert lieapp("check", "--plugin", "mine", "--json").json["ok"] is True


GREY = COLORED.mean(3).astype(np.uint8)


@pytest.mark.parametrize(
    ("images", "labels", "words"),
    [
        (GREY, LABELS, "the pictures are grey, of 1 channel"),
        (np.repeat(GREY[..., None], 3, 3), LABELS, "the pictures are grey: red, green and blue differ by 0"),
        ((COLORED // 200 * 200)[:, :4, :4] * [[[1, 0, 0]]], LABELS, "the pictures have 2 colours"),
        (COLORED / 100, LABELS, "floats must lie in"),
    ],
    ids=["one channel", "equal channels", "two colours", "beyond the range"],
)
def test_pictures_that_cannot_be_used(lieapp, mine, images, labels, words):
    mine(images=images.astype(np.uint8) if images.dtype.kind == "i" else images, labels=labels)
    said = lieapp("discover", "--plugin", "mine", *SMALL, "--json")
    assert said.code == 1 and said.error["type"] == "DataError" and words in said.error["message"]
    assert said.error["hint"] and "Traceback" not in said.err
    (check, *_) = (c for c in lieapp("check", "--plugin", "mine", "--json").json["checks"] if not c["ok"])
    assert words in check["detail"]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["discover", "--plugin", "mine", "--set", "padding=zeros"], "ConfigError", "padding"),
        (["discover", "--plugin", "mine", "--set", "interpolation=cubic"], "ConfigError", "nearest, trilinear"),
        (["discover", "--plugin", "mine", "--set", "colors=3"], "ConfigError", "colors is 3"),
        (["discover", "--plugin", "mine", "--set", "network=alexnet"], "ConfigError", "its own features"),
        (["discover", "--plugin", "mine", "--data", "none.npz"], "UsageError", "no such file, folder or set"),
        (["train", "--plugin", "mine"], "UsageError", "its own features"),
        (["truth", "--plugin", "colors"], "UsageError", "pictures, not an equation"),
    ],
    ids=["padding", "interpolation", "colors", "network", "data", "train", "truth"],
)
def test_what_is_refused_leaves_no_run(lieapp, tmp_path, arguments, kind, words):
    said = lieapp(*arguments, "--json")
    assert not (tmp_path / "runs").exists()
    assert said.code in (1, 2) and said.error["type"] == kind and words in said.error["message"]
    assert said.error["hint"]


def test_without_the_packages_of_the_ready_made_network(lieapp, tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "lieapp.extension.find_spec", lambda name: None if "efficientnet" in name else find(name)
    )
    said = lieapp("discover", "--plugin", "colors", "--set", "network=efficientnet-lite0", "--json")
    assert said.error["type"] == "ConfigError" and "efficientnet-lite-pytorch and" in said.error["message"]
    assert "lieapp[efficientnet]" in said.error["hint"] and not (tmp_path / "runs").exists()


def test_without_scikit_image(lieapp, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "skimage", None)
    said = lieapp("discover", "--plugin", "colors", *SMALL, "--json")
    assert said.error["type"] == "DataError" and "scikit-image" in said.error["message"]
    assert "lieapp[images]" in said.error["hint"]


def test_the_ready_made_network(lieapp, mine):
    mine(features="None", labels=0 * LABELS)  # one class: nothing is trained
    few = ("--set", "steps=1", "--set", "batch=1", "--set", "held_out=2", "--set", "weight_pictures=1")
    words = ("discover", "--plugin", "mine", *SMALL, *few, "--slots", "1", "--json")
    said = lieapp(*words, "--set", "network=trained")
    assert "of one class; a classifier needs at least two" in said.error["message"]
    assert "efficientnet-lite0" in said.error["hint"]
    # where it is installed, it is the default
    said = lieapp(*words)
    assert said.code == 0, said.err
    network = said.json["network"]
    assert network["network"] == "efficientnet-lite0" and network["input"] == [64, 64]
    assert network["origin"]["accuracy"] == 0.751 and "model 0." in network["origin"]["source"]
    assert said.json["generators"][0]["angle"] > 0


@pytest.mark.slow
def test_the_ready_network_is_trained_further(lieapp, mine):
    mine(images=COLORED[:24], labels=LABELS[:24], features="None")
    words = ("train", "--plugin", "mine", "--set", "network=efficientnet-lite0", "--set", "threads=1", "--json")
    quick = ("--set", "epochs=1", "--set", "batch=12")
    assert any("set rate=0.0005" in words for words in lieapp(*words, *quick).json["warnings"])
    trained = lieapp(*words, *quick, "--set", "rate=0.0005")
    assert trained.code == 0, trained.err
    assert trained.json["network"] == "efficientnet-lite0"
    assert not any("set rate" in words for words in trained.json["warnings"])
    few = ("--set", "steps=1", "--set", "batch=1", "--set", "held_out=2", "--set", "weight_pictures=1")
    found = lieapp(
        "discover", "--plugin", "mine", *SMALL, *few, "--slots", "1", "--set", f"trained={trained.json['file']}",
        "--json",
    )  # fmt: skip
    assert found.code == 0, found.err
    assert found.json["network"]["settings"]["network"] == "efficientnet-lite0"
    assert found.json["network"]["input"] == [64, 64] and found.json["generators"][0]["angle"] > 0
