"""The table of torchrun: what a step takes, and how far losses and files are apart."""

import pytest
from torchrun import Run, lines


def run(processes, **changed):
    plain = {
        "training": "flow", "processes": processes, "threads": 1, "load": 0.0, "wall": 9.0,
        "losses": [1.0, 2.0, -4.0], "seconds": [0.5, 0.6, 0.7], "files": ["config.json", "metrics.jsonl"],
    }  # fmt: skip
    return Run(**plain | changed)


def test_what_comes_between_steps_is_no_part_of_them():
    seconds = [0.0, 0.1, 0.2, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7]
    assert run(1, seconds=seconds).step == pytest.approx(100)


def test_losses_are_compared_step_by_step_and_files_by_name():
    other = run(2, losses=[1.0, 2.0, -5.0], seconds=[0.0, 0.05, 0.1], files=["config.json"])
    [line] = lines([(run(1), other, run(1, losses=[1.0, 3.0, -4.0]))])
    assert line == ("flow", "3", "100.0", "50.0", "2.00", "2.5e-01", "5.0e-01", "2, but for metrics.jsonl")
    with pytest.raises(ValueError, match="shorter"):
        list(lines([(run(1), run(2, losses=[1.0]), run(1))]))
