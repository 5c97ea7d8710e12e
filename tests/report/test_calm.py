"""Running means of noisy curves."""

import math

import pytest

from lieapp.drawing import Curve
from lieapp.figures.charts import calmed, curves, running_mean


def test_the_mean_has_as_many_values_on_both_sides():
    assert running_mean([1, 2, 3, 4, 9], 2) == [1, 2, 3.8, 16 / 3, 9]
    found = running_mean([1, math.nan, 5], 1)
    assert found[0] == 1 and math.isnan(found[1]) and found[2] == 5


@pytest.mark.parametrize("log", [False, True])
def test_smooth_curves_stay_as_they_are(log):
    line = Curve("slot 1", list(range(100)), [math.exp(-k / 20) for k in range(100)])
    assert calmed(line, log=log) is line


def test_noisy_curves_become_their_mean_over_what_was_measured():
    values = [10.0 if k % 2 else 0.1 for k in range(100)]
    found = calmed(Curve("slot 1", list(range(100)), values), log=True)
    # the mean of logarithms: 1, not 5; off it by less than a value out of eleven
    assert found.raw == values and all(0.6 < v < 1.6 for v in found.y[5:-5])
    # the axis holds the values too, but for single ones
    ((panel,),) = curves([found], "step", "eta", "Eta", log=True).rows
    assert (panel.y.low, panel.y.high) == (0.1, 10.0)


def test_short_or_broken_curves_do_not_fail():
    assert calmed(Curve("a", [1], [math.nan])).raw == ()
    line = Curve("a", list(range(50)), [0.0 if k % 3 else math.nan for k in range(50)])
    assert calmed(line, log=True) is line
