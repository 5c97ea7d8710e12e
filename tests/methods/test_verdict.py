"""Verdicts follow from how eta behaves, level by level."""

import pytest

from lieapp.methods.verdict import fall, gap_after, of_the_data, set_apart, verdict, verdicts


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ([1e-11, 2e-11, 1e-11], "exact"),  # at round-off from the start
        ([8e-2, 2e-3, 9e-5, 3e-6], "exact"),  # falls as the basis grows
        ([0.08, 0.052, 0.0511, 0.0505], "approximate"),  # settles below .1
        ([0.2, 0.02, 0.0199, 0.0198], "approximate"),  # small, but has stopped falling
        ([0.9, 0.8, 0.75], "none"),
        ([4.0, 1.0, 0.2], "none"),  # falls, but isn't small yet
        ([0.01], "approximate"),  # no history: nothing is known to fall
        ([float("inf"), 0.01, 1e-4], "exact"),  # a slot that appeared later
        ([0.1, float("inf")], "none"),
    ],
)
def test_verdict(sequence, expected):
    assert verdict(sequence) == expected


def test_fall_is_the_mean_factor_per_level():
    assert fall([1.0, 0.1, 0.01]) == pytest.approx(10)
    assert fall([5.0]) == 1.0


def test_the_gap_ignores_round_off():
    assert gap_after([1e-12, 1e-9, 3e-8, 0.5, 0.6]) == 3
    assert gap_after([0.3]) == 0


def test_what_fell_far_and_then_stands_still_is_approximate():
    """Found on a KdV with a coefficient in t: the average over two levels hid that the last one changed nothing."""
    assert verdict([0.32, 0.24, 0.029, 0.025]) == "approximate"
    assert verdict([0.32, 0.24, 0.029, 0.012]) == "exact"


@pytest.mark.parametrize(
    ("spectrum", "expected"),
    [
        ([1e-12, 2e-12, 0.3, 0.4], 2),  # the exact ones
        ([1e-12, 4e-3, 5e-3, 0.3, 0.4], 3),  # two slow ones far below the rest
        ([1e-12, 1e-3, 4e-3, 1e-2, 3e-2, 9e-2, 0.2], 1),  # each a little slower than the next
        ([1e-12, 1e-3, 2e-2, 3e-2, 6e-2, 0.2], 2),  # one below them
        ([0.2, 3.0], 0),  # a gap where nothing is slow
        ([], 0),
    ],
)
def test_only_a_gap_sets_slow_fields_apart(spectrum, expected):
    assert set_apart(spectrum) == expected


def test_symmetries_of_the_data_alone():
    """1e-6 on solutions and .5 on other slices is of the data; what an ansatz misses is about the same on both."""
    assert of_the_data(1e-6, 0.5) and of_the_data(0.02, 0.3)
    assert not of_the_data(1e-12, 1e-9) and not of_the_data(0.02, 0.1) and not of_the_data(1e-6, float("nan"))


FALLING = [0.03, 0.1, 0.007]


@pytest.mark.parametrize(
    ("spectrum", "said"),
    [
        ([1e-12, 6e-4, 1e-3, 2e-3, 5e-3, 0.02, 0.05, 0.1], "none"),  # one of many slow fields falls by chance
        ([1e-12, 7e-3, 0.2, 0.4], "exact"),
        ([], "exact"),
    ],
)
def test_a_field_that_falls_is_exact_only_beside_a_gap(spectrum, said):
    assert verdicts([[1e-12] * 3, FALLING], spectrum) == ["exact", said]


def test_at_the_floor_no_gap_is_needed():
    """Of infinitely many symmetries the spectrum has no gap."""
    assert verdicts([[1e-9] * 3, [5e-9] * 3], [1e-9, 5e-9, 2e-8, 1e-7]) == ["exact", "exact"]


def test_a_settled_field_is_approximate_only_beside_a_gap():
    settled = [0.02, 0.02, 0.02]
    assert verdicts([settled], [0.02, 0.5]) == ["approximate"]
    assert verdicts([settled], [0.02, 0.05, 0.1, 0.4]) == ["none"]
