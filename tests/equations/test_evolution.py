"""Which variable is time, what may be asked of an equation, and the advice that errors give."""

import pytest
import sympy as sp

from lieapp.api import PDE
from lieapp.equations.equation import read_equations, read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import EquationError

y, s, t, x = sp.symbols("y s t x", real=True)


def plugin(equation, *variables):
    box = dict.fromkeys(variables, (0, 1))
    return PDE(
        name="p", title="P", equation=sp.Eq(equation, 0), region=box, points=dict.fromkeys(box, 16), periodic=[]
    )


def test_time_by_another_name_is_the_variable_with_first_derivatives_alone():
    w = sp.Function("w")(y, s)
    form = evolution_form(read_pde(plugin(w.diff(s) + w * w.diff(y) + w.diff(y, 3), y, s)))
    assert form.time == 1
    u, u_y, u_yyy = (form.jets.symbol(0, J) for J in ((0, 0), (1, 0), (3, 0)))
    assert sp.expand(form.rhs[0] + u * u_y + u_yyy) == 0


def test_t_is_time_wherever_it_stands():
    u = sp.Function("u")(x, t)
    assert evolution_form(read_pde(plugin(u.diff(t) - u.diff(x), x, t))).time == 1


def test_advice_for_a_second_time_derivative_is_its_first():
    u = sp.Function("u")(t, x)
    with pytest.raises(EquationError) as error:
        evolution_form(read_pde(plugin(u.diff(t, 2) - u.diff(x, 2), t, x)))
    assert "contains u_tt" in error.value.message
    assert "v = u_t as a second unknown" in error.value.hint


def test_no_derivative_no_differential_equation():
    u = sp.Function("u")(t, x)
    with pytest.raises(EquationError, match="no derivative"):
        read_pde(plugin(u**2 - x, t, x))


@pytest.mark.parametrize("text", ["u_t + u", "__import__('os').getcwd()"])
def test_text_in_a_declaration_is_refused_and_not_evaluated(text):
    u = sp.Function("u")(t, x)
    with pytest.raises(EquationError, match="is not a SymPy expression") as error:
        read_equations([text], (t, x), {}, "p")
    assert repr(text) in error.value.message and "not evaluated" in error.value.hint
    with pytest.raises(EquationError, match="is not a SymPy expression"):
        read_equations([u.diff(t) - u.diff(x)], (t, x), {text: 1}, "p")
