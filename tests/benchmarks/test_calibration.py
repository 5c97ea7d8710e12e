"""Random equations are what they promise, and rows that disagree are counted as such."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def row(**changed):
    """An equation whose two symmetries were found and proved."""
    plain = {
        "number": 1, "seed": 0, "equation": "u*u_x + u_t - u_xxx = 0 (t < 4, x < 16)", "families": 0,
        "derived": [["∂t", 1.0, 1e-12], ["∂x", 1.0, 1e-12]], "linear": False, "count": 2, "proved": ["∂t", "∂x"],
        "outside": [], "holds": True, "wall": 1.0, "slots": [[1e-12, "exact"], [1e-12, "exact"], [0.3, "none"]],
        "spectrum": [1e-12, 1e-12, 0.2, 0.3], "warnings": [],
    }  # fmt: skip
    return plain | changed


def test_a_number_is_the_same_equation_in_every_process():
    from random_equations import equation, text

    code = "from random_equations import *; print([text(equation(n)) for n in (3, 44)])"
    said = subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str([text(equation(n)) for n in (3, 44)])


@pytest.mark.slow
def test_equations_are_of_every_kind_and_can_be_simulated_as_far_as_they_say():
    from calibration_tables import moving, order
    from random_equations import equation, text

    from lieapp.data.declared import check_discovery

    seen = set()
    for number in range(40):
        pde = equation(number)
        check_discovery(pde)
        told = {"equation": text(pde)}
        seen |= {order(told), moving(told), "v_t" in told["equation"]}
    assert seen >= {2, 3, 4, 5, "t", "x", "", True, False}


@pytest.mark.parametrize(
    ("changed", "false", "lost", "open_", "good"),
    [
        ({}, 0, 0, 0, True),
        ({"count": 3}, 1, 0, 1, False),
        ({"outside": ["u ∂u"], "proved": ["∂t", "∂x", "u ∂u"]}, 1, 0, 0, True),
        ({"count": 1, "proved": ["∂t"], "holds": False}, 0, 1, 0, False),
        ({"proved": ["∂t"], "holds": False}, 0, 1, 1, True),
        ({"families": 1, "count": 7}, 0, 0, 5, True),
    ],
)  # fmt: skip
def test_disagreements_are_counted(changed, false, lost, open_, good):
    from calibration_tables import false_exact, missed, right, undecided

    made = row(**changed)
    assert (false_exact(made), len(missed(made)), undecided(made), right(made)) == (false, lost, open_, good)


def test_an_incomplete_derivation_is_no_ground_truth(tmp_path, monkeypatch):
    from calibration_tables import write

    monkeypatch.setattr(sys, "argv", ["calibration.py"])
    told = ["the derivation left equations unsolved; more generators may exist"]
    write([row(), row(number=7, count=3, outside=["u ∂u"], warnings=told)], tmp_path)
    text = (tmp_path / "calibration.md").read_text()
    assert "equations with a false exact slot | 0 of 1" in text and "- 7, u*u_x" in text


def test_intervals_hold_known_shares():
    """0 of n: the upper end is 1 - (α/2)^(1/n)."""
    from calibration_tables import share

    assert share(0, 200) == f"0 of 200: 0.0 % (0.0–{100 * (1 - 0.025 ** (1 / 200)):.1f})"
    assert share(5, 5).startswith("5 of 5: 100.0 % (")
    assert share(0, 0) == "none"


def test_the_tables_and_curves_are_written(tmp_path, monkeypatch):
    from calibration_tables import write

    monkeypatch.setattr(sys, "argv", ["calibration.py"])
    varied = [row(changed={"noise": share}, proved=["∂t"]) for share in (0.01, 0.05)]
    failed = {"number": 2, "seed": 0, "equation": "u_t - u_xx = 0 (t < 1, x < 8)", "failed": "SimulationError: no"}
    write([row(), row(seed=1, count=3), *varied, failed], tmp_path)
    text = (tmp_path / "calibration.md").read_text()
    assert all(part in text for part in ("0 of 1: 0.0 %", "false exact: 1", "0.01: 1/2", "SimulationError"))
    assert (tmp_path / "calibration_noise.svg").read_text().count("<svg") == 1
