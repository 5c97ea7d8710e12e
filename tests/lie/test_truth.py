"""The derived algebras: right spans, every field proved, closed under the bracket, periodic part, families."""

import json

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.equation import read_equations
from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.lie.invariance import defect, is_symmetry
from lieapp.lie.stages import derive
from lieapp.lie.vector_field import Field, name


def system(*equations, independent="t,x", dependent="u", parameters=(), functions=()):
    return parse_system(equations, independent.split(","), dependent.split(","), parameters, functions)


def truth(equations, periodic="x", **kwargs):
    found = system(*equations, **kwargs)
    return found, derive(found, [v for v in found.jets.independent if str(v) in periodic.split(",")])


def rank_of(rows, coordinates, parameters=()):
    """Rank of fields as functions, from values at rational points."""
    values = []
    for row in rows:
        line = []
        for k in range(len(rows) + 3):
            point = {c: sp.Rational(7 + 5 * k + 3 * i, 11 + 2 * k * i + i) for i, c in enumerate(coordinates)}
            point |= {p: sp.Rational(13 + 2 * i, 7) for i, p in enumerate(parameters)}
            line += [e.subs(point).evalf(40) for e in row]
        values.append(line)
    return sp.Matrix(values).rank(iszerofunc=lambda e: abs(e) < 1e-25) if values else 0


def same_span(found, fields, expected):
    coordinates = found.jets.coordinates
    known = {str(s): s for s in (*coordinates, *found.parameters)}
    a = [[f.components[str(c)] for c in coordinates] for f in fields]
    b = [[parse_expression(e.get(str(c), "0"), known) for c in coordinates] for e in expected]
    ranks = [rank_of(rows, coordinates, found.parameters) for rows in (a, b, a + b)]
    return ranks == [len(fields)] * 3 and len(expected) == len(fields)


SPACE, TIME, BOOST = {"x": "1"}, {"t": "1"}, {"x": "t", "u": "1"}
KDV = [SPACE, TIME, BOOST, {"t": "3*t", "x": "x", "u": "-2*u"}]
BURGERS = [SPACE, TIME, BOOST, {"t": "2*t", "x": "x", "u": "-u"}, {"t": "t**2", "x": "t*x", "u": "x - t*u"}]
NKDV = [SPACE, {"t": "exp(-t/50)"}, {"x": "50*exp(t/50)", "u": "1"}, {"t": "150", "x": "x", "u": "-2*u"}]
CKDV = [
    SPACE,
    {"x": "2*sqrt(t+1)", "u": "1/sqrt(t+1)"},
    {"t": "3*(t+1)", "x": "x", "u": "-2*u"},
    {"t": "4*(t+1)**Rational(3,2)", "x": "2*x*sqrt(t+1)", "u": "(x - 4*(t+1)*u)/sqrt(t+1)"},
]
GARDNER = [SPACE, TIME, {"t": "6*t", "x": "2*x - 6*t", "u": "-2*u - 1"}]
NLS = [
    SPACE,
    TIME,
    {"u": "v", "v": "-u"},
    {"t": "2*t", "x": "x", "u": "-u", "v": "-v"},
    {"x": "2*t", "u": "-x*v", "v": "x*u"},
]
CASES = {
    "kdv": (["u_t + u*u_x + u_xxx"], KDV, KDV[:3]),
    "ks": (["u_t + u_xx + u_xxxx + u*u_x"], KDV[:3], KDV[:3]),
    "burgers": (["u_t + u*u_x - u_xx/100"], BURGERS, BURGERS[:3]),
    "nkdv": (["exp(-t/50)*u_t + u*u_x + u_xxx"], NKDV, NKDV[:3]),
    "ckdv": (["u_t + u*u_x + u_xxx + u/(2*(t+1))"], CKDV, CKDV[:2]),
    "gardner": (["u_t + 6*u*u_x + 6*u**2*u_x + u_xxx"], GARDNER, GARDNER[:2]),
}
COEFFICIENTS_OF_TIME = {
    "polynomial after exponential": "u_t + exp(-t)*u*u_x + (1 + t**2)*u_xxx",
    "sine and polynomial": "u_t + sin(t)*u*u_x + t*u_xxx",
    "root after exponential": "u_t + exp(-t)*u*u_x + sqrt(1 + t**2)*u_xx",
}
NLS_EQUATIONS = ["u_t + v_xx + (u**2 + v**2)*v", "v_t - u_xx - (u**2 + v**2)*u"]


@pytest.mark.parametrize("case", CASES)
def test_scalar_evolution_equations(case):
    equations, expected, periodic = CASES[case]
    found, result = truth(equations)
    assert result.dimension == len(expected) and not result.infinite and not result.unsolved
    assert same_span(found, result.generators, expected)
    assert same_span(found, result.periodic, periodic)
    assert result.certified
    assert all(is_symmetry(found, f.components) for f in result.generators)


@pytest.mark.parametrize("case", COEFFICIENTS_OF_TIME)
def test_coefficients_of_several_kinds_at_once(case):
    """Each new function of t makes the field of coefficients grow while forms in it already stand."""
    boost = {"x": "cos(t)", "u": "-1"} if case.startswith("sine") else {"x": "exp(-t)", "u": "-1"}
    found, result = truth([COEFFICIENTS_OF_TIME[case]])
    assert same_span(found, result.generators, [SPACE, boost]) and not result.unsolved
    assert same_span(found, result.periodic, [SPACE, boost])
    assert all(is_symmetry(found, f.components) for f in result.generators)


def test_schroedinger():
    found, result = truth(NLS_EQUATIONS, dependent="u,v")
    assert same_span(found, result.generators, NLS)
    assert same_span(found, result.periodic, NLS[:3])


def test_heat_has_six_and_superposition():
    found, result = truth(["u_t - u_xx"])
    expected = [
        SPACE,
        TIME,
        {"u": "u"},
        {"t": "2*t", "x": "x"},
        {"x": "2*t", "u": "-x*u"},
        {"t": "4*t**2", "x": "4*t*x", "u": "-(x**2 + 2*t)*u"},
    ]
    assert same_span(found, result.generators, expected)
    assert same_span(found, result.periodic, expected[:3])
    (family,) = result.as_json()["families"]
    shown = {"functions_shown", "conditions_shown", "shown"}
    assert {key: value for key, value in family.items() if key not in shown} == {
        "functions": {"alpha": ["t", "x"]},
        "conditions": ["alpha_t - alpha_xx"],
        "field": {"t": "0", "x": "0", "u": "alpha"},
    }
    assert result.as_json()["periodic_families"] == [family]


def test_wave_as_a_system_has_families_only():
    _, result = truth(["u_t - v_x", "v_t - u_x"], dependent="u,v")
    assert result.infinite and result.dimension == 0 and not result.unsolved


def test_arbitrary_functions_of_time():
    """KP: three families, no generator outside them; x-periodic ones keep functions that don't multiply x."""
    equation = "u_tx + 3*u_x**2/2 + 3*u*u_xx/2 + u_xxxx/4 - 3*u_yy/4"
    _, result = truth([equation], independent="t,x,y")
    assert (result.dimension, len(result.families)) == (0, 3)
    assert all(f.functions == {"alpha": ("t",)} and not f.conditions for f in result.families)


def test_pressure_condition_is_found():
    """Navier-Stokes in two dimensions: the divergence of the momentum equation gives the pressure equation."""
    equations = [
        "u_t + u*u_x + v*u_y + p_x - nu*(u_xx + u_yy)",
        "v_t + u*v_x + v*v_y + p_y - nu*(v_xx + v_yy)",
        "u_x + v_y",
    ]
    _, result = truth(equations, independent="t,x,y", dependent="u,v,p", parameters=["nu:positive"])
    assert (result.dimension, len(result.families)) == (3, 3)


def test_ordinary_equation_has_the_projective_algebra():
    _, result = truth(["y_xx + y"], periodic="", independent="x", dependent="y")
    assert result.dimension == 8
    assert result.structure.solvable is False


def test_irrational_structure_constants_are_kept_and_decided_exactly():
    _, result = truth(["u_t - sqrt(2)*u_xx + log(3)*u*u_x"])
    assert result.dimension == 5 and result.structure.closed
    constants = {str(c) for _, _, cs in result.structure.brackets for c in cs}
    assert any("log(3)" in c or "sqrt(2)" in c for c in constants)
    assert result.structure.solvable is False and result.structure.nilpotent is False


def test_parameters_that_matter_are_reported():
    _, result = truth(["u_t + u**n*u_x + u_xxx"], parameters=["n"])
    assert {"n", "n - 1"} <= {str(e) for e in result.assumed_nonzero}
    # n = 1 has the Galilean boost besides
    _, kdv = truth(["u_t + u*u_x + u_xxx"])
    assert kdv.dimension > result.dimension
    _, result = truth(["u_t + u**n*u_x + u_xxx"], parameters=["n:positive"])
    assert [str(e) for e in result.assumed_nonzero] == ["n - 1"]


def test_declared_inequality_is_not_reported():
    equations = ["r_t + u*r_x + r*u_x", "u_t + u*u_x + p_x/r", "p_t + u*p_x + g*p*u_x"]
    _, generic = truth(equations, dependent="r,u,p", parameters=["g:positive, g != 3"])
    _, special = truth([e.replace("g", "3") for e in equations], dependent="r,u,p")
    assert (generic.dimension, special.dimension) == (6, 7)
    assert generic.assumed_nonzero == ()
    _, undeclared = truth(equations, dependent="r,u,p", parameters=["g:positive"])
    assert [str(e) for e in undeclared.assumed_nonzero] == ["g - 3"]


def test_arbitrary_nonlinearity():
    """u_t = (k(u) u_x)_x: the principal algebra (Ovsiannikov 1959)."""
    found, result = truth(["u_t - k(u)*u_xx - k_u*u_x**2"], functions=["k:u"])
    assert same_span(found, result.generators, [SPACE, TIME, {"t": "2*t", "x": "x"}])


def test_period_that_is_given():
    """u_t = u_xx + sin(x) u is periodic over 2π and its multiples; superposition survives there only."""
    found = system("u_t - u_xx - sin(x)*u")
    (x,) = [v for v in found.jets.independent if str(v) == "x"]
    assert len(derive(found, [x], {x: 2 * sp.pi}).periodic_families) == 1
    assert derive(found, [x]).periodic_families == ()


def test_symbols_of_any_assumption():
    """A plugin may declare t and x without assumptions, or positive."""
    for assumptions in ({}, {"positive": True}, {"real": True}):
        t, x = sp.symbols("t x", **assumptions)
        u = sp.Function("u")(t, x)
        equation = u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (2 * (t + 1))
        result = derive(read_equations([equation], (t, x), {}, "ckdv"), [x])
        assert (result.dimension, len(result.periodic)) == (4, 2)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.sampled_from(["1", "(1 + t**2)", "exp(x)", "(2 + u**2)", "-3"]))
def test_multiplying_the_equation_changes_nothing(a, b, factor):
    found, result = truth([f"{factor}*({a}*u_t + u*u_x + {b}*u_xxx)"])
    expected = [SPACE, TIME, {"x": "t", "u": str(a)}, {"t": "3*t", "x": "x", "u": "-2*u"}]
    assert same_span(found, result.generators, expected)


@settings(max_examples=6, deadline=None)
@given(st.integers(-3, 3).filter(bool), st.integers(-3, 3))
def test_moving_frame_moves_the_algebra(speed, level):
    """u -> u + level, x -> x + speed t sends KdV to u_t + (u + c) u_x + u_xxx with an algebra just as large."""
    found, result = truth([f"u_t + (u + {level} + {speed})*u_x + u_xxx"])
    shift = level + speed
    expected = [SPACE, TIME, BOOST, {"t": "3*t", "x": "x", "u": f"-2*(u + {shift})"}]
    assert same_span(found, result.generators, expected)


@pytest.mark.parametrize("case", ["burgers", "ckdv", "nkdv"])
def test_brackets_are_those_of_the_fields(case):
    """[Vᵢ, Vⱼ] computed with SymPy equals the combination that the structure constants give; Jacobi holds."""
    found, result = truth(CASES[case][0])
    coordinates = found.jets.coordinates
    fields = [[f.components[str(c)] for c in coordinates] for f in result.generators]
    n = len(fields)
    table = {(i, j): [sp.sympify(c) for c in cs] for i, j, cs in result.structure.brackets}

    def bracket(V, W):
        return [
            sum(v * sp.diff(w, c) - k * sp.diff(u, c) for v, k, c in zip(V, W, coordinates, strict=True))
            for u, w in zip(V, W, strict=True)
        ]

    for i in range(n):
        for j in range(i + 1, n):
            weights = table.get((i, j), [0] * n)
            for k, component in enumerate(bracket(fields[i], fields[j])):
                combined = sum(w * f[k] for w, f in zip(weights, fields, strict=True))
                assert sp.simplify(component - combined) == 0
    assert result.structure.solvable is (case != "burgers")


def test_defect_of_what_is_no_symmetry():
    found = system("u_t + u*u_x + u_xxx")
    (t, _, u) = found.jets.coordinates
    (left,) = defect(found, {"u": u})
    assert left == found.jets.symbol(0, (0, 1)) * u
    assert not is_symmetry(found, {"t": t})


def test_json_is_the_contract():
    _, result = truth(CASES["ckdv"][0])
    document = json.loads(json.dumps(result.as_json()))
    assert document.keys() >= {
        "dimension",
        "infinite",
        "generators",
        "families",
        "unsolved",
        "assumed_nonzero",
        "assumed_independent",
        "assumed_generic",
        "certified",
        "certificate",
        "periodic",
        "periodic_families",
        "structure",
        "seconds",
    }
    assert document["periodic"] == [
        {"t": "0", "x": "1", "u": "0"},
        {"t": "0", "x": "2*sqrt(t + 1)", "u": "1/sqrt(t + 1)"},
    ]


@pytest.mark.parametrize("equation", ["u_t + u*u_x + u_xxx", "u_t - u_xx"])
def test_nothing_periodic_restricts_nothing(equation):
    system = parse_system([equation], ["t", "x"], ["u"])
    whole, restricted = derive(system).as_json(), derive(system, [system.jets.independent[1]]).as_json()
    assert whole["periodic"] == whole["generators"] and whole["periodic_families"] == whole["families"]
    assert len(restricted["periodic"]) < len(whole["periodic"])


def test_one_line_text():
    _, result = truth(CASES["ckdv"][0])
    assert result.periodic[1].text() == "2*sqrt(t + 1) d_x + 1/sqrt(t + 1) d_u"
    assert r"\partial_{x}" in result.periodic[1].latex()


@pytest.mark.parametrize(
    ("field", "called"),
    [
        ({"t": "1"}, "time translation"),
        ({"x": "5"}, "space translation"),
        ({"x": "a*t", "u": "1"}, "Galilean boost"),
        ({"x": "2*sqrt(t+1)", "u": "1/sqrt(t+1)"}, "generalised Galilean boost"),
        ({"t": "3*t + 3", "x": "x", "u": "-2*u"}, "scaling"),
        ({"u": "u"}, "scaling of u"),
        ({"u": "1"}, "shift of u"),
        ({"u": "v", "v": "-u"}, "rotation of u, v"),
        ({"t": "x", "x": "t"}, "Lorentz boost in t, x"),
        ({"t": "t**2", "x": "t*x", "u": "x - t*u"}, "projective transformation"),
        ({"t": "exp(-t/50)"}, "exp(-t/50) d_t"),
    ],
)
def test_names(field, called):
    known = {s.name: s for s in sp.symbols("t x u v a", real=True)}
    components = {n: parse_expression(field.get(n, "0"), known) for n in ("t", "x", "u", "v")}
    assert name(Field(components), ["t", "x"]) == called
