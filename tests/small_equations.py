"""Equations whose symmetries are derived in a fraction of a second, for properties that try many cases."""

from functools import cache

from symmetry_spaces import Symmetries

from lieapp.equations.parsing import parse_system
from lieapp.lie.stages import derive

FINITE = {
    "burgers": (["u_t + u*u_x - u_xx"], "t,x", "u"),
    "kdv": (["u_t + u*u_x + u_xxx"], "t,x", "u"),
    "ckdv": (["u_t + u*u_x + u_xxx + u/(2*t)"], "t,x", "u"),
    "schroedinger": (["u_t + v_xx + (u**2 + v**2)*v", "v_t - u_xx - (u**2 + v**2)*u"], "t,x", "u,v"),
    "sine-gordon": (["u_tx - sin(u)"], "t,x", "u"),
    "power diffusion": (["u_t - u**m*u_xx - m*u**(m-1)*u_x**2"], "t,x", "u", ["m:positive"]),
    "oscillator": (["y_xx + y"], "x", "y"),
    "third order": (["y_xxx - 2*y*y_xx + 3*y_x**2"], "x", "y"),
}
INFINITE = {
    "heat": (["u_t - u_xx"], "t,x", "u"),
    "wave": (["u_tt - u_xx"], "t,x", "u"),
    "hunter-saxton": (["u_tx + u*u_xx + u_x**2/2"], "t,x", "u"),
    "black-scholes": (["u_t + x**2*u_xx/2 + b*x*u_x - b*u"], "t,x", "u", ["b:positive"]),
}
ALL = FINITE | INFINITE


def read(name):
    """The system."""
    equations, independent, dependent, *parameters = ALL[name]
    return parse_system(equations, independent.split(","), dependent.split(","), *parameters)


@cache
def derived(name):
    """Judge, truth and its space."""
    system = read(name)
    truth, judge = derive(system), Symmetries(system)
    return judge, truth, judge.derived(truth)
