"""What a judgement at finite size says in a summary: holds, fails, or nothing that could tell."""

import pytest
import torch

from lieapp.pde.finite import FiniteJudgement, Judged, undecided

INF = float("inf")


def row(defect, share=(1.0, 1.0), folded=(0.0, 0.0), unmoved=(0.0, 0.0)):
    """The entry of one slot at s = -.4 and .4."""
    parts = (torch.tensor([part]) for part in (defect, share, folded, unmoved))
    (entry,) = Judged(FiniteJudgement([-0.4, 0.4], *parts), {}).rows()
    return entry


@pytest.mark.parametrize(
    ("given", "holds"),
    [
        ({"defect": [1e-3, 0.05]}, True),
        ({"defect": [1e-3, 0.2]}, False),
        ({"defect": [1e-3, 0.2], "folded": [0.0, 0.1], "unmoved": [0.3, 0.3]}, False),
        ({"defect": [1e-3, 0.05], "folded": [0.1, 0.0]}, False),
        # one that fails by more than the differences do decides
        ({"defect": [2.0, 0.2], "unmoved": [0.3, 0.3]}, False),
        ({"defect": [1e-3, 0.2], "unmoved": [0.3, 0.3]}, None),
        ({"defect": [0.2, 0.2], "unmoved": [0.3, 0.1]}, False),
        # across a fold a difference means nothing, large or small
        ({"defect": [1e-3, 44.0], "folded": [0.0, 0.04]}, None),
        ({"defect": [0.5, 44.0], "folded": [0.0, 0.04]}, False),
        ({"defect": [1e-3, 0.05], "folded": [0.0, 0.04]}, True),
        # where hardly a node is left nothing is said
        ({"defect": [1e-3, 5.0], "share": [0.5, 0.01]}, True),
        ({"defect": [INF, 5.0], "share": [0.0, 0.01]}, None),
        ({"defect": [INF, INF], "share": [0.0, 0.0]}, None),
        ({"defect": [float("nan"), 1e-3]}, False),
    ],
)
def test_a_field_holds_fails_or_is_not_judged(given, holds):
    entry = row(**given)
    assert entry.holds is holds
    assert bool(undecided(entry)) is (holds is None)


def test_why_nothing_is_said_names_the_cause():
    assert "too few nodes are left" in undecided(row([INF, INF], share=[0.0, 0.0]))
    found = undecided(row([1e-3, 0.2], unmoved=[0.3, 0.3]))
    assert "defect of 0.2" in found and "than that of unmoved data" in found and "lower sigma" in found
