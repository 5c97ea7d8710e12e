"""What is said of networks trained on moved data: names, ratios, tables, figures."""

import numpy as np
import pytest

from lieapp.augment.document import augment_figures, document, explained, results
from lieapp.document import Figure, Notice, Table, section
from lieapp.drawing import Drawing
from lieapp.results.augment import gain, hopeless, label, sentence


@pytest.fixture
def operators(made):
    return made.operators()


@pytest.fixture
def pictures(made):
    return made.classifiers()


def rows(result):
    """Heads and rows of the table, a dash where there is nothing."""
    found = results(result)
    return [column.head for column in found.columns], [[cell or "–" for cell in row] for row in found.rows]


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("none", "none"),
        ("d_t", "d_t"),
        ("truth+d_t", "truth + d_t"),
        ("fields:/a/b/20261128T121346Z-ckdv-9eb59d", "learned 9eb59d"),
        ("approximate:runs/20261128T121346Z-my-eq-9eb59d+formulas:runs/mine", "approximate 9eb59d + proved mine"),
        ("runs/20261128T121346Z-images-9eb59d", "learned 9eb59d"),
    ],
)
def test_names_of_ways(variant, name):
    assert label(variant) == name


def test_errors_are_compared_by_ratio_with_none_of_as_many_data(operators, pictures):
    assert [gain(operators, row) for row in operators.variants] == [None, 4.0, None, 2.25]
    assert gain(pictures, pictures.variants[1]) == pytest.approx(0.03)
    heads, lines = rows(operators)
    assert lines[1][heads.index("none / this")] == "4.00" and lines[1][heads.index("NMSE")] == "1.25 ± 0.35"
    assert lines[1][heads.index("moved")] == "93 %" and lines[0][heads.index("moved")] == "–"
    heads, lines = rows(pictures)
    assert lines[1] == ["500", "affine", "84.0 ± 1.4", "+3.0", "0.2", "83.0, 85.0", "12"]


def test_the_sentence_tells_the_fewest_data(operators, pictures):
    assert (
        sentence(operators) == "With 32 data, NMSE as mean and spread of 2 seeds: none 5.0 ± 1.4; truth 1.25 ± 0.35"
    )
    assert "affine 84.0 ± 1.4 %" in sentence(pictures)
    operators.sentence = sentence(operators)
    (lead, *_) = told = document(operators)
    assert lead == Notice(operators.sentence, "success") and results(operators) in told
    assert sum(isinstance(block, Table) for block in told) == 1 and section(told, "seconds")


def test_one_seed_has_no_spread(operators, made):
    operators.variants = [made.entry("none", 32, [4.0], one_step=0.1, frames=[1.0])]
    operators.seeds = (3,)
    assert rows(operators)[1][0][2] == "4" and sentence(operators) == "With 32 data, NMSE of one seed: none 4"


def test_a_mean_has_the_decimals_of_its_spread(operators, made):
    operators.variants = [
        made.entry("none", 32, [100.1, 100.03], one_step=0.1),
        made.entry("truth", 32, [0.0021, 0.0017]),
    ]
    heads, lines = rows(operators)
    assert (
        lines[0][heads.index("NMSE")] == "100.065 ± 0.049" and lines[0][heads.index("values")] == "100.100, 100.030"
    )
    assert lines[1][heads.index("NMSE")] == "0.00190 ± 0.00028"


def test_predictions_no_better_than_none_at_all_are_told(operators, pictures):
    assert hopeless(operators) == [] and hopeless(pictures) == []
    operators.variants[0].mean = 100.2
    (words,) = hopeless(operators)
    assert "none with 32 data" in words and "NMSE of 100" in words


def test_every_column_is_explained(operators, pictures):
    for result in (operators, pictures):
        heads, _ = rows(result)
        assert all(f"{head}:" in explained(results(result)) for head in heads[3:])


def test_the_best_operator_and_the_last_classifier_are_tested(operators, pictures):
    drawn = Figure("training", "", "", Drawing("", []))
    for result, which in ((operators, "best"), (pictures, "last")):
        captions = {own.key: own.caption for own in document(result, lambda key: drawn) if isinstance(own, Figure)}
        assert captions["training"].endswith(f"the {which} epoch's network is tested.")


def test_figures_are_drawn_where_there_are_data(operators, pictures):
    metrics = [
        {"variant": "none", "samples": 32, "epoch": e, "valid": 1 / e, "loss": 0.1, "step": e} for e in (1, 2, 3)
    ]
    grid = np.random.default_rng(0).random((1, 3, 8)).astype(np.float32)
    tensors = {
        "x": np.arange(8.0), "t": np.arange(3.0), "truth": grid,
        "predicted/none": grid, "predicted/truth": grid + 1,
    }  # fmt: skip
    found = augment_figures(operators, metrics, tensors)
    assert set(found) == {"data", "frames", "training", "prediction"}
    rows = found["prediction"].rows
    assert [len(row) for row in rows] == [1, 2, 2] and rows[0][0].title == "the solution"
    np.testing.assert_allclose(rows[2][1].layers[0].values, 1, atol=1e-6)
    one = {key: v[:, :1] if v.ndim == 3 else v for key, v in tensors.items()} | {"given": grid[:, :1]}
    (panel,) = augment_figures(operators, [], one)["prediction"].rows[0]
    # the solution is wide and light: predictions may hit it
    assert [(line.name, line.below) for line in panel.layers] == [
        ("given", False), ("the solution", True), ("none", False), ("truth", False),
    ]  # fmt: skip
    assert augment_figures(pictures, [], {}) == {}
