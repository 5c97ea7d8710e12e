"""Fields at finite size: numbers and pictures are those of the files, and runs without them show nothing of it."""

import csv
import json
import math
import re

import numpy as np
import pytest
from reports import report_of
from rich.console import Console
from safetensors.numpy import load, save_file

from lieapp.document import Table
from lieapp.errors import RunError
from lieapp.figures.material import read_material
from lieapp.figures.moved import residual_scale
from lieapp.pde.document import document, write_csv
from lieapp.pde.figures import FINITE, figure, folds, judged, pictured, said, size_table, words
from lieapp.report.terminal import rendered
from lieapp.results.base import read_result
from lieapp.results.discovery import AtSize, Slot
from lieapp.runs.store.files import encode


def _text(run):
    return report_of(run, read_result(run)).read_text(encoding="utf-8")


def _figure(key, run):
    return figure(key, read_result(run), read_material(run))


def _section(run):
    return re.search(r'<h2 id="finite">.*?</section>', _text(run), re.DOTALL).group()


def _change(run, change):
    """Rewrite the finite entry of each slot."""
    result = read_result(run)
    for slot in result.generators:
        slot.finite = change(slot.finite)
    (run / "summary.json").write_bytes(encode(result))


def test_the_report_shows_the_numbers_of_the_summary(judged_run):
    section = _section(judged_run)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", section)]
    assert rows == [
        ["1", "2.5e-6", "3e-6", "3.1e-6", "2.7e-6", "yes"],
        ["2", "0.00044 (43 % of nodes)", "0.0003", "0.00025", "0.00033", "yes"],
        ["3", "no data left", "0.077 (30 % of nodes)", "0.073 (40 % of nodes)", "0.22 (under 1 % of nodes)", "yes"],
        ["4", "0.37", "0.38", "0.41", "0.62", "no"],
    ]
    for told in ("A field holds", "folded in part: slot 1, up to 10 % of the nodes", "moved to s = 0.4"):
        assert told in section
    assert "could not be drawn" not in section and section.count("<svg") == 2
    assert {f"{key}.svg" for key in FINITE} <= {p.name for p in (judged_run / "figures").iterdir()}


def test_the_chart_marks_every_defect_and_eta(judged_run):
    (panel,) = _figure(FINITE[0], judged_run).drawing.rows[0]
    curves = {line.name: dict(zip(line.x, line.y, strict=True)) for line in panel.layers}
    assert curves["slot 1"] == {-0.4: 2.5e-6, -0.2: 3e-6, 0.0: 3e-6, 0.2: 3.1e-6, 0.4: 2.7e-6}
    assert math.isnan(curves["slot 3"][-0.4]) and curves["slot 4"][0.4] == 0.62
    # η is hollow, one for each slot
    assert [[line.x[k] for k in line.hollow] for line in panel.layers] == [[0.0]] * 4


def test_runs_without_it_have_no_such_section(run):
    text = _text(run)
    assert "At finite size" not in text and "finite size" not in text
    assert not list((run / "figures").glob("finite*"))
    assert _figure(FINITE[1], run).note


def test_a_report_made_again_drops_the_pictures_of_what_is_gone(judged_run):
    _text(judged_run)
    _change(judged_run, lambda judged: None)
    assert "At finite size" not in _text(judged_run)
    assert not list((judged_run / "figures").glob("finite*"))


@pytest.mark.parametrize("content", [b"", b"\x00{nonsense", None])
def test_without_the_arrays_the_numbers_still_stand(judged_run, content):
    file = judged_run / "finite.safetensors"
    file.unlink() if content is None else file.write_bytes(content)
    section = _section(judged_run)
    assert "2.5e-6" in section and "has no finite.safetensors" in section


@pytest.mark.parametrize(
    "value", [[], {}, {"s": []}, {"s": None, "defect": [1.0]}, {"s": ["a"]}, 3, {"s": [-1, 1], "defect": [0.1]}]
)
def test_an_entry_of_another_form_is_told_and_not_drawn(run, value):
    content = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    content["generators"][0]["finite"] = value
    (run / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RunError, match=r"summary\.json can't be read: .*generators\[") as caught:
        read_result(run)
    assert "run it again" in caught.value.hint


def test_lists_of_different_lengths_are_refused(run):
    content = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    entry = {"s": [-1, 1], "defect": [None], "share": [0, 0], "folded": [0, 0], "unmoved": [0, 0], "holds": None}
    content["generators"][0]["finite"] = entry
    (run / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RunError, match="an entry for each"):
        read_result(run)


def _row(**given):
    return AtSize(
        **{"s": [-1, 1], "share": [1.0, 1.0], "folded": [0, 0], "unmoved": [0, 0], "holds": None, **given}
    )


def test_a_slot_without_data():
    row = _row(defect=[None, None], share=[0.0, 0.0])
    rows = [(Slot(slot=2, eta=None, verdict="none"), row)]
    assert words(row) == "no data left" and said(row) == "–" and row.farthest == 1
    assert size_table(rows).rows == [["2", "no data left", "no data left", "–"]]
    assert folds(rows) == ""


def test_a_defect_that_unmoved_data_have_too_is_undecided():
    row = _row(defect=[0.001, 0.2])
    assert words(row) == "undecided: 0.2" and said(row) == "undecided"


def test_slots_without_any_data_are_drawn_empty(judged_run, synthetic):
    nothing = _row(
        s=synthetic.SIZES, defect=[None] * 4, share=[0] * 4, folded=[0] * 4, unmoved=[0] * 4, holds=False
    )
    _change(judged_run, lambda judged: nothing)
    arrays = synthetic.moved()
    arrays["residual"][:] = np.nan
    save_file(arrays, judged_run / "finite.safetensors")
    section = _section(judged_run)
    assert section.count("no data left") > 16 and "could not be drawn" not in section


def test_points_and_residuals_that_are_not_finite_are_left_out(judged_run, synthetic):
    arrays = synthetic.moved()
    arrays["points"][0, :, :, 4:] = np.inf
    arrays["points"][1] = np.nan
    arrays["residual"][0, :, :, :, ::2] = np.inf
    save_file(arrays, judged_run / "finite.safetensors")
    assert "could not be drawn" not in _section(judged_run)


def test_a_residual_of_zero_is_no_missing_one(judged_run, synthetic):
    arrays = synthetic.moved()
    arrays["residual"][:] = 0
    save_file(arrays, judged_run / "finite.safetensors")
    section = _section(judged_run)
    assert "could not be drawn" not in section and ">no data left</text>" not in section
    assert residual_scale([np.zeros((2, 2)), np.array([np.nan])]) is None


def test_colours_span_the_decades_of_all_rows():
    axis = residual_scale([np.geomspace(2e-3, 0.5, 9), np.array([np.nan, np.inf])])
    assert (axis.low, axis.high) == (1e-3, 1.0)
    wide = residual_scale([np.full(9, 1e-14), np.full(9, 3.0)])
    assert (wide.low, wide.high) == (1e-7, 10.0)


def test_two_unknowns_and_three_independent_variables(judged_run, synthetic):
    content = synthetic.judged(synthetic.summary(judged_run))
    content.coordinates = ["t", "x", "y", "u", "v"]
    synthetic.put(judged_run, content)
    grid = {f"grid/{name}": np.linspace(0, 1, n).astype(np.float32) for name, n in (("t", 5), ("x", 7), ("y", 3))}
    base = np.stack([*np.meshgrid(*grid.values(), indexing="ij"), np.zeros((5, 7, 3)), np.ones((5, 7, 3))])
    fields = {**grid, "solution": base[3:], "scale": np.ones(5)}
    points = np.stack([np.stack([base + s for s in synthetic.SIZES])] * 4)
    moved = {"s": np.array(synthetic.SIZES), "points": points, "residual": points[:, :, 3:] * 0.1}
    for name, arrays in (("fields", fields), ("finite", moved)):
        arrays = {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in arrays.items()}
        save_file(arrays, judged_run / f"{name}.safetensors")
    rows = _figure(FINITE[1], judged_run).drawing.rows
    # at most four rows: two slots with two unknowns
    assert [row[0].title.removesuffix(": original, s = 0") for row in rows] == [
        "slot 1, u", "slot 1, v", "slot 2, u", "slot 2, v",
    ]  # fmt: skip
    assert rows[1][2].layers[0].scale.label == "of v"


def test_arrays_of_other_slots_leave_a_sentence(judged_run, synthetic):
    arrays = {key: value if key == "s" else value[:2].copy() for key, value in synthetic.moved().items()}
    save_file(arrays, judged_run / "finite.safetensors")
    assert "does not belong to the slots" in _section(judged_run)


def test_the_exact_slots_and_the_best_of_the_others_are_drawn(synthetic, judged_run):
    rows = judged(synthetic.judged(synthetic.summary(judged_run)))
    assert pictured(rows) == [0, 1, 2]
    rows = _figure(FINITE[1], judged_run).drawing.rows
    # the data of slot 3 left everything at s = -0.4; at 0.4 some are left
    assert [row[1].title for row in rows] == ["moved to s = 0.4"] * 3
    assert len(load((judged_run / "finite.safetensors").read_bytes())["points"]) == 4


def test_the_terminal_says_the_largest_defect_and_whether_it_holds(synthetic, judged_run):
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    result = synthetic.judged(synthetic.summary(judged_run))
    for part in rendered([block for block in document(result) if isinstance(block, Table)][:1]):
        console.print(part)
    lines = console.export_text().splitlines()
    assert "defect up to |s| = 0.4" in lines[1]
    # one line for each slot: nothing is wrapped at 80 columns
    assert [line.split("│")[4].strip() for line in lines[3:-1]] == [
        "holds: 3.1e-6",
        "holds: 0.00044 (43 % left)",
        "holds: 0.077 (30 % left)",
        "fails: 0.62",
    ]


def test_csv_has_the_largest_defect(synthetic, judged_run, tmp_path):
    write_csv(synthetic.judged(synthetic.summary(judged_run)), tmp_path / "g.csv")
    with (tmp_path / "g.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = ("finite_defect", "finite_s", "finite_share", "finite_holds")
    assert [tuple(row[key] for key in keys) for row in rows[:4]] == [
        ("3.1e-06", "0.2", "0.83", "True"),
        ("0.00044", "-0.4", "0.43", "True"),
        ("0.077", "-0.2", "0.3", "True"),
        ("0.62", "0.4", "0.8", "False"),
    ]
    assert rows[-1]["finite_defect"] == "" and rows[-1]["x"] == "2*sqrt(t + 1)"
