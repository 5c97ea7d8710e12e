"""Damage in a file that a resume reads is one clear error: nothing is gone on from numbers that nobody computed."""

import json
import random
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save

from lieapp.cli.main import run as command
from lieapp.config import DiscoverConfig
from lieapp.data.trajectories import Trajectories
from lieapp.errors import ResumeError
from lieapp.methods.result import Level
from lieapp.numerics.grid import Axis, Grid
from lieapp.reading import UnreadableError
from lieapp.runs.store.checkpoint import Checkpoint
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.sealed import check_sealed, opened, sealed, sealed_tensors
from lieapp.runs.store.session import SecondGo, Stopwatch


def trajectories() -> Trajectories:
    values = torch.rand(7, 20, 1, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    grid = Grid((Axis("x", 0.0, 1.0, 16, True),))
    return Trajectories(torch.linspace(0, 1, 20, dtype=torch.float64), grid, values, ("u",))


@pytest.fixture
def run(tmp_path) -> RunDirectory:
    """A run that ended early, with one of each file that a resume reads."""
    config = DiscoverConfig(plugin="heat", samples=5, held_out=2)
    run = RunDirectory.create(tmp_path, config, "heat", state="failed")
    kept = Checkpoint(run.path / "checkpoint")
    kept.save_data(trajectories())
    kept.save({"done": torch.tensor(3), "network.a": torch.ones(4)}, [Level(3, [0.1])])
    Stopwatch(run.path / "checkpoint" / "seconds.json", 0.0).save()
    (run.path / "checkpoint" / "again").write_bytes(sealed(SecondGo(8)))
    return run


def files(run: RunDirectory) -> list[Path]:
    beside = [run.path / name for name in ("config.json", "provenance.json")]
    return [*beside, *sorted(file for file in (run.path / "checkpoint").iterdir())]


def test_what_was_written_is_read_back(run):
    assert check_sealed(run.path) == []
    kept = Checkpoint(run.path / "checkpoint")
    found, expected = kept.data(), trajectories()
    assert torch.equal(found.values, expected.values) and torch.equal(found.time, expected.time)
    assert (found.grid, found.unknowns) == (expected.grid, expected.unknowns) and found.error != found.error
    tensors, levels = kept.training()
    assert torch.equal(tensors["network.a"], torch.ones(4)) and levels == [Level(3, [0.1])]
    assert run.config_as(DiscoverConfig) == DiscoverConfig(plugin="heat", samples=5, held_out=2)
    # other programs read the file as any other
    with safe_open(run.path / "checkpoint" / "data.safetensors", framework="numpy") as content:
        assert set(content.keys()) == {"time", "values"} and len(content.metadata()["sha256"]) == 64


@pytest.mark.parametrize("seed", range(40))
def test_one_changed_bit_anywhere_is_seen(run, seed):
    random.seed(seed)
    file = files(run)[seed % len(files(run))]
    content = bytearray(file.read_bytes())
    place = random.randrange(len(content))
    content[place] ^= 1 << random.randrange(8)
    try:
        # blanks between keys aren't content
        same = file.suffix != ".safetensors" and json.loads(content) == json.loads(file.read_bytes())
    except ValueError:
        same = False
    file.write_bytes(content)
    if same:
        assert check_sealed(run.path) == []
        return
    try:
        # the key's own name is changed: as if there were none
        assert check_sealed(run.path) == [file.relative_to(run.path).as_posix()]
        assert b'"sha256":' not in bytes(content[: 8 + int.from_bytes(content[:8], "little")]).replace(b": ", b":")
    except ResumeError as error:
        assert str(file) in error.message and error.hint


@pytest.mark.parametrize("name", ["data.safetensors", "training.safetensors", "seconds.json", "again"])
def test_a_damaged_file_is_not_gone_on_from(run, capsys, monkeypatch, name):
    monkeypatch.chdir(run.path.parent)
    file = run.path / "checkpoint" / name
    content = file.read_bytes()
    damage = b"\xff" * min(1000, len(content) // 4)
    file.write_bytes(content[: -len(damage) - 2] + damage + content[-2:])
    assert command(["discover", "--resume", str(run.path), "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["type"] == "ResumeError" and str(file) in error["message"]
    assert error["hint"] == "Delete the folder checkpoint/ to start that run over."
    found = RunDirectory(run.path)
    assert found.state == "failed" and found.status().error == error and found.summary() is None


def without_checksums(run: RunDirectory, values: torch.Tensor) -> None:
    """As an earlier version left them."""
    file = run.path / "checkpoint" / "data.safetensors"
    with safe_open(file, framework="pt") as content:
        facts = content.metadata()["facts"]
        file.write_bytes(save({"time": content.get_tensor("time"), "values": values}, metadata={"facts": facts}))
    for name in ("config.json", "provenance.json", "checkpoint/seconds.json"):
        file = run.path / name
        file.write_text(json.dumps(opened(file.read_bytes())))
    (run.path / "checkpoint" / "again").write_text("8")


def test_files_of_earlier_versions_are_named_and_read(run):
    without_checksums(run, trajectories().values)
    within = [f"checkpoint/{name}" for name in ("again", "data.safetensors", "seconds.json")]
    assert check_sealed(run.path) == ["config.json", "provenance.json", *within]
    assert torch.equal(Checkpoint(run.path / "checkpoint").data().values, trajectories().values)


WRONG = {
    "nan": torch.full((7, 20, 1, 16), torch.nan, dtype=torch.float64),
    "another shape": torch.zeros(7, 20, 1, 15, dtype=torch.float64),
    "no axis": torch.zeros(3),
    "whole numbers": torch.zeros(7, 20, 1, 16, dtype=torch.int64),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_data_without_a_checksum_still_have_to_make_sense(run, wrong):
    without_checksums(run, WRONG[wrong])
    with pytest.raises(ResumeError, match=r"data\.safetensors can't be read: its? "):
        Checkpoint(run.path / "checkpoint").data()


@pytest.mark.slow
def test_data_that_are_no_numbers_are_no_result(run, capsys, monkeypatch):
    monkeypatch.chdir(run.path.parent)
    without_checksums(run, WRONG["nan"])
    assert command(["discover", "--resume", str(run.path), "--json"]) == 2
    told = capsys.readouterr()
    assert "aren't all finite" in json.loads(told.out)["error"]["message"]
    assert "without checksums" in told.err and "checkpoint/data.safetensors" in told.err


BAD_STATES = {
    "no number of steps": {"a": torch.ones(2)},
    "another one": {"done": torch.tensor(-1)},
    "several": {"done": torch.ones(3)},
    "endless": {"done": torch.tensor(float("inf"))},
    "none": {"done": torch.tensor(float("nan"))},
    "complex": {"done": torch.tensor(1j)},
}


@pytest.mark.parametrize("why", BAD_STATES)
def test_states_of_something_else(tmp_path, why):
    kept = Checkpoint(tmp_path)
    kept.save(BAD_STATES[why], [])
    with pytest.raises(ResumeError, match="has no number of steps"):
        kept.training()
    for facts in ("{}", '{"levels": 3}', '{"levels": [{"label": "x", "eta": []}]}', "[" * 100_000):
        (tmp_path / "training.safetensors").write_bytes(sealed_tensors({"done": torch.tensor(1)}, facts=facts))
        with pytest.raises(ResumeError, match=r"training\.safetensors can't be read"):
            kept.training()


def test_json_is_that_which_was_sealed():
    value = {"b": 1.5, "a": ["ü", None, 0.1 + 0.2], "c": {"sha256": "own"}}
    content = sealed(value)
    assert opened(content) == value and list(opened(content)) == ["b", "a", "c"]
    assert opened(json.dumps(json.loads(content)).encode()) == value, "blanks don't matter"
    with pytest.raises(UnreadableError, match="checksum differs"):
        opened(content.replace(b"1.5", b"1.6"))
