"""Results of pictures, of trainings and on moved data: read as they were written, and said alike everywhere."""

import csv
import io
import math

import msgspec
import pytest
from reports import document_of
from rich.console import Console

from lieapp.document import Figure, Formula, section
from lieapp.drawing import Curve
from lieapp.errors import RunError
from lieapp.figures.charts import curves
from lieapp.pictures.discover import gap_of, sentence
from lieapp.pictures.document import write_csv
from lieapp.pictures.figures import components
from lieapp.report.page import page
from lieapp.report.terminal import rendered
from lieapp.results.base import decode
from lieapp.results.pictures import Gap, Part
from lieapp.results.training import Planted
from lieapp.runs.store.files import encode

KINDS = ["pictures", "colors", "training", "operators", "classifiers"]


def printed(result):
    console = Console(file=io.StringIO(), width=160)
    for item in rendered(document_of(result)):
        console.print(item)
    return console.file.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_read_as_it_was_written(made, kind):
    result = getattr(made, kind)()
    assert decode(encode(result)) == result and decode(msgspec.json.encode(result)) == result


def test_only_a_run_whose_slots_are_all_named_fields_is_a_success(made):
    assert (made.pictures().level, made.colors().level) == ("info", "success")


@pytest.mark.parametrize("kind", KINDS)
def test_terminal_and_page_say_the_same(made, kind):
    result = getattr(made, kind)()
    chart = curves([Curve("a", [0, 1], [1, 2])], "x", "y", "a chart")
    drawn = document_of(result, lambda key: Figure(key, "", drawing=chart))
    text, html = printed(result), page("t", "k", drawn)
    assert result.sentence in text and "Seconds per stage" in text
    for row in result.variants if hasattr(result, "variants") else getattr(result, "generators", []):
        name = row.label if hasattr(row, "label") else row.nearest.name
        assert name in text and name in html
    # figures are the page's
    assert "<svg" in html and "svg" not in text


def test_each_span_has_its_own_words_and_keys(made):
    plane, cube = (msgspec.json.decode(encode(result)) for result in (made.pictures(), made.colors()))
    assert plane["generators"][0]["affine"] == 0.999 and "named" not in plane["generators"][0]
    assert cube["generators"][0]["named"] == 0.99 and "affine" not in cube["generators"][0]
    for words in ("net-model 1.2", "75.1 %", "ImageNet; a paper", "87.8 %", "9 x 8"):
        assert words in printed(made.pictures())
    assert "Affine fields" in printed(made.pictures()) and "Named fields" in printed(made.colors())
    assert "clipped" in printed(made.colors()) and "clipped" not in printed(made.pictures()).lower()
    # as many columns as basic fields: too wide for a terminal
    assert "Inner products" not in printed(made.colors()) and section(document_of(made.colors()), "along")


def test_numbers_that_are_not_finite_are_dashes(made):
    result = made.pictures()
    result.generators[0].angle = result.generators[0].affine = result.reference[0].cosine = math.nan
    result.generators[0].components[0].value = math.inf
    read = decode(encode(result))
    assert read.generators[0].angle is None and read.reference[0].cosine is None
    for told in (result, read):
        assert "│    1 │" in printed(told) and "– rotation" in printed(told) and "nan" not in printed(told)
    assert read.generators[0].share is None
    moved = made.operators()
    moved.variants[0].mean, moved.variants[0].values = math.inf, [math.inf, math.nan]
    assert "none" in printed(decode(encode(moved))) and "none" in printed(moved)


def test_the_sentence_counts_slots_in_the_span(made):
    slots = made.pictures().generators
    assert sentence(slots, "affine") == (
        "1 of 2 slots is affine (share of at least 0.9); slot 1 is nearest to rotation (cosine 0.9991) and turns "
        "the features by 0.07 rad"
    )
    slots[1].affine = 0.9
    assert sentence(slots, "affine").startswith("2 of 2 slots are affine")


@pytest.mark.parametrize(
    ("shares", "gap"),
    [
        ([0.99, 0.96, 0.98, 0.4, 0.5], Gap(3, 0.96, 0.5)),
        ([0.99, 0.3, 0.2], Gap(1, 0.99, 0.3)),
        # in whatever order they stand
        ([0.9, 0.3, 0.95], Gap(2, 0.9, 0.3)),
        ([0.5, 0.5], None),
        ([0.9, None, math.nan], Gap(1, 0.9, 0.0)),
        ([0.9], None),
    ],
)
def test_the_gap_between_slots_in_the_span_and_others(shares, gap):
    assert gap_of(shares) == gap


def test_named_fields_stand_in_the_order_in_which_the_network_bears_them(made):
    result = made.pictures()
    worse = msgspec.structs.replace(result.reference[0], name="shear along x", angle=0.5)
    result.reference = [worse, result.reference[0]]
    result.gap = gap_of([slot.share for slot in result.generators])
    text = printed(result)
    named = text[text.index("Affine fields") :]
    assert named.index("rotation") < named.index("shear along x")
    assert "one slot has a share of at least 0.999 in the span of affine fields, the other one has at most" in text


def test_a_field_by_its_components():
    parts = [Part("brightness", -0.95), Part("shift of blue", -0.28), Part("contrast", 0.2)]
    assert components(parts) == "−0.95 brightness − 0.28 shift of blue + 0.20 contrast" and components([]) == ""


def test_a_line_for_each_slot_and_named_field(made, tmp_path):
    write_csv(made.pictures(), tmp_path / "g.csv")
    rows = list(csv.reader((tmp_path / "g.csv").open()))
    assert rows[0] == ["kind", "name", "angle", "affine", "cosine", "x", "y"]
    assert rows[2][:2] == ["slot", "2"] and rows[3] == ["affine", "rotation", "0.07", "1.0", "0.999", "-y", "x"]


def test_named_fields_carry_their_formulas():
    from lieapp.domains.formulas import AFFINE
    from lieapp.pictures.color import COLOR_FIELDS

    shown = {field.name: field.shown for field in (*AFFINE, *COLOR_FIELDS)}
    assert shown["rotation"] == Formula("-y ∂x + x ∂y", r"-y\,\partial_{x} + x\,\partial_{y}")
    for field in COLOR_FIELDS:
        # the same as the contract's strings, up to terms that vanish and to 1
        parts = [text for text in field.formula.values() if text not in ("0", "1", "-2")]
        assert all(text in field.shown.text for text in parts)


@pytest.mark.parametrize("wrong", [{"s": []}, {"clipped": []}, {"clipped": [0.1] * 9}])
def test_lists_that_do_not_fit_are_refused(made, wrong):
    content = {**msgspec.to_builtins(made.pictures()), **wrong}
    with pytest.raises(RunError, match="clipped one for each of the generators"):
        decode(msgspec.json.encode(content))


@pytest.mark.parametrize(("kind", "margin"), [("hue:1.2", False), ("shear-x", True)], ids=str)
def test_a_planted_change_of_colour_tells_of_no_margin(made, kind, margin):
    planted = Planted(
        field="planted", reach=1, angle=0.1, angle_before=0.5, others={}, others_before={}, accuracy_before=1
    )
    settings = {"invariance": kind, "planting": {"features": 16, "crop_margin": 0.25}}
    text = printed(made.training(planted=planted, loss=None, settings=settings))
    assert "features = 16" in text and ("crop_margin = 0.25" in text) == margin
