"""Descents on the paper's losses: repeatable, resumable, stopped by what isn't finite, and downhill."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from small_solutions import ARGUMENTS, Formulas, small

from lieapp.domains.base import Domain, Validity
from lieapp.errors import DiscoveryError
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Scaled, values
from lieapp.methods.flow import Flow, Solver
from lieapp.methods.losses import FiniteScore, LinearScore, lipschitz, norms, orthonormality, sobolev
from lieapp.methods.network import GeneratorNetwork
from lieapp.pde.data import SliceData

PLAN = Plan(steps=6, batch=3, weights=Weights(), tau=2.0, rate=lambda n: 1e-2 / (1 + n), sobolev_from=3)


def network(slots=2, seed=0):
    torch.manual_seed(seed)
    return GeneratorNetwork(ARGUMENTS, 3, slots, width=16, head=8)


DTYPE = {"finite": torch.float32, "linear": torch.float64}


def material(kind, dtype=torch.float32):
    """Data and score of one of the two."""
    made = small("kdv")
    if kind == "finite":
        return made.patches(17, dtype=dtype), FiniteScore(made.domain, 0.2, Solver(), plain=False)
    return SliceData([made.trajectories], made.domain.linearisation, made.scales, 3, 1e-4), LinearScore(made.domain)


def descent(kind, plan=PLAN, seed=3, start=0):
    data, score = material(kind)
    return Descent(data, network(seed=start).to(DTYPE[kind]), score, plan, seed)


KINDS = pytest.mark.parametrize("kind", ["finite", "linear"])


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


@KINDS
def test_a_seed_repeats_bit_for_bit(kind):
    first, second, other = descent(kind), descent(kind), descent(kind, seed=4)
    rows = [[d.step() for _ in range(5)] for d in (first, second, other)]
    assert rows[0] == rows[1] and rows[0] != rows[2]
    assert same(first.state(), second.state())


@KINDS
def test_resumes_at_any_step_bit_for_bit(kind):
    """Also into a descent of another seed and start, and across the change of rates and losses."""
    whole = descent(kind)
    states, rows = [whole.state()], []
    for _ in range(6):
        rows.append(whole.step())
        states.append(whole.state())
    for at in (0, 1, 3, 5):
        again = descent(kind, seed=8, start=5)
        again.load(states[at])
        assert again.done == at and same(again.state(), states[at])
        for n in range(at, 6):
            assert again.step() == rows[n]
        assert same(again.state(), states[6])


@KINDS
def test_a_state_is_a_copy(kind):
    made = descent(kind)
    before = made.state()
    kept = {k: v.clone() for k, v in before.items()}
    made.step()
    assert same(before, kept) and not same(before, made.state())
    assert all(v.device.type == "cpu" and v.is_contiguous() for v in before.values())


def test_losses_of_a_step_are_those_of_its_fields():
    data, score = material("finite", torch.float64)
    fields = network().double()
    made = Descent(data, fields, score, replace(PLAN, sobolev_from=0, weights=Weights(2.0, 3.0, 0.5, 0.1)), 3)
    generator = torch.Generator().manual_seed(3)
    batch = data.draw(3, generator, 0)
    v = values(fields, batch.points)
    v = v / norms(v, batch.weight).reshape(-1, 1, 1, 1, 1)
    expected = {
        "orthonormality": float(orthonormality(v, batch.weight).detach()),
        "lipschitz": float(lipschitz(v, batch.points, 2.0).detach()),
        "sobolev": float(sobolev(v, batch.lines).detach()),
    }
    row = made.step()
    assert {k: row[k] for k in expected} == pytest.approx(expected, rel=1e-9)
    assert row["symmetry"] == pytest.approx(sum(math.log(z) for z in row["validity"]))
    total = 2 * row["symmetry"] + 3 * row["orthonormality"] + 0.5 * row["lipschitz"] + 0.1 * row["sobolev"]
    assert row["loss"] == pytest.approx(total)
    assert len(row["s"]) == len(row["folded"]) == len(row["validity"]) == 2
    # what was scored are fields of norm 1
    start, domain = network().double(), small("kdv").domain
    unit = Scaled(start, 1 / norms(values(start, batch.points), batch.weight))
    moved = domain.act(Flow(unit, Solver()), batch, torch.tensor(row["s"], dtype=torch.float64))
    found = domain.validity(batch, moved).score.reshape(2, 3).mean(1)
    assert row["validity"] == pytest.approx(found.tolist(), rel=1e-6)


def test_sobolev_joins_in_the_last_steps():
    made = descent("linear")
    assert ["sobolev" in made.step() for _ in range(5)] == [False, False, False, True, True]


def test_every_step_has_its_own_rate():
    """Adam's first step is the rate itself in every parameter with a gradient; a rate of 0 changes nothing."""
    made = descent("linear", replace(PLAN, rate=lambda n: (1e-3, 0.0, 5e-4)[n]))
    states = [made.state()]
    for _ in range(3):
        made.step()
        states.append(made.state())
    moves = [
        max(float((b[k] - a[k]).abs().max()) for k in a if k.startswith("network."))
        for a, b in itertools.pairwise(states)
    ]
    assert moves[0] == pytest.approx(1e-3, rel=1e-3) and moves[1] == 0 and 1e-5 < moves[2] < 1e-3


@KINDS
def test_the_size_of_the_network_s_output_doesn_t_matter(kind):
    """Fields are normalised on the batch, and the gradient has no part along their size."""
    data, score = material(kind, torch.float64)
    rows = []
    for factor in (1.0, 7.0):
        fields = network().double()
        with torch.no_grad():
            fields.outer *= factor
            fields.outer_bias *= factor
        outer = (fields.outer, fields.outer_bias)
        start = [p.detach().clone() for p in outer]
        rows.append(Descent(data, fields, score, PLAN, 3).step())
        slopes = [p.grad for p in outer]
        radial = sum((p * g).sum() for p, g in zip(start, slopes, strict=True))
        assert abs(radial) < 1e-9 * factor * sum(g.square().sum() for g in slopes).sqrt()
    assert rows[0]["loss"] == pytest.approx(rows[1]["loss"], rel=1e-9)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_isn_t_finite_is_an_error(value):
    def broken(batch, fields, generator):
        return fields.factors * value, {}

    data, _ = material("linear")
    made = Descent(data, network().double(), broken, PLAN, 0)
    before = made.state()
    with pytest.raises(DiscoveryError, match=r"the loss is (nan|inf) at step 0") as caught:
        made.step()
    assert "flow_rate" in caught.value.hint
    after = made.state()
    assert all(torch.equal(before[k], after[k]) for k in before if k.startswith("network.")), "nothing was learned"


def test_a_score_of_zero_isn_t_infinite():
    data, _ = material("linear")
    made = Descent(data, network().double(), lambda batch, fields, generator: (0 * fields.factors, {}), PLAN, 0)
    assert all(math.isfinite(z) for z in (made.step()["loss"], made.step()["loss"]))


def test_a_step_by_the_adjoint_is_a_step_through_the_solver():
    """Gradients of all parameters, with the norms that depend on them."""
    data, _ = material("finite", torch.float64)
    domain, plan = small("kdv").domain, replace(PLAN, weights=Weights(1, 0, 0, 0))
    grads = []
    for solver in (Solver(step=0.02), Solver(step=0.02, adjoint=True)):
        fields = network().double()
        Descent(data, fields, FiniteScore(domain, 0.2, solver, plain=False), plan, 3).step()
        grads.append(torch.cat([p.grad.flatten() for p in fields.parameters()]))
    torch.testing.assert_close(grads[1], grads[0], rtol=1e-4, atol=1e-6 * float(grads[0].abs().max()))


@KINDS
def test_goes_downhill(kind):
    plan = Plan(steps=60, batch=4, weights=Weights(1, 3, 1, 0), tau=3.0, rate=lambda n: 5e-3, sobolev_from=60)
    made = descent(kind, plan)
    _, score = material(kind)

    def level():
        """Mean log validity on the same batches with the same s."""
        generator, total = torch.Generator().manual_seed(99), 0.0
        with torch.no_grad():
            for k in range(6):
                batch = made.data.draw(4, generator, k)
                size = norms(values(made.fields, batch.points), batch.weight)
                total += float(score(batch, Scaled(made.fields, 1 / size), generator)[0].log().sum()) / 6
        return total

    before, first = level(), made.step()
    for _ in range(59):
        last = made.step()
    assert level() < before - 1.0
    assert last["orthonormality"] < max(first["orthonormality"], 0.3)


# scores


def wavy(points):
    t, x, u = points.unbind(1)
    w = 2 * torch.pi * x
    parts = [0.5 + 0.3 * torch.sin(w) + 0.2 * u, 0.4 + 0.3 * torch.cos(w) * t, 0.4 * torch.sin(w + 1) + 0.3 * t * u]
    return torch.stack([torch.stack(parts, 1), torch.stack(parts[::-1], 1)])


@pytest.mark.parametrize("name", ["kdv", "burgers", "ckdv"])
def test_the_finite_score_over_s_tends_to_the_linear_one(name):
    made = small(name)
    batch, source = made.whole(), made.trajectories
    fields = Scaled(Formulas(wavy), torch.tensor([1.0, 0.5], dtype=torch.float64))
    inside = made.domain.residual(batch).valid[0, :, 0]
    slices = made.domain.linearisation.slices(
        source.time[inside], source.values[0, inside], source.grid, made.scales
    )
    limit, told = LinearScore(made.domain)(slices, fields, torch.Generator())
    assert told == {} and limit.shape == (2,)
    errors = []
    for sigma in (1e-2, 1e-3):
        score = FiniteScore(made.domain, sigma, Solver(), plain=False)
        found, told = score(batch, fields, torch.Generator().manual_seed(0))
        ratio = found / torch.tensor(told["s"]).abs()
        errors.append(float((ratio / limit - 1).abs().max()))
    assert errors[1] < 5e-3 and errors[1] < 0.2 * errors[0], errors


class Stub(Domain):
    """A domain that says what it was asked for."""

    def __init__(self, scores):
        self.scores, self.asked = torch.tensor(scores), []

    def act(self, flow, batch, s):
        return flow(batch.points.expand(len(s), *batch.points.shape), s)

    def validity(self, before, after, power=1):
        self.asked.append((before is None, power))
        return Validity(self.scores, torch.ones_like(self.scores), self.scores.clamp(0, 0.5))


def stub_score(scores, slots, **options):
    domain = Stub(scores)
    score = FiniteScore(domain, 0.4, Solver(), **options)
    fields = Scaled(network(slots), torch.ones(slots))
    batch = small("kdv").patches(2, 2, torch.float32).take(torch.tensor([0, 1]), torch.tensor([[0, 0], [3, 5]]))
    return domain, lambda generator: score(batch, fields, generator)


@pytest.mark.parametrize("plain", [False, True])
def test_a_slot_s_score_is_the_mean_over_its_own_patches(plain):
    domain, score = stub_score([1.0, 3.0, 10.0, 30.0, 5.0, math.inf], 3, plain=plain)
    found, told = score(torch.Generator().manual_seed(0))
    assert found.tolist() == [2.0, 20.0, 5.0], "patches with nothing left are left out"
    assert domain.asked == [(plain, 1)]
    assert told["folded"] == [0.5, 0.5, 0.5]


def test_s_is_even_in_both_directions():
    _, score = stub_score([1.0] * 200, 100, plain=True)
    generator = torch.Generator().manual_seed(0)
    s = torch.tensor([score(generator)[1]["s"] for _ in range(4)]).flatten()
    assert s.abs().max() <= 0.4 and s.max() > 0.39 and s.min() < -0.39
    # of 400 even numbers: mean 0, mean square σ²/3, each within four deviations
    assert abs(float(s.mean())) < 4 * 0.4 / 3**0.5 / 20
    assert float(s.square().mean()) == pytest.approx(0.16 / 3, rel=4 * 0.9 / 20)
    assert s.unique().numel() == 400, "every slot has an s of its own"


def test_nothing_left_step_after_step_is_an_error():
    _, score = stub_score([math.inf] * 4, 2, plain=True)
    with pytest.raises(DiscoveryError, match="has a node left to judge, 20 steps in a row") as caught:
        for seed in range(100):
            found, _ = score(torch.Generator().manual_seed(seed))
            assert found.isfinite().all() and found.log().eq(0).all()
    assert "sigma" in caught.value.hint and "patch_time" in caught.value.hint
