"""Systems of many kinds: dimension, families or none, certified, nothing unsolved.

Dimensions modulo families from the literature: Ibragimov (ed.), CRC Handbook of Lie Group Analysis, vols 1-2;
Olver 1993; Bluman and Kumei 1989; Ovsiannikov 1982 (gas dynamics, shallow water); Champagne and Winternitz 1988
(Davey-Stewartson); those of coupled oscillators, Toda chains, three waves and the plasma in a cylinder by counting
by hand.
"""

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.lie.stages import derive

SYSTEMS: dict[str, tuple] = {
    "nls defocusing": (
        ["u_t + v_xx - 2*(u**2+v**2)*v", "v_t - u_xx + 2*(u**2+v**2)*u"],
        "t,x",
        "u,v",
        [],
        5,
        False,
    ),
    "dnls": (
        [
            "u_t + v_xx + (2*u*u_x+2*v*v_x)*u + (u**2+v**2)*u_x",
            "v_t - u_xx + (2*u*u_x+2*v*v_x)*v + (u**2+v**2)*v_x",
        ],
        "t,x",
        "u,v",
        [],
        4,
        False,
    ),
    "nls harmonic": (
        ["u_t + v_xx - x**2*v + (u**2+v**2)*v", "v_t - u_xx + x**2*u - (u**2+v**2)*u"],
        "t,x",
        "u,v",
        [],
        4,
        False,
    ),
    "nls power": (
        ["u_t + v_xx + (u**2+v**2)**s*v", "v_t - u_xx - (u**2+v**2)**s*u"],
        "t,x",
        "u,v",
        ["s:positive, s != 1, s != 2"],
        5,
        False,
    ),
    "nls 2d": (
        ["u_t + v_xx + v_yy + (u**2+v**2)*v", "v_t - u_xx - u_yy - (u**2+v**2)*u"],
        "t,x,y",
        "u,v",
        [],
        9,
        False,
    ),
    "manakov": (
        [
            "u_t + v_xx + (u**2+v**2+w**2+q**2)*v",
            "v_t - u_xx - (u**2+v**2+w**2+q**2)*u",
            "w_t + q_xx + (u**2+v**2+w**2+q**2)*q",
            "q_t - w_xx - (u**2+v**2+w**2+q**2)*w",
        ],
        "t,x",
        "u,v,w,q",
        [],
        8,
        False,
    ),
    "hirota satsuma": (["u_t - u_xxx/2 - 3*u*u_x + 6*v*v_x", "v_t + v_xxx + 3*u*v_x"], "t,x", "u,v", [], 3, False),
    "broer kaup": (["u_t - 2*u*u_x - 2*v_x + u_xx", "v_t - 2*u_x*v - 2*u*v_x - v_xx"], "t,x", "u,v", [], 4, False),
    "zakharov": (
        ["u_t + v_xx - n*v", "v_t - u_xx + n*u", "n_tt - n_xx - 2*(u_x**2+u*u_xx+v_x**2+v*v_xx)"],
        "t,x",
        "u,v,n",
        [],
        5,
        False,
    ),
    "davey stewartson": (
        [
            "u_t + v_xx - v_yy - (u**2+v**2)*v + v*w",
            "v_t - u_xx + u_yy + (u**2+v**2)*u - u*w",
            "w_xx + w_yy - 4*(u_x**2+u*u_xx+v_x**2+v*v_xx)",
        ],
        "t,x,y",
        "u,v,w",
        [],
        0,
        True,
    ),
    "navier stokes 2d": (
        ["u_t + u*u_x + v*u_y + p_x - nu*(u_xx+u_yy)", "v_t + u*v_x + v*v_y + p_y - nu*(v_xx+v_yy)", "u_x + v_y"],
        "t,x,y",
        "u,v,p",
        ["nu:positive"],
        3,
        True,
    ),
    "euler 2d": (
        ["u_t + u*u_x + v*u_y + p_x", "v_t + u*v_x + v*v_y + p_y", "u_x + v_y"],
        "t,x,y",
        "u,v,p",
        [],
        4,
        True,
    ),
    "isentropic 2d": (
        [
            "r_t + r_x*u + r*u_x + r_y*v + r*v_y",
            "u_t + u*u_x + v*u_y + r**(g-2)*r_x",
            "v_t + u*v_x + v*v_y + r**(g-2)*r_y",
        ],
        "t,x,y",
        "r,u,v",
        ["g:positive, g != 1, g != 2"],
        8,
        False,
    ),
    "gas 1d": (
        ["r_t + r_x*u + r*u_x", "r*(u_t + u*u_x) + p_x", "p_t + u*p_x + g*p*u_x"],
        "t,x",
        "r,u,p",
        ["g:positive, g != 3, g != 1"],
        6,
        False,
    ),
    "vorticity stream": (
        ["w_t + s_y*w_x - s_x*w_y - nu*(w_xx+w_yy)", "s_xx+s_yy-w"],
        "t,x,y",
        "s,w",
        ["nu:positive"],
        4,
        True,
    ),
    "prandtl": (["u_t + u*u_x + v*u_y - nu*u_yy", "u_x + v_y"], "t,x,y", "u,v", ["nu:positive"], 5, True),
    "brusselator": (
        ["u_t - a*u_xx - A + (B+1)*u - u**2*v", "v_t - b*v_xx - B*u + u**2*v"],
        "t,x",
        "u,v",
        ["a:positive", "b:positive", "A:positive", "B:positive"],
        2,
        False,
    ),
    "keller segel": (["u_t - u_xx + u_x*v_x + u*v_xx", "v_t - v_xx - u + v"], "t,x", "u,v", [], 3, False),
    "sir": (["S_t + b*S*J", "J_t - b*S*J + g*J"], "t", "S,J", ["b:positive", "g:positive"], 0, True),
    "kepler": (
        ["x_tt + x/(x**2+y**2)**Rational(3,2)", "y_tt + y/(x**2+y**2)**Rational(3,2)"],
        "t",
        "x,y",
        [],
        3,
        False,
    ),
    "kepler 3d": (
        [
            "x_tt + x/(x**2+y**2+z**2)**Rational(3,2)",
            "y_tt + y/(x**2+y**2+z**2)**Rational(3,2)",
            "z_tt + z/(x**2+y**2+z**2)**Rational(3,2)",
        ],
        "t",
        "x,y,z",
        [],
        5,
        False,
    ),
    "lorenz": (
        ["x_t - s*(y-x)", "y_t - x*(r-z) + y", "z_t - x*y + b*z"],
        "t",
        "x,y,z",
        ["s:positive", "r:positive", "b:positive"],
        0,
        True,
    ),
    "coupled oscillators": (["x_tt + 2*x - y", "y_tt + 2*y - x"], "t", "x,y", [], 7, False),
    "toda 3": (["x_tt + exp(x-y)", "y_tt - exp(x-y) + exp(y-z)", "z_tt - exp(y-z)"], "t", "x,y,z", [], 5, False),
    "heat potential": (["v_x - u", "v_t - u_x"], "t,x", "u,v", [], 6, True),
    "burgers potential": (["v_x - u", "v_t - u_x + u**2/2"], "t,x", "u,v", [], 6, True),
    "elasticity": (["u_t - v_x", "v_t - u**2*u_x"], "t,x", "u,v", [], 4, True),
    "shallow water 2d": (
        ["h_t + u_x*h + u*h_x + v_y*h + v*h_y", "u_t + u*u_x + v*u_y + h_x", "v_t + u*v_x + v*v_y + h_y"],
        "t,x,y",
        "h,u,v",
        [],
        9,
        False,
    ),
    "carleman": (["u_t + u_x - v**2 + u**2", "v_t - v_x + v**2 - u**2"], "t,x", "u,v", [], 3, False),
    "thirring": (
        [
            "u_x + q + (p**2+q**2)*v",
            "v_x - p - (p**2+q**2)*u",
            "p_t + v + (u**2+v**2)*q",
            "q_t - u - (u**2+v**2)*p",
        ],
        "t,x",
        "u,v,p,q",
        [],
        4,
        False,
    ),
    "sine gordon system": (["u_x - v", "v_t - sin(u)"], "t,x", "u,v", [], 3, False),
    "mixed 1": (["u_x - v", "u_t - v_x", "v_t - v_xx"], "t,x", "u,v", [], 6, True),
    "drinfeld sokolov wilson": (["u_t + 3*v*v_x", "v_t + 2*v_xxx + 2*u*v_x + u_x*v"], "t,x", "u,v", [], 3, False),
    "coupled mkdv": (
        ["u_t + u_xxx + 6*(u**2+v**2)*u_x", "v_t + v_xxx + 6*(u**2+v**2)*v_x"],
        "t,x",
        "u,v",
        [],
        4,
        False,
    ),
    "burgers 2d": (
        ["u_t + u*u_x + v*u_y - nu*(u_xx+u_yy)", "v_t + u*v_x + v*v_y - nu*(v_xx+v_yy)"],
        "t,x,y",
        "u,v",
        ["nu:positive"],
        8,
        False,
    ),
    "kg schroedinger": (
        ["u_t + v_xx + n*v", "v_t - u_xx - n*u", "n_tt - n_xx + n - u**2 - v**2"],
        "t,x",
        "u,v,n",
        [],
        5,
        False,
    ),
    "geodesic sphere": (
        ["x_tt - sin(x)*cos(x)*y_t**2", "y_tt + 2*cos(x)/sin(x)*x_t*y_t"],
        "t",
        "x,y",
        [],
        5,
        False,
    ),
    "monge ampere": (["u_xx*u_yy - u_xy**2 - 1"], "x,y", "u", [], 9, False),
    "eikonal": (["u_x**2 + u_y**2 - 1"], "x,y", "u", [], 10, False),
    "hamilton jacobi": (["u_t + u_x**2/2"], "t,x", "u", [], 10, False),
    "kdv first order": (["u_x - v", "v_x - w", "u_t + u*v + w_x"], "t,x", "u,v,w", [], 4, False),
    # solved for x-derivatives, each rule divides by a determinant in the unknowns
    "three waves": (
        ["w*(u_t + u*u_x) + v_x", "v_t + u*v_x + v*u_x + w_x", "w_t + u*w_x + 2*w*u_x"],
        "t,x",
        "u,v,w",
        [],
        5,
        False,
    ),
    "magnetohydrodynamics": (
        [
            "q_t + v*q_r + q*(v_r + v/r)",
            "q*(v_t + v*v_r - w**2/r) + p_r + B*B_r + H*H_r + B**2/r",
            "w_t + v*w_r + v*w/r",
            "B_t + v*B_r + B*v_r",
            "H_t + v*H_r + H*(v_r + v/r)",
            "p_t + v*p_r + g*p*(v_r + v/r)",
        ],
        "t,r",
        "q,v,w,B,H,p",
        ["g:positive"],
        4,
        False,
    ),
}


SLOW = {
    "nls harmonic",
    "nls 2d",
    "manakov",
    "broer kaup",
    "davey stewartson",
    "euler 2d",
    "vorticity stream",
    "brusselator",
    "sir",
    "kepler 3d",
    "toda 3",
    "heat potential",
    "burgers potential",
    "carleman",
    "sine gordon system",
    "drinfeld sokolov wilson",
    "coupled mkdv",
    "burgers 2d",
    "kg schroedinger",
    "geodesic sphere",
    "kdv first order",
    "magnetohydrodynamics",
}
"""Of the same kinds as the others."""

NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in SYSTEMS]


@pytest.mark.parametrize("name", NAMES)
def test_a_system(name):
    equations, independent, dependent, parameters, dimension, infinite = SYSTEMS[name]
    found = derive(parse_system(equations, independent.split(","), dependent.split(","), parameters), budget=120)
    assert (found.dimension, found.infinite, found.unsolved) == (dimension, infinite, ())
    assert found.certified, found.certificate.reason
