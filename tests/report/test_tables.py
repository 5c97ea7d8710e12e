"""Tables on the terminal, generators.csv, and the words they share with the report."""

import csv
import math

import pytest
from rich.console import Console

from lieapp.report import wording
from lieapp.report.tables import discover_tables, write_csv


def _printed(summary):
    console = Console(width=300, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for part in discover_tables(summary):
        console.print(part)
    return console.export_text()


def test_terminal_tables(run, synthetic):
    text = _printed(synthetic.summary(run))
    assert "candidate: falls to the floor" in text
    assert "2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u" in text
    assert text.splitlines()[-2].startswith("seconds: start 1.9, data 3.2, truth 0.8, discovery 6.7, total 12.9")
    assert "report.html" in text.splitlines()[-1]


def test_slots_are_called_exact_once_their_whole_span_is_proved(run, synthetic):
    content = synthetic.summary(run)
    content["formulas_check"] = {"dimension": 2, "proved": 2, "derived": 2, "same_span": True}
    text = _printed(content)
    assert "exact: in the proved span" in text and "candidate" not in text
    assert "2 of 4 slots exact, proved; 2 derived" in text
    content["formulas_check"]["proved"] = 1
    assert "candidate: falls to the floor" in _printed(content)


def test_terminal_tables_of_an_empty_summary():
    assert "did not reach its end" in _printed({})


def test_families_stand_beside_what_was_derived(run, synthetic):
    content = synthetic.summary(run)
    assert "family" not in _printed(content)
    content["families"] = [
        {"functions": {"alpha": ["t", "x"]}, "conditions": ["alpha_t - alpha_xx"],
         "field": {"t": "0", "x": "0", "u": "alpha"}},
        {"functions": {"beta": ["t"], "gamma": ["x"]}, "conditions": [],
         "field": {"t": "beta", "x": "gamma", "u": "0"}},
    ]  # fmt: skip
    lines = _printed(content).splitlines()
    (place,) = (k for k, line in enumerate(lines) if line.startswith("and the family alpha ∂u"))
    assert lines[place] == "and the family alpha ∂u for every alpha(t, x) where alpha_t - alpha_xx = 0"
    assert lines[place + 1].startswith("and the family beta ∂t + gamma ∂x for every beta(t), gamma(x)")
    assert lines[place + 2] == wording.MEMBERS and "more slots" in wording.MEMBERS


def test_csv_has_every_slot_and_generator(run, synthetic):
    content = synthetic.summary(run)
    content["formulas"] = [
        {
            "field": {"t": "0", "x": "1", "u": "0"},
            "verdict": "exact",
            "proved": True,
            "eta": 1e-9,
            "leftover": None,
        }
    ]
    path = run / "generators.csv"
    write_csv(content, path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["learned"] * 4 + ["formula"] + ["derived"] * 2
    assert float(rows[1]["eta"]) == 2.1e-4
    assert rows[-1]["x"] == "2*sqrt(t + 1)" and float(rows[-1]["cosine"]) == 0.99998


@pytest.mark.parametrize(
    ("value", "words"),
    [(3e-6, "3e-6"), (2.1e-4, "0.00021"), (290.4, "290"), (-0.25, "−0.25"), (None, "–"), (0.0, "0")],
)
def test_numbers(value, words):
    assert wording.number(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.999999, "0.999999"),
        (1.0000001, "1.00000"),
        (1.0, "1.00000"),
        (0.99998, "0.99998"),
        (0.6, "0.60000"),
        (0.912349, "0.91234"),
        # 1 - cos 7e-5 = 2.45e-9
        (math.cos(7e-5), "0.9999999975"),
        (1 - 2**-53, "0.9999999999"),
        (0.0, "0.00000"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_cosines_are_never_rounded_up(value, words):
    assert wording.cosine(value) == words


@pytest.mark.parametrize(("value", "words"), [(0.99996, "0.99996"), (0.9991, "0.9991"), (0.12345, "0.1234")])
def test_fewer_decimals_are_not_rounded_up_either(value, words):
    assert wording.cosine(value, 4) == words


def test_convergence_in_either_layout():
    shared = wording.convergence({"convergence": {"levels": [4, 8], "eta": [[0.1, 0.01], [0.2, 0.2]]}})
    listed = wording.convergence(
        {"convergence": [{"levels": [4, 8], "eta": [0.1, 0.01]}, {"levels": [4, 8], "eta": [0.2, 0.2]}]}
    )
    assert shared == listed and shared[1].etas == [0.2, 0.2]
