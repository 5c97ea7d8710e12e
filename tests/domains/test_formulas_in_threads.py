"""Derivatives of formulas in several threads at once: torch's forward mode has one state for all of them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch

from lieapp.domains.formulas import FixedFields

SPEEDS = (1.0, 2.0)


def test_a_thread_that_differentiates_doesnt_disturb_another():
    points = torch.linspace(0.0, 1.0, 50, dtype=torch.float64)[:, None]
    both = threading.Barrier(len(SPEEDS))

    def cube(z):
        try:
            both.wait(0.2)  # passes only if two threads are in here at once
        except threading.BrokenBarrierError:
            both.reset()
        return z[None] ** 3

    def rates(speed):
        fields = FixedFields(cube)
        return [fields.jvp(points, torch.full_like(points, speed))[1] for _ in range(3)]

    with ThreadPoolExecutor(len(SPEEDS)) as pool:
        found = list(pool.map(rates, SPEEDS))
    for speed, several in zip(SPEEDS, found, strict=True):
        assert all(torch.allclose(rate, 3 * speed * points[None] ** 2) for rate in several)
