"""Figures of fields and weight in the plane of pictures."""

import numpy as np
import pytest

from lieapp.pictures.figures import field_figure, weight_panel

TENSORS = {
    "learned": np.ones((2, 2, 8, 12), np.float32),
    "weight": np.linspace(0, 1.5, 96, dtype=np.float32).reshape(8, 12),
    "grid/x": np.linspace(-1.5, 1.5, 12, dtype=np.float32),
    "grid/y": np.linspace(1, -1, 8, dtype=np.float32),
}


def test_the_weight_has_axes_and_a_bar_of_colours():
    panel = weight_panel(TENSORS, "ω")
    assert (panel.x.label, panel.x.low, panel.y.label, panel.y.high) == ("x (scaled)", -1.5, "y (scaled)", 1.0)
    (behind,) = panel.layers
    assert panel.bar and behind.scale.high == 1.5
    # y grows upwards, rows downwards
    np.testing.assert_array_equal(behind.values, TENSORS["weight"][::-1])


def test_arrows_are_longest_where_the_field_is():
    field = np.zeros((1, 2, 8, 12), np.float32)
    field[0, :, 1, 3] = 1.0
    ((panel,),) = field_figure({**TENSORS, "learned": field}, ["1: a"]).rows
    _, over = panel.layers
    x, y = (part.reshape(-1, 7) for part in (over.x, over.y))
    length = np.hypot(x[:, 1] - x[:, 0], y[:, 1] - y[:, 0])
    middle = (x[:, :2].mean(1), y[:, :2].mean(1))
    k = length.argmax()
    # pixels are 1/4 wide: the fourth from the left, the second from above
    assert (middle[0][k], middle[1][k]) == pytest.approx((-0.625, 0.625))
    assert length.sum() == pytest.approx(length[k])


def test_without_a_grid_axes_count_pixels():
    panel = weight_panel({"weight": TENSORS["weight"]}, "ω")
    assert (panel.x.label, panel.x.high, panel.y.label) == ("x (pixels)", 12.0, "y (pixels)")


@pytest.mark.parametrize(("count", "across"), [(1, [1]), (4, [3, 1]), (6, [3, 3]), (10, [5, 5])])
def test_many_fields_stand_in_rows_of_five_with_one_bar_of_colours(count, across):
    fields = {**TENSORS, "learned": np.ones((count, 2, 8, 12), np.float32)}
    rows = field_figure(fields, [str(n) for n in range(count)]).rows
    assert [len(row) for row in rows] == across
    assert [panel.bar for row in rows for panel in row].index(True) == across[0] - 1
    assert sum(panel.bar for row in rows for panel in row) == 1
