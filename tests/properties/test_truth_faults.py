"""What is missing or false is noticed: a deleted generator or family, a corrupted one."""

import pytest
import sympy as sp
from bases import matrices, mixed
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_equations import ALL, FINITE, INFINITE, derived
from symmetry_spaces import Space

from lieapp.errors import EquationError
from lieapp.lie.families import Group
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.linear import add
from lieapp.lie.normal_form import normal_basis
from lieapp.lie.stages import derive

EXPONENTS = st.integers(0, 3)
FURTHER = 4
"""Orders beyond those of the equations that are enough to certify the complete algebras."""


@pytest.mark.parametrize("name", ALL)
def test_a_deleted_generator_is_noticed(name):
    """Any one of the basis, and one of a mixed basis: all but a hyperplane of the algebra is gone."""
    judge, truth, ours = derived(name)
    n = len(ours.vectors)

    @settings(max_examples=2, deadline=None, derandomize=True)
    @given(st.integers(0, n - 1), st.booleans(), matrices(n))
    def check(k, turned, matrix):
        whole = judge.lifted(ours)
        vectors = mixed(whole.vectors, matrix, judge.field) if turned else whole.vectors
        assert judge.certificate(Space(vectors, whole.groups), FURTHER).certified
        left = judge.certificate(Space(vectors, whole.groups).without_vector(k), FURTHER)
        assert not left.certified and left.known != left.orders
        assert left.bound == truth.certificate.bound

    check()


@pytest.mark.parametrize("name", INFINITE)
def test_a_deleted_family_is_noticed(name):
    judge, _, ours = derived(name)
    for k in range(len(ours.groups)):
        left = judge.certificate(ours.without_group(k), FURTHER)
        assert not left.certified and left.known != left.orders


@st.composite
def monomials(draw, coordinates):
    """A component's position, and a monomial in the coordinates with a factor."""
    factor = draw(st.sampled_from([1, -2, sp.Rational(1, 3)]))
    powers = [c ** draw(EXPONENTS) for c in coordinates]
    return draw(st.integers(0, len(coordinates) - 1)), factor * sp.Mul(*powers)


@pytest.mark.parametrize("name", ALL)
def test_a_corrupted_generator_is_refused(name):
    """By the exact condition, and by the certificate, which has nothing in common with it but the equations."""
    judge, truth, ours = derived(name)
    names = [str(c) for c in judge.coordinates]

    @settings(max_examples=5, deadline=None, derandomize=True)
    @given(st.integers(0, truth.dimension - 1), monomials(judge.coordinates))
    def check(k, error):
        place, monomial = error
        wrong = dict.fromkeys(names, sp.S.Zero) | {names[place]: monomial}
        assume(not is_symmetry(judge.system, wrong))
        good = truth.generators[k].components
        assert is_symmetry(judge.system, good)
        bad = {n: good[n] + wrong[n] for n in names}
        assert not is_symmetry(judge.system, bad)
        vectors = (*ours.vectors[:k], judge.vector(bad), *ours.vectors[k + 1 :])
        with pytest.raises(EquationError, match=f"generator {k + 1} of"):
            judge.certificate(Space(vectors, ours.groups), FURTHER)

    check()


@pytest.mark.parametrize("name", FINITE)
def test_a_corrupted_generator_is_not_printed(name, monkeypatch):
    """If the solver came to a false generator, derivation ends in an error that names it."""
    judge, _, _ = derived(name)
    coordinate = judge.coordinates[-1]

    def corrupted(vectors, field):
        found = normal_basis(vectors, field)
        found[0][0] += field.element(coordinate**3)
        return found

    monkeypatch.setattr("lieapp.lie.stages.normal_basis", corrupted)
    with pytest.raises(EquationError, match=f"{coordinate}\\*\\*3.*invariance condition"):
        derive(judge.system)


@pytest.mark.parametrize("name", INFINITE)
def test_a_corrupted_family_is_refused(name):
    judge, _, ours = derived(name)
    size = len(judge.coordinates)

    @settings(max_examples=6, deadline=None, derandomize=True)
    @given(st.integers(0, len(ours.groups) - 1), monomials(judge.coordinates), st.integers(-1, size - 1))
    def check(k, error, by):
        f, (place, monomial) = ours.groups[k].functions[0], error
        K = tuple(int(i == by and by in judge.unknowns.arguments[f]) for i in range(size))
        wrong = [{} for _ in range(size)]
        judge.field.element(monomial)
        group = judge.lifted(ours).groups[k]
        wrong[place] = {(f, K): judge.field.element(monomial)}
        assume(not judge.holds(Group(group.functions, group.conditions, tuple(wrong))))
        values = [dict(value) for value in group.values]
        add(values[place], (f, K), wrong[place][f, K])
        bad = Group(group.functions, group.conditions, tuple(values))
        assert judge.holds(group)
        assert not judge.holds(bad)
        groups = (*ours.groups[:k], bad, *ours.groups[k + 1 :])
        with pytest.raises(EquationError, match=f"family {k + 1} of"):
            judge.certificate(Space(ours.vectors, groups), FURTHER)

    check()


@pytest.mark.parametrize("name", INFINITE)
def test_a_family_under_weaker_conditions_is_refused(name):
    judge, _, ours = derived(name)
    for group in ours.groups:
        for k in range(len(group.conditions)):
            less = group.conditions[:k] + group.conditions[k + 1 :]
            weak = Group(group.functions, less, group.values)
            if judge.same(Space(groups=(group,)), Space(groups=(weak,))):
                # a condition that follows from the others
                continue
            assert not judge.holds(weak)
            with pytest.raises(EquationError, match="family 1 of"):
                judge.certificate(Space(ours.vectors, (weak,)), FURTHER)


@pytest.mark.parametrize("name", FINITE)
def test_one_generator_twice_in_place_of_another_is_noticed(name):
    judge, _, ours = derived(name)
    again = Space((*ours.vectors[:-1], ours.vectors[0]), ours.groups)
    assert not judge.certificate(again, FURTHER).certified
