"""Variable projection: the exact gradient, seeds bit for bit, and a resumed training that can't be told apart."""

import pytest
import torch

from lieapp.errors import DiscoveryError
from lieapp.methods.loop import Alone, marks
from lieapp.methods.projection import Projection, Settings, by_projection, one_cycle
from lieapp.progress import SilentReporter

SETTINGS = Settings(slots=2, steps=12, width=8, features=6, modes=1, batch=6, rate=1e-2, floor=1e-4)


class Memory:
    def __init__(self):
        self.state, self.levels = None, []

    def save(self, state, levels):
        self.state, self.levels = state, list(levels)


class StopsAfter(SilentReporter):
    def __init__(self, step):
        super().__init__()
        self.last = step

    def progress(self, step, total, text=""):
        if step == self.last:
            raise KeyboardInterrupt


def train(kdv, seed=0, report=None, memory=None, resumed=None):
    domain, data = kdv
    training = Projection(domain, data.draft, SETTINGS, seed)
    levels = []
    if resumed is not None:
        training.load(resumed.state)
        levels = resumed.levels
    memory = memory or Memory()
    found = by_projection(domain, data, training, levels, (24, 16), Alone(report or SilentReporter(), memory))
    return training.state(), found


def test_a_seed_repeats_bit_for_bit(kdv):
    first, again, other = train(kdv), train(kdv), train(kdv, seed=1)
    assert all(torch.equal(first[0][k], again[0][k]) for k in first[0])
    assert first[1].levels == again[1].levels
    assert not torch.equal(first[0]["network.head.weight"], other[0]["network.head.weight"])


@pytest.mark.parametrize("step", [3, 6, 7])
def test_resume_continues_exactly(kdv, step):
    whole = train(kdv)
    memory = Memory()
    with pytest.raises(KeyboardInterrupt):
        train(kdv, report=StopsAfter(step), memory=memory)
    assert int(memory.state["done"]) == step
    state, found = train(kdv, resumed=memory)
    assert all(torch.equal(whole[0][k], state[k]) for k in whole[0])
    assert found.levels == whole[1].levels


def test_the_loss_has_the_gradient_of_the_lowest_eigenvalues(kdv):
    """Vectors held fixed give the exact derivative of the sum of logs (Hellmann-Feynman)."""
    domain, data = kdv
    settings = Settings(slots=5, steps=4, width=4, features=3, modes=1, batch=6, rate=0.0, floor=1e-2)

    def loss(shift):
        training = Projection(domain, data.draft, settings, seed=5)
        with torch.no_grad():
            training.network.head.weight[0, 0] += shift
        return training, training.step()["loss"]

    training, _ = loss(0.0)
    slope = float(training.network.head.weight.grad[0, 0])
    h = 1e-5
    quotient = (loss(h)[1] - loss(-h)[1]) / (2 * h)
    assert slope == pytest.approx(quotient, rel=1e-4, abs=1e-7)


def test_a_loss_that_is_not_finite_is_reported(kdv):
    domain, data = kdv
    training = Projection(domain, data.draft, SETTINGS, seed=0)
    with torch.no_grad():
        training.network.head.weight.fill_(float("inf"))
    with pytest.raises(DiscoveryError, match="finite at step 0"):
        training.step()


def test_levels_double():
    assert marks(200) == [25, 50, 100, 200]
    assert marks(1) == [1]


def test_learning_rate_rises_and_falls():
    rates = [one_cycle(i, 100, 1.0) for i in range(100)]
    assert rates[0] == pytest.approx(1 / 25)
    assert max(rates) == pytest.approx(1.0, abs=1e-2)
    assert rates[-1] == pytest.approx(1e-3)
