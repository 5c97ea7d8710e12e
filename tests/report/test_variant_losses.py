"""Trainings that follow each other in one run are curves of their own, each from its first step."""

import pytest

from lieapp.figures.training import MissingError, loss_chart


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


def test_a_curve_for_each_variant_of_the_first_seed_and_most_data():
    svg = loss_chart(metrics(["none", "truth"], [3, 4], [8, 32]))
    assert "Training loss, seed 3, 32 data" in svg
    assert ">none<" in svg and ">truth<" in svg and ">training<" not in svg


def test_a_run_by_the_names_of_its_variants():
    svg = loss_chart(metrics(["none", "fields:/somewhere/20261128T120000Z-kdv-01b48e"], [0], [4]))
    assert "learned 01b48e" in svg and "somewhere" not in svg


def test_of_one_stage_nothing_changes():
    rows = [{"step": k, "loss": 1.0 / k, "stage": "projection"} for k in range(1, 5)]
    assert "Training loss" in loss_chart(rows) and "seed" not in loss_chart(rows)


def test_without_losses_that_is_said():
    with pytest.raises(MissingError):
        loss_chart([{"step": 1, "variant": "none", "valid": 0.5}])


def test_a_long_name_has_room_in_the_legend():
    widths = [
        float(loss_chart(metrics([name], [0], [4])).split('width="')[1].split('"')[0])
        for name in ("none", "approximate:/runs/20261128T120000Z-kdv-01b48e+truth")
    ]
    assert widths[1] > widths[0] + 80
