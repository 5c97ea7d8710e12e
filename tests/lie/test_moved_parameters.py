"""Symmetries that move parameters, against equations rescaled by hand, families of solutions, and known groups."""

from random import Random

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError, UsageError
from lieapp.lie.certificate.moved import directions_at_most
from lieapp.lie.deadline import Clock
from lieapp.lie.parameters import moving as module
from lieapp.lie.parameters.moving import Extended, moved_of, moving_symmetries
from lieapp.lie.parameters.power_products import groups

TX = ("t", "x")


def moved(equations, names, independent=TX, dependent=("u",), parameters=None, functions=(), clock=None):
    declared = parameters or names
    system = parse_system(equations, independent, dependent, declared, functions)
    return system, moving_symmetries(system, moved_of(system, names), clock or Clock())


KNOWN = {
    # Fisher's equation has no parameter in the right units (Murray 2002, *Mathematical Biology I*, ch. 13.2)
    "Fisher": (["u_t - d*u_xx - r*u*(1 - u/k)"], ["d", "r", "k"], 3, "scalings", []),
    "Burgers": (["u_t + u*u_x - nu*u_xx"], ["nu"], 1, "scalings", []),
    "Korteweg-de Vries": (["u_t + a*u*u_x + b*u_xxx"], ["a", "b"], 2, "scalings", []),
    # a Galilean frame takes a drift away
    "drift and diffusion": (["u_t + c*u_x - d*u_xx"], ["c", "d"], 2, "scalings", []),
    "drift and decay": (["u_t - u_xx - a*u_x - b*u"], ["a", "b"], 2, "affine", ["a**2/b"]),
    # exp(s t) u takes a decay away, but not by a field of degree 1
    "damped oscillator": (["u_tt + a*u_t + b*u"], ["a", "b"], 2, "quadratic", ["a**2/b"]),
    "pendulum": (["u_tt + b*u_t + g/l*sin(u)"], ["g", "l", "b"], 2, "quadratic", ["g/(b**2*l)"]),
    "sine-Gordon": (["u_tt - u_xx + a*sin(b*u)"], ["a", "b"], 2, "scalings", []),
    # nothing maps one exponent to another one
    "an exponent": (["u_t - u**n*u_xx"], ["n"], 0, "quadratic", ["n"]),
    "an exponent of x": (["u_t - x**n*u_xx"], ["n"], 0, "quadratic", ["n"]),
    "a cubic": (["u_t - u_xx - a*u - b*u**2 - c*u**3"], ["a", "b", "c"], 2, "quadratic", ["a*c/b**2"]),
}  # fmt: skip


@pytest.mark.parametrize("case", KNOWN)
def test_known_equations(case):
    equations, names, count, sought, essential = KNOWN[case]
    independent = TX if "x" in equations[0] else ("t",)
    _, found = moved(equations, names, independent)
    assert (len(found.generators), found.sought, found.complete, found.reason) == (count, sought, True, "")
    alone = [e for e in found.groups if e.free_symbols <= {sp.Symbol(n, real=True) for n in names}]
    assert list(map(str, alone)) == essential
    assert found.groups[: len(alone)] == tuple(alone)


def test_scaled_equations_are_multiples_of_themselves():
    """u -> e**(w s) u and so on, put into the equation: every term gets the same factor."""
    _, found = moved(["u_t + a*u*u_x + b*u_xxx"], ["a", "b"])
    s = sp.Symbol("s")
    for field in found.generators:
        values = {sp.Symbol(n, real=True): e for n, e in field.components.items()}
        weight = {n: sp.cancel(e / n) for n, e in values.items()}
        t, x, u, a, b = (weight[sp.Symbol(n, real=True)] for n in "txuab")
        factors = [u - t, a + 2 * u - x, b + u - 3 * x]
        assert len({sp.simplify(sp.exp(s * f)) for f in factors}) == 1


A = sp.Symbol("a", positive=True)
SOLUTIONS = {
    "Burgers": ("u_t + u*u_x - a*u_xx", lambda t, x: 1 - sp.tanh((x - t) / (2 * A)), "a"),
    "decay": ("u_t - u_xx + a*u", lambda t, x: sp.exp(-A * t - t) * sp.sin(x), "a"),
    "drift": ("u_t + a*u_x - u_xx", lambda t, x: sp.exp(-t) * sp.cos(x - A * t), "a"),
}
"""An equation, a solution for every value of the parameter, and its name."""


@pytest.mark.parametrize("case", SOLUTIONS)
def test_solutions_move_to_solutions(case):
    """To first order along the field, u + s (φ - ξ u_x) solves the equation for a + s π."""
    equation, solution, name = SOLUTIONS[case]
    t, x, s = sp.symbols("t x s", real=True)
    system, found = moved([equation], [name])
    (field,) = found.generators
    u = solution(t, x)
    plain = {sp.Symbol(n, real=True): v for n, v in (("a", A), ("u", u))}
    value = {n: sp.sympify(e).xreplace(plain) for n, e in field.components.items()}
    moved_u = u + s * (value["u"] - value["t"] * u.diff(t) - value["x"] * u.diff(x))
    (residual,) = system.residuals
    jets = {symbol: moved_u.diff(t, J[0], x, J[1]) for symbol, (_, J) in system.jets.jets(residual).items()}
    (a,) = system.parameters
    left = residual.xreplace({**jets, a: A + s * value["a"]})
    assert sp.simplify(left.subs(s, 0)) == 0 and sp.simplify(sp.diff(left, s).subs(s, 0)) == 0


@pytest.mark.parametrize("seed", range(15))
def test_random_equations_have_as_many_groups_as_buckingham_says(seed):
    """u_t = Σ c_k m_k: with weights of t, x, u free, those of the c_k follow; the rest is linear algebra."""
    random = Random(seed)
    exponents = random.sample([(u, k) for u in range(4) for k in range(4) if (u, k) != (0, 0)], 3)
    jets = ["u", "u_x", "u_xx", "u_xxx"]
    terms = [f"{c}*u**{u}*{jets[k]}" for c, (u, k) in zip("abc", exponents, strict=True)]
    _, found = moved(["u_t + " + " + ".join(terms)], list("abc"))
    # weight of c_k: that of u_t less that of its term
    rows = sp.Matrix([[-1, k, -u] for u, k in exponents])
    alone = [e for e in found.groups if e.free_symbols <= set(sp.symbols("a b c", real=True))]
    assert len(alone) == 3 - rows.rank() and len(found.groups) == 6 - 3
    assert len(found.generators) >= rows.rank()


def test_the_count_is_an_upper_bound():
    for case in ("Burgers", "drift and decay", "an exponent"):
        equations, names, count, *_ = KNOWN[case]
        system = parse_system(equations, TX, ["u"], names)
        one = Extended(system, moved_of(system, names))
        assert directions_at_most(one.determining, len(names), count, float("inf")) == count
        assert directions_at_most(one.determining, len(names), 0, 0.0) == len(names)


def w(*rows):
    return [[sp.Integer(e) for e in row] for row in rows]


@pytest.mark.parametrize(
    ("weights", "blocks", "expected"),
    [
        # mass, length, time of density, viscosity, diameter, speed | pressure drop a length
        (w((1, 1, 0, 0, 1), (-3, -1, 1, 1, -2), (0, -1, 0, -1, -2)), (4, 1), 2),
        # Taylor 1950, Proc. R. Soc. A 201, 159: energy, density | time, radius
        (w((1, 1, 0, 0), (2, -3, 0, 1), (-2, 0, 1, 0)), (2, 2), 1),
        # gravity, length, mass | time: the mass has no part in it
        (w((0, 0, 1, 0), (1, 1, 0, 0), (-2, 0, 0, 1)), (3, 1), 1),
    ],
    ids=["pipe", "blast", "pendulum"],
)
def test_textbook_groups(weights, blocks, expected):
    found = groups(weights, blocks)
    assert len(found) == expected
    for e in found:
        assert sp.Matrix(weights) * sp.Matrix(e) == sp.zeros(3, 1)
    # Reynolds, the blast wave's E t²/(ρ R⁵), g t²/l
    assert found[0] in ((1, -1, 1, 1, 0), (1, -1, 2, -5), (1, -1, 0, 2))


@pytest.mark.parametrize("seed", range(20))
def test_exponents_span_all_integer_ones(seed):
    """Every integer vector in the kernel is an integer combination: the basis can't be divided further."""
    random = Random(seed)
    size = random.randint(3, 6)
    rows = w(*([random.randint(-4, 4) for _ in range(size)] for _ in range(random.randint(1, 3))))
    blocks = (size - 2, 1, 1)
    basis = sp.Matrix(groups(rows, blocks))
    assert basis.shape[0] == size - sp.Matrix(rows).rank()
    if basis.shape[0]:
        assert sp.Matrix(rows) * basis.T == sp.zeros(len(rows), basis.shape[0])
        minors = (basis[:, list(c)].det() for c in sp.utilities.iterables.subsets(range(size), basis.shape[0]))
        assert sp.igcd(*map(int, minors), 0) == 1
        # those of the parameters alone come first, and are as many as there are
        alone = [row for row in basis.tolist() if not any(row[size - 2 :])]
        assert len(alone) == size - 2 - sp.Matrix(rows)[:, : size - 2].rank()
        assert basis.tolist()[: len(alone)] == alone


def test_symbolic_weights():
    _, found = moved(["u_t - k*u**n*u_xx"], ["k"], parameters=["k", "n"])
    (group,) = found.groups
    t, x, u, k, n = (sp.Symbol(c, real=True) for c in "txukn")
    assert sp.simplify(sp.log(sp.expand_log(group / (k * t * u**n / x**2), force=True))) == 0 and found.complete


def test_arbitrary_functions_stay_as_they_are():
    _, found = moved(["u_t - a*f*u_xx"], ["a"], functions=["f:u"])
    assert [str(e) for e in found.groups] == ["a*t/x**2", "u"] and found.complete
    with pytest.raises(UsageError, match="f is an arbitrary function"):
        moved(["u_t - a*f*u_xx"], ["f"], parameters=["a"], functions=["f:u"])


@pytest.mark.parametrize(("name", "what"), [("mu", "no parameter"), ("u", "an unknown"), ("x", "a variable")])
def test_what_can_not_be_moved(name, what):
    with pytest.raises(UsageError, match=f"{name} is {what}"):
        symmetries("u_t - nu*u_xx", "t,x", "u", "nu", moving=name)


def test_a_parameter_with_the_name_of_a_derivative():
    t, x, k, other = sp.symbols("t x k k_x", real=True)
    u = sp.Function("u")(t, x)
    with pytest.raises(EquationError, match="k_x is that of a derivative of k"):
        symmetries(u.diff(t) - k * u.diff(x, 2) - other * u, moving=[k])


def test_many_parameters_of_many_variables():
    equation = "u_t - a*u_xx - b*u_yy - c*u_zz - d*u_x - e*u_y - f*u_z - g*u**2"
    _, found = moved([equation], list("abcdefg"), tuple("txyz"))
    assert found.complete and len(found.generators) == 7


def test_no_more_is_said_to_be_sought_than_was(monkeypatch):
    monkeypatch.setattr(module, "MAX_CONSTANTS", 10)
    _, found = moved(["u_tt + a*u_t + b*u"], ["a", "b"], ("t",))
    assert found.sought == "affine" and not found.complete and len(found.generators) == 1


def test_without_time():
    _, found = moved(["u_t + u*u_x - nu*u_xx"], ["nu"], clock=Clock(1e-3))
    assert found.generators == () and not found.complete and "ran out" in found.reason and found.sought == ""


def test_parameters_of_the_result():
    truth = symmetries("u_t + u*u_x - nu*u_xx", "t,x", "u", "nu:positive", moving="nu")
    assert truth.dimension == 5 and "E1 = x d_x + u d_u + 2*nu d_nu" in repr(truth)
    assert r"\text{moving } \nu" in truth.latex() and r"2 \nu\,\partial_{\nu}" in truth.latex()
    told = truth.as_json()["moving"]
    assert told["class"] == "scalings" and told["groups"] == ["nu*t/x**2", "u*x/nu"] and told["complete"]
    assert told["generators"] == [{"t": "0", "x": "x", "u": "u", "nu": "2*nu"}] and "identification" not in told
    assert "moving" not in symmetries("u_t - u_xx", "t,x", "u").as_json()
