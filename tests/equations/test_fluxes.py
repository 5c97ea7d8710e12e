"""N as a sum of c(t) ∂^J E, and equations that are autonomous in another time."""

import pytest
import sympy as sp

from lieapp.equations.equation import read_equations
from lieapp.equations.evolution import common_rate, evolution_form, fluxes, split

t, x, y = sp.symbols("t x y", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")
w = sp.Function("w")(t, x, y)

NONLINEAR = {
    "u u_x": ([u.diff(t) + u * u.diff(x)], (t, x)),
    "powers, explicit t and x": ([u.diff(t) + sp.exp(t) * u**2 * u.diff(x) - x * u * u.diff(x) + u**3], (t, x)),
    "derivatives of second order": ([u.diff(t) - u * u.diff(x, 2) - u.diff(x) ** 2], (t, x)),
    "a system": ([u.diff(t) + u * u.diff(x) + v * u.diff(x), v.diff(t) - v * v.diff(x)], (t, x)),
    "two dimensions": ([w.diff(t) + w * w.diff(x) + w**2 * w.diff(y) / t], (t, x, y)),
}


@pytest.mark.parametrize("name", NONLINEAR)
def test_fluxes_add_up_to_the_nonlinear_part(name):
    equations, variables = NONLINEAR[name]
    evolution = evolution_form(read_equations(equations, variables, {}, "p"))
    jets, total = evolution.jets, [0] * len(equations)
    for flux in fluxes(evolution, split(evolution).nonlinear):
        term = flux.density
        for i, order in enumerate(flux.J):
            for _ in range(order):
                term = jets.total_derivative(term, i)
        total[flux.component] += flux.rate * term
    assert [sp.expand(a - b) for a, b in zip(total, split(evolution).nonlinear, strict=True)] == [0] * len(total)


def test_a_flux_of_u_alone_needs_no_derivative():
    evolution = evolution_form(read_equations([u.diff(t) + sp.exp(t) * u * u.diff(x)], (t, x), {}, "p"))
    (flux,) = fluxes(evolution, split(evolution).nonlinear)
    assert flux.J == (0, 1) and flux.rate == sp.exp(t)
    assert set(evolution.jets.jets(flux.density).values()) == {(0, (0, 0))}


def test_a_common_factor_of_time_is_taken_out():
    equation = sp.exp(-t) * u.diff(t) + u * u.diff(x) + 3 * u.diff(x, 3)
    rate, rest = common_rate(split(evolution_form(read_equations([equation], (t, x), {}, "p"))))
    assert sp.simplify(rate - sp.exp(t)) == 0
    assert not any(e.has(t) for e in (*rest.linear.values(), *rest.nonlinear))


@pytest.mark.parametrize(
    "equation",
    [
        u.diff(t) + u * u.diff(x) + u.diff(x, 3),
        u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (t + 1),
        u.diff(t) + sp.exp(t) * u * u.diff(x) + sp.exp(2 * t) * u.diff(x, 3),
        u.diff(t) + sp.sin(t * u) + u.diff(x, 3),
    ],
)
def test_other_equations_keep_their_time(equation):
    assert common_rate(split(evolution_form(read_equations([equation], (t, x), {}, "p")))) is None
