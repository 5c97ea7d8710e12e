"""report.html from a run folder: complete, alone in the world, and unmoved by what is missing."""

import numpy as np
import pytest
from reports import report_of
from safetensors.numpy import save_file

from lieapp.pde.figures import FINITE, keys
from lieapp.results.discovery import EquationResult


def _text(run, result):
    return report_of(run, result).read_text(encoding="utf-8")


def test_report_of_a_finished_run(run, synthetic):
    path = report_of(run, synthetic.summary(run))
    text = path.read_text(encoding="utf-8")
    assert path == run / "report.html"
    for words in (
        "2 candidates exact of 4 slots; 2 derived; worst cosine 0.99998",
        "candidate: falls to the floor",
        "Symmetries learned from data · neural method · run 20250101T120000Z-ckdv-abc123",
        "<h1>Cylindrical Korteweg-de Vries</h1>",
        "approximate: η is 0.061",
        "gap after 2, a factor 290",
        "The spectrum method finds the same span within 0.0011 rad.",
        "lieapp discover --plugin ckdv",
        "9f" * 32,
        "<math",
    ):
        assert words in text
    assert "could not be drawn" not in text
    assert {p.stem for p in (run / "figures").glob("*.svg")} == set(keys()) - {*FINITE, "generators"}


def test_report_needs_nothing_from_elsewhere(run, synthetic):
    text = _text(run, synthetic.summary(run))
    outside = text.replace("http://www.w3.org/", "")
    assert "http:" not in outside and "https:" not in outside and "<script" not in text
    assert len(text) < 1_500_000




@pytest.mark.parametrize(
    ("key", "absent"),
    [
        ("truth", "nothing to compare"),
        ("inner", "no inner products"),
        ("spectrum", "has no spectrum"),
        ("convergence", "no convergence"),
        ("cross_check", "No cross-check"),
        ("generators", "no learned fields"),
        ("seconds", "No times"),
        ("equation_latex", ""),
        ("coordinates", ""),
        ("subspace", ""),
        ("title", ""),
    ],
)
def test_a_piece_missing_from_the_result_leaves_a_sentence(run, synthetic, key, absent):
    result, nothing = synthetic.summary(run), EquationResult()
    setattr(result, key, getattr(nothing, key))
    assert absent in _text(run, result)


@pytest.mark.parametrize(
    "name", ["fields.safetensors", "finite.safetensors", "metrics.jsonl", "config.json", "provenance.json"]
)
def test_a_missing_or_broken_file_is_no_crash(judged_run, synthetic, name):
    result = synthetic.judged(synthetic.summary(judged_run))
    (judged_run / name).write_bytes(b"\x00{nonsense")
    assert report_of(judged_run, result).is_file()
    (judged_run / name).unlink()
    assert report_of(judged_run, result).is_file()


def test_arrays_of_another_shape_leave_a_sentence(run, synthetic):
    arrays = {**synthetic.fields(), "learned": np.zeros((4, 2), dtype=np.float32)}
    save_file(arrays, run / "fields.safetensors")
    text = _text(run, synthetic.summary(run))
    assert "has no &#x27;learned&#x27;, or one that doesn&#x27;t fit its other arrays" in text
    assert "One solution moved" in text


def test_a_figure_that_cannot_be_drawn_leaves_a_sentence(run, synthetic):
    arrays = synthetic.fields()
    arrays["grid/x"][:] = np.nan
    save_file(arrays, run / "fields.safetensors")
    text = _text(run, synthetic.summary(run))
    assert "none with grids that ascend" in text and not (run / "figures" / "learned.svg").exists()
    assert (run / "figures" / "spectrum.svg").exists()


def test_strings_of_a_run_are_not_markup(run, synthetic):
    evil = "<script>alert(1)</script>"
    content = synthetic.summary(run)
    content.title = content.truth[0].name = content.plugin = content.method = evil
    content.warnings, content.seconds = [evil], {evil: 1.0}
    content.truth[0].shown = content.equation_shown[0] = synthetic.shown(evil)
    assert "<script" not in _text(run, content)


def test_values_that_are_no_numbers_are_drawn_around(run, synthetic):
    content = synthetic.summary(run)
    content.spectrum.eta[:2] = [0.0, None]
    content.generators[0].eta = float("inf")
    content.convergence[0].eta[:2] = [float("inf"), None]
    content.inner[0][0] = None
    (run / "metrics.jsonl").write_text(
        '{"step": 1, "loss": NaN, "eta": [null, 0]}\n{"step": 2, "lo', encoding="utf-8"
    )
    assert "could not be drawn" not in _text(run, content)


def test_two_unknowns_and_three_independent_variables(run, synthetic):
    content = synthetic.summary(run)
    content.coordinates = ["t", "x", "y", "u", "v"]
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
    text = _text(run, content)
    assert "could not be drawn" not in text and "v-component / norm" in text
