"""Figures of several runs, and bars."""

import re

import pytest

from lieapp.report import comparison
from lieapp.report.bars import LEFT, bar_chart


def _widths(svg):
    return [float(w) for w in re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="20"', svg)]


def test_bars_are_as_long_as_their_parts():
    svg = bar_chart([("a", {"data": 1.0, "fit": 3.0}), ("b", {"data": 2.0})], "time in seconds", "t")
    one, three, two = _widths(svg)
    assert three == pytest.approx(3 * one, abs=0.02) and two == pytest.approx(2 * one, abs=0.02)
    assert "time in seconds" in svg and f'x="{LEFT}"' in svg


def test_seconds_leave_out_the_total(synthetic, tmp_path):
    svg = comparison.seconds_figure([("run 1", synthetic.summary(tmp_path))])
    assert "discovery" in svg and "total" not in svg


def test_a_perfect_cosine_is_drawn(synthetic, tmp_path):
    summary = synthetic.summary(tmp_path)
    for entry in summary["truth"]:
        entry["cosine"] = 1.0
    assert svg_marks(comparison.cosine_figure([("run 1", summary)])) == len(summary["truth"])


def svg_marks(svg):
    return svg.count("<circle") - 1  # one stands in the legend


def test_nothing_to_draw():
    assert comparison.eta_figure([("run 1", {})]) == comparison.cosine_figure([("run 1", {})]) == ""
    assert comparison.seconds_figure([("run 1", {})]) == ""
