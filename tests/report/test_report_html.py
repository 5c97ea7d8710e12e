"""report.html from a run folder: complete, alone in the world, and unmoved by what is missing."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from safetensors.numpy import save_file

from lieapp.report.figures import FINITE, figures, keys
from lieapp.report.html import write_report
from lieapp.report.material import read_material


def test_report_of_a_finished_run(run):
    path = write_report(run)
    text = path.read_text(encoding="utf-8")
    assert path == run / "report.html"
    for words in (
        "2 candidates exact of 4 slots; 2 derived; worst cosine 0.99998",
        "candidate: falls to the floor",
        "approximate: η is 0.061",
        "gap after 2, a factor 290",
        "The spectrum method finds the same span within 0.0011 rad.",
        "lieapp discover --plugin ckdv",
        "9f" * 32,
        "<math",
    ):
        assert words in text
    assert "could not be drawn" not in text
    assert {p.stem for p in (run / "figures").glob("*.svg")} == set(keys()) - set(FINITE)


def test_report_needs_nothing_from_elsewhere(run):
    text = write_report(run).read_text(encoding="utf-8")
    outside = text.replace("http://www.w3.org/", "")
    assert "http:" not in outside and "https:" not in outside and "<script" not in text
    assert len(text) < 1_000_000


def test_figures_are_well_formed_and_have_labels(judged_run):
    for picture in figures(read_material(judged_run)):
        root = ET.fromstring(picture.svg)
        words = {e.text for e in root.iter("{http://www.w3.org/2000/svg}text")}
        assert len(words) > 4, picture.key


@pytest.mark.parametrize(
    ("key", "absent"),
    [
        ("truth", "nothing to compare"),
        ("inner", "no inner products"),
        ("spectrum", "writes no spectrum"),
        ("convergence", "no convergence"),
        ("cross_check", "No cross-check"),
        ("generators", "No learned fields"),
        ("seconds", "No times"),
        ("equation_latex", ""),
        ("coordinates", ""),
        ("subspace", ""),
        ("title", ""),
    ],
)
def test_a_piece_missing_from_the_summary_leaves_a_sentence(run, synthetic, key, absent):
    content = synthetic.summary(run)
    for without in ({k: v for k, v in content.items() if k != key}, {**content, key: None}):
        (run / "summary.json").write_text(json.dumps(without), encoding="utf-8")
        assert absent in write_report(run).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["summary.json", "fields.safetensors", "metrics.jsonl", "config.json", "provenance.json"]
)
def test_a_missing_or_broken_file_is_no_crash(run, name):
    (run / name).write_bytes(b"\x00{nonsense")
    assert write_report(run).is_file()
    (run / name).unlink()
    assert write_report(run).is_file()


def test_arrays_of_another_shape_leave_a_sentence(run, synthetic):
    arrays = {**synthetic.fields(), "learned": np.zeros((4, 2), dtype=np.float32)}
    save_file(arrays, run / "fields.safetensors")
    text = write_report(run).read_text(encoding="utf-8")
    assert "could not be drawn" in text and "One solution moved" in text


def test_strings_of_a_run_are_not_markup(run, synthetic):
    evil = "<script>alert(1)</script>"
    content = {**synthetic.summary(run), "title": evil, "warnings": [evil], "equation_latex": evil}
    content["truth"][0]["name"] = evil
    content["truth"][0]["field"] = {"x": evil}
    (run / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    assert "<script" not in write_report(run).read_text(encoding="utf-8")


def test_values_that_are_no_numbers_are_drawn_around(run, synthetic):
    content = synthetic.summary(run)
    content["spectrum"]["eta"][:2] = [0.0, float("nan")]
    content["generators"][0]["eta"] = float("inf")
    content["inner"][0][0] = None
    (run / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    (run / "metrics.jsonl").write_text(
        '{"step": 1, "loss": NaN, "eta": [null, 0]}\n{"step": 2, "lo', encoding="utf-8"
    )
    assert "could not be drawn" not in write_report(run).read_text(encoding="utf-8")


def test_two_unknowns_and_three_independent_variables(run, synthetic):
    content = {**synthetic.summary(run), "coordinates": ["t", "x", "y", "u", "v"]}
    grid = {f"grid/{name}": np.linspace(0, 1, n).astype(np.float32) for name, n in (("t", 5), ("x", 7), ("y", 3))}
    shape = (5, 7, 3)
    base = np.stack([*np.meshgrid(*grid.values(), indexing="ij"), np.zeros(shape), np.ones(shape)])
    arrays = {
        **grid,
        "solution": base[3:],
        "learned": np.stack([base] * 4),
        "truth": np.stack([base] * 2),
        "scale": np.ones(5),
        "orbit/s": np.array([0.0, 0.5, 1.0]),
        "orbit/points": np.stack([np.stack([base + s for s in (0.0, 0.5, 1.0)])] * 4),
    }
    save_file({k: np.ascontiguousarray(v, dtype=np.float32) for k, v in arrays.items()}, run / "fields.safetensors")
    (run / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    text = write_report(run).read_text(encoding="utf-8")
    assert "could not be drawn" not in text and "v-component" in text
