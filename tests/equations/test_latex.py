"""LaTeX in: read where it has one meaning, else refused with a caret and a next step."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.parsing import parse_system
from lieapp.errors import ParseError


def residual(text, parameters=(), functions=()):
    return parse_system([text], ["t", "x"], ["u"], parameters, functions).residuals[0]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"u_t + 6 u u_x + u_{xxx} = 0", "u_t + 6*u*u_x + u_xxx"),
        (r"\partial_t u = \nu \partial_x^2 u - u\,\partial_x u", "u_t - nu*u_xx + u*u_x"),
        (r"\nu\frac{\partial u}{\partial t} - \frac{\partial^2 u}{\partial x^2} = u^{3}", "nu*u_t - u_xx - u**3"),
        (r"\nu\frac{\partial^2 u}{\partial x \partial t} = \sin u", "nu*u_tx - sin(u)"),
        (
            r"\partial_t u = \nu\frac{\partial}{\partial x}\left( k(u) \frac{\partial u}{\partial x} \right)",
            "u_t - nu*(k(u)*u_x)_x",
        ),
        (r"u_{tt} = \frac{1}{2} \left(u^2\right)_{xx} + \nu\sin(2u)", "u_tt - (u**2)_xx/2 - nu*sin(2*u)"),
        (r"\nu\frac{du}{dt} = \sqrt{1 + x^2} \sqrt[3]{u}", "nu*u_t - sqrt(1 + x**2)*u**(1/3)"),
        (r"u_t = e^{-\nu t} u_{xx} + \exp(u)", "u_t - exp(-nu*t)*u_xx - exp(u)"),
        (r"u_{t} = \nu\cdot 2 u (1 - u)^{2}", "u_t - 2*nu*u*(1 - u)**2"),
        (r"u_{t} = \varepsilon u_{xx}", "u_t - epsilon*u_xx"),
        (r"u_{t} = \lambda \tfrac{u_x}{u}^2", "u_t - lambda*u_x**2/u**2"),
    ],
)
def test_read_as_in_plain_text(text, plain):
    parameters = [n for n in ("nu", "epsilon", "lambda") if n in text]
    functions = ["k:u"] if "k(u)" in text else []
    difference = residual(text, parameters, functions) - residual(plain, parameters, functions)
    assert sp.expand(difference.doit()) == 0


def test_greek_variables_and_numbered_unknowns():
    found = parse_system([r"\theta_{\xi\xi} - \theta_\tau"], ["tau", "xi"], ["theta"])
    assert str(found.residuals[0]) == "-theta_tau + theta_xi_xi"
    found = parse_system([r"u_{1,t} - u_{2,xx}", r"u_{2,t} - u_{1}"], ["t", "x"], ["u_1", "u_2"])
    assert [str(r) for r in found.residuals] == ["u_1_t - u_2_xx", "-u_1 + u_2_t"]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (r"\partial_x u^2 + u_{t}", 13),
        (r"u_{t} + \sin 2u", 15),
        (r"u_{t} + \sin^2(u)", 13),
        (r"u_{t} + \frac{\partial}{\partial x} u u_x", 39),
        (r"u_{t} + \frac12 u", 14),
        (r"u_{t} - u^12", 11),
        (r"\frac{\partial^2 u}{\partial x}", 1),
        (r"\nabla^2 u - u_t", 1),
        (r"u_{t} + |u|", 9),
        (r"u_{t} + (u", 11),
        (r"u_{t} + u)", 10),
        (r"u_{t} - \frac{u}{", 17),
        (r"u_{t} + foo u", 9),
        (r"u_{t} \\ u_{x}", 7),
        (r"\dot{u} - u_{xx}", 1),
        (r"u_{t} + 1/(u - u)", 12),
    ],
)
def test_what_is_ambiguous_is_refused_with_a_caret(text, column):
    with pytest.raises(ParseError) as caught:
        residual(text)
    first, shown, caret = caught.value.message.split("\n")
    assert first.startswith(f"column {column}:") and shown == "  " + text and caret.index("^") == column + 1
    assert caught.value.hint


def test_plain_text_has_no_products_by_standing_side_by_side():
    with pytest.raises(ParseError):
        residual("u_t + u u_x")
    with pytest.raises(ParseError, match="not a power"):
        residual("u_t + u^2")


PIECES = (
    "u", "x", "u_{x}", "_x", "^", "^{2}", "{", "}", "(", ")", "2", "12", "+", "-", "=", " ", r"\frac", r"\partial",
    r"\partial_x", r"\sqrt", "[3]", r"\sin", r"\nu", r"\left(", r"\right)", r"\cdot", "e", "d", "dx", ",", "'",
    r"\foo", "\\", "_", "lambda", ")_x", "D_x(", "&",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_text_is_read_or_refused(pieces):
    try:
        parse_system([f"u_{{t}} + {pieces}"], ["t", "x"], ["u"], ["nu"])
    except ParseError as error:
        assert error.hint
