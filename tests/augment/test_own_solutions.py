"""Solutions of the user's own, moved: arrays, Datasets and files; what is moved solves the equation still."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import xarray as xr
from scipy.special import ellipj, ellipk

from lieapp.augment import moved
from lieapp.augment.own import Parts, parts_of
from lieapp.config_augment import AugmentConfig
from lieapp.data.store import trajectories_of
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import DataError, GridError, LieappError, UsageError
from lieapp.pde.misfit import misfit
from lieapp.registry.catalog import load_catalog

KDV, BURGERS = "u_t + u*u_x + u_xxx", "u_t + u*u_x - nu*u_xx"
LENGTH, LEFT, NU = 40.0, -20.0, 0.5
T = np.linspace(3, 8, 101)
X = LEFT + LENGTH * np.arange(96) / 96
AXES = {"t": T, "x": X}


def cnoidal(t, x, m, mean, shift):
    """Waves of Korteweg and de Vries: u = a + 12 m k² cn²(k (x - c t), m), c = a + 4 k² (2 m - 1), of period L."""
    k = 2 * ellipk(m) / LENGTH
    cn = ellipj(k * (x - shift - (mean + 4 * k**2 * (2 * m - 1)) * t[:, None]), m)[1]
    return mean + 12 * m * k**2 * cn**2


WAVES = [(0.95, 0.1, 0.0), (0.98, -0.2, 5.0), (0.9, 0.0, -3.0), (0.99, 0.3, 11.0)]


def kdv(t=T, x=X):
    return np.stack([cnoidal(t, x, *wave) for wave in WAVES])


def burgers(t=T, x=X):
    """u = -2 ν ψ_x/ψ (Cole and Hopf), ψ = 2 + Σ a exp(-ν k² t) cos(k x + p) with k multiples of 2 pi/L."""
    k = 2 * np.pi / LENGTH * np.array([1, 2, 3])
    a, p = np.array([[0.6, 0.4, 0.3], [0.9, 0.2, -0.4]]), np.array([[0, 1, 2], [2, 0.5, 4]])
    k, a, p = k[None, :, None, None], a[:, :, None, None], p[:, :, None, None]
    waves = a * np.exp(-NU * k**2 * t[:, None])
    psi, slope = 2 + (waves * np.cos(k * x + p)).sum(1), -(k * waves * np.sin(k * x + p)).sum(1)
    return -2 * NU * slope / psi


def dataset(u, t=T, x=X):
    return xr.Dataset({"u": (("sample", "t", "x"), u)}, {"t": t, "x": x})


@pytest.mark.parametrize(("plugin", "solutions"), [("kdv", kdv), ("burgers", burgers)])
def test_moved_solutions_solve_the_equation_as_well_as_unmoved_ones(plugin, solutions):
    u = torch.tensor(solutions())
    parameter = {"parameter": [f"nu:{NU}"]} if plugin == "burgers" else {}
    options = {"axes": AXES, "equation": plugin, "along": "truth", "dtype": torch.float64, "sigma": 0.15}
    found = moved(u.numpy(), **options, **parameter)
    pde = load_catalog().get(plugin).declaration
    evolution = evolution_form(read_pde(replace(pde, parameters=dict.fromkeys(pde.parameters, NU))))
    plain = trajectories_of(dataset(u.numpy()).assign_attrs(file="").pipe(periodic))
    torch.manual_seed(2)
    before = misfit(evolution, [plain]).relative
    for index in range(len(found)):
        values, valid = found[index]
        where = torch.nonzero(valid).flatten()
        window = slice(int(where[0]), int(where[-1]) + 1)
        assert bool(valid[window].all()) and len(T) > len(where) >= len(T) // 2
        # far from where it was
        assert (values[0, window] - u[index, window]).abs().amax() > 0.1 * u[index].std()
        piece = replace(plain, time=plain.time[window], values=values.transpose(0, 1)[None, window])
        assert misfit(evolution, [piece]).relative <= 10 * before + 1e-9


def periodic(data):
    data.t.attrs["kind"], data.x.attrs["kind"], data.x.attrs["period"] = "open", "periodic", LENGTH
    return data


def test_a_boosted_wave_is_the_wave_of_another_mean():
    """t ∂x + ∂u sends a wave of mean a to one of mean a + s, through the same point at t = 0."""
    found = moved(kdv(), axes=AXES, equation=KDV, along="truth", dtype=torch.float64)
    place = found.mover.names.index("Galilean boost")
    c = torch.zeros(len(WAVES), 3, dtype=torch.float64)
    c[:, place] = torch.linspace(-0.2, 0.2, len(WAVES), dtype=torch.float64)
    made = found.mover.resampled(found.samples, c)
    assert bool(made.valid.all())
    change = (made.values - found.samples).mean((1, 2, 3))
    boosted = [cnoidal(T, X, m, mean + float(s), p) for (m, mean, p), s in zip(WAVES, change, strict=True)]
    assert change.abs().max() > 0.1
    np.testing.assert_allclose(made.values[:, 0], boosted, atol=1e-7 * np.std(kdv()))


def test_arrays_datasets_and_files_are_the_same_solutions(tmp_path):
    u, axes = kdv(), AXES
    np.savez(tmp_path / "a.npz", waves=u, t=T, x=X)
    np.savez(tmp_path / "one.npz", waves=u[:1], t=T, x=X)
    np.savez(tmp_path / "rest.npz", waves=u[1:], t=T, x=X)
    options = {"along": "d_t+truth", "equation": KDV, "dtype": torch.float64}
    ways = [
        moved(u, axes=axes, **options),
        moved({"u": torch.tensor(u)}, axes=axes, **options),
        moved(u.swapaxes(1, 2), axes={"x": X, "t": T}, **options),
        moved(dataset(u), **options),
        moved(tmp_path / "a.npz", map="u=waves(sample,t,x), t=t, x=x", **options),
        moved([tmp_path / "one.npz", str(tmp_path / "rest.npz")], **options),
    ]
    names = ("time translation", "space translation", "Galilean boost")
    for found in ways:
        torch.manual_seed(0)
        assert found.mover.names == names
        np.testing.assert_array_equal(found.samples[:, 0], u)
        torch.testing.assert_close(found[1][0], _first(ways[0]), rtol=0, atol=1e-12)
    assert moved(u[0], axes=axes, **options).samples.shape == (1, 1, len(T), len(X))
    assert moved(u, axes=axes, every="t=2", samples=3, **options).samples.shape == (3, 1, 51, len(X))


def _first(data):
    torch.manual_seed(0)
    return data[1][0]


def test_copies_are_moved_in_another_way_each():
    data = moved(kdv(), axes=AXES, equation="kdv", along="d_x", copies=3)
    assert len(data) == 12
    loaded = list(torch.utils.data.DataLoader(data, batch_size=12))
    ((u, valid),) = loaded
    assert bool(valid.all()) and u.shape == (12, 1, len(T), len(X))
    # a shift keeps the mean of the square, which tells the waves apart
    size = u.square().mean((1, 2, 3))
    torch.testing.assert_close(size, size[:4].repeat(3), rtol=1e-3, atol=0)
    assert not any(torch.equal(u[i], u[i + 4]) for i in range(8))
    assert len(list(data)) == 12
    with pytest.raises(UsageError, match="copies is 0"):
        moved(kdv(), axes=AXES, equation="kdv", along="d_x", copies=0)


def test_data_that_know_their_equation_need_no_other(tmp_path):
    data = periodic(dataset(kdv())).assign_attrs(plugin="kdv", equation="u_t + u*u_x + u_xxx = 0")
    data.to_netcdf(tmp_path / "kdv.nc", engine="h5netcdf")
    for place in (tmp_path / "kdv.nc", data, [tmp_path / "kdv.nc"]):
        found = moved(place, along="truth", window="t=4:7")
        assert len(found.mover.names) == 3 and found.samples.shape[2] == 61


def test_a_folder_is_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved(kdv(), axes=AXES, equation=KDV, along="d_x")
    assert not list(tmp_path.iterdir())


BAD = [
    (DataError, r"-2\*u\*u_x should be taken 0.5 times", {"equation": "u_t + 2*u*u_x + u_xxx"}),
    (UsageError, "at which points its values are", {"axes": None}),
    (DataError, r"u has the shape \(4, 101, 96\); with the axes x \(96\), t \(101\)", {"axes": {"x": X, "t": T}}),
    (UsageError, "don't say which equation", {"equation": None}),
    (UsageError, "there is no plugin 'kvd'; did you mean 'kdv'", {"equation": "kvd"}),
    (UsageError, "images: it is a set of pictures, not an equation", {"equation": "images"}),
    (UsageError, "data is int", {"data": 3}),
    (UsageError, "data is list", {"data": []}),
    (DataError, "real numbers are needed", {"data": kdv() + 0j}),
    (DataError, "none.npz doesn't exist", {"data": "none.npz", "axes": None}),
    (LieappError, "expected str, got int", {"every": 2}),
    (GridError, "the data: x isn't periodic; solutions can't be moved there yet", {"window": "x=-10:10"}),
    (GridError, "t is not sampled evenly", {"axes": {"t": T + 0.01 * np.sin(T), "x": X}, "misfit": 100.0}),
    (UsageError, "no equation is given", {"equation": None, "parameter": ["nu:0.1"]}),
]


@pytest.mark.parametrize(("error", "match", "changes"), BAD, ids=range(len(BAD)))
def test_what_can_t_be_moved(error, match, changes):
    given = {"data": kdv(), "along": "truth", "equation": KDV, "axes": AXES, **changes}
    with pytest.raises(error, match=match) as told:
        moved(given.pop("data"), **given)
    assert told.value.hint and "/lieapp-" not in told.value.message


def test_several_grids_can_t_be_moved_together(tmp_path):
    np.savez(tmp_path / "a.npz", u=kdv(), t=T, x=X)
    np.savez(tmp_path / "b.npz", u=kdv(T[::2]), t=T[::2], x=X)
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    with pytest.raises(GridError, match=r"t has points 101 from 3 to 8 and 51 from 3 to 8; .* together yet"):
        moved(files, along="truth", equation=KDV)


@pytest.mark.parametrize("count", [3, 10, 22, 40, 100, 500, 2000])
def test_each_trajectory_is_for_one_thing(count):
    parts = parts_of(AugmentConfig(plugin="kdv", batch=1), count)
    assert sum(parts) == count and min(parts) >= 1
    assert parts.test <= max(1, count / 5) and parts.validation <= max(1, count / 10)
    assert parts.test <= 64 and parts.validation <= 16


def test_numbers_that_are_given_are_taken():
    config = AugmentConfig(plugin="kdv", validation=5, test=20, samples=(8, 16, 32, 64))
    parts = parts_of(config, 55)
    assert parts == Parts(5, 20, 30) and parts.amounts(config.samples) == [8, 16, 30]
    assert parts_of(config) == Parts(5, 20, 64)
    assert parts_of(AugmentConfig(plugin="kdv")) == Parts(16, 64, 32)


@pytest.mark.parametrize(("count", "batch"), [(1, 16), (2, 1), (10, 16), (21, 16), (30, 30)])
def test_too_few_are_told_with_the_number_needed(count, batch):
    config = AugmentConfig(plugin="kdv", batch=batch)
    with pytest.raises(DataError, match=f"{count} trajector.* are needed") as told:
        parts_of(config, count)
    needed = int(told.value.message.split(" are needed")[0].split()[-1])
    assert needed > count and parts_of(config, needed).learn >= batch
    with pytest.raises(DataError):
        parts_of(config, needed - 1)
    left = [w for w in told.value.hint.split() if w.isdigit() or w.rstrip(",").isdigit()]
    if left:
        assert parts_of(AugmentConfig(plugin="kdv", batch=int(left[0].rstrip(","))), count)
