"""Equations marched in a time of their own reach the exact solution at the times asked for."""

import math

import sympy as sp
import torch
from problems import NKDV, Case, relative, t, u, x

from lieapp.data.simulate import states
from lieapp.data.stepping import Tolerance

WAVE = 2 * math.pi / 16.0

SWAYING = Case(
    (u.diff(t) - sp.cos(t) * u.diff(x),), 16.0, 64,
    lambda s, p: torch.exp(torch.sin(WAVE * (p + math.sin(s))))[None],
)  # fmt: skip
"""Its rate cos(t) changes sign, so that no time of its own exists."""


def test_a_rate_that_grows():
    times = [0.0, 0.4, 1.0, 1.3]
    found = list(states(NKDV.evolution, NKDV.grid, NKDV.exact(0.0), times, Tolerance(1e-6), "case"))
    assert [state.time for state in found] == times
    assert relative(found[-1].values, NKDV.exact(1.3)) < 1e-5


def test_a_rate_that_changes_sign_is_marched_in_t():
    times = [0.0, 1.0, 2.0, 3.0]
    found = list(states(SWAYING.evolution, SWAYING.grid, SWAYING.exact(0.0), times, Tolerance(1e-6), "case"))
    assert relative(found[-1].values, SWAYING.exact(3.0)) < 1e-5
