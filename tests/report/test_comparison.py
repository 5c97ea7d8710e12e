"""Figures of several runs, and bars."""

import numpy as np

from lieapp.figures.charts import bars
from lieapp.report import comparison
from lieapp.results.base import Compared


def layers(drawing):
    """Of its one panel."""
    ((panel,),) = drawing.rows
    return panel.layers


def test_bars_have_a_length_for_each_row():
    (found,) = layers(bars([("a", {"data": 1.0, "fit": 3.0}), ("b", {"data": 2.0})], "time in seconds", "t"))
    assert list(found.parts) == [("data", [1.0, 2.0]), ("fit", [3.0, 0.0])]


def drawn(result):
    """The figures of one run by their titles."""
    return {drawing.title: drawing for drawing in comparison.figures([("run 1", result)])}


def test_seconds_leave_out_the_total(synthetic):
    (found,) = layers(drawn(synthetic.summary().compared())["Seconds per stage"])
    assert [name for name, _ in found.parts] == ["start", "data", "truth", "discovery"]


def test_a_perfect_cosine_is_drawn(synthetic):
    result = synthetic.summary()
    for entry in result.truth:
        entry.cosine = 1.0
    (line,) = layers(drawn(result.compared())["Missing part of each derived generator"])
    assert np.all(np.array(line.y) > 0) and len(line.y) == len(result.truth)


def test_nothing_to_draw():
    assert not drawn(Compared())
