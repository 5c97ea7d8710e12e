"""Intervals of eta by drawing trajectories anew."""

import math

import torch

from lieapp.compare.outcome import DRAWS, LEVEL, bootstrap


def draws(m, q, sequences, seed=0):
    return bootstrap(m, q, sequences, torch.Generator().manual_seed(seed))


def test_equal_trajectories_leave_no_doubt():
    m, q = torch.full((1, 6), 4e-14).double(), torch.ones(1, 6).double()
    (sure,) = draws(m, q, [[1e-3, 1e-5, 2e-7]])
    assert (
        sure.share == 1
        and math.isclose(sure.low, 2e-7, rel_tol=1e-6)
        and math.isclose(sure.high, 2e-7, rel_tol=1e-6)
    )


def test_the_interval_covers_the_true_eta_about_as_often_as_it_says():
    """eta² is the mean of exponential variables with mean 1: repeated data, 40 trajectories each."""
    generator = torch.Generator().manual_seed(1)
    covered = 0
    for seed in range(150):
        m = torch.empty(1, 40, dtype=torch.float64).exponential_(generator=generator)
        (sure,) = draws(m, torch.ones(1, 40, dtype=torch.float64), [[1.0]], seed)
        covered += sure.low <= 1 <= sure.high
    # binomial: 3 standard deviations are .07; the percentile bootstrap of 40 falls short by a few percent
    assert LEVEL - 0.12 < covered / 150 <= 1 and DRAWS >= 100


def test_one_odd_trajectory_makes_the_verdict_doubtful():
    """eta is .07 with it and .001 without; a third of the draws, (5/6)^6, are without it and count as falling."""
    m = torch.tensor([[1e-6] * 5 + [3e-2]], dtype=torch.float64)
    (sure,) = draws(m, torch.ones(1, 6, dtype=torch.float64), [[0.09, 0.08, 0.07]])
    assert 0.3 < sure.share < 0.95 and sure.low < 0.01 < 0.09 < sure.high


def test_too_few_trajectories_say_nothing():
    assert draws(torch.ones(1, 2), torch.ones(1, 2), [[1.0]]) is None
