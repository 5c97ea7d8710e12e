"""The sweep files of the benchmarks, and what is made of their cells."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from lieapp.results.sweep import Cell, Sweep
from lieapp.runs.store.status import Status
from lieapp.sweeps.resolve import resolve
from lieapp.sweeps.spec import read_sweep

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "benchmarks" / "sweeps").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_cell_of_a_benchmark_can_run(file, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    sweep = read_sweep(file)
    assert len(resolve(sweep, file.name, tmp_path).plans) == sweep.size


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The folder of a sweep of two cells: a discovery that found everything, and a failure."""
    from lieapp import discover

    out = tmp_path_factory.mktemp("runs")
    made = discover("heat", method="spectrum", samples=6, held_out=2, cross_check=False, out=out, quiet=True)
    (folder := out / "sweep").mkdir()
    (folder / "cells.csv").write_text("state\ndone\n")
    cells = [Cell(key={}, state="done", run=f"runs/{made.directory.id}"), Cell(key={}, state="failed")]
    (folder / "summary.json").write_bytes(msgspec.json.encode(Sweep(cells=cells)))
    return folder


def test_rows_of_a_sweep_take_the_place_of_earlier_ones(swept, monkeypatch, tmp_path):
    import harder

    rows = json.loads((ROOT / "benchmarks" / "results" / "harder.json").read_text())
    rows.append({**rows[0], "equation": "heat", "count": 99})
    (tmp_path / "harder.json").write_text(json.dumps(rows))
    monkeypatch.setattr(sys, "argv", ["harder.py", str(swept), "--out", str(tmp_path)])
    harder.main()
    found = json.loads((tmp_path / "harder.json").read_text())
    assert len(found) == len(rows) and found[:-1] == rows[:-1] and found[-1]["count"] != 99
    # heat has a family: no exact field beyond the derived ones is false
    assert "| heat | spectrum | 0 |" in (tmp_path / "harder.md").read_text() and found[-1]["false_exact"] == 0


def test_the_weights_are_taken_over_from_a_sweep(swept, monkeypatch, tmp_path):
    """A cell whose slots are exact has found every generator; the table has a line for its weights."""
    import sensitivity

    monkeypatch.setattr(sensitivity, "PAPER_WEIGHTS", {(1.0, 3.0): (7, 8, 9)})
    options = ("--studies", "--sweep", str(swept), "--out", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["sensitivity.py", *options])
    sensitivity.main()
    (row,) = json.loads((tmp_path / "weights.json").read_text())
    assert row["found"] == row["right"] == len(row["names"]) == 3 and min(row["held"]) > 0.9999
    assert "| 1 | 3 | 1 | 3 | 7 | 3 | 3 |" in (tmp_path / "sensitivity.md").read_text()
    assert (tmp_path / "weights.csv").read_text() == "state\ndone\n"


def test_overhead_is_the_time_between_cells_of_one_process():
    from sweeps import overheads

    times = [(1, 0.0, 2.0), (2, 0.5, 3.0), (1, 2.25, 4.0), (2, 3.5, 5.0)]
    found = [Status(state="done", pid=pid, created=a, finished=b) for pid, a, b in times]
    assert sorted(overheads(found)) == [0.25, 0.5] and [*overheads(found[:2])] == []
