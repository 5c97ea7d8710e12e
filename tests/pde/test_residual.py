"""The residual of moved solutions: its derivative at s = 0 is the linearised residual, whatever differentiates.

For Δ = u_t - F and a solution u, d/ds Δ at a moved node is pr V[Δ] = M + ξ·∇Δ, and Δ = 0 on it: so the finite path
(flow, curvilinear, WENO or bilinear derivatives) and the linear one (spectral, D_t Q - F'[u](Q)) share nothing but
the solution and must agree.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from small_solutions import SIX, TRUE, Formulas, Small, formulas, small

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories
from lieapp.methods.fields import Scaled, values
from lieapp.methods.flow import Flow, Solver
from lieapp.methods.losses import norms
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.data import measure_scales
from lieapp.pde.domain import PDEDomain
from lieapp.pde.residual import Backend, Residual

FINE = Solver(step=0.1)


def wavy(points):
    """No symmetry of anything; periodic in x, moves all three coordinates."""
    t, x, u = points.unbind(1)
    w = 2 * torch.pi * x
    parts = [
        0.5 + 0.3 * torch.sin(w) + 0.2 * u,
        0.4 + 0.3 * torch.cos(w) * t + 0.3 * u,
        0.4 * torch.sin(w + 1) + 0.3 * t * u + 0.3 * torch.cos(u),
    ]
    return torch.stack(parts, 1)[None]


def tilted(points):
    """No symmetry either, and its ξ have one sign: no zero where splatted nodes turn around."""
    t, x, u = points.unbind(1)
    w = 2 * torch.pi * x
    parts = [0.6 + 0.2 * torch.sin(w), 0.9 + 0.2 * torch.cos(w) * t + 0.1 * u, 0.3 * torch.sin(w + 1) + 0.3 * t * u]
    return torch.stack(parts, 1)[None]


def moved(data, fields, patches, s, solver=FINE):
    s = torch.as_tensor(s, dtype=patches.points.dtype)
    return data.domain.act(Flow(fields, solver), patches, s)


def difference_quotient(data, field, s):
    """(R(s) - R(-s)) / 2s of the first trajectory and where it exists."""
    patches = data.whole()
    ahead, behind = (data.domain.residual(moved(data, field, patches, [z])) for z in (s, -s))
    return (ahead.value - behind.value) / (2 * s), ahead.valid & behind.valid


def slices_of(data):
    """The first trajectory, node for node what `data.whole()` holds."""
    source = data.trajectories
    return data.domain.linearisation.slices(source.time, source.values[0], source.grid, data.scales)


def linearised(data, field):
    """M on the nodes of the first trajectory, from single slices."""
    slices = slices_of(data)
    _, q = data.domain.characteristic(slices, field)
    return data.domain.tangent(slices, q)[0].movedim(0, 1)[None]


def relative(found, truth, where):
    where = where[:, None]
    return float(((found - truth) * where).norm() / (truth * where).norm())


@pytest.mark.parametrize("name", SIX)
def test_curvilinear_derivative_at_zero_is_the_linearised_residual(name):
    data, field = small(name), Formulas(wavy)
    truth = linearised(data, field)
    assert truth.abs().mean() > 0.1, "the field is no symmetry"
    errors = []
    for s in (1e-2, 1e-3):
        found, where = difference_quotient(data, field, s)
        assert where.double().mean() > 0.6
        errors.append(relative(found, truth, where))
    assert errors[1] < 5e-5, errors
    # what is left at .01 is the difference quotient's own s²
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.1), errors


SIZES = ((24, 37), (32, 49))
"""Points and times: spacings of both axes in the ratio 4 : 3."""


def order(errors):
    """Of convergence between the two sizes."""
    return math.log(errors[0] / errors[1]) / math.log(4 / 3)


@pytest.mark.parametrize(("extra", "least", "bound"), [(0, 1.6, 0.13), (2, 3.2, 0.025)])
@pytest.mark.parametrize("name", SIX)
def test_weno_derivative_at_zero_converges_to_the_linearised_residual(name, extra, least, bound):
    field, errors = Formulas(wavy), []
    for points, times in SIZES:
        data = small(name, points, times).using("weno", extra=extra)
        found, where = difference_quotient(data, field, 1e-3)
        assert where.double().mean() > 0.9
        errors.append(relative(found, linearised(data, field), where))
    assert errors[1] < bound and order(errors) > least, (errors, order(errors))


@pytest.mark.parametrize("name", SIX)
def test_bilinear_derivative_at_zero_converges_too(name):
    """At unmoved nodes it is M without ξ·∇Δ. Of second order, as its differences."""
    field, errors = Formulas(tilted), []
    for points, times in SIZES:
        data = small(name, points, times).using("bilinear")
        found, where = difference_quotient(data, field, 1e-4)
        where[:, :3] = where[:, -3:] = False  # ends of the window, where nodes leave or nothing arrives
        assert where.double().mean() > 0.8
        errors.append(relative(found, linearised(data, field), where))
    assert errors[1] < 0.4 and order(errors) > 1.5, (errors, order(errors))


def test_bilinear_takes_derivatives_at_unmoved_nodes():
    """Off solutions the derivative at moved nodes is bilinear's plus the transport ξ·∇Δ."""
    data, field = small("heat"), Formulas(tilted)
    source, scales = data.trajectories, data.scales
    (axis,) = source.grid.axes
    t, k = source.time[:, None], 2 * math.pi / axis.length
    wave = torch.sin(k * axis.coordinates())
    # u + t² sin kx leaves Δ = (2t + k²t²) sin kx
    other = replace(source, values=source.values + (t**2 * wave)[None, :, None])
    quotients, places = [], []
    for backend in ("curvilinear", "bilinear"):
        made = Small(data.using(backend, accuracy=4).domain, other, scales)
        found, where = difference_quotient(made, field, 1e-4)
        quotients.append(found)
        places.append(where)
    where = places[0] & places[1]
    where[:, :4] = where[:, -4:] = False
    xi = field.values(made.whole().points)[0, 0]
    slope = k * torch.cos(k * axis.coordinates())
    gradient = ((2 + 2 * k**2 * t) * wave * scales.size[0], (2 * t + k**2 * t**2) * slope * scales.size[1])
    transport = (xi[0] * gradient[0] + xi[1] * gradient[1]) * scales.size[0] / scales.size[2]
    assert relative(quotients[0] - transport, quotients[1], where) < 0.06
    assert relative(quotients[0], quotients[1], where) > 0.3, "the transport matters"


BACKENDS = {
    "curvilinear": ("curvilinear", {"accuracy": 4}, 1e-6),
    "weno": ("weno", {"extra": 0}, 1e-2),
    "weno extra": ("weno", {"extra": 2}, 1e-3),
    "bilinear": ("bilinear", {"accuracy": 4}, 1e-2),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SIX)
def test_unmoved_solutions_are_valid(name, backend):
    kind, options, bound = BACKENDS[backend]
    data = small(name).using(kind, **options)
    found = data.domain.validity(None, data.whole(samples=2), power=2)
    assert found.score.shape == found.share.shape == found.folded.shape == (2,)
    assert (found.score < bound).all() and (found.share > 0.5).all() and (found.folded == 0).all()
    wrong = data.whole()
    wrong = wrong.moved(wrong.points * torch.tensor([1.0, 1.0, 1.5]).reshape(1, 3, 1, 1))
    if name != "heat":
        assert float(data.domain.validity(None, wrong).score) > 0.02


def measured(data, fields, s, patches=None):
    """rms(R_s - R_0) / (|s| rms(Q)) of fields of norm 1, and the validity."""
    patches = data.whole() if patches is None else patches
    v = values(fields, patches.points)
    unit = Scaled(fields, 1 / norms(v, patches.weight))
    _, q = data.domain.characteristic(slices_of(data), unit)
    found = data.domain.validity(patches, moved(data, unit, patches, [s] * len(v)), power=2)
    return found.score / abs(s) / q.value.flatten(1).square().mean(1).sqrt(), found


WRONG = [("t", "0", "0"), ("0", "sin(2*pi*x/L)", "0"), ("0", "u", "0"), ("u", "0", "0")]
"""No symmetries of any of the six."""


def wrong_fields(name, data):
    return formulas(data, *WRONG, *([("0", "0", "u**2")] if name == "heat" else [("0", "0", "u"), ("0", "0", "1")]))


@pytest.mark.parametrize("s", [-0.4, -0.1, 0.1, 0.4])
@pytest.mark.parametrize("name", SIX)
def test_true_generators_keep_moved_solutions_valid(name, s):
    data = small(name)
    defects, found = measured(data, formulas(data, *TRUE[name]), s)
    assert (defects < 2e-6).all(), defects
    assert (found.share > 0.4).all() and (found.folded == 0).all()


@pytest.mark.parametrize(("s", "least"), [(-0.4, 0.01), (-0.1, 0.05), (0.1, 0.1), (0.4, 0.1)])
@pytest.mark.parametrize("name", SIX)
def test_wrong_fields_don_t(name, s, least):
    """At s = -.4 u d_u leaves a fourth of u, which then breaks the equation less."""
    data = small(name)
    defects, _ = measured(data, wrong_fields(name, data), s)
    assert (defects > least).all(), defects


@pytest.mark.parametrize(("extra", "apart"), [(0, 10), (2, 70)])
@pytest.mark.parametrize("name", SIX)
def test_weno_tells_them_apart_too(name, extra, apart):
    data = small(name, *SIZES[0]).using("weno", extra=extra)
    right, _ = measured(data, formulas(data, *TRUE[name]), 0.1)
    wrong, _ = measured(data, wrong_fields(name, data), 0.1)
    assert wrong.min() > apart * right.max(), (right, wrong)


SCALINGS = {
    "kdv": ("3*t", "x", "-2*u"), "burgers": ("2*t", "x", "-u"), "ckdv": ("3*(t + 1)", "x", "-2*u"),
    "heat": ("2*t", "x", "0"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALINGS)
def test_scalings_are_symmetries_of_open_patches_only(name):
    """x d_x has no period; on a part of the axis nothing is asked across the seam."""
    data = small(name).using("weno", extra=2)
    part = data.patches(0, 20).take(torch.tensor([0]), torch.tensor([[0, 3]]))
    fields = formulas(data, SCALINGS[name])
    defect, found = measured(data, fields, 0.1, part)
    assert defect < 0.02 and found.share > 0.8
    wrong, _ = measured(data, formulas(data, *WRONG), 0.1, part)
    assert wrong.min() > 5 * defect
    assert measured(data, fields, 0.1)[0] > 5 * defect, "across the seam it is none"


# what the scores are


def residual(value, valid):
    value, valid = torch.tensor(value, dtype=torch.float64), torch.tensor(valid)
    return Residual(torch.where(valid[:, None], value, 0), valid, torch.zeros(len(valid), dtype=torch.float64))


def test_powers_of_the_mean():
    made = residual([[[3.0, -4.0, 100.0]], [[1.0, 1.0, 1.0]]], [[True, True, False], [True, True, True]])
    assert made.mean(1).tolist() == pytest.approx([3.5, 1.0])
    assert made.mean(2).tolist() == pytest.approx([12.5**0.5, 1.0])
    assert made.share().tolist() == pytest.approx([2 / 3, 1.0])


def test_components_are_averaged():
    made = residual([[[3.0, 5.0], [1.0, -1.0]]], [[True, True]])
    assert float(made.mean()) == pytest.approx(2.5) and float(made.mean(2)) == pytest.approx(3.0)


def test_nothing_valid_is_infinite_with_a_finite_gradient():
    made = residual([[[3.0, 4.0]], [[1.0, 1.0]]], [[False, False], [True, False]])
    for power in (1, 2):
        value = made.value.clone().requires_grad_()
        score = Residual(value, made.valid, made.folded).mean(power)
        assert score[0] == math.inf and score[1].item() == pytest.approx(1.0)
        assert torch.autograd.grad(score[1], value)[0].isfinite().all()
    zero = torch.zeros(1, 1, 3, requires_grad=True)
    score = Residual(zero, torch.ones(1, 3, dtype=torch.bool), torch.zeros(1)).mean(2)
    assert score.item() < 1e-15 and torch.autograd.grad(score, zero)[0].isfinite().all()


def test_beyond_takes_the_unmoved_residual_off_node_by_node():
    before = residual([[[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0]]], [[True, True, False], [True, True, True]])
    after = residual(
        [[[5.0, 5.0, 5.0]], [[5.0, 5.0, 5.0]], [[7.0, 7.0, 7.0]], [[7.0, 7.0, 7.0]]],
        [[True, False, True], [True, True, True], [True, True, True], [False, True, True]],
    )
    found = after.beyond(before)
    assert found.value[:, 0].tolist() == [[4, 0, 0], [-5, -15, -25], [6, 5, 0], [0, -13, -23]]
    assert found.valid.tolist() == [[True, False, False], [True] * 3, [True, True, False], [False, True, True]]
    assert after.beyond(after).mean().tolist() == [0, 0, 0, 0]


def test_slots_and_pieces_keep_their_places():
    """A batch of two and three slots: each as if it were alone."""
    data = small("kdv")
    fields = formulas(data, *WRONG[:3])
    patches = data.whole(samples=2)
    s = [0.05, -0.1, 0.2]
    after = moved(data, fields, patches, s)
    found = data.domain.validity(patches, after)
    assert found.score.shape == (6,)
    for slot, value in enumerate(s):
        for n in range(2):
            one = data.patches().take(torch.tensor([n]), torch.tensor([[0, 0]]))
            alone = data.domain.validity(one, moved(data, formulas(data, WRONG[slot]), one, [value]))
            assert float(found.score[2 * slot + n]) == pytest.approx(float(alone.score), rel=1e-9)
            assert float(found.share[2 * slot + n]) == float(alone.share)


def test_time_that_leaves_the_window_isn_t_judged():
    data = small("kdv").using("weno")
    shift, patches = formulas(data, ("1", "0", "0")), data.whole()
    window = float(data.scales.size[0])
    for part in (0.25, -0.25):
        after = moved(data, shift, patches, [part * window])
        found = data.domain.validity(patches, after)
        assert float(found.share) == pytest.approx(37 / 49)
    gone = data.domain.validity(patches, moved(data, shift, patches, [1.5 * window]))
    assert float(gone.score) == math.inf and float(gone.share) == 0


@pytest.mark.parametrize("backend", ["curvilinear", "weno", "bilinear"])
def test_lost_points_are_left_out(backend):
    data = small("heat").using(backend)
    patches = data.whole()
    points = patches.points.clone()
    points[0, :, 24, 5] = math.nan
    points[0, 1, 25, 6] = math.inf
    found = data.domain.residual(patches.moved(points))
    assert not found.valid[0, 24, 5] and not found.valid[0, 25, 6]
    assert found.valid.any() and found.value.isfinite().all()
    assert float(found.mean(2)) < 1e-2


@pytest.mark.parametrize("backend", ["curvilinear", "weno", "bilinear"])
def test_gradient_of_the_score_is_a_difference_quotient(backend):
    """By the size of a field, through the flow and the derivatives on moved nodes."""
    data = small("burgers").using(backend)
    patches, field = data.whole(), Formulas(wavy)

    def score(size):
        after = data.domain.act(Flow(Scaled(field, size[None]), FINE), patches, torch.tensor([0.02]).double())
        return data.domain.validity(patches, after).score.sum()

    size, h = torch.tensor(1.0, dtype=torch.float64, requires_grad=True), 1e-6
    (found,) = torch.autograd.grad(score(size), size)
    quotient = (score(size.detach() + h) - score(size.detach() - h)) / (2 * h)
    assert float(found) == pytest.approx(float(quotient), rel=1e-4) and abs(float(found)) > 1e-3


def test_float32_keeps_five_digits_at_late_times():
    """Positions are taken from the patch's corner."""
    data = small("kdv")
    late = replace(data.trajectories, time=data.trajectories.time + 1e5)
    shifted = Small(data.domain, late, measure_scales([late], data.domain.arguments.names)).using("weno")
    double, single = (
        float(shifted.domain.validity(None, moved(shifted, Formulas(wavy), shifted.whole(dtype), [0.05])).score)
        for dtype in (torch.float64, torch.float32)
    )
    assert single == pytest.approx(double, rel=0.02)
    early = data.using("weno")
    assert double == pytest.approx(
        float(early.domain.validity(None, moved(early, Formulas(wavy), early.whole(), [0.05])).score), rel=1e-6
    )


@pytest.mark.parametrize("backend", ["curvilinear", "weno", "bilinear"])
def test_a_part_has_the_residual_of_the_whole(backend):
    """Cut from the middle of time and of x, moved by the same flow: the same inside."""
    data = small("ckdv").using(backend, **({"accuracy": 2} if backend == "curvilinear" else {}))
    field, whole = Formulas(tilted), data.whole()
    part = data.patches(29, 0).take(torch.tensor([0]), torch.tensor([[13, 0]]))
    everything, some = (data.domain.residual(moved(data, field, p, [0.02])) for p in (whole, part))
    inside, cut = slice(13 + 6, 13 + 23), slice(6, 23)
    assert everything.valid[0, inside].all() and some.valid[0, cut].all()
    torch.testing.assert_close(some.value[:, :, cut], everything.value[:, :, inside], rtol=1e-7, atol=1e-9)
    assert some.value[:, :, cut].abs().max() > 1e-3


@pytest.mark.parametrize("times", [13, 17, 25, 37, 49])
def test_accuracy_chosen_by_itself_leaves_half_of_a_patch(times):
    data = small("kdv").using("curvilinear")
    found = data.domain.validity(None, next(iter(data.patches(times).batches(1))))
    assert float(found.share) >= 0.5
    assert float(found.score) < 1e-3


def test_order_of_the_variables_makes_no_difference():
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(x, t)
    pde = PDE(name="small", title="", equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
              region={x: (0, 16), t: (0, 2)}, points={x: 32, t: 49}, periodic=[x])  # fmt: skip
    kdv = small("kdv").using("weno")
    domain = PDEDomain(pde, Backend("weno"))
    assert domain.components == ("x", "t", "u")
    other = Small(domain, kdv.trajectories, measure_scales([kdv.trajectories], domain.arguments.names))
    swapped = Formulas(lambda z: wavy(z[:, [1, 0, 2]])[:, :, [1, 0, 2]])
    scores = [
        float(d.domain.validity(None, moved(d, f, d.whole(), [0.05])).score)
        for d, f in ((kdv, Formulas(wavy)), (other, swapped))
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-9) and scores[0] > 0.01


def test_defect_of_a_growing_solution():
    """u_t = u moved by d_u: R = (u + s)_t - (u + s) = -s, here in units of u's scale per window."""
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    pde = PDE(name="small", title="", equation=sp.Eq(u.diff(t), u + 0 * u.diff(x)), region={t: (0, 2), x: (0, 1)},
              points={t: 41, x: 16}, periodic=[x])  # fmt: skip
    domain = PDEDomain(pde, Backend("curvilinear"))
    axis, time = Axis("x", 0.0, 1.0, 16, True), torch.linspace(0, 2, 41, dtype=torch.float64)
    solution = torch.exp(time)[:, None] * (2 + torch.cos(2 * math.pi * axis.coordinates()))
    source = Trajectories(time, Grid((axis,)), solution[None, :, None], ("u",))
    data = Small(domain, source, measure_scales([source], domain.arguments.names))
    patches, s = data.whole(), 1e-3
    found = domain.residual(moved(data, formulas(data, ("0", "0", "1")), patches, [s]))
    expected = -s * data.scales.size[0] / data.scales.size[2]
    inside = found.value[found.valid[:, None]]
    np.testing.assert_allclose(inside, expected, rtol=1e-4)
