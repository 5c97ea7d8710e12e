"""What outputs determine, against published models, Lie derivatives written out, and simulated solutions."""

from random import Random

import numpy as np
import pytest
import sympy as sp
from identifiability import MODELS, Model, slow_rank_test
from scipy.integrate import solve_ivp

from lieapp.api import symmetries
from lieapp.equations.leading import solve_for_leading
from lieapp.equations.parsing import parse_expression
from lieapp.errors import EquationError, ParseError, UsageError
from lieapp.lie.certificate.observed import observed
from lieapp.lie.deadline import Clock
from lieapp.lie.parameters import identifiable
from lieapp.lie.parameters.identifiable import identified
from lieapp.lie.parameters.moving import moved_of


@pytest.fixture(scope="module", params=MODELS, ids=str)
def case(request):
    model = MODELS[request.param]
    system = model.system()
    return model, system, identified(system, system.parameters, Clock())


def test_the_verdicts_are_those_of_the_literature(case):
    model, _, found = case
    assert {name for name, verdict in found.parameters.items() if verdict} == model.known
    assert None not in {*found.parameters.values(), *found.states.values()}
    assert found.directions == len(found.generators) == model.hidden and (found.missing, found.reason) == (0, "")
    assert found.complete and bool(found.sought) == bool(model.hidden)


def test_the_combinations_are_functions_of_the_published_ones(case):
    model, system, found = case
    names = {str(s): s for s in system.parameters}
    published = [parse_expression(text, names) for text in model.combinations]
    assert len(published) == len(found.combinations)
    # each gradient lies in the span of the others': they determine one another
    gradients = sp.Matrix([[sp.diff(e, s) for s in system.parameters] for e in (*published, *found.combinations)])
    values = {s: sp.Rational(5 + 3 * k, 11 + k) for k, s in enumerate(system.parameters)}
    assert gradients.xreplace(values).rank() == len(published)


def test_the_fields_keep_the_time_and_the_outputs(case):
    _, system, found = case
    for field in found.generators:
        assert field.components["t"] == 0
        symbols = {s.name: s for h in system.outputs for s in h.free_symbols}
        for h in system.outputs:
            moved = (field.components[n] * sp.diff(h, s) for n, s in symbols.items() if n in field.components)
            plain = {sp.Symbol(s.name, real=True): s for s in symbols.values()}
            assert sp.simplify(sum(moved).xreplace(plain)) == 0


def test_the_rank_test_is_that_of_lie_derivatives_written_out(case):
    model, system, _ = case
    if model.functions:
        pytest.skip("an input isn't a rational number")
    found = observed(system, solve_for_leading(system), system.parameters)
    assert (found.determined, found.directions) == slow_rank_test(system)


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed):
    """Two quadratic equations with parameters at random terms: verdicts are never against the slow rank test."""
    random = Random(seed)
    terms = ["x", "y", "x*y", "x**2", "1", "y/(x + 1)"]
    letters = iter("abcdefgh")
    sides = []
    for unknown in "xy":
        chosen = random.sample(terms, 2)
        sides.append(f"{unknown}_t - " + " + ".join(f"{next(letters)}*{term}" for term in chosen))
    output = random.choice(["x", "g*x", "x + g*y", "x*y", "h*x + g"])
    used = [c for c in "abcdgh" if any(c in text for text in (*sides, output))]
    model = Model(sides, ["x", "y"], used, [output], set(), [], 0)
    determined, hidden = slow_rank_test(model.system())
    found = identified(model.system(), model.system().parameters, Clock())
    assert found.directions + len(found.unseen) == hidden and len(found.generators) <= found.directions
    for name, verdict in {**found.parameters, **found.states}.items():
        # without a field to prove it, nothing is called hidden
        assert verdict is True if determined[name] else verdict is not True
        assert verdict is not None or not found.complete


def test_solutions_with_the_same_outputs():
    """Along the field of the model with a fraction counted, simulated outputs don't change; else they do."""

    def counted(b, g, k, S, J):
        rates = lambda t, y: [-b * y[0] * y[1], b * y[0] * y[1] - g * y[1]]  # noqa: E731
        return k * solve_ivp(rates, (0, 5), (S, J), t_eval=np.linspace(0, 5, 9), rtol=1e-10, atol=1e-12).y[1]

    first, scale = counted(0.8, 0.3, 0.5, 2.0, 0.1), 1.7
    np.testing.assert_allclose(counted(0.8 * scale, 0.3, 0.5 * scale, 2 / scale, 0.1 / scale), first, rtol=1e-7)
    assert abs(counted(0.8 * scale, 0.3, 0.5, 2 / scale, 0.1 / scale) - first).max() > 0.01


def test_what_does_not_move_is_known():
    found = symmetries(
        ["x_t - a*b*x"], "t", "x", ["a", "b"], moving="a", outputs="x"
    ).identified  # fmt: skip
    assert found.parameters == {"a": True} and found.complete
    assert symmetries("x_t - a*x", "t", "x", "a", outputs=None).identified is None


def test_of_a_second_order_equation_the_first_derivative_is_a_state():
    found = symmetries("u_tt + g/l*sin(u)", "t", "u", ["g:positive", "l:positive"], outputs="u").identified
    assert found.states == {"u": True, "u_t": True} and str(found.combinations[0]) == "g/l"


def test_without_a_rank_test_nothing_is_called_identifiable(monkeypatch):
    monkeypatch.setattr(identifiable, "observed", lambda *_: None)
    system = MODELS["SIR, a fraction counted"].system()
    found = identified(system, system.parameters, Clock())
    assert found.parameters == {"b": False, "g": None, "k": False} and found.directions is None
    assert not found.complete and found.missing is None and found.combinations == ()


def test_an_arbitrary_function_of_an_unknown_leaves_it_undecided():
    found = symmetries("x_t - a*f", "t", "x", "a", "f:x", outputs="x").identified
    assert found.parameters == {"a": None} and found.directions is None


def test_no_time():
    system = MODELS["two compartments that leak"].system()
    found = identified(system, system.parameters, Clock(1e-3))
    assert set(found.parameters.values()) == {None} and "ran out" in found.reason


def test_written_by_sympy():
    t, r, K, c = sp.symbols("t r K c", positive=True)
    x = sp.Function("x")(t)
    growth = sp.Eq(x.diff(t), r * x * (1 - x / K))
    found = symmetries(growth, outputs=[c * x]).identified
    assert found.parameters == {"K": False, "c": False, "r": True} and str(found.combinations[0]) == "K*c"
    assert symmetries(growth, outputs=c * x, moving=[r, c]).identified.parameters == {"r": True, "c": True}
    with pytest.raises(EquationError, match="no unknown of the equations"):
        symmetries(growth, outputs=x.diff(t))
    with pytest.raises(EquationError, match="no unknown of the equations"):
        symmetries(growth, outputs=sp.Function("y")(t))
    with pytest.raises(EquationError, match="two different symbols are named r"):
        symmetries(growth, outputs=sp.Symbol("r") * x)


@pytest.mark.parametrize(
    ("outputs", "error", "words"),
    [
        (["c*x"], ParseError, "'c' is not declared"),
        ("x_t", ParseError, "'x_t' is not declared"),
        ("a", UsageError, "the output a contains no unknown"),
        ("x = 3", ParseError, "can't be read"),
        ([sp.Symbol("x")], UsageError, "Write them as the equations"),
        (3, UsageError, "Write them as the equations"),
    ],
)
def test_outputs_that_mean_nothing(outputs, error, words):
    with pytest.raises(error) as said:
        symmetries("x_t + a*x", "t", "x", "a", outputs=outputs)
    assert words in f"{said.value.message} {said.value.hint}"


def test_outputs_of_a_partial_differential_equation():
    with pytest.raises(UsageError, match="the variables are t, x"):
        symmetries("u_t - a*u_xx", "t,x", "u", "a", outputs="u")
    assert moved_of(MODELS["logistic growth"].system(), ()) == MODELS["logistic growth"].system().parameters
