"""What is assumed excludes every special case with more symmetries than the general one."""

import pytest
import sympy as sp

from lieapp.document import plain_text
from lieapp.equations.factors import vanishing_factors
from lieapp.equations.parsing import parse_system
from lieapp.lie.solving.state import MAX_SETS, fewest, simplest
from lieapp.lie.stages import derive
from lieapp.lie.told import named, told
from lieapp.report.truth_document import assumptions

t, x, u = sp.symbols("t x u", real=True)
a, f, k = sp.symbols("a f k", real=True)


def derived(equation, functions=(), variables="t,x", unknown="u"):
    return derive(parse_system([equation], variables.split(","), [unknown], functions=functions))


def broken(result, special, variable):
    """The assumptions that don't hold for special functions, given by name."""
    values = {}
    for name, expression in special.items():
        for n in range(9):
            suffix = f"_{variable}" if n == 1 else f"_{str(variable) * n}" if n else ""
            values[sp.Symbol(name + suffix, real=True)] = sp.diff(expression, variable, n)
    found = [e for e in result.assumed_nonzero if sp.simplify(e.subs(values)) == 0]
    for span in result.assumed_independent:
        at = [e.subs(values) for e in span]
        matrix = sp.Matrix([[e.subs(variable, sp.Rational(p, 7)) for e in at] for p in range(1, 2 * len(at) + 4)])
        assert not matrix.free_symbols
        if sp.Matrix(matrix).rank() < len(at):
            found.append(span)
    return found


@pytest.mark.parametrize(
    ("special", "dimension"),
    [
        ({"k": 1 + u**2 + u**3, "f": sp.S.Zero}, 3),
        ({"k": 1 + u**2 + u**3, "f": 1 + u**2 + u**3}, None),
        ({"k": u**2, "f": u**3}, 3),
        ({"k": sp.Integer(1), "f": u**3}, 3),
        ({"k": u**2 + u, "f": u**3 + u**5}, 2),
    ],
)
def test_diffusion_with_an_arbitrary_source(special, dimension):
    """f = 0 adds the scaling of t and x, which nothing said before."""
    equation = "u_t - k(u)*u_xx - f(u)"
    result = derived(equation, ["k:u", "f:u"])
    assert result.certified and result.dimension == 2 and not result.assumed_generic
    if dimension is not None:
        numbers = equation.replace("k(u)", f"({special['k']})").replace("f(u)", f"({special['f']})")
        assert derived(numbers).dimension == dimension
    assert bool(broken(result, special, u)) == (dimension != 2)


@pytest.mark.parametrize(("source", "dimension"), [("0", 3), ("u", 3), ("u**2", 2)])
def test_nonlinear_waves_with_an_arbitrary_source(source, dimension):
    result = derived("u_tt - k(u)*u_xx - k_u*u_x**2 - f(u)", ["k:u", "f:u"])
    special = {"k": u**3 + u + 1, "f": sp.sympify(source, {"u": u})}
    if source == "u":
        special["k"] = u**3
    at = derived(f"u_tt - ({special['k']})*u_xx - ({sp.diff(special['k'], u)})*u_x**2 - ({special['f']})")
    assert at.dimension == dimension
    if dimension > result.dimension:
        assert broken(result, special, u)


def test_counted_solutions_name_what_they_were_counted_for():
    """k = 1, f = x fulfils the listed conditions but has 6; the count at random k and f can't say so."""
    result = derived("u_t - k(x)*u_xx - f(x)*u", ["k:x", "f:x"])
    assert (result.dimension, result.infinite) == (2, True)
    assert set(result.assumed_generic) == {"k", "f"}
    assert derived("u_t - u_xx - x*u").dimension == 6


def test_everything_is_told():
    result = derived("u_t - k(u)*u_xx - f(u)", ["k:u", "f:u"])
    document = result.as_json()
    assert document["assumed_generic"] == [] and len(document["assumed_independent"]) == 1
    (span,) = document["assumed_independent"]
    assert all(isinstance(e, str) for e in span) and any("f" in e for e in span)
    words = f"assumed linearly independent: {', '.join(span)}"
    shown = told(result)
    assert words in str(result) and words in list(map(plain_text, assumptions(shown)))
    assert r"\text{ linearly independent}" in result.latex()
    shown.assumed_generic, shown.assumed_generic_shown = ["k"], [named("k")]
    assert any(plain_text(line).startswith("assumed generic: k") for line in assumptions(shown))


def test_spans_in_simplest_form():
    assert simplest([f + x * f, 3 * f]) == (f, f * x)
    assert simplest([x - f, f - x]) == (f - x,) or simplest([x - f, f - x]) == (x - f,)
    assert fewest([(f,), (sp.S.One, f), (f, x)]) == [(sp.S.One, f), (f, x)]


def test_many_spans_are_joined_and_lose_nothing():
    spans = [(sp.S.One, sp.Symbol(f"g{n}"), sp.Symbol(f"h{n}") * x) for n in range(12)]
    joined = fewest(spans)
    assert len(joined) == MAX_SETS
    for span in spans:
        assert any(len(simplest([*span, *other])) == len(other) for other in joined)


def test_functions_tie_the_variables():
    """u k_u + 1 vanishes for k = -log u, while u a + 1 vanishes for no constant a."""
    name = sp.Function("k")(u)
    assert vanishing_factors(u * sp.Derivative(name, u) + 1, []) == [u * sp.Symbol("k_u", real=True) + 1]
    assert vanishing_factors(u * a + 1, [a]) == []
    assert vanishing_factors(x * name + 1, []) == []


@pytest.mark.parametrize(
    ("equation", "special"),
    [
        ("u_t - a*u_xx - b*u", [{"a": 3, "b": 0}, {"a": -1, "b": 2}]),
        ("u_t - a*u_xx - (b - 2*a)*u", [{"a": 3, "b": 0}, {"a": 3, "b": 6}]),
        ("u_t - u_xx - b*c*u", [{"b": 0, "c": 3}, {"b": 3, "c": 0}]),
    ],
)
def test_generators_are_independent_where_no_assumption_fails(equation, special):
    """Of u_t = a u_xx + b u one was a multiple of another at b = 0, which nothing said."""
    found = derive(parse_system([equation], ["t", "x"], ["u"], list(special[0])))
    assert found.dimension == 6 and set(map(str, found.assumed_nonzero)) <= {"a"}
    points = [{"t": sp.Rational(n, 3), "x": 1 - n * n, "u": 2 + n} for n in range(6)]
    for values in special:
        rows = [
            [c.subs({s: {**at, **values}[str(s)] for s in c.free_symbols}) for at in points
             for c in map(sp.sympify, one.components.values())] for one in found.generators
        ]  # fmt: skip
        assert sp.Matrix(rows).rank() == 6, values
