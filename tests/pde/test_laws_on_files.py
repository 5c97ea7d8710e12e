"""The totals of derived laws along files: constant on solutions, refused on other data and open axes."""

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

from lieapp.cli.main import cli, run
from lieapp.config_symbolic import LawsConfig
from lieapp.config_types import FileData
from lieapp.errors import DataError
from lieapp.pde.laws.along import add_totals, read_along
from lieapp.pde.questions import laws_in_child
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

LENGTH = 8.0


def cnoidal(t: np.ndarray, x: np.ndarray, m: float) -> np.ndarray:
    """A periodic wave of u_t + u u_x + u_xxx = 0 with the period LENGTH (Whitham 1974, 13.12)."""
    from scipy.special import ellipj, ellipk

    k = 2 * ellipk(m) / LENGTH
    speed = 4 * k**2 * (2 * m - 1)
    cn = ellipj(k * (x[None, :] - speed * t[:, None]), m)[1]
    return 12 * m * k**2 * cn**2


@pytest.fixture
def file(tmp_path):
    t, x = np.linspace(0, 1, 81), np.arange(64) * LENGTH / 64
    u = np.stack([cnoidal(t, x, m) for m in (0.3, 0.7)])
    path = tmp_path / "waves.nc"
    xr.Dataset({"u": (("sample", "t", "x"), u)}, {"t": t, "x": x}).to_netcdf(path, engine="h5netcdf")
    return path


@pytest.fixture(scope="module")
def laws():
    return laws_in_child(LawsConfig(plugin="kdv", order=2))


def put(laws, path, misfit=0.1):
    kdv = load_catalog().get("kdv").declaration
    along = read_along(kdv, FileData(files=(str(path),)), misfit, SilentReporter(), path.parent / "checkpoint")
    add_totals(laws, along, SilentReporter())
    return along


def test_totals_stay_constant_on_a_periodic_wave(laws, file):
    put(laws, file)
    drifts = {law.density: law.drift for law in laws.laws}
    assert drifts.pop("t*u**2/2 - u*x") is None
    assert len(drifts) == 3
    assert all(drift < 1e-10 for drift in drifts.values())
    assert laws.trajectories == 2 and len(laws.time) == 81
    assert all(len(law.values) == 81 for law in laws.laws if law.drift is not None)


def test_totals_are_the_same_in_stretches(laws, tmp_path, monkeypatch):
    t, x = np.linspace(0, 1, 81), np.arange(64) * LENGTH / 64
    u = np.stack([cnoidal(t, x, m) for m in np.linspace(0.2, 0.8, 7)])
    data = xr.Dataset({"u": (("sample", "t", "x"), u)}, {"t": t, "x": x})
    data.to_netcdf(tmp_path / "seven.nc", engine="h5netcdf")

    def found():
        along = put(laws, tmp_path / "seven.nc")
        return len(along.pieces), [(law.drift, law.values) for law in laws.laws]

    pieces, whole = found()
    (tmp_path / "checkpoint").mkdir()
    monkeypatch.setattr("lieapp.data.own.CHUNK", 3 * 8 * 81 * 64)
    parts, stretched = found()
    assert (pieces, parts) == (1, 3) and laws.trajectories == 7
    for (drift, values), (other, others) in zip(whole, stretched, strict=True):
        assert other == pytest.approx(drift, abs=1e-12) and others == pytest.approx(values, abs=1e-12)


def test_data_of_another_equation_are_refused(laws, file, tmp_path):
    with xr.open_dataset(file, engine="h5netcdf") as found:
        other = found.load().assign(u=found.u * 1.5)
    path = tmp_path / "other.nc"
    other.to_netcdf(path, engine="h5netcdf")
    with pytest.raises(DataError, match="don't solve the equation"):
        put(laws, path)
    put(laws, path, misfit=10.0)


def soliton(t: np.ndarray, x: np.ndarray, k: float) -> np.ndarray:
    """12 k² sech²(k (x - 4 k² t)), which leaves through an end."""
    return 12 * k**2 / np.cosh(k * (x[None, :] - 4 * k**2 * t[:, None])) ** 2


def test_on_open_axes_what_flows_through_the_ends_is_added(laws, tmp_path):
    t, x = np.linspace(0, 1, 81), np.linspace(-1, 3, 193)
    u = np.stack([soliton(t, x, k) for k in (0.5, 0.8)])
    path = tmp_path / "solitons.nc"
    xr.Dataset({"u": (("sample", "t", "x"), u)}, {"t": t, "x": x}).to_netcdf(path, engine="h5netcdf")
    put(laws, path)
    assert len(laws.laws) == 4
    # the centre of mass too: nothing has to be periodic
    assert all(law.drift is not None and law.drift < 1e-3 for law in laws.laws)
    first = laws.laws[0]
    assert np.ptp(first.values) < 1e-4 * abs(first.values[0])


def test_several_open_axes_are_told(tmp_path):
    import sympy as sp

    from lieapp.api import PDE

    t, x, y = sp.symbols("t x y", real=True)
    u = sp.Function("u")(t, x, y)
    heat = PDE(
        name="plane-heat", title="heat", equation=sp.Eq(u.diff(t), u.diff(x, 2) + u.diff(y, 2)),
        region={t: (0, 1), x: (0, 1), y: (0, 1)}, points={t: 10, x: 16, y: 16}, periodic=[x, y],
    )  # fmt: skip
    at = np.linspace(0, 1, 16)
    grids = np.meshgrid(np.linspace(0, 1, 10), at, at, indexing="ij")
    values = np.exp(-2 * grids[0]) * np.sin(grids[1]) * np.sin(grids[2]) + grids[1]
    path = tmp_path / "plane.nc"
    xr.Dataset({"u": (("t", "x", "y"), values)}, {"t": np.linspace(0, 1, 10), "x": at, "y": at}).to_netcdf(
        path, engine="h5netcdf"
    )
    with pytest.raises(DataError, match="one axis of space only"):
        read_along(heat, FileData(files=(str(path),)), 0.1, SilentReporter(), tmp_path)


def test_a_typed_equation_on_a_file(file, tmp_path):
    words = ["--equation", "u_t + u*u_x + b*u_xxx", "--parameter", "b:1", "--data", str(file)]
    found = CliRunner().invoke(cli, ["laws", *words, "--out", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert "Along the data" in found.output


def test_how_files_are_read_without_one_is_told():
    found = CliRunner().invoke(cli, ["laws", "--plugin", "kdv", "--map", "u=u"])
    assert found.exit_code != 0
    assert "there are none" in str(found.exception or found.output)


def test_a_missing_file_is_told_before_laws_are_derived(tmp_path, capsys):
    assert run(["laws", "--plugin", "kdv", "--data", str(tmp_path / "none.nc")]) == 1
    said = capsys.readouterr().err
    assert "none.nc doesn't exist" in said and "multipliers" not in said
