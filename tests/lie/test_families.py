"""Families with arbitrary functions against those listed in the literature: the same solutions, whatever the form.

`families.json` has the listed ones in the notation of `lieapp truth --json`; f(t + x) is written as a function
f of t and x with f_t - f_x = 0, and conditions with their integrability conditions. Each of both must solve the
determining equations exactly, each must be certified as complete, and jets of both and of both together must have
the same ranks.
"""

import pytest
from published import derived, entries
from symmetry_spaces import Space

from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError
from lieapp.lie.stages import derive

LISTED = entries("families.json")
COUNTS = {name: (len(e["generators"]), len(e["families"])) for name, e in LISTED.items()}


def compared(name):
    """Judge, truth, its space, and the listed generators and families."""
    judge, truth, ours = derived(name)
    return judge, truth, ours, judge.space(LISTED[name]["generators"], LISTED[name]["families"])


@pytest.mark.parametrize("name", LISTED)
def test_listed_and_derived_are_the_same(name):
    judge, truth, ours, listed = compared(name)
    assert truth.infinite and not truth.unsolved and truth.dimension == COUNTS[name][0]
    assert all(judge.holds(g) for g in (*ours.groups, *listed.groups))
    assert judge.certificate(ours).certified
    assert judge.certificate(listed).certified
    assert judge.same(ours, listed)


@pytest.mark.parametrize("name", LISTED)
def test_families_alone_are_the_same(name):
    """What is counted as generators doesn't hide a family that is too small or too large."""
    judge, _, ours, listed = compared(name)
    assert judge.same(Space(groups=ours.groups), Space(groups=listed.groups))


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, (_, n) in COUNTS.items() for k in range(n)])
def test_a_family_left_out_is_noticed(name, k):
    judge, _, ours, listed = compared(name)
    less = listed.without_group(k)
    assert not judge.same(ours, less)
    assert judge.certificate(listed, further=4).certified
    left = judge.certificate(less, further=4)
    assert not left.certified and left.known != left.orders


@pytest.mark.parametrize("name", LISTED)
def test_generators_aren_t_members_of_families(name):
    judge, truth, ours, _ = compared(name)
    assert judge.ranks(ours)[-1] - judge.ranks(Space(groups=ours.groups))[-1] == truth.dimension


WRONG = {
    "another diffusion": ("heat", {"functions": {"alpha": ["t", "x"]}, "conditions": ["alpha_t - 2*alpha_xx"],
                                   "field": {"u": "alpha"}}),
    "no condition": ("heat", {"functions": {"alpha": ["t", "x"]}, "conditions": [], "field": {"u": "alpha"}}),
    "another factor": ("potential_burgers", {"functions": {"alpha": ["t", "x"]},
                                             "conditions": ["alpha_t - alpha_xx"],
                                             "field": {"u": "alpha*exp(u)"}}),
    "derivative forgotten": ("hunter_saxton", {"functions": {"f": ["t"]}, "conditions": [], "field": {"x": "f"}}),
    "sign": ("navier_stokes_2d", {"functions": {"f": ["t"]}, "conditions": [],
                                  "field": {"x": "f", "u": "f_t", "p": "x*f_tt"}}),
    "one Cauchy-Riemann equation": ("fast_diffusion_2d", {"functions": {"f": ["x", "y"], "g": ["x", "y"]},
                                    "conditions": ["f_x - g_y"], "field": {"x": "f", "y": "g", "u": "-2*g_y*u"}}),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_families_are_refused(case):
    name, family = WRONG[case]
    judge, _, ours, _ = compared(name)
    wrong = judge.group(family)
    assert not judge.holds(wrong)
    assert not judge.same(ours, ours + Space(groups=(wrong,)))
    with pytest.raises(EquationError, match=f"family {len(ours.groups) + 1} of"):
        judge.certificate(ours + Space(groups=(wrong,)))


@pytest.mark.parametrize(
    "family",
    [
        {"functions": {"g": ["t", "x"]}, "conditions": ["g_t - g_xx"], "field": {"u": "g_x"}},
        {"functions": {"g": ["t", "x"]}, "conditions": ["g_t - g_xx - 2*g_x - g"], "field": {"u": "g*exp(x)"}},
        {
            "functions": {"g": ["t", "x"], "h": ["t", "x"]},
            "conditions": ["g_x - h", "g_t - h_x"],
            "field": {"u": "g"},
        },
    ],
)
def test_other_forms_of_the_same_family_are_the_same(family):
    """Superposition of the heat equation by g_x, by g exp(x), and by a system of first order."""
    judge, _, ours, _ = compared("heat")
    other = judge.group(family)
    assert judge.holds(other)
    assert judge.same(Space(groups=ours.groups), Space(groups=(other,)))
    assert judge.certificate(Space(ours.vectors, (other,))).certified


def test_functions_that_only_occur_as_a_sum_are_one():
    """Plebanski's first heavenly equation: u + α(t, x) with α_tx = 0, not α + β."""
    system = parse_system(["u_tx*u_yz - u_tz*u_xy - 1"], ["t", "x", "y", "z"], ["u"])
    truth = derive(system)
    assert truth.certified and len(truth.families) == 4
    for family in truth.families:
        written = str(family.field.as_json()) + str(family.conditions)
        for one, arguments in family.functions.items():
            for other in family.functions:
                if other > one and family.functions[other] == arguments:
                    swapped = written.replace(one, "@").replace(other, one).replace("@", other)
                    assert swapped != written
