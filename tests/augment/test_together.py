"""Two processes train networks as one does: batch normalisation and means are of the whole batch."""

import numpy as np
import pytest
import torch
from processes import check_same, together, trained

from lieapp.augment.classifier import ClassifierTraining, Recipe
from lieapp.augment.moving import Moved
from lieapp.augment.of_pictures import affine_change
from lieapp.augment.operator_training import FNO1d, OperatorRecipe, OperatorTask, OperatorTraining
from lieapp.data.images.pictures import make_pictures
from lieapp.pictures.extractor import Extractor, Shape

STEPS = 3


def classifier(optimizer, seed):
    pixels = np.random.default_rng(0).random((40, 1, 12, 10))
    pictures = make_pictures(pixels, np.arange(40) % 2, ("one", "two"), "noise")
    torch.manual_seed(seed)
    network = Extractor("small", Shape(*pictures.shape, 2), 4)
    network.normalise_by(pictures.pixels)
    recipe = Recipe(2, 7, 0.01, optimizer, True)
    return ClassifierTraining(network, pictures, recipe, seed, affine_change(0.3))


def operator(seed):
    samples = torch.randn(6, 1, 12, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.manual_seed(seed)
    network = FNO1d(2, 2, 8, 4, 1)
    valid = torch.ones(6, 12, dtype=torch.bool)

    def moves(number):
        return Moved(samples, valid, torch.ones(6, dtype=torch.bool), torch.zeros(6, 0))

    def penalty(given, predicted, starts):
        return (predicted - given).square().mean()

    recipe = OperatorRecipe(2, 2, 5, 0.01)
    return OperatorTraining(network, OperatorTask.rollout(12, 2, False), samples, moves, recipe, 0, penalty)


def work(name, seed):
    made = operator(seed) if name == "operator" else classifier(name, seed)
    return trained(made, STEPS)


NAMES = ("operator", "adam", "sgd")


def every(seed):
    return {name: work(name, seed) for name in NAMES}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What each of two processes found, one training after the other."""
    return together(every, tmp_path_factory.mktemp("both"))


@pytest.mark.parametrize("name", NAMES)
def test_two_processes_train_as_one(both, name):
    check_same(work(name, 0), [found[name] for found in both], 2e-6, 1e-6)
