"""The choice of basis doesn't matter: normal form, certificate and restriction of mixed generators; brackets."""

import pytest
from bases import WEIGHTS, combination, matrices, mixed
from hypothesis import given, settings
from hypothesis import strategies as st
from small_equations import ALL, FINITE, INFINITE, derived
from symmetry_spaces import Space

from lieapp.lie.families import Group, restrict
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.linear import combined, differentiated
from lieapp.lie.normal_form import coordinates_in, normal_basis
from lieapp.lie.structure import bracket


def kept_by_period(judge, space):
    """The members with periodic x, generators only, as a space."""
    whole = judge.lifted(space)
    x = next(c for c in judge.coordinates if str(c) == "x")
    kept, _, wide, _ = restrict(whole.vectors, whole.groups, judge.field, judge.unknowns, [x])
    names = [str(c) for c in judge.coordinates]
    components = [
        {n: wide.expression(wide.lift(c)) for n, c in zip(names, v, strict=False)} for v in kept if any(v)
    ]
    return Space(tuple(map(judge.vector, components)))


@pytest.mark.parametrize("name", ALL)
def test_a_mixed_basis_is_the_same_algebra(name):
    judge, truth, ours = derived(name)

    @settings(max_examples=3, deadline=None, derandomize=True)
    @given(matrices(len(ours.vectors)))
    def check(matrix):
        whole = judge.lifted(ours)
        other = Space(mixed(whole.vectors, matrix, judge.field), whole.groups)
        assert normal_basis(other.vectors, judge.field) == normal_basis(whole.vectors, judge.field)
        again = judge.certificate(other)
        assert again.certified
        assert (again.dimension, again.bound) == (truth.dimension, truth.certificate.bound)
        before, after = kept_by_period(judge, whole), kept_by_period(judge, other)
        assert len(before.vectors) == len(after.vectors)
        families = Space(groups=whole.groups)
        assert judge.same(before + families, after + families)

    check()


@pytest.mark.parametrize("name", FINITE)
def test_the_derived_basis_is_in_normal_form(name):
    judge, _, ours = derived(name)
    whole = judge.lifted(ours)
    assert [tuple(v) for v in normal_basis(whole.vectors, judge.field)] == list(whole.vectors)


@pytest.mark.parametrize("name", ALL)
def test_brackets_close_modulo_the_families(name):
    judge, _, ours = derived(name)
    n = len(ours.vectors)
    weights = st.lists(WEIGHTS, min_size=n, max_size=n)

    @settings(max_examples=4, deadline=None, derandomize=True)
    @given(weights, weights)
    def check(a, b):
        whole, field = judge.lifted(ours), judge.field
        V, W = (combination(whole.vectors, c, field) for c in (a, b))
        slopes = [[{j: field.diff(c, j) for j in range(len(v))} for c in v] for v in (V, W)]
        made = tuple(bracket(V, slopes[0], W, slopes[1], field))
        names = [str(c) for c in judge.coordinates]
        assert is_symmetry(judge.system, {c: field.expression(e) for c, e in zip(names, made, strict=True)})
        assert judge.ranks(whole, Space((made,))) == judge.ranks(whole)
        if name in FINITE:
            assert coordinates_in(whole.vectors, [made], field) != [None]

    check()


def bracket_with_family(vector, group, judge):
    """[V, F]ᵏ = Vʲ ∂ⱼ Fᵏ - Fʲ ∂ⱼ Vᵏ for the general member F of a family."""
    field, values = judge.field, []
    for k in range(len(vector)):
        parts = []
        for j in range(len(vector)):
            parts.append((vector[j], differentiated(group.values[k], j, field, judge.unknowns)))
            parts.append((-field.diff(vector[k], j), group.values[j]))
        values.append(combined(*parts))
    return Group(group.functions, group.conditions, tuple(values))


@pytest.mark.parametrize("name", INFINITE)
def test_brackets_with_families_close(name):
    judge, _, ours = derived(name)
    n = len(ours.vectors)

    @settings(max_examples=3, deadline=None, derandomize=True)
    @given(st.lists(WEIGHTS, min_size=n, max_size=n).filter(any))
    def check(weights):
        whole = judge.lifted(ours)
        vector = combination(whole.vectors, weights, judge.field)
        made = tuple(bracket_with_family(vector, group, judge) for group in whole.groups)
        assert all(judge.holds(group) for group in made)
        assert judge.ranks(whole, Space(groups=made)) == judge.ranks(whole)

    check()
