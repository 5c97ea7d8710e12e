"""Totals of conservation laws along predictions: right, constant on solutions, and a smooth penalty."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.augment.conserved import Conserved, constant_laws
from lieapp.augment.moving import Moved
from lieapp.augment.operator_training import FNO1d, OperatorRecipe, OperatorTask, OperatorTraining
from lieapp.equations.equation import read_pde
from lieapp.errors import EquationError
from lieapp.numerics.grid import Axis, Grid
from lieapp.registry.catalog import load_catalog

PLUGINS = Path(__file__).parents[1] / "plugins"
t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
TIMES = torch.linspace(0, 5, 24).double()


def declared(name):
    return load_catalog([PLUGINS]).get(name).declaration


def conserved_of(pde, points, task=None, order=2):
    left, right = pde.region[pde.periodic[0]]
    grid = Grid((Axis("x", float(left), float(right), points, periodic=True),))
    task = task or OperatorTask.rollout(len(TIMES), 4, aligned=True)
    return Conserved(read_pde(pde), constant_laws(pde, order), task, grid, TIMES)


def solitons(points, length=64.0):
    """u = 3 c sech²(√c (x - c t)/2) of KdV for two c, far from the ends: sample component time x."""
    places = torch.arange(points).double() * length / points - length / 2
    c = torch.tensor([1.4, 1.8]).double()[:, None, None]
    return (3 * c / torch.cosh(c.sqrt() / 2 * (places - c * TIMES[:, None] + 4)) ** 2)[:, None]


def kdv():
    return replace(declared("kdv"), region={t: (0, 5), x: (0, 64)})


def test_laws_whose_totals_are_constant_on_a_period():
    assert [str(law.density) for law in constant_laws(kdv(), 2)] == ["u", "u**2/2", "u**3/3 - u_x**2"]
    assert [str(law.density) for law in constant_laws(kdv(), 0)] == ["u", "u**2/2"]
    # explicit t is no hindrance
    assert str(constant_laws(declared("ckdv"), 0)[0].density) == "u*sqrt(t + 1)"


def test_a_force_must_have_the_period():
    forced = declared("forced")
    assert [str(law.density) for law in constant_laws(forced, 2)] == ["u"]
    with pytest.raises(EquationError, match=r"forced: none of the 1 conservation laws .* the period of x"):
        constant_laws(replace(forced, region={t: forced.region[t], x: (0, 50)}), 2)


@pytest.mark.parametrize(
    ("equation", "count"),
    [
        (sp.Eq(u.diff(t), u.diff(x, 2) + u * (1 - u)), 0),
        # 1/u and the like; u_t u_x and the like
        (sp.Eq(u.diff(t), u**3 * u.diff(x, 3)), 4),
        (sp.Eq(u.diff(t, 2), u.diff(x, 2) - u**3), 3),
    ],
)
def test_equations_without_such_laws(equation, count):
    pde = PDE(
        name="other", title="Other", equation=equation, region={t: (0, 1), x: (0, 2)}, points={t: 24, x: 16},
        periodic=[x],
    )  # fmt: skip
    with pytest.raises(EquationError, match=f"none of the {count} conservation laws found") as caught:
        constant_laws(pde, 1)
    assert "leave penalty and projection out of --with" in caught.value.hint


def test_totals_of_a_sine():
    conserved = conserved_of(kdv(), 32)
    k, a, places = 2 * torch.pi * 3 / 64, 0.7, torch.arange(32).double() * 2
    states = (a * (k * places).sin() + 0.2)[None, None, None]
    totals, sizes = conserved.totals(states, torch.zeros(1, 1).double())
    square = 64 * (a * a / 2 + 0.04)
    # ∫ u³ = L (3 a² b / 2 + b³)
    third = 64 * (1.5 * a * a * 0.2 + 0.008) / 3 - 64 * (a * k) ** 2 / 2
    assert totals[0, 0].tolist() == pytest.approx([0.2 * 64, square / 2, third], rel=1e-12)
    assert (sizes[0, 0] >= totals[0, 0].abs() - 1e-12).all() and sizes[0, 0, 1] == pytest.approx(square / 2)


def test_explicit_t_is_that_of_the_frame():
    pde, task = declared("ckdv"), OperatorTask.single(24, 10)
    conserved = conserved_of(pde, 32, task=task)
    given = torch.rand(3, 1, 1, 32, generator=torch.Generator().manual_seed(0)).double()
    # √(t + 1) u is conserved in the mean, (t + 1) u² too
    factor = ((TIMES[0] + 1) / (TIMES[10] + 1)).sqrt()
    starts = torch.zeros(3, dtype=torch.long)
    assert conserved.drift(given, factor * given, starts).abs().max() < 1e-14
    assert conserved.drift(given, given, starts).min() > 0.1


def test_nothing_drifts_along_solutions_and_what_is_scaled_does():
    conserved, samples = conserved_of(kdv(), 256), solitons(256)
    given, later = samples[:, :, 4:8].transpose(1, 2), samples[:, :, 8:12].transpose(1, 2)
    channels = [states.flatten(1, 2) for states in (given, later)]
    starts = torch.tensor([4, 4])
    assert conserved.penalty(1.0, *channels, starts) < 1e-18
    assert max(conserved.worst(samples, samples[:, :, 8:]).values()) < 1e-9
    drift = conserved.drift(given, 1.1 * later, starts)
    assert torch.allclose(drift[..., 0], torch.tensor(0.1).double(), atol=1e-9)
    assert torch.allclose(drift[..., 1], torch.tensor(0.21).double(), atol=1e-9)
    assert conserved.penalty(3.0, channels[0], 1.1 * channels[1], starts) == pytest.approx(
        3 * float(drift.square().mean())
    )
    assert conserved.worst(samples, 1.1 * samples[:, :, 8:])["u**2/2"] == pytest.approx(0.21)


def test_the_gradient_of_the_penalty():
    conserved = conserved_of(kdv(), 16)
    given, later = torch.rand(2, 2, 4, 16, generator=torch.Generator().manual_seed(0)).double()
    penalty = partial(conserved.penalty, 2.0, given, starts=torch.tensor([4, 8]))
    assert torch.autograd.gradcheck(lambda predicted: penalty(predicted), later.requires_grad_())


def wrong_window():
    """Waves, and somewhat wrong later ones; no soliton, where the gradients of totals are dependent."""
    generator = torch.Generator().manual_seed(0)
    k, places = 2 * torch.pi * torch.arange(1, 5) / 64, torch.arange(64).double()
    a, phase = torch.rand(2, 2, 4, 4, 1, generator=generator).double()
    given = (a * (k[:, None] * places + 7 * phase).sin()).sum(2)[:, :1].expand(2, 4, 64)
    return given, 1.03 * given + 0.02 * torch.rand(given.shape, generator=generator), torch.tensor([4, 4])


def test_a_projection_has_the_totals_given():
    conserved, (given, wrong, starts) = conserved_of(kdv(), 64), wrong_window()
    assert conserved.penalty(1.0, given, wrong, starts) > 1e-4
    found = conserved.projected(given, wrong, starts)
    assert conserved.penalty(1.0, given, found, starts) < 1e-16
    assert (found - given).square().mean() < (wrong - given).square().mean()


def test_a_projection_is_the_nearest_state():
    """Of those with a mean and a mean square, the nearest is a shifted and scaled one."""
    conserved, (given, wrong, starts) = conserved_of(kdv(), 64, order=0), wrong_window()
    found = conserved.projected(given, wrong, starts)
    mean, size = given.mean((1, 2)), given.var(2, correction=0).mean(1)
    rest = wrong - wrong.mean(2, keepdim=True)
    factor = size[:, None] / rest.square().mean(2)
    assert torch.allclose(found, mean[:, None, None] + factor.sqrt()[:, :, None] * rest, atol=1e-7)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.5])
def test_what_cannot_be_projected_stays(value):
    """What isn't finite, and constants: all gradients there are parallel."""
    conserved, (given, wrong, starts) = conserved_of(kdv(), 64), wrong_window()
    alone = conserved.projected(given, wrong, starts)
    wrong[0, 2] = value
    found = conserved.projected(given, wrong, starts)
    assert torch.equal(found[0, 2].nan_to_num(), wrong[0, 2].nan_to_num())
    assert torch.equal(found[1], alone[1]) and torch.equal(found[0, :2], alone[0, :2])


def test_several_unknowns_are_channels_of_each_frame():
    q = sp.Function("v")(t, x)
    pde = PDE(
        name="ito", title="Ito's", region={t: (0, 1), x: (0, 2)}, points={t: 24, x: 16}, periodic=[x],
        equation=[
            sp.Eq(u.diff(t), u.diff(x, 3) + 6 * u * u.diff(x) + 2 * q * q.diff(x)),
            sp.Eq(q.diff(t), 2 * (u * q).diff(x)),
        ],
    )  # fmt: skip
    conserved = conserved_of(pde, 16, order=0)
    assert {"u", "v"} <= set(conserved.names)
    given = torch.rand(2, 1, 2, 16, generator=torch.Generator().manual_seed(0)).double().expand(2, 4, 2, 16)
    later = given + torch.tensor([0.0, 0.5]).double()[:, None]
    drift = conserved.drift(given, later, torch.tensor([0, 4]))
    found = dict(zip(conserved.names, drift.abs().amax((0, 1)).tolist(), strict=True))
    assert found["u"] < 1e-12 and found["v"] > 0.1


def trained(penalty):
    """An operator after a short training on solitons."""
    samples, task = solitons(64).repeat(4, 1, 1, 1), OperatorTask.rollout(len(TIMES), 4, aligned=True)
    samples = torch.stack([z.roll(7 * n, 2) for n, z in enumerate(samples)])
    conserved = conserved_of(kdv(), 64)
    torch.manual_seed(0)
    network = FNO1d(4, 4, 8, 16, 2)
    network.normalise_by(samples)
    valid = torch.ones(len(samples), len(TIMES), dtype=torch.bool)
    still = Moved(samples, valid, valid.any(1), torch.zeros(len(samples), 0))
    made = OperatorTraining(
        network, task, samples, lambda number: still, OperatorRecipe(2, 20, 4, 1e-2), 0,
        partial(conserved.penalty, penalty) if penalty else None,
    )  # fmt: skip
    rows = [made.step() for _ in range(made.steps)]
    with torch.no_grad():
        predicted, _ = task.one_step(made.network.eval(), samples.float())
        given = samples.float()[:, :, 4:8].transpose(1, 2)
        drift = conserved.drift(given, predicted[:, :, :4].transpose(1, 2), torch.full((len(samples),), 4))
    return rows, float(drift.square().mean())


def test_a_training_with_the_penalty_lets_less_drift():
    rows, drift = trained(0.0)
    penalised, less = trained(30.0)
    assert penalised[0]["loss"] > rows[0]["loss"]
    assert less < drift
