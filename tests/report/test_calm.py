"""Running means of noisy curves."""

import math

import pytest

from lieapp.figures.charts import Line, calmed, line_chart, running_mean


def test_the_mean_has_as_many_values_on_both_sides():
    assert running_mean([1, 2, 3, 4, 9], 2) == [1, 2, 3.8, 16 / 3, 9]
    found = running_mean([1, math.nan, 5], 1)
    assert found[0] == 1 and math.isnan(found[1]) and found[2] == 5


@pytest.mark.parametrize("log", [False, True])
def test_smooth_curves_stay_as_they_are(log):
    line = Line("slot 1", list(range(100)), [math.exp(-k / 20) for k in range(100)])
    assert calmed(line, log=log) is line


def test_noisy_curves_become_their_mean_over_what_was_measured():
    values = [10.0 if k % 2 else 0.1 for k in range(100)]
    found = calmed(Line("slot 1", list(range(100)), values), log=True)
    # the mean of logarithms: 1, not 5; off it by less than a value out of eleven
    assert found.raw == values and all(0.6 < v < 1.6 for v in found.y[5:-5])
    svg = line_chart([found], "step", "eta", "Eta", log=True)
    assert svg.count("stroke-opacity") == 1 and svg.index("stroke-opacity") < svg.index('stroke-width="1.8"')


def test_short_or_broken_curves_do_not_fail():
    assert calmed(Line("a", [1], [math.nan])).raw == ()
    line = Line("a", list(range(50)), [0.0 if k % 3 else math.nan for k in range(50)])
    assert calmed(line, log=True) is line


def test_what_others_may_lie_on_is_drawn_wide_below_them():
    lines = [Line("learned", [1, 2, 3], [1.0, 2.0, 3.0]), Line("truth", [1, 2, 3], [1.0, 2.0, 3.0], below=True)]
    svg = line_chart(lines, "step", "eta", "Eta")
    # its curve comes first and keeps its colour
    assert svg.index('stroke="#d55e00" stroke-width="6"') < svg.index('stroke="#0072b2" stroke-width="1.8"')
    assert svg.count('stroke-opacity="0.35"') == 2
