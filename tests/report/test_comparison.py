"""Figures of several runs, and bars."""

import re

import pytest

from lieapp.report import comparison
from lieapp.report.comparison import LEFT, bar_chart
from lieapp.results.base import Compared


def _widths(svg):
    return [float(w) for w in re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="20"', svg)]


def test_bars_are_as_long_as_their_parts():
    svg = bar_chart([("a", {"data": 1.0, "fit": 3.0}), ("b", {"data": 2.0})], "time in seconds", "t")
    one, three, two = _widths(svg)
    assert three == pytest.approx(3 * one, abs=0.02) and two == pytest.approx(2 * one, abs=0.02)
    assert "time in seconds" in svg and f'x="{LEFT}"' in svg


def test_seconds_leave_out_the_total(synthetic):
    svg = comparison.seconds_figure([("run 1", synthetic.summary().compared())])
    assert "discovery" in svg and "total" not in svg


def test_a_perfect_cosine_is_drawn(synthetic):
    result = synthetic.summary()
    for entry in result.truth:
        entry.cosine = 1.0
    assert svg_marks(comparison.cosine_figure([("run 1", result.compared())])) == len(result.truth)


def svg_marks(svg):
    return svg.count("<circle") - 1  # one stands in the legend


def test_nothing_to_draw():
    assert comparison.eta_figure([("run 1", Compared())]) == comparison.cosine_figure([("run 1", Compared())]) == ""
    assert comparison.seconds_figure([("run 1", Compared())]) == ""
