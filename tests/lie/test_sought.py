"""First-order ODEs: symmetries of stated classes, and integrals, checked along numerical solutions."""

import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from lieapp.api import symmetries
from lieapp.equations.parsing import parse_system
from lieapp.lie.consequences import flows
from lieapp.lie.deadline import Clock
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive
from lieapp.lie.told import told
from lieapp.report.truth_document import document

x, y = sp.symbols("x y", real=True)

EQUATIONS = {
    # right-hand side, fewest independent characteristics, whether an integral is found
    "linear": ("x*y", 2, True),
    "Bernoulli": ("x*y**5 + y/x", 2, True),
    "Riccati": ("y**2 + x", 3, True),
    "homogeneous": ("(y/x)**2 + y/x", 2, True),
    "separable": ("sin(x)*exp(y)", 2, True),
    "Abel": ("x**2 + y**3", 0, False),
}


def derived(rate):
    return derive(parse_system([f"y_x - ({rate})"], ["x"], ["y"]), budget=60)


@pytest.mark.parametrize("name", EQUATIONS)
def test_every_field_is_a_symmetry_and_none_a_multiple_of_the_equation(name):
    rate, fewest, integral = EQUATIONS[name]
    truth = derived(rate)
    assert truth.infinite and len(truth.sought.classes) == 3
    assert len(truth.fields) >= fewest and bool(truth.sought.integrals) == integral
    omega = sp.sympify(rate, {"x": x, "y": y})
    for field in truth.fields:
        assert is_symmetry(truth.system, field.components)
        xi, eta = field.components.values()
        assert sp.simplify(eta - omega * xi) != 0


@pytest.mark.parametrize("name", [n for n, (_, _, integral) in EQUATIONS.items() if integral])
def test_integrals_are_constant_along_solutions(name):
    rate = sp.sympify(EQUATIONS[name][0], {"x": x, "y": y})
    (integral,) = derived(EQUATIONS[name][0]).sought.integrals
    slope = sp.lambdify((x, y), rate, "math")
    path = solve_ivp(lambda a, b: [slope(a, b[0])], (0.5, 0.8), [0.4], rtol=1e-11, atol=1e-12)
    values = [complex(integral.subs({x: a, y: b}).evalf(20)) for a, b in zip(path.t, path.y[0], strict=True)]
    assert max(abs(v - values[0]) for v in values) < 1e-7 * (1 + abs(values[0]))
    # not on all of the plane
    assert abs(complex(integral.subs({x: 0.5, y: 0.6}).evalf(20)) - values[0]) > 1e-4


def test_systems_and_flows():
    """A linear chain: the fields have flows, which are told by the names under which they are printed."""
    truth = derive(parse_system(["q_t - q", "w_t + q"], ["t"], ["q", "w"]), budget=60)
    assert len(truth.fields) >= 4 and all(is_symmetry(truth.system, f.components) for f in truth.fields)
    assert len(flows(truth, Clock(30))) == len(truth.fields)
    assert truth.flow(1) is not None


LINEAR = {
    # right-hand side with functions of x, its homogeneous solution as a symmetry
    "arbitrary": (["f:x", "g:x"], "f*y + g", lambda f, g: sp.exp(sp.Integral(f, x))),
    "plain": ([], "y + 1/x", lambda f, g: sp.exp(x)),
    "Bernoulli": (["f:x", "g:x"], "f*y + g*y**3", lambda f, g: y**3 * sp.exp(-2 * sp.Integral(f, x))),
}


@pytest.mark.parametrize("name", [pytest.param("arbitrary", marks=pytest.mark.slow), "plain", "Bernoulli"])
def test_linear_equations_have_their_homogeneous_solutions(name):
    """η = exp ∫f of y' = f y + g, and y³ exp(-2 ∫f) of Bernoulli's (Kamke, Differentialgleichungen I, 4.5)."""
    functions, rate, known = LINEAR[name]
    truth = derive(parse_system([f"y_x - ({rate})"], ["x"], ["y"], [], functions), budget=120)
    f, g = (sp.Function(c, real=True)(x) for c in "fg")
    omega = sp.sympify(rate, {"x": x, "y": y, "f": f, "g": g})
    found = [sp.simplify((c["y"] - omega * c["x"]) / known(f, g)) for c in (v.components for v in truth.fields)]
    assert any(e.is_number and e != 0 for e in found), truth.fields


def test_a_class_that_is_not_solved_for_is_not_named():
    """Of y' = exp(x) y + sin(x), exp(exp(x)) ∂y is missing unless the class that it is in is left out."""
    truth = derive(parse_system(["y_x - exp(x)*y - sin(x)"], ["x"], ["y"]), budget=6)
    along = [name for name in truth.sought.classes if "functions of x, along y" in name]
    assert bool(along) == any(sp.exp(sp.exp(x)) == f.components["y"] for f in truth.fields)


def test_the_answer_does_not_restate_the_equation():
    result = told(derived("x*y"))
    assert result.sentence.startswith("infinitely many")
    words = " ".join(str(block) for block in document(result))
    assert "Infinitely many" in words and "alpha" not in words and "no others" not in words


def test_the_text_claims_no_completeness():
    text = str(symmetries("y_x - y/x", "x", "y"))
    assert "these classes were sought:" in text and "complete" not in text
