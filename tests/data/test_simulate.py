"""Simulation from a declaration: what is kept, what repeats, what fails and how it says so."""

from dataclasses import replace

import sympy as sp
import torch
from pytest import approx, mark, param, raises
from small import T, U, X

from lieapp.api import ChangeOfVariables, SumOfSines
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories, check_varying
from lieapp.errors import DataError, EquationError, GridError, PluginError, SimulationError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import resample


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_shapes_times_and_names(declare):
    data = simulate(declare(U.diff(X, 2), keep_last=4, points={T: 11, X: 24}), 3, seeded())
    assert data.values.shape == (3, 4, 1, 24) and data.unknowns == ("u",) and data.time_name == "t"
    assert data.time.tolist() == approx([0.7, 0.8, 0.9, 1.0])
    assert data.grid.axes[0].right == approx(2 * sp.pi.evalf()) and data.error < 1e-12


def test_a_seed_repeats_bit_for_bit(declare):
    pde = declare(-U * U.diff(X) - U.diff(X, 3))
    first, again, other = (simulate(pde, 2, seeded(seed)).values for seed in (5, 5, 6))
    assert torch.equal(first, again) and not torch.allclose(first, other)


def test_a_sample_does_not_depend_on_how_many_are_asked_for(declare):
    pde, tolerance = declare(-U * U.diff(X) - U.diff(X, 3)), Tolerance(1e-8)
    few, many = (simulate(pde, n, seeded(), tolerance=tolerance).values for n in (2, 5))
    # the same initial state to the last bit; step sizes are shared, so later times agree within the tolerance
    assert torch.equal(few[:, 0], many[:2, 0])
    torch.testing.assert_close(few, many[:2], rtol=0, atol=1e-7)


def test_progress_counts_output_times(declare):
    calls = []
    simulate(declare(U.diff(X, 2)), 1, seeded(), progress=lambda step, total: calls.append((step, total)))
    assert calls == [(i, 8) for i in range(9)]


def test_steep_states_are_simulated_on_a_finer_grid_than_they_are_kept_on(declare):
    keywords = {"region": {T: (0, 2), X: (0, 2 * sp.pi)}, "initial": SumOfSines(terms=4, amplitude=1.0)}
    rhs, points = U.diff(X, 2) / 20 - U * U.diff(X), {T: 9, X: 32}
    data = simulate(declare(rhs, points=points, **keywords), 1, seeded(1), tolerance=Tolerance(1e-5))
    assert data.facts["points"] > 32 and data.values.shape[-1] == 32
    fine = simulate(declare(rhs, points={**points, X: 256}, **keywords), 1, seeded(1), tolerance=Tolerance(3e-6))
    kept = resample(fine.values, fine.grid, data.grid)
    torch.testing.assert_close(data.values, kept, rtol=0, atol=2e-5)


@mark.parametrize(
    ("rhs", "changes", "words"),
    [
        param(
            U**2 + U.diff(X, 2) / 100, {"initial": SumOfSines(shape=lambda s: 3 + s)}, "small: the solution",
            id="blow-up", marks=mark.slow,
        ),
        param(
            -U * U.diff(X), {"region": {T: (0, 4), X: (0, 2 * sp.pi)}, "points": {T: 41, X: 32}},
            "isn't resolved on", id="shock",
        ),
        param(U**2 - U.diff(X, 2), {}, "small: ", id="backward heat", marks=mark.slow),
        param(
            U.diff(X, 2), {"initial": SumOfSines(shape=lambda s: sp.log(s - 7))}, "initial state is not finite",
            id="initial",
        ),
    ],
)  # fmt: skip
def test_what_can_t_be_solved_is_a_simulation_error(declare, rhs, changes, words):
    with raises(SimulationError, match=words) as caught:
        simulate(declare(rhs, **changes), 2, seeded())
    assert caught.value.hint


@mark.slow
def test_no_unchecked_blow_up_in_the_last_intervals(declare):
    # 1/u falls linearly: blow-up at t = 1/u(0), between checks that pass
    pde = declare(U**2, initial=SumOfSines(amplitude=1e-12, shape=lambda s: s + sp.Rational(1003, 1000)),
                  points={T: 60, X: 16})  # fmt: skip
    with raises(SimulationError):
        simulate(pde, 1, seeded())


def test_second_time_derivative(declare):
    pde = declare(0, equation=sp.Eq(U.diff(T, 2), U.diff(X, 2)))
    with raises(EquationError, match="u_tt") as caught:
        simulate(pde, 1, seeded())
    assert "second unknown" in caught.value.hint


def test_axes_must_be_periodic(declare):
    with raises(GridError, match="x is not periodic"):
        simulate(declare(U.diff(X, 2), periodic=[]), 1, seeded())


def test_more_kept_than_there_is(declare):
    with raises(DataError, match="keep_last is 20, but there are 9"):
        simulate(declare(U.diff(X, 2), keep_last=20), 1, seeded())


def test_initial_must_be_a_declaration(declare):
    with raises(PluginError, match="initial state of u"):
        simulate(declare(U.diff(X, 2), initial=lambda x: x), 1, seeded())


def test_changes_of_variables_say_what_is_missing(declare):
    w, nu = sp.Function("w")(T, X), sp.Symbol("nu")
    heat = sp.Eq(w.diff(T), w.diff(X, 2))
    with raises(EquationError, match="no expression for u"):
        simulate(declare(U.diff(X, 2), transform=ChangeOfVariables(equation=heat, unknowns={})), 1, seeded())
    with raises(EquationError, match="nu has no value"):
        simulate(
            declare(U.diff(X, 2), transform=ChangeOfVariables(equation=heat, unknowns={U: nu * w})), 1, seeded()
        )


def test_a_change_of_variables_may_contain_the_variables(declare):
    w = sp.Function("w")(T, X)
    change = ChangeOfVariables(equation=sp.Eq(w.diff(T), w.diff(X, 2)), unknowns={U: sp.exp(-T) * w + sp.cos(X)})
    plain = simulate(declare(U.diff(X, 2)), 1, seeded())
    data = simulate(declare(U.diff(X, 2) - U, transform=change), 1, seeded())
    x = data.grid.mesh(torch.float64, "cpu")[0]
    expected = torch.exp(-data.time)[:, None, None] * plain.values + torch.cos(x)
    torch.testing.assert_close(data.values, expected)


def test_two_dimensions(declare):
    y = sp.Symbol("y", real=True)
    w = sp.Function("w")(T, X, y)
    box = {T: (0, 1), X: (0, 2 * sp.pi), y: (0, sp.pi)}
    heat = declare(0, equation=sp.Eq(w.diff(T), w.diff(X, 2) + 3 * w.diff(y)), region=box,
                   points={T: 9, X: 16, y: 12}, periodic=[X, y])  # fmt: skip
    data = simulate(heat, 2, seeded())
    assert data.values.shape == (2, 9, 1, 16, 12) and data.unknowns == ("w",)
    modes = torch.fft.rfft2(data.values)
    decay = torch.exp(data.time[:, None, None, None] * (-1 + 3j * 2))  # every sine has wavenumbers ±1 and ±2
    torch.testing.assert_close(modes[..., 1, 1], modes[:, :1, :, 1, 1] * decay[..., 0, 0])


def test_sources_alone(declare):
    """u_t = u_xx + sin x: the mean stays, the source's own wave tends to sin x."""
    data = simulate(declare(U.diff(X, 2) + sp.sin(X)), 1, seeded(), tolerance=Tolerance(1e-8))
    plain = simulate(declare(U.diff(X, 2)), 1, seeded(), tolerance=Tolerance(1e-8))
    x = data.grid.mesh(torch.float64, "cpu")[0]
    expected = plain.values + (1 - torch.exp(-data.time))[:, None, None] * torch.sin(x)
    torch.testing.assert_close(data.values[0], expected[0], atol=1e-6, rtol=1e-6)


def test_two_unknowns(declare):
    # a rotation in (u, v) at speed t: explicit time in a coupled linear part
    v = sp.Function("v")(T, X)
    pde = declare(0, equation=[sp.Eq(U.diff(T), -T * v), sp.Eq(v.diff(T), T * U)])
    data = simulate(pde, 2, seeded(), tolerance=Tolerance(1e-8))
    u0, v0 = data.values[:, 0].unbind(1)
    angle = data.time[:, None] ** 2 / 2
    truth = u0[:, None] * torch.cos(angle) - v0[:, None] * torch.sin(angle)
    torch.testing.assert_close(data.values[:, :, 0], truth, rtol=0, atol=1e-7)


@mark.parametrize(
    ("values", "words"),
    [
        (torch.full((2, 9, 1, 8), 0.5), "small: u is 0.5 at every time and place of every sample"),
        (torch.zeros(2, 9, 1, 8), "small: u is 0 at every time"),
        (torch.linspace(0, 1, 9)[:, None, None].expand(2, 9, 1, 8), "small: the data don't vary along x;"),
    ],
)
def test_data_that_do_not_vary(values, words):
    grid = Grid((Axis("x", 0.0, 1.0, 8, True),))
    data = Trajectories(torch.linspace(0, 1, 9), grid, values.double(), ("u",))
    with raises(DataError) as caught:
        data.check_varying("small")
    assert caught.value.message.startswith(words) and caught.value.hint
    wave = torch.sin(2 * torch.pi * torch.arange(8) / 8).expand(2, 9, 1, 8)
    Trajectories(data.time, grid, wave.double(), ("u",)).check_varying("small")


def test_a_constant_piece_among_others_is_data():
    """Of several files, or of windows of one trajectory, one may be at rest."""
    grid = Grid((Axis("x", 0.0, 1.0, 8, True),))
    rest = Trajectories(torch.linspace(0, 1, 9), grid, torch.zeros(2, 9, 1, 8).double(), ("u",))
    wave = torch.sin(2 * torch.pi * torch.arange(8) / 8).expand(2, 9, 1, 8).double()
    check_varying([rest, replace(rest, values=wave)], "small", "other files")
    with raises(DataError) as caught:
        check_varying([rest, rest], "small", "other files")
    assert caught.value.hint == "other files"
