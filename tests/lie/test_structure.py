"""Brackets of vector fields, also modulo families, whether these form an ideal, and the words for it."""

import itertools

import msgspec
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from lieapp.document import plain_text
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.parsing import parse_system
from lieapp.lie.families import Group
from lieapp.lie.linear import Unknowns
from lieapp.lie.stages import derive
from lieapp.lie.structure import structure_of
from lieapp.report import truth_document
from lieapp.results.truth import StructureResult

t, x, y, u = sp.symbols("t x y u", real=True)


def truth(*equations, independent="t,x", dependent="u", parameters=()):
    return derive(parse_system(equations, independent.split(","), dependent.split(","), parameters))


def structure_words(structure):
    return [plain_text(line) for line in truth_document.structure_words(structure or StructureResult())]


def vectors_of(field, *rows):
    """Fields from rows of components, once the field has all atoms."""
    found = [field.elements(row) for row in rows]
    return [[field.lift(c) for c in v] for v in found]


def heat_family():
    """α(t, x) ∂_u with α_t = α_xx, in the coordinates t, x, u."""
    field, unknowns = CoefficientField((t, x, u)), Unknowns(3)
    alpha = unknowns.new((0, 1))
    condition = {(alpha, (1, 0, 0)): field.one, (alpha, (0, 2, 0)): -field.one}
    return field, unknowns, Group((alpha,), (condition,), ({}, {}, {(alpha, (0, 0, 0)): field.one}))


HEAT = [
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, u),
    (0, 2 * t, -x * u),
    (2 * t, x, 0),
    (4 * t**2, 4 * t * x, -(x**2 + 2 * t) * u),
]
SOLUTIONS = [1, x, x**2 + 2 * t, sp.exp(t + x), sp.exp(-t) * sp.cos(x)]


def closed_table(structure, n):
    """c^k_ij for all i, j."""
    table = {(i, j): [sp.S.Zero] * n for i in range(n) for j in range(n)}
    for i, j, cs in structure.brackets:
        assert i < j
        table[i, j] = [sp.sympify(c) for c in cs]
        table[j, i] = [-c for c in table[i, j]]
    return table


def jacobi_holds(structure, n):
    table = closed_table(structure, n)
    for i, j, k in itertools.combinations(range(n), 3):
        for m in range(n):
            total = sum(
                table[a, b][s] * table[s, c][m] for a, b, c in ((i, j, k), (j, k, i), (k, i, j)) for s in range(n)
            )
            if sp.simplify(total) != 0:
                return False
    return True


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SOLUTIONS), st.integers(-3, 3)), min_size=6, max_size=6))
def test_members_added_to_generators_change_nothing_modulo_the_families(shifts):
    """Vᵢ + αᵢ ∂_u: brackets leave the span, but hold with the same constants modulo the family."""
    field, unknowns, family = heat_family()
    rows = [(a, b, c + n * s) for (a, b, c), (s, n) in zip(HEAT, shifts, strict=True)]
    plain = structure_of(vectors_of(field, *HEAT), field, [family], unknowns)
    vectors = vectors_of(field, *rows)
    shifted = structure_of(vectors, field, [family.lifted(field)], unknowns)
    assert plain.modulo_families is False and plain.ideal is True
    assert shifted.closed and shifted.ideal is True
    assert replace(shifted, modulo_families=False) == plain
    if any(n for _, n in shifts) and not shifted.modulo_families:
        # then the shifted fields are a basis of an algebra by themselves
        assert structure_of(vectors, field).closed


def test_bracket_outside_the_span():
    field, unknowns, family = heat_family()
    vectors = vectors_of(field, (0, 1, x), (0, 0, u))
    structure = structure_of(vectors, field, [family], unknowns)
    assert structure.closed and structure.modulo_families and structure.ideal
    assert structure.brackets == [] and structure.abelian
    assert "brackets hold modulo the families" in structure_words(structure)
    # without the family, and with a bracket x² ∂_u that is no solution, nothing closes
    leaving = vectors_of(field, (0, 1, x**2), (0, 0, u))
    for basis, groups in ((vectors, []), (leaving, [family])):
        structure = structure_of(basis, field, groups, unknowns)
        assert structure.closed is False and structure.brackets == []
        assert structure.solvable is None and structure.killing is None
        assert "don't close" in structure_words(structure)[0]


def test_families_that_are_no_ideal():
    """α(t) ∂_u and y ∂_t: the bracket y α' ∂_u depends on y. There is no quotient, so nothing is said of it."""
    field, unknowns = CoefficientField((t, x, y, u)), Unknowns(4)
    alpha = unknowns.new((0,))
    family = Group((alpha,), (), ({}, {}, {}, {(alpha, (0, 0, 0, 0)): field.one}))
    rows = [(y, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, x * t), (0, 0, 0, x * y), (0, 0, 0, y)]
    structure = structure_of(vectors_of(field, *rows), field, [family], unknowns)
    assert structure.closed and structure.modulo_families and structure.ideal is False
    assert structure.brackets == [(0, 2, [0, 0, 0, 1, 0]), (1, 3, [0, 0, 0, 0, 1])]
    assert structure.solvable is None and structure.levi is None
    assert structure_words(structure) == ["brackets hold modulo the families, which don't form an ideal"]


def test_family_that_is_no_algebra():
    """(α(t) + α'(t) x) ∂_x: the bracket of two members has more terms than a member."""
    field, unknowns = CoefficientField((t, x, u)), Unknowns(3)
    alpha = unknowns.new((0,))
    value = {(alpha, (0, 0, 0)): field.one, (alpha, (1, 0, 0)): field.element(x)}
    vectors = vectors_of(field, (0, 0, 1))
    with_slope = structure_of(vectors, field, [Group((alpha,), (), ({}, value, {}))], unknowns)
    assert with_slope.ideal is not True
    constant = {(alpha, (0, 0, 0)): field.one}
    assert structure_of(vectors, field, [Group((alpha,), (), ({}, constant, {}))], unknowns).ideal is True


@pytest.mark.slow
@pytest.mark.parametrize(
    "equations, kwargs",
    [
        (["u_tt - u_xx"], {}),
        (["u_tx - exp(u)"], {}),
        (["u_tx + u*u_xx + u_x**2/2"], {}),
        (["u_xt + u_x**2 + u*u_xx + u_xxxx + u_yy"], {"independent": "t,x,y"}),
        (["u_t - u_xx/u - u_yy/u + u_x**2/u**2 + u_y**2/u**2"], {"independent": "t,x,y"}),
        (["u_t + u*u_x + h_x", "h_t + u*h_x + h*u_x"], {"dependent": "u,h"}),
        (
            [
                "u_t + u*u_x + v*u_y + p_x - nu*(u_xx + u_yy)",
                "v_t + u*v_x + v*v_y + p_y - nu*(v_xx + v_yy)",
                "u_x + v_y",
            ],
            {"independent": "t,x,y", "dependent": "u,v,p", "parameters": ["nu:positive"]},
        ),
    ],
)
def test_families_of_equations_are_ideals(equations, kwargs):
    result = truth(*equations, **kwargs)
    assert result.infinite and result.structure.closed and result.structure.ideal is True
    assert result.structure.solvable is not None


@pytest.mark.parametrize(
    "equation",
    ["u_t - u_xx", "u_t + u*u_x - u_xx", "u_t - u_xx - log(u)*u", "u_t + (a*u + b*u**2)*u_x + u_xxx"],
)
def test_jacobi_identity(equation):
    result = truth(equation, parameters=["a", "b"] if "b*" in equation else [])
    assert result.structure.closed and result.structure.brackets
    assert jacobi_holds(result.structure, result.dimension)


def test_heat_equation_in_words():
    result = truth("u_t - u_xx")
    assert msgspec.convert(result.as_json()["structure"], StructureResult) == result.structure
    assert result.structure.levi.type == "sl(2, R)"
    assert len(result.structure.radical) == len(result.structure.nilradical) == 3
    lines = structure_words(result.structure)
    assert lines[0] == "not solvable, perfect"
    assert any(line.startswith("Levi factor: sl(2, R) spanned by V1, ") for line in lines)


def test_korteweg_de_vries_in_words():
    assert structure_words(truth("u_t + u*u_x + u_xxx").structure) == [
        "solvable, not nilpotent",
        "centre: 0",
        "derived algebra: V1, V2, V3",
        "nilradical: V1, V2, V3",
    ]


def test_words_of_combinations_and_parameters():
    field = CoefficientField((t, x, u), (a := sp.Symbol("a", real=True),))
    # [V1, V2] = V1 + a V3, [V1, V3] = 0: V1 + a V3 is the derived algebra
    vectors = vectors_of(field, (1, 0, 0), (t, a * t, 0), (0, 1, 0))
    lines = structure_words(structure_of(vectors, field))
    assert "derived algebra: V1 + a V3" in lines and "centre: V3" in lines
    assert structure_words(structure_of(vectors_of(field, (1, 0, 0)), field)) == ["abelian"]
    # nothing to say of no generators, or when the time was up before the brackets
    assert structure_words(structure_of([], field)) == structure_words(None) == []


def test_assumptions_on_parameters_are_passed_on():
    field = CoefficientField((t, x), (a := sp.Symbol("a", real=True),))
    vectors = vectors_of(field, (1, 0), (a * t, x))
    structure = structure_of(vectors, field)
    assert structure.assumed_nonzero == ["a"]
    assert structure_words(structure)[-1] == "where nonzero: a"
    assert structure_of(vectors, field, nonzero=[a]).assumed_nonzero == []
