"""Fields judged at finite size: the defect tends to η, true generators keep theirs, what leaves is said."""

import math

import pytest
import torch
from small_solutions import SIX, TRUE, formulas, small

from lieapp.methods.fields import Scaled, values
from lieapp.methods.losses import norms
from lieapp.methods.result import judge
from lieapp.pde.finite import judge_finite
from lieapp.progress import SilentReporter

FIELDS = [("1", "sin(2*pi*x/L)", "u"), ("t", "u", "cos(2*pi*x/L)")]


def unit_fields(made, *fields):
    """Fields of norm 1 on all nodes."""
    found = formulas(made, *fields)
    batch = made.whole(samples=2)
    return Scaled(found, 1 / norms(values(found, batch.points), batch.weight))


def inside(made):
    """Slices at the times where the finite residual exists, trajectory by trajectory."""
    source = made.trajectories
    where = made.domain.residual(made.whole()).valid[0, :, 0]
    return [
        made.domain.linearisation.slices(source.time[where], u[where], source.grid, made.scales)
        for u in source.values
    ]


def finite(made, fields, reach, s, **options):
    batches = list(made.patches().batches(1))
    return judge_finite(made.domain, fields, reach, batches, s, 0.05, SilentReporter(), **options)


@pytest.mark.parametrize("name", ["kdv", "ks", "burgers"])
def test_defect_of_a_small_flow_is_eta(name):
    made = small(name)
    fields = unit_fields(made, *FIELDS)
    found = judge(made.domain, fields, inside(made))
    size = (torch.diagonal(found.gram) / sum(b.weight.numel() for b in inside(made))).sqrt()
    assert (found.eta > 0.1).all() and (found.reach > 0.01).all()
    # rms(Q) of the fields as they are: reach is per norm on these slices
    result = finite(made, fields, found.reach * size, [-1e-2, -1e-3, 1e-3, 1e-2])
    error = (result.defect / found.eta[:, None] - 1).abs()
    assert error[:, 1:3].max() < 1e-2, error
    # one-sided quotients: what is left is of first order in s
    assert (error[:, 0] > 5 * error[:, 1]).all(), error
    assert result.s == [-1e-2, -1e-3, 1e-3, 1e-2] and result.folded.eq(0).all()


@pytest.mark.parametrize("name", SIX)
def test_true_generators_have_no_defect_at_any_size(name):
    made = small(name)
    fields = unit_fields(made, *TRUE[name])
    reach = judge(made.domain, fields, inside(made)).reach
    result = finite(made, fields, reach, [-0.4, -0.1, 0.1, 0.4])
    assert result.defect.shape == (len(TRUE[name]), 4)
    assert result.defect.max() < 5e-6, result.defect
    assert result.share.min() > 0.4


def test_translations_keep_the_solution_to_round_off():
    made = small("kdv")
    fields = unit_fields(made, ("1", "0", "0"), ("0", "1", "0"))
    reach = judge(made.domain, fields, inside(made)).reach
    result = finite(made, fields, reach, [-0.3, 0.3])
    assert result.defect.max() < 1e-9


def test_where_everything_leaves():
    """Moved along t by more than the window: nothing to judge. Along x: everything stays."""
    made = small("heat")
    fields = unit_fields(made, ("1", "0", "0"), ("0", "1", "0"))
    reach = torch.ones(2, dtype=torch.float64)
    result = finite(made, fields, reach, [-1.2, -0.5, 0.5, 1.2])
    assert result.share[0, [0, 3]].tolist() == [0, 0]
    assert result.defect[0, [0, 3]].tolist() == [math.inf, math.inf]
    assert (result.share[0, 1:3] > 0.3).all() and result.defect[0, 1:3].isfinite().all()
    assert (result.share[1] > 0.6).all() and result.defect[1].max() < 1e-9


def test_points_that_go_to_infinity_aren_t_judged():
    made = small("heat").using("weno")
    fields = formulas(made, ("0", "0", "exp(8*u)"))
    result = finite(made, fields, torch.ones(1, dtype=torch.float64), [-0.4, 0.4])
    assert result.share[0, 1] < 0.9 and not torch.isnan(result.defect).any()


def test_folds_are_counted():
    """x + s sin(2πkx)·a folds where 2πk a s > 1."""
    made = small("heat")
    fields = formulas(made, ("0", "L*sin(2*pi*x/L)", "0"))
    result = finite(made, fields, torch.ones(1, dtype=torch.float64), [-0.05, 0.05])
    assert result.folded.max() == 0, "an exact flow of sin doesn't fold"
    fields = formulas(made, ("0", "L*u", "0"))
    result = finite(made, fields, torch.ones(1, dtype=torch.float64), [-2.0, 2.0])
    assert (result.folded > 0.2).all() and (result.folded < 0.8).all()


@pytest.mark.parametrize(("late", "folds"), [(0.05, False), (-0.5, True)])
def test_only_what_folds_within_the_window_is_a_fold(late, folds):
    """Time goes on by .3 of the window; from `late` windows after its end on x follows u, back and forth."""
    made = small("heat")
    time = made.trajectories.time
    length = float(time[-1] - time[0])
    begins = float(time[-1]) + late * length
    across = f"L*20*u*Heaviside(t - {begins}, 0)*(t - {begins})/{length}"
    fields = formulas(made, (f"{length}", across, "0"))
    result = finite(made, fields, torch.ones(1, dtype=torch.float64), [0.3])
    assert 0.2 < result.share.item() < 0.7
    assert (result.folded.item() > 0) == folds


def test_means_over_pieces_of_any_grouping():
    made = small("kdv")
    fields = unit_fields(made, *FIELDS)
    reach, s = torch.tensor([0.5, 2.0], dtype=torch.float64), [-0.1, 0.1]
    single = finite(made, fields, reach, s)
    (both,) = made.patches().batches(2)
    together = judge_finite(made.domain, fields, reach, [both], s, 0.05, SilentReporter())
    for name in ("defect", "share", "folded"):
        torch.testing.assert_close(getattr(single, name), getattr(together, name))
    # means of squares over trajectories
    parts = [judge_finite(made.domain, fields, reach, [b], s, 0.05, SilentReporter()).defect
             for b in made.patches().batches(1)]  # fmt: skip
    torch.testing.assert_close(single.defect, ((parts[0] ** 2 + parts[1] ** 2) / 2).sqrt())
    assert (parts[0] - parts[1]).abs().max() > 1e-3
    torch.testing.assert_close(single.unmoved, together.unmoved)
    # and per unit of reach
    scaled = finite(made, fields, 4 * reach, s)
    torch.testing.assert_close(4 * scaled.defect, single.defect)
    torch.testing.assert_close(4 * scaled.unmoved, single.unmoved)


def test_what_unmoved_data_leave_is_told_per_unit_of_the_move():
    made = small("kdv")
    fields = unit_fields(made, ("1", "0", "0"))
    size = math.sqrt(
        sum(float(made.domain.validity(None, b, 2).score.square()) for b in made.patches().batches(1)) / 2
    )
    found = finite(made, fields, torch.tensor([0.5], dtype=torch.float64), [-0.2, 0.1])
    torch.testing.assert_close(found.unmoved, size * torch.tensor([[10.0, 20.0]]), check_dtype=False)


def test_record_is_shown_every_move():
    made, seen = small("kdv"), []

    def record(number, k, before, after):
        seen.append((number, k, after.points - before.points))

    shift = unit_fields(made, ("0", "1", "0"))
    finite(made, shift, torch.ones(1, dtype=torch.float64), [-0.1, 0.2], record=record)
    assert [row[:2] for row in seen] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for _, k, away in seen:
        torch.testing.assert_close(away[:, 1], torch.full_like(away[:, 1], [-0.1, 0.2][k]), rtol=1e-6, atol=1e-9)
        assert away[:, [0, 2]].abs().max() == 0
