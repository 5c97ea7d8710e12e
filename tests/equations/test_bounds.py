"""However a typed expression is nested, it is read quickly or refused with a caret and a next step."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.api import symmetries
from lieapp.equations.declarations import FUNCTIONS
from lieapp.equations.limits import MAX_LENGTH
from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.errors import BudgetError, ParseError
from lieapp.lie import symmetries as door

MOST_CALLS = 1_000_000
"""Python functions that reading may call: of thousands of texts drawn at random none took a quarter of that."""

HUGE = "123456789012345678901234567890123456789"


def nested(form: str, times: int, leaf: str = "u") -> str:
    """A form inside itself."""
    return tower(leaf, [form] * times)


def tower(leaf: str, forms: list[str]) -> str:
    """A leaf inside each form in turn."""
    for form in forms:
        leaf = form.replace("@", leaf)
    return leaf


REFUSED = {
    "exponentials": nested("exp(-@)", 20),
    "exponentials of a number": nested("exp(-@)", 20, "2"),
    "roots": nested("sqrt(1+@)", 20),
    "cosines": nested("sin(cos(@))", 10),
    "tangents": nested("tanh(-tan(@))", 10),
    "cube roots": nested("tanh((@)**(1/3))", 5),
    "powers of powers": nested("(@)**x", 10),
    "a tower": nested("x**(1-@)", 10),
    "quotients": nested("1/(1+@)", 30),
    "squares": nested("(1+@)**2", 30),
    "signs": "-" * 300 + "u",
    "many roots of roots": "+".join(f"sqrt(1+sqrt({k}+u))" for k in range(60)),
    "many functions": "+".join(f"sin({n}*x)" for n in range(102)),
    "many terms": "+".join("u" for _ in range(600)),
    "many factors": "*".join("u" for _ in range(600)),
    "a constant in an exponent": "2**(x - 1e12)",
    "a root of a long fraction": f"(1/{HUGE})**(7/97)",
    "a square root of a long fraction": f"sqrt(1/{HUGE})",
    "an exponent with many digits": "12**0.123456789",
    "roots under one sign": "*".join(f"sqrt({10**15 + k})" for k in range(100)),
    "a name of any length": "u_" + "x" * 101,
    "a number that grows": "*".join(["9**64"] * 50),
    "a complex power": "(-2)**pi",
    "a pole that can't be told apart": "1/log(cosh(1e-90))",
    "a sine of a number with many digits": "tan(-sinh(exp(13)))",
}


KDV = {"equations": ["u_t + u*u_x + u_xxx"], "independent": ["t", "x"], "dependent": ["u"]}
TOO_LONG = {
    "an equation": ({"equations": ["u=" * 3000]}, "6000 characters"),
    "many equations": ({"equations": ["u_t + u*u_x"] * 3000}, "33000 characters together"),
    "a declaration": ({"parameters": ["p," * 3000]}, "6000 characters"),
    "many declarations": ({"functions": ["k:u" + "; k != 1" * 400] * 20}, "characters together"),
    "a name": ({"parameters": ["p" * 101]}, "can't be a name"),
    "many variables": ({"independent": ["t", "x", *(f"x_{k}" for k in range(20_000))]}, "20002 variables"),
    "many unknowns": ({"dependent": ["u", *(f"u_{k}" for k in range(5000))]}, "5001 unknowns"),
    "roots in LaTeX": ({"equations": ["u_t + " + r"\sqrt" * 500 + "u"]}, "nested too deeply"),
    "powers in LaTeX": ({"equations": ["u_t + " + "e^" * 500 + r"x + \pi"]}, "nested too deeply"),
}


@pytest.mark.parametrize("key", TOO_LONG)
def test_what_is_long_is_refused_in_few_words(key):
    given_, words = TOO_LONG[key]
    with pytest.raises(ParseError, match=words) as caught:
        parse_system(**KDV | given_)
    assert caught.value.hint and len(caught.value.message) < 4 * MAX_LENGTH


def test_letters_with_many_readings_are_refused_at_once():
    variables = ["x" * k for k in range(1, 9)]
    with pytest.raises(ParseError, match="can mean the derivative with respect to") as caught:
        assert calls_of(lambda: parse_system(["u_" + "x" * 98], variables, ["u"])) <= MOST_CALLS
    assert len(caught.value.message) < 1000


def test_long_products_of_roots_and_nested_latex_are_still_read():
    roots = "*".join(f"sqrt({p})" for p in (2, 3, 5, 7, 11, 13))
    (product,) = parse_system([f"u_t - {roots}"], "tx", "u").residuals
    assert product.coeff(sp.sqrt(30030)) == -1
    nested_ = parse_system(["u_t - " + r"\frac{1}{1 + " * 7 + "u" + "}" * 7], "tx", "u")
    assert nested_.residuals[0].has(sp.Symbol("u", real=True))


@pytest.mark.parametrize("key", REFUSED)
def test_refused(key):
    with pytest.raises(ParseError) as caught:
        parse_system([f"u_t + u*({REFUSED[key]})"], ["t", "x"], ["u"])
    first, shown, caret = caught.value.message.split("\n")
    assert first.startswith("column ") and shown.endswith(f"({REFUSED[key]})") and caret.strip() == "^"
    assert caught.value.hint


def test_the_caret_stands_under_what_is_too_much_and_the_bound_is_said():
    with pytest.raises(ParseError) as caught:
        parse_system(["u_t + " + nested("exp(-@)", 6)], ["t", "x"], ["u"])
    first, _, caret = caught.value.message.split("\n")
    # the second of six, which has four others inside
    assert caret.index("^") == 2 + len("u_t + exp(-") and "8 is the most" in first
    assert "k(u)" in caught.value.hint


def test_what_people_write_is_within_the_bounds():
    texts = [
        "u_t - exp(-sqrt(1+exp(2*u)))*u_xx",
        "u_t + u_xx/(1+u_x**2)**(3/2) + tanh(sqrt(1+x**2))**2/cosh(1/(1+x))**2",
        "u_t" + "".join(f" + {n}*x**{n}*u**{n}*u_x" for n in range(1, 60)),
        "u_t" + "".join(f" + sin({n}*x)" for n in range(100)),
        "u_t" + "".join(f" + u/(x+{n})/(x-{n})" for n in range(1, 40)),
    ]
    for text in texts:
        assert parse_system([text], ["t", "x"], ["u"]).residuals


def test_what_lieapp_wrote_itself_is_not_bounded():
    text = nested("sin(@)", 12, "x")
    x = parse_expression("x", {"x": parse_system(["u_t + x*u_x"], ["t", "x"], ["u"]).jets.independent[1]})
    assert str(parse_expression(text, {"x": x})) == text


LEAVES = (
    "u",
    "x",
    "t",
    "u_x",
    "p",
    "n",
    "2",
    "3",
    "(1/3)",
    "pi",
    "-1",
    "13",
    "1e9",
    HUGE,
    "(7/97)",
    "(pi/17)",
    "(1-pi)",
)
EXPONENTS = ("2", "-1", "4", "(1/3)", "(-3/2)", "u", "p", "n", "pi", "(1-x)", "1.5", "(x-3)")
FORMS = [
    *(f"{name}({sign}@)" for name in FUNCTIONS for sign in ("", "-", "1-")),
    *(f"(@)**{exponent}" for exponent in EXPONENTS),
    *(f"{base}**(@)" for base in ("2", "u", "p", "(-2)", "(1/3)")),
    *("D_x(@)", "(@)_x", "besselj(n, @)", "airyai(x*(@))"),
    *("1/(@)", "(1-@)", "u*(@)", "(pi/2-@)", "(@)*(@+1)", "(@)**2+x**2"),
]

cycles = st.builds(list.__mul__, st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), st.integers(1, 12))
towers = st.builds(tower, st.sampled_from(LEAVES), cycles)
adversarial = st.lists(towers, min_size=1, max_size=3).map(lambda parts: "*".join(f"({part})" for part in parts))


class TooMuchError(BaseException):
    """Not to be handled by anything that handles errors."""


def calls_of(work) -> int:
    """How many functions some work calls; ended by TooMuchError above MOST_CALLS."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event == "call"
        if count > MOST_CALLS:
            raise TooMuchError

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@settings(max_examples=150, deadline=None)
@given(adversarial)
def test_any_text_is_read_with_bounded_work_or_refused(text):
    def read():
        try:
            parse_system([f"u_t + p*n*u*({text})"], ["t", "x"], ["u"], ["p:positive", "n:integer"])
        except ParseError as error:
            assert error.hint

    assert calls_of(read) <= MOST_CALLS


def test_reading_is_at_the_cost_of_the_budget(monkeypatch):
    def endless(*_, **__):
        while True:
            pass

    monkeypatch.setattr(door, "parse_system", endless)
    with pytest.raises(
        BudgetError, match=r"^u_t - u_xx: the budget of 0\.2 s ran out before the equation was read"
    ) as it:
        symmetries("u_t - u_xx", "t,x", "u", budget=0.2)
    assert it.value.hint


def test_also_where_there_are_no_alarms():
    with ThreadPoolExecutor(1) as elsewhere:
        late = elsewhere.submit(symmetries, "u_t - u_xx", "t,x", "u", budget=0.01).exception()
        found = elsewhere.submit(symmetries, "u_t - u_xx", "t,x", "u", budget=300).result()
        wrong = elsewhere.submit(symmetries, "u_t - foo", "t,x", "u", budget=300).exception()
    assert isinstance(late, BudgetError) and "before the equation was read" in late.message
    assert found.dimension == 6 and isinstance(wrong, ParseError)
