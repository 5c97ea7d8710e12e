"""Right sides that no short equation is made of: learned from trajectories, and the fields of them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from curved_flows import angle, curved, places, solutions, written

import lieapp
from lieapp.data.trajectories import noisy
from lieapp.errors import DataError
from lieapp.pde.identify import learned
from lieapp.pde.identify.find import Wanted, identify
from lieapp.pde.identify.learned import Learning
from lieapp.pde.identify.network import begun, trained
from lieapp.pde.identify.samples import samples
from lieapp.pde.identify.windows import jets_of


@pytest.fixture(scope="module")
def shortening(tmp_path_factory):
    """u_t = u_xx/(1 + u_x²), curves that shorten, 20 of them."""
    return written(solutions("shortening"), tmp_path_factory.mktemp("data") / "shortening.npz")


@pytest.fixture(scope="module")
def run(shortening, tmp_path_factory):
    """By a small network."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("NEURONS", (16,)), ("STARTS", 1), ("BEST", 1), ("STEPS", 120)):
            patched.setattr(learned, name, value)
        return lieapp.discover(data=shortening, out=tmp_path_factory.mktemp("runs"))


def test_jets_and_rates_at_nodes():
    data = solutions("sine", 4)
    found = samples([data], 3, 500, 0)
    u, u_xx = (found.values[:, found.jets.index((0, (n,)))] for n in (0, 2))
    assert np.abs(found.rates[:, 0] - u_xx - np.sin(u)).max() < 1e-4 * np.abs(found.rates).max()
    assert set(found.owner) == {0, 1, 2, 3} and found.columns(2) == [0, 1, 2] and found.highest(2) == 1


def test_a_network_and_its_formula():
    """The formula is the network; more neurons and steps leave less of a smooth function, also elsewhere."""
    import sympy as sp

    rng = np.random.default_rng(0)
    z, other = rng.normal(size=(2, 1500, 3))
    rate, there = (part[:, 2] / (1 + part[:, 1] ** 2) + np.sin(part[:, 0]) for part in (z, other))
    errors = []
    for neurons, steps in ((4, 10), (16, 100)):
        network = trained(begun(z, rate, 1, neurons, 0), z, rate, steps)
        errors.append(np.linalg.norm(there - network(other)) / np.linalg.norm(there))
    assert errors[1] < errors[0] / 10 and errors[1] < 5e-3
    symbols = sp.symbols("u u_x u_xx", real=True)
    values = sp.lambdify(symbols, network.expression(symbols))(*other.T)
    assert np.allclose(values, network(other), rtol=1e-9, atol=1e-9)


def test_the_fields_of_a_learned_equation(run):
    """∂t, ∂x and ∂u, nothing exact, and a gap above them."""
    result = run.result
    assert result.fitted == pytest.approx(result.identified.learned.error, rel=0.1) and result.fitted < 1e-3
    assert result.count == 0 and not any(form.proved for form in result.formulas) and not result.truth
    assert {row.verdict for row in result.generators} == {"approximate", "none"}
    assert len(result.apart) == 3 and max(row.eta for row in result.apart) < 1e-2
    assert all(row.eta_halves < 0.03 for row in result.apart)
    assert result.spectrum.eta[3] > 10 * result.spectrum.eta[2]
    derived = lieapp.symmetries(curved("shortening").equation, periodic="x")
    fields = [{str(z): str(e) for z, e in field.components.items()} for field in derived.periodic]
    assert len(fields) == 3
    points = places(solutions("shortening", 3, seed=5))
    assert angle(run.learned[:3], fields, points) < 1e-2
    assert {form.shown.text for form in result.formulas} == {"∂t", "∂x", "∂u"}


def test_what_is_said_of_it(run):
    result = run.result
    assert "nothing is proved" in result.sentence and "3 fields stand apart" in result.sentence
    assert [form.text for form in result.equation_shown] == ["u_t = F(u, u_x, u_xx)"]
    told = run._repr_html_()
    assert "a network of" in told and "assumed, not found" in told and "The data agree" in told
    assert "Derived from the equation" not in told and "Cross-check" not in told and "exact:" not in told


def test_a_run_is_taken_up_again(run, capsys):
    from lieapp.cli.main import run as typed

    (run.path / "summary.json").unlink()
    (run.path / "status.json").write_text((run.path / "status.json").read_text().replace('"done"', '"cancelled"'))
    assert typed(["discover", "--resume", str(run.path), "--out", str(run.path.parent), "--quiet"]) == 0
    again = lieapp.open_run(run.path).result
    assert again.sentence == run.result.sentence and again.fitted == run.result.fitted


def test_too_few_trajectories(tmp_path):
    few = written(solutions("shortening", 5), tmp_path / "few.npz")
    with pytest.raises(DataError, match=r"no equation is made of .* from 8 trajectories or more, and there are 5"):
        lieapp.discover(data=few, out=tmp_path / "runs")
    with pytest.raises(DataError, match="8 trajectories"):
        lieapp.discover(data=few, learn_equation=True, out=tmp_path / "runs")


def test_noise_is_told_as_before(tmp_path):
    rough = written(noisy(solutions("shortening", 8), 0.5, 0), tmp_path / "rough.npz")
    with pytest.raises(DataError, match="noise hides the equation"):
        lieapp.discover(data=rough, out=tmp_path / "runs")


def test_random_values_are_not_learned():
    """What holds on the trajectories to learn from must hold on others."""
    data = solutions("sine", 8)
    rough = replace(data, values=data.values + 0.3 * torch.randn(data.values.shape, dtype=torch.float64))
    jets = jets_of(rough)
    with pytest.raises(DataError, match=r"leaves \d+ % of u_t on 2 others"):
        Learning([rough], jets, [*jets.unknowns]).learned(lieapp.progress.SilentReporter())


def test_a_short_equation_is_not_learned():
    x, t = np.arange(64) * 2 * np.pi / 64, np.linspace(0, 1, 41)[:, None]
    rng = np.random.default_rng(0)
    heat = [sum(rng.normal() * np.exp(-0.3 * k * k * t) * np.cos(k * x + rng.uniform(0, 6)) for k in (1, 2, 3))
            for _ in range(8)]  # fmt: skip
    data = solutions("sine", 8)
    data = replace(data, time=torch.as_tensor(t[:, 0]), values=torch.as_tensor(np.stack(heat))[:, :, None])
    found = identify([data], Wanted())
    assert found.equations and not found.inexpressible


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "points", "more", "count"),
    [
        ("sine", 64, {}, 2), ("porous", 64, {}, 2),
        ("shortening", 192, {"window": "x=1:5"}, 5),  # open: rotations and scalings too
    ],
)
def test_the_span_is_the_derived_one(name, points, more, count, tmp_path):
    data = solutions(name, points=points)
    found = lieapp.discover(data=written(data, tmp_path / "data.npz"), out=tmp_path / "runs", **more)
    derived = lieapp.symmetries(curved(name).equation, periodic=() if more else "x")
    fields = derived.generators if more else derived.periodic
    formulas = [{str(z): str(e) for z, e in field.components.items()} for field in fields]
    assert len(found.result.apart) == len(formulas) == count
    nodes = places(solutions(name, 3, seed=5, points=points), inside=(1, 5) if more else None)
    assert angle(found.learned[:count], formulas, nodes) < 0.05
    assert len(found.result.formulas) == count and found.result.count == 0
