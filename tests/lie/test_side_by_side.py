"""What other programs printed, as docs/side-by-side.md lists it: right fields hold, wrong ones don't, and ours do.

`peers.json` has their answers in the notation of `lieapp truth --json`, with the numbers of the wrong ones.
"""

from functools import cache

import pytest
from published import entries, read
from symmetry_spaces import Symmetries
from sympy.core.function import AppliedUndef

from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.lie.determining import affine_symmetries, determining_equations
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive

PEERS = entries("peers.json")
SLOW = {"dimsym_navier_stokes"}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PEERS]


@cache
def compared(name):
    """Judge, truth, and its space."""
    system = read(PEERS[name])
    judge, truth = Symmetries(system), derive(system, budget=60.0)
    return judge, truth, judge.derived(truth)


@pytest.mark.parametrize("name", NAMES)
def test_printed_fields_are_symmetries_but_for_those_listed(name):
    entry, (judge, _, _) = PEERS[name], compared(name)
    fields = [{c: parse_expression(v, judge.names) for c, v in g.items()} for g in entry["generators"]]
    wrong = [number for number, field in enumerate(fields, start=1) if not is_symmetry(judge.system, field)]
    assert wrong == entry["wrong_generators"]
    groups = [judge.group(family) for family in entry["families"]]
    wrong = [number for number, group in enumerate(groups, start=1) if not judge.holds(group)]
    assert wrong == entry["wrong_families"]


@pytest.mark.parametrize("name", NAMES)
def test_ours_hold_and_are_the_printed_algebra_where_that_is_right(name):
    entry, (judge, truth, ours) = PEERS[name], compared(name)
    assert truth.certified
    assert all(is_symmetry(judge.system, field.components) for field in truth.generators)
    assert all(judge.holds(group) for group in ours.groups)
    if not entry["wrong_generators"] + entry["wrong_families"]:
        assert judge.same(ours, judge.space(entry["generators"], entry["families"]))
        assert truth.dimension == len(entry["generators"])


def test_liepde_prints_the_same_with_an_arbitrary_function():
    system = parse_system(["y_xx + (y + 3*f)*y_x - y**3 + f*y**2 + (2*f**2 + f_x)*y"], ["x"], ["y"], [], ["f:x"])
    truth = derive(system)
    (f,) = system.residuals[0].atoms(AppliedUndef)
    names = {str(c): c for c in system.jets.coordinates}
    for part, more in (("1", ""), ("Integral(exp(-Integral(f, x)), x)", " + y")):
        text = {"x": f"-exp(Integral(f, x))*{part}", "y": f"exp(Integral(f, x))*{part}*f*y{more}"}
        field = {c: parse_expression(v, names, {"f": f}, integrals=True) for c, v in text.items()}
        assert is_symmetry(system, field)
    assert (truth.dimension, truth.certified) == (2, True)


def test_three_of_the_six_algebras_of_one_log_are_wrong():
    log = [entry for entry in PEERS.values() if entry["program"].startswith("SPDE")]
    assert (len(log), sum(bool(e["wrong_generators"] + e["wrong_families"]) for e in log)) == (6, 3)


def test_fields_of_degree_one_are_four_of_the_five_of_burgers():
    system = parse_system(["u_t + u*u_x - u_xx"], ["t", "x"], ["u"])
    assert len(affine_symmetries(determining_equations(system))) == 4
    assert derive(system).dimension == 5
