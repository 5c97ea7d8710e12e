"""What an operator is trained on, how it is judged, and that a resumed training is the same training."""

from dataclasses import dataclass
from functools import partial

import pytest
import torch
from torch import Tensor

from lieapp.augment.of_solutions import LARGEST, frame_errors, nmse
from lieapp.augment.operator_training import FNO1d, OperatorRecipe, OperatorTask, OperatorTraining
from lieapp.errors import ConfigError, DiscoveryError, UsageError

TIMES = 24


@dataclass
class Moved:
    """What trainings see of `lieapp.augment.moving.Moved`."""

    samples: Tensor
    valid: Tensor
    kept: Tensor


def travelling(count=8, points=32, components=1):
    """u = Σ a_k sin(k (x - t/4) + φ_k), the same shape at every time."""
    generator = torch.Generator().manual_seed(0)
    x = torch.arange(points) / points * 2 * torch.pi
    places = x - torch.arange(TIMES)[:, None] / 4
    a, phase = torch.rand(2, count, components, 3, 1, 1, generator=generator)
    k = torch.arange(1, 4).reshape(3, 1, 1)
    return (a * (k * places + 7 * phase).sin()).sum(2).double()


def still(samples, number):
    """No move."""
    valid = torch.ones(len(samples), samples.shape[2], dtype=torch.bool)
    return Moved(samples, valid, valid.any(1))


def noisy(samples, number):
    """A move that shows which round it is of, whose first half of the samples lacks its last frames."""
    generator = torch.Generator().manual_seed(number)
    valid = torch.ones(len(samples), samples.shape[2], dtype=torch.bool)
    valid[: len(samples) // 2, 12:] = False
    return Moved(samples + 0.1 * torch.rand(samples.shape, generator=generator).double(), valid, valid.any(1))


def training(move=still, seed=0, recipe=OperatorRecipe(3, 4, 4, 1e-2), samples=None, task=None):  # noqa: B008
    samples = travelling() if samples is None else samples
    task = task or OperatorTask.rollout(TIMES, 4, aligned=True)
    torch.manual_seed(seed)
    network = FNO1d(task.frames * samples.shape[1], task.frames * samples.shape[1], 8, 5, 2)
    network.normalise_by(samples)
    return OperatorTraining(network, task, samples, partial(move, samples), recipe, seed)


def test_pairs_of_a_rollout_are_windows_that_follow_one_another():
    task, samples = OperatorTask.rollout(TIMES, 4, aligned=True), travelling(components=2)
    assert task.starts == (4, 8, 12, 16)
    given, wanted = task.pairs(samples, torch.tensor([3, 5]), torch.tensor([4, 16]))
    assert torch.equal(given[1], samples[5, :, 16:20].transpose(0, 1).flatten(0, 1))
    assert torch.equal(wanted[0], samples[3, :, 8:12].transpose(0, 1).flatten(0, 1))
    assert OperatorTask.rollout(TIMES, 4, aligned=False).starts == tuple(range(4, 17))


def test_the_pair_of_a_single_step():
    task, samples = OperatorTask.single(TIMES, 10), travelling()
    given, wanted = task.pairs(samples, torch.tensor([3]), torch.tensor([0]))
    assert torch.equal(given[0], samples[3, :, 0]) and torch.equal(wanted[0], samples[3, :, 10])


def test_starts_of_which_a_frame_is_missing_are_not_used():
    valid = torch.ones(3, TIMES, dtype=torch.bool)
    valid[0, :6] = valid[1, 15:] = False
    found = OperatorTask.rollout(TIMES, 4, aligned=True).admissible(valid)
    assert found.tolist() == [[False, True, True, True], [True, False, False, False], [True] * 4]
    assert OperatorTask.single(TIMES, 10).admissible(valid)[:, 0].tolist() == [False, True, True]


def test_a_rollout_feeds_on_its_own_predictions():
    samples = travelling()
    task = OperatorTask.rollout(TIMES, 4, aligned=True)
    doubled, truth = task.predicted(lambda given: 2 * given, samples)
    assert torch.equal(truth, samples[:, :, 8:]) and doubled.shape == truth.shape
    assert torch.allclose(doubled[:, :, 4:8], 4 * samples[:, :, 4:8])
    once, truth = task.one_step(lambda given: 2 * given, samples)
    assert torch.allclose(once, 2 * samples[:, :, 4:20]) and torch.equal(truth, samples[:, :, 8:])
    once, truth = OperatorTask.single(TIMES, 10).predicted(lambda given: 2 * given, samples)
    assert torch.equal(once, 2 * samples[:, :, :1]) and torch.equal(truth, samples[:, :, 10:11])


def test_the_error_is_summed_over_frames_and_relative_in_each():
    truth = travelling(components=2)
    assert nmse(truth, truth) == 0
    assert torch.allclose(frame_errors(1.1 * truth, truth), torch.full((8, TIMES), 0.01).double())
    assert nmse(1.1 * truth, truth) == pytest.approx(0.01 * TIMES)
    assert nmse(torch.full_like(truth, torch.nan), truth) == LARGEST * TIMES


def test_it_learns_to_let_waves_travel():
    made = training(recipe=OperatorRecipe(4, 20, 4, 2e-2))
    with torch.no_grad():
        before = nmse(*made.task.predicted(made.network, made.samples.float()))
    rows = [made.step() for _ in range(made.steps)]
    with torch.no_grad():
        after = nmse(*made.task.predicted(made.chosen(), made.samples.float()))
    assert made.steps == 160 and rows[-1]["epoch"] == 4
    assert after < 0.05 * before


@pytest.mark.parametrize("renew", [1, 3])
@pytest.mark.parametrize("after", [3, 4, 7, 10])
def test_a_resumed_training_takes_the_same_steps(renew, after):
    recipe = OperatorRecipe(3, 4, 4, 1e-2, renew)
    whole, parts, resumed = (training(noisy, recipe=recipe) for _ in range(3))
    rows = [whole.step() for _ in range(whole.steps)]
    assert [parts.step() for _ in range(after)] == rows[:after]
    parts.judged(1.0)
    resumed.load(parts.state())
    assert [resumed.step() for _ in range(whole.steps - after)] == rows[after:]
    assert (resumed.moved, resumed.asked) == (whole.moved, whole.asked)
    assert resumed.best == 1.0


def test_every_round_has_other_moves_and_every_seed_another_order():
    pools, orders = [], []
    for seed in (0, 1):
        made = training(noisy, seed=seed)
        for _ in range(3):
            made.step()
            pools.append(made._pool.clone())
            orders.append(made._order.tolist())
    assert torch.equal(pools[0], pools[1]) and not torch.equal(pools[1], pools[2])
    assert orders[0] == orders[1] and len({tuple(order) for order in orders}) == 4


def test_samples_moved_out_of_their_window_stay_as_they_were():
    task = OperatorTask.single(TIMES, 14)
    made = training(noisy, task=task)
    made.step()
    unmoved = (made._pool == made.samples.float()).flatten(1).all(1)
    assert unmoved.tolist() == [True] * 4 + [False] * 4
    assert (made.moved, made.asked) == (4, 8)


def test_the_network_of_the_least_error_is_chosen():
    made = training()
    made.step()
    made.judged(0.5)
    kept = {k: v.clone() for k, v in made.network.state_dict().items()}
    made.step()
    made.judged(0.7)
    assert all(torch.equal(v, kept[k]) for k, v in made.chosen().state_dict().items())


def test_rates_of_the_paper():
    recipe = OperatorRecipe(40, 280, 16, 1e-4)
    found = [recipe.rate_at(e) for e in (0, 9, 10, 20, 30, 39)]
    assert found == pytest.approx([1e-4, 1e-4, 4e-5, 1.6e-5, 6.4e-6, 6.4e-6])


def test_what_can_t_be_trained():
    with pytest.raises(UsageError, match="samples = 2: fewer than batch = 4"):
        training(samples=travelling(2))
    with pytest.raises(ConfigError, match="history = 9: trajectories have 24 frames"):
        OperatorTask.rollout(TIMES, 9, aligned=True)
    with pytest.raises(ConfigError, match="ahead = 24"):
        OperatorTask.single(TIMES, 24)
    with pytest.raises(DiscoveryError, match="loss of the operator is"):
        made = training(recipe=OperatorRecipe(3, 40, 4, 1e30))
        for _ in range(20):
            made.step()
