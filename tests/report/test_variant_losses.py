"""Trainings that follow each other in one run are curves of their own, each from its first step."""

import pytest

from lieapp.drawing import MissingError
from lieapp.figures.charts import loss_chart


def metrics(variants, seeds, amounts, steps=4):
    rows = []
    for samples in amounts:
        for variant in variants:
            for seed in seeds:
                for k in range(steps):
                    rows.append(
                        {"step": len(rows) + 1, "loss": 1.0 / (k + 1), "variant": variant, "seed": seed,
                         "samples": samples, "stage": "training"}
                    )  # fmt: skip
    return rows


def names(drawing):
    """Of the curves."""
    return [line.name for line in drawing.rows[0][0].layers]


def test_a_curve_for_each_variant_of_the_first_seed_and_most_data():
    drawing = loss_chart(metrics(["none", "truth"], [3, 4], [8, 32]))
    assert drawing.title == "Training loss, seed 3, 32 data" and names(drawing) == ["none", "truth"]


def test_a_run_by_the_names_of_its_variants():
    drawing = loss_chart(metrics(["none", "fields:/somewhere/20261128T120000Z-kdv-01b48e"], [0], [4]))
    assert names(drawing) == ["none", "learned 01b48e"]


def test_of_one_stage_nothing_changes():
    rows = [{"step": k, "loss": 1.0 / k, "stage": "projection"} for k in range(1, 5)]
    assert loss_chart(rows).title == "Training loss" and names(loss_chart(rows)) == ["projection"]


def test_without_losses_that_is_said():
    with pytest.raises(MissingError):
        loss_chart([{"step": 1, "variant": "none", "valid": 0.5}])
