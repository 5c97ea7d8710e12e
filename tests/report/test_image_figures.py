"""Figures of fields and weight in the plane of pictures."""

import numpy as np

from lieapp.pictures.figures import field_figure, weight_figure

TENSORS = {
    "learned": np.ones((2, 2, 8, 12), np.float32),
    "weight": np.linspace(0, 1.5, 96, dtype=np.float32).reshape(8, 12),
    "grid/x": np.linspace(-1.5, 1.5, 12, dtype=np.float32),
    "grid/y": np.linspace(1, -1, 8, dtype=np.float32),
}


def test_the_weight_has_axes_and_a_bar_of_colours():
    svg = weight_figure(TENSORS)
    assert all(f">{words}<" in svg for words in ("x (scaled)", "y (scaled)", "−1", "ω = 1.50", "0.75"))
    # the weight and the bar
    assert svg.count("<image ") == 2


def test_each_field_has_axes_and_one_bar_serves_all():
    svg = field_figure(TENSORS, ["1: a", "2: b"])
    assert svg.count(">x (scaled)<") == svg.count(">y (scaled)<") == 2
    assert svg.count("<image ") == 3 and ">ω = 1.50<" in svg and ">2: b<" in svg


def test_without_a_grid_axes_count_pixels():
    svg = weight_figure({"weight": TENSORS["weight"]})
    assert ">x (pixels)<" in svg and ">y (pixels)<" in svg
