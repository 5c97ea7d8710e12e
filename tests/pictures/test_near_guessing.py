"""A network that has hardly learned anything is warned of: what it doesn't see says little."""

import pytest

from lieapp.pictures.networks import near_guessing, unplanted
from lieapp.results.training import Network, Planted


def planted(angle, before, other):
    return Planted(
        field="rotation", reach=0.7, angle=angle, angle_before=before, others={"shear": 1.0, "scaling": other},
        others_before={"shear": 0.5, "scaling": 0.5}, accuracy_before=0.9,
    )  # fmt: skip


@pytest.mark.parametrize(("accuracy", "warned"), [(0.33, True), (0.44, True), (0.51, False), (0.9, False)])
def test_accuracies_near_a_third_of_three_classes(accuracy, warned):
    words = near_guessing(Network(classes=["a", "b", "c"], accuracy=accuracy))
    assert bool(words) == warned
    assert not warned or ("chance level 33 %" in words and "train it longer" in words)


@pytest.mark.parametrize("network", [Network(network="ready-made"), Network(accuracy=0.1), Network(classes=["a"])])
def test_nothing_is_said_of_a_network_of_which_little_is_known(network):
    assert near_guessing(network) == ""


@pytest.mark.parametrize(("angle", "before", "other"), [(0.5, 0.5, 0.9), (0.45, 0.5, 0.4)])
def test_a_move_that_is_noticed_still_is_warned_of(angle, before, other):
    words = unplanted(planted(angle, before, other))
    assert words.startswith(f"rotation is planted poorly: it turns the features by {angle:.2f} rad, 0.50 before")
    assert f"and scaling by {other:.2f}" in words


def test_nothing_is_said_of_a_planted_move_that_is_noticed_least():
    assert unplanted(planted(0.1, 0.5, 0.4)) == ""


def test_planted_networks_are_not_trained_longer():
    words = near_guessing(Network(classes=["a", "b"], accuracy=0.5, planted=planted(0.1, 0.5, 0.4)))
    assert words.endswith("plant it with more pictures")
