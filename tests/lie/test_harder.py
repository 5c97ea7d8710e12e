"""Equations whose algebras are in the literature and that ask more of the solver."""

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive

# equations, variables, unknowns, parameters, dimension modulo families, number of families
HARDER = {
    "thin film": (["u_t + u**n*u_xxxx + n*u**(n-1)*u_x*u_xxx"], "t,x", "u", ["n:positive"], 4, 0),
    "fast diffusion -4/3": (
        ["u_t - u**Rational(-4,3)*u_xx + Rational(4,3)*u**Rational(-7,3)*u_x**2"],
        "t,x",
        "u",
        [],
        5,
        0,
    ),
    "minimal surfaces": (["(1+u_y**2)*u_xx - 2*u_x*u_y*u_xy + (1+u_x**2)*u_yy"], "x,y", "u", [], 7, 0),
    "eikonal": (["u_x*u_y - 1"], "x,y", "u", [], 10, 0),
    "Monge-Ampere": (["u_xx*u_yy - u_xy**2"], "x,y", "u", [], 15, 0),
    "free motion in the plane": (["q_tt", "w_tt"], "t", "q,w", [], 15, 0),
    "Kepler": (
        ["q_tt + q/(q**2+w**2)**Rational(3,2)", "w_tt + w/(q**2+w**2)**Rational(3,2)"],
        "t",
        "q,w",
        [],
        3,
        0,
    ),
    "Black-Scholes": (["u_t + s**2*x**2*u_xx/2 + r*x*u_x - r*u"], "t,x", "u", ["s:positive", "r:positive"], 6, 1),
    "wave in the plane": (["u_tt - u_xx - u_yy"], "t,x,y", "u", [], 11, 1),
    "Liouville": (["u_tx - exp(u)"], "t,x", "u", [], 0, 2),
    "harmonic oscillator, quantum": (["u_t + v_xx - x**2*v", "v_t - u_xx + x**2*u"], "t,x", "u,v", [], 7, 1),
    "shallow water": (["u_t + u*u_x + h_x", "h_t + u*h_x + h*u_x"], "t,x", "u,h", [], 4, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", HARDER)
def test_dimension_and_proof(case):
    equations, variables, unknowns, parameters, dimension, families = HARDER[case]
    system = parse_system(equations, variables.split(","), unknowns.split(","), parameters)
    result = derive(system, [v for v in system.jets.independent if str(v) == "x"])
    assert (result.dimension, len(result.families)) == (dimension, families)
    assert not result.unsolved
    assert all(is_symmetry(system, f.components) for f in (*result.generators, *result.periodic))


def test_what_needs_special_functions_is_reported():
    """A linear ODE has eight generators; where none but y d_y is in closed form the rest is named, not lost."""
    system = parse_system(["y_xx - (x**3 + x)*y"], ["x"], ["y"])
    result = derive(system)
    assert result.dimension == 1 and not result.infinite
    assert result.unsolved
