"""A network that has hardly learned anything is warned of: what it doesn't see says little."""

import pytest

from lieapp.pictures.networks import near_guessing
from lieapp.results.training import Network


@pytest.mark.parametrize(("accuracy", "warned"), [(0.33, True), (0.44, True), (0.51, False), (0.9, False)])
def test_accuracies_near_a_third_of_three_classes(accuracy, warned):
    words = near_guessing(Network(classes=["a", "b", "c"], accuracy=accuracy))
    assert bool(words) == warned
    assert not warned or ("chance level 33 %" in words and "train it longer" in words)


@pytest.mark.parametrize("network", [Network(network="ready-made"), Network(accuracy=0.1), Network(classes=["a"])])
def test_nothing_is_said_of_a_network_of_which_little_is_known(network):
    assert near_guessing(network) == ""
