"""η of the generators that data are moved along: symmetries at the floor, others by what they are."""

import pytest
from moving_cases import FIVE, as_learned, field, formulas
from small_solutions import TRUE, small

from lieapp.augment.along import Along, LearnedSlots
from lieapp.augment.of_solutions import defects

WRONG = {"t": "0", "x": "0", "u": "u"}
"""Scaling of u alone, a symmetry of none of the five."""


def of(name, along):
    data = small(name)
    return defects(along, data.domain, data.trajectories)


@pytest.mark.parametrize("name", FIVE)
def test_symmetries_lie_at_the_floor_and_others_do_not(name):
    along = formulas(name)
    along.formulas["wrong"] = field(name, tuple(WRONG.values()))
    eta = of(name, along)
    assert list(eta) == [*formulas(name).formulas, "wrong"]
    assert eta.pop("wrong") > 0.1
    assert max(eta.values()) < 1e-6


def test_learned_fields_are_judged_as_the_formulas_they_are():
    learned = as_learned("ckdv", *TRUE["ckdv"], tuple(WRONG.values()))
    eta = of("ckdv", Along(learned=[LearnedSlots(learned, [0, 2])]))
    assert list(eta) == ["slot 1", "slot 3"]
    assert eta["slot 1"] < 1e-6
    wrong = of("ckdv", Along({"wrong": field("ckdv", tuple(WRONG.values()))}))["wrong"]
    assert eta["slot 3"] == pytest.approx(wrong, rel=1e-6)


def test_a_translation_in_time_is_no_symmetry_of_ckdv():
    eta = of("ckdv", Along({"time translation": field("ckdv", ("1", "0", "0"))}))
    assert 0.05 < eta["time translation"] < 5


def test_nothing_to_move_along_has_no_defect():
    assert of("kdv", Along()) == {}
