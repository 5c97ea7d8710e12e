"""The simulation of a task graph: bounds that hold for any schedule."""

import pytest
from chunks_model import simulated
from hypothesis import given
from hypothesis import strategies as st

SECONDS = st.floats(0.01, 10)


@given(st.integers(1, 40), SECONDS, SECONDS)
def test_one_worker_does_one_task_after_another(count, leaf, merge):
    assert simulated([leaf] * count, merge, 1, 0.0) == pytest.approx(count * leaf + (count - 1) * merge)


@given(st.integers(1, 60), SECONDS, SECONDS, st.integers(1, 64), st.floats(0, 0.1))
def test_no_schedule_is_faster_than_its_work(count, leaf, merge, workers, task):
    found = simulated([leaf] * count, merge, workers, task)
    depth = (count - 1).bit_length()
    whole = count * leaf + (count - 1) * merge
    assert found >= max(whole / workers, leaf + depth * merge, task * (2 * count - 1)) * (1 - 1e-9)
    # sending, and a wait for each merge on the way up, are all that is lost beside the work
    assert found <= whole + task * (2 * count + depth) + 1e-9


def test_many_workers_need_the_height_of_the_tree():
    assert simulated([1.0] * 8, 0.5, 8, 0.0) == pytest.approx(1 + 3 * 0.5)
