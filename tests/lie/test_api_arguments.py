"""What `symmetries` and a truth's methods refuse, with one error and a hint each, and what they take."""

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.errors import EquationError, LieappError, UsageError
from lieapp.lie.vector_field import Field

t, x = sp.symbols("t x", real=True)
a = sp.Symbol("a", real=True)
k = sp.Function("k")
u = sp.Function("u")(t, x)
U = sp.Function("u")
heat_equation = u.diff(t) - u.diff(x, 2)
TEXT = ("u_t - u_xx", "t,x", "u")


@pytest.fixture(scope="module")
def heat():
    return symmetries(*TEXT)


def refused(call, words):
    with pytest.raises(LieappError) as caught:
        call()
    assert words in caught.value.message and caught.value.hint
    assert not caught.value.message.startswith("equation:")
    return caught.value


EQUATIONS = {
    "an integral": (u.diff(t) - sp.Integral(u, x), "at one point"),
    "a definite integral": (u.diff(t) - sp.Integral(u, (x, 0, 1)), "at one point"),
    "an unknown of one variable": (u.diff(t) + U(t) * u.diff(x) + u.diff(x, 3), "u is used at different arguments"),
    "an unknown of itself": (U(u).diff(t), "u is used at different arguments"),
    "a delay": (u.diff(t) - U(t, x - 1), "u is used at different arguments"),
    "a function of two things": (heat_equation - k(u) - k(t), "k is used at different arguments"),
    "a variable declared otherwise": (u.diff(t) - sp.Symbol("x") * u.diff(x), "two different symbols are named x"),
    "a dummy": (heat_equation - sp.Dummy("x") * u, "two different symbols are named x"),
    "a parameter declared twice": (heat_equation - a * u - sp.Symbol("a"), "two different symbols are named a"),
    "a symbol named as the unknown": (u.diff(t) - sp.Symbol("u") * u.diff(x), "u is the name of a symbol and of"),
    "a parameter named as a jet": (heat_equation - sp.Symbol("u_x", real=True), "that of a derivative of u"),
    "an unknown named as a jet": (heat_equation - sp.Function("u_tx")(t, x), "that of a derivative of u"),
    "not commutative": (heat_equation - sp.Symbol("a", commutative=False) * u, "a is not commutative"),
    "imaginary": (heat_equation - sp.Symbol("a", imaginary=True) * u, "assumed not to be real"),
    "zero": (heat_equation - sp.Symbol("a", zero=True) * u, "assumed to be 0"),
    "an imaginary unknown": (sp.Function("w", imaginary=True)(t, x).diff(t), "assumed not to be real"),
    "an infinite number": (u.diff(t) - sp.oo * u.diff(x, 2), "finite"),
    "a huge number": (u.diff(t) - sp.exp(sp.exp(sp.exp(sp.exp(50)))) * u.diff(x, 2), "too large to be meant"),
    "a set": ({heat_equation}, "the equations are a set"),
    "a mapping": ({1: heat_equation}, "the equations are a dict"),
    "nothing": (None, "the equations are a NoneType"),
    "an inequality": (heat_equation > 0, "no equation between expressions"),
}


@pytest.mark.parametrize("case", EQUATIONS, ids=list(EQUATIONS))
def test_equations_that_mean_something_else(case):
    equation, words = EQUATIONS[case]
    refused(lambda: symmetries(equation, budget=30), words)


ARGUMENTS = {
    "independent, a number": ({"independent": 5}, "independent is 5"),
    "independent, a set": ({"independent": {t, x}}, "independent is {"),
    "independent, another": ({"independent": "t,y"}, "the variable y doesn't occur"),
    "independent, twice": ({"independent": [t, t]}, "t is given twice"),
    "dependent, a class": ({"dependent": U}, "dependent is u"),
    "dependent, a symbol": ({"dependent": [a]}, "a is no unknown"),
    "periodic": ({"periodic": 5}, "periodic is 5"),
    "periodic in the unknown": ({"periodic": [u]}, "periodic in u"),
    "nonzero": ({"nonzero": 5}, "nonzero is 5"),
    "nonzero, the unknown": ({"nonzero": [u]}, "no expression in the equation's parameters"),
    "nonzero, zero": ({"nonzero": [0]}, "no expression in the equation's parameters"),
    "budget, nan": ({"budget": float("nan")}, "budget is nan"),
    "budget, text": ({"budget": "a"}, "budget is 'a'"),
    "budget, nothing": ({"budget": 0}, "budget is 0"),
    "budget, truth": ({"budget": True}, "budget is True"),
    "lengths, a list": ({"lengths": [1]}, "lengths is [1]"),
    "lengths of none": ({"lengths": {"y": 1}}, "y, which is not periodic"),
    "lengths without periodic": ({"lengths": {x: 1}}, "x, which is not periodic"),
    "lengths below 0": ({"lengths": {"x": -1}, "periodic": "x"}, "a positive number"),
    "lengths, infinite": ({"lengths": {x: sp.oo}, "periodic": [x]}, "a positive number"),
    "lengths, complex": ({"lengths": {x: sp.I}, "periodic": [x]}, "a positive number"),
    "lengths, text": ({"lengths": {x: "2*pi"}, "periodic": [x]}, "not a SymPy expression"),
}


@pytest.mark.parametrize("case", ARGUMENTS, ids=list(ARGUMENTS))
def test_arguments_of_a_wrong_kind(case):
    arguments, words = ARGUMENTS[case]
    refused(lambda: symmetries(heat_equation, **arguments), words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"parameters": 5}, "parameters is 5"),
        ({"parameters": {"g": 5}}, "parameters is {'g': 5}"),
        ({"parameters": {"g": "huge"}}, "'huge' is not one of"),
        ({"parameters": {"g": ["positive", "negative"]}}, "can't be positive and negative"),
        ({"functions": 5}, "functions is 5"),
        ({"functions": k}, "functions is k"),
        ({"functions": {"k": ["t", "w"]}}, "arguments among"),
        ({"nonzero": [a]}, "nonzero belongs to SymPy's"),
        ({"independent": {"t"}}, "independent is {"),
        ({"independent": None}, "independent variables of"),
        ({"dependent": ()}, "dependent variables of"),
    ],
    ids=str,
)
def test_arguments_beside_text(arguments, words):
    refused(lambda: symmetries("u_t - u_xx", **{"independent": "t,x", "dependent": "u", **arguments}), words)


def test_hints_of_the_api_name_no_option_of_the_command_line():
    hints = [
        refused(lambda: symmetries("u_t - 9**99*u_xx", "t,x", "u"), "exponents").hint,
        refused(lambda: symmetries("u_t + v_x", "t,x", "u,v"), "underdetermined").hint,
        refused(lambda: symmetries(*TEXT, parameters="g"), "in no equation").hint,
        refused(lambda: symmetries(*TEXT, budget=1e-9), "budget").hint,
    ]
    assert not [hint for hint in hints if "--" in hint]


def test_mappings_say_what_text_says():
    said = symmetries("u_t - g*(k*u_x)", "t,x", "u", {"g": "positive"}, {"k": "u"})
    same = symmetries("u_t - g*(k*u_x)", "t,x", "u", "g:positive", "k:u")
    assert str(said) == str(same) and said.determining.system.parameters[0].is_positive
    (n,) = symmetries("u_t - n*u_xx", "t,x", "u", {"n": ["positive", "integer"]}).determining.system.parameters
    assert n.is_positive and n.is_integer


@pytest.mark.parametrize(
    "arguments",
    [
        {"independent": "t,x", "dependent": "u"},
        {"independent": [t, x], "dependent": u},
        {
            "independent": None,
            "dependent": None,
            "periodic": None,
            "nonzero": None,
            "lengths": None,
            "budget": None,
        },
    ],
    ids=["names", "symbols", "nothing"],
)
def test_names_mean_the_symbols_of_sympys_equations(arguments, heat):
    assert str(symmetries(heat_equation, **arguments)) == str(heat)


METHODS = ("flow", "invariants", "reduction")
GENERATORS = {
    "text": ("a", "'a' is no generator"),
    "nothing": (None, "None is no generator"),
    "a fraction": (1.5, "1.5 is no generator"),
    "truth": (True, "True is no generator"),
    "a list": ([1, 2], "[1, 2] is no generator"),
    "an empty combination": ({}, "empty"),
    "text in a combination": ({1: "c"}, "not a SymPy expression"),
    "a name in a combination": ({"a": 1}, "'a' is no generator"),
    "zero": ({1: 0}, "0 everywhere"),
    "a coordinate": ({1: 1, 2: x}, "no real constant"),
    "another x": ({1: sp.Symbol("x")}, "two different symbols are named x"),
    "complex": ({1: sp.I}, "no real constant"),
    "out of range": (7, "There is no V7"),
    "a field elsewhere": (Field({"y": sp.S.One}), "no field in t, x, u"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", GENERATORS, ids=list(GENERATORS))
def test_what_is_no_generator(heat, method, case):
    generator, words = GENERATORS[case]
    refused(lambda: getattr(heat, method)(generator), words)


@pytest.mark.parametrize("method", METHODS)
def test_number_field_and_combination_alike(heat, method):
    work = getattr(heat, method)
    assert str(work(4)) == str(work(heat.generators[3])) == str(work({4: 1}))


def test_the_parameter_of_a_flow_is_no_symbol_of_the_combination(heat):
    s, epsilon = sp.symbols("s epsilon", real=True)
    assert heat.flow({1: 1, 2: s})["x"] == x + s * epsilon
    refused(lambda: heat.flow(1, parameter="x"), "parameter is 'x'")
    refused(lambda: heat.flow(1, parameter=5), "parameter is 5")


def test_numbers_of_combinations_are_exact(heat):
    assert heat.invariants({1: 1, 2: 0.1}) == heat.invariants({1: 1, 2: sp.Rational(1, 10)})


def test_kinds_of_errors(heat):
    assert isinstance(refused(lambda: heat.flow("a"), "no generator"), UsageError)
    assert isinstance(refused(lambda: symmetries(x + 1), "no unknown"), EquationError)
