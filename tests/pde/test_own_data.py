"""An equation on files of the user's own: trajectories, axes that aren't periodic, typed equations, bad input."""

import json
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp
import torch
import xarray as xr
from own_burgers import T, X, burgers, cole_hopf, etas, nodes_of, npz, read

import lieapp
from lieapp.config import DiscoverConfig
from lieapp.config_types import DiscoverData, FileData
from lieapp.data.own import FEW, HELD_OUT, WINDOWS, OwnAxis, counts_apart, declared_on, described
from lieapp.data.own_trajectories import divided, own_data
from lieapp.data.trajectories import Trajectories
from lieapp.errors import DataError, LieappError, UsageError
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.domain import PDEDomain
from lieapp.pde.kind import PDES
from lieapp.progress import SilentReporter

Y = sp.Symbol("y", real=True)
ZERO = dict.fromkeys("txu", "0")
BURGERS = ("--equation", "u_t + u*u_x - nu*u_xx", "--parameter", "nu:0.1")
FAST = ("--method", "spectrum", "--set", "cross_check=false", "--set", "finite_samples=0")


@pytest.mark.parametrize("kind", ["uniform", "chebyshev", "uneven"])
def test_derived_fields_are_exact_on_open_axes(tmp_path, kind):
    """All five, the projective one too, which no periodic box has."""
    x, t = nodes_of(kind), np.linspace(0, 1, 10)
    file = npz(tmp_path / "a.npz", x=x, t=t, u=cole_hopf(x, t, 5))
    own = read(burgers(), file, parameter=("nu:0.1",))
    assert not own.declaration.periodic and list(own.declaration.parameters.values()) == [sp.Rational(1, 10)]
    axis = own.train[0].grid.axes[0]
    assert (axis.nodes is None) is (kind == "uniform") and not axis.periodic
    np.testing.assert_allclose(axis.coordinates().numpy(), x, atol=1e-12)
    found = etas(own)
    assert len(found) == 5 and max(found.values()) < 1e-7


def test_drafts_hold_the_whole_of_an_open_axis(tmp_path):
    """In one batch: on a window of it fields pass that aren't symmetries, and training goes astray."""
    x, t = nodes_of("uniform", 128), np.linspace(0, 1, 10)
    own = read(burgers(), npz(tmp_path / "a.npz", x=x, t=t, u=cole_hopf(x, t, 5)))
    data = PDEDomain(own.declaration).prepared(own.train, own.held_out)
    generator = torch.Generator().manual_seed(0)
    draft, fine = data.draft.draw(4, generator).points[:, 1], data.train.draw(4, generator).points[:, 1]
    assert draft.min() < 0.02 and draft.max() > 0.98 and fine.max() - fine.min() < 0.25
    whole = torch.cat([batch.points[:, 1].flatten() for batch in data.train.batches(16, 4)])
    assert whole.min() < 0.02 and whole.max() > 0.98


def test_noise_on_open_axes_does_no_harm(tmp_path):
    """Fits average over it, and exact symmetries hold on any smooth slice."""
    x, t = nodes_of("uniform", 128), np.linspace(0, 1, 10)
    u = cole_hopf(x, t, 6)
    u += 0.02 * u.std() * np.random.default_rng(0).standard_normal(u.shape)
    own = read(burgers(), npz(tmp_path / "noisy.npz", x=x, t=t, u=u), parameter=("nu:0.1",))
    assert max(etas(own).values()) < 1e-7
    # nothing is moved by a finite amount: times are noisy too
    assert PDEDomain(own.declaration).prepared(own.train, own.held_out, level=0.02).noise == 0.02


@pytest.mark.parametrize("order", ["xy", "yx"])
def test_derived_fields_are_exact_on_a_periodic_and_an_open_axis(tmp_path, order):
    """Any smooth slice will do for an exact symmetry, solution or not."""
    u = sp.Function("u")(T, X, Y)
    box = {T: (0, 1), X: (0, 1), Y: (0, 1)}
    points = {T: 9, X: 16, Y: 16}
    pde = burgers(
        equation=sp.Eq(u.diff(T) + u * u.diff(X), u.diff(X, 2) + u.diff(Y, 2)), region=box, points=points,
        parameters={},
    )  # fmt: skip
    t, x, y = np.linspace(0, 1, 8), np.arange(24) / 4, np.linspace(-1, 1, 26)
    rng, turn = np.random.default_rng(0), 2 * np.pi / 6
    a, b = rng.uniform(0.5, 1, (2, 5, 1, 1, 1))
    tt, xx, yy = np.meshgrid(t, x, y, indexing="ij")
    values = a * np.sin(turn * (xx - tt)) * np.cosh(yy) + b * np.cos(2 * turn * xx + tt) * np.sin(yy + tt)
    layout = ("sample", "t", "x", "y") if order == "xy" else ("sample", "t", "y", "x")
    values = values if order == "xy" else values.swapaxes(2, 3)
    file = npz(tmp_path / "a.npz", t=t, x=x, y=y, u=values)
    own = read(pde, file, map=f"u=u({','.join(layout)}), t=t, x=x, y=y")
    assert own.declaration.periodic == [X]
    assert [(axis.name, axis.periodic) for axis in own.train[0].grid.axes] == [("x", True), ("y", False)]
    found = etas(own)
    assert set(found) >= {"∂t", "∂x", "∂y", "t ∂x + ∂u"} and max(found.values()) < 1e-7


def test_files_are_trajectories(tmp_path):
    """Of several files with other grids and other times, every fifth and the last one are held out whole."""
    files, rights = [], []
    for k, (points, times) in enumerate([(64, 12), (96, 9), (64, 12), (80, 20), (64, 12), (128, 10)]):
        x, t = nodes_of("uniform", points), np.linspace(0, 1, times)
        u = cole_hopf(x, t, 1, seed=k)
        files.append(npz(tmp_path / f"{k}.npz", x=x, t=t, u=u[0]))
        rights.append(u)
    own = read(burgers(), *files, parameter=("nu:0.1",))
    assert own.whole is None and own.words[-1] == "6 trajectories; 2 of them are held out for validation"
    assert [piece.grid.shape[0] for piece in own.train] == [64, 96, 64, 80]
    assert [piece.grid.shape[0] for piece in own.held_out] == [64, 128]
    for piece, right in zip([*own.train, *own.held_out], rights, strict=True):
        np.testing.assert_array_equal(piece.values[:, :, 0].numpy(), right)
    assert max(etas(own).values()) < 1e-7


def test_copies_are_left_out(tmp_path):
    """They would be judged on themselves: one trajectory six times is one trajectory, cut into windows."""
    x, t = nodes_of("uniform", 64), np.linspace(0, 1, 60)
    u = cole_hopf(x, t, 2)
    files = [npz(tmp_path / "a.npz", x=x, t=t, u=u[[0, 0, 0]]), npz(tmp_path / "b.npz", x=x, t=t, u=u[[0, 1, 0]])]
    own = read(burgers(), *files)
    assert own.words[-2] == "4 of 6 trajectories are copies of others; left out"
    assert own.whole is not None and own.words[-1].startswith("2 trajectories, cut into")
    np.testing.assert_array_equal(np.concatenate([piece.values[:, :, 0].numpy() for piece in own.pieces]), u)


def test_equal_values_at_other_points_are_no_copies(tmp_path):
    x, t = nodes_of("uniform", 64), np.linspace(0, 1, 12)
    u = cole_hopf(x, t, 3)
    files = [npz(tmp_path / f"{k}.npz", x=k * x, t=t, u=u) for k in (1, 2)]
    own = read(burgers(), *files, parameter=("nu:0.1",))
    assert sum(piece.samples for piece in own.pieces) == 6
    assert "copies" not in " ".join(own.words)


@pytest.mark.parametrize("split", [(9,), (2, 7), (1, 1, 7), (4, 5), (3, 3, 3)])
def test_which_trajectories_are_held_out_does_not_depend_on_the_files(tmp_path, split):
    x, t = nodes_of("uniform", 32), np.linspace(0, 1, 8)
    u, files, n = cole_hopf(x, t, 9), [], 0
    for k, count in enumerate(split):
        files.append(npz(tmp_path / f"{k}.npz", x=x, t=t, u=u[n : n + count]))
        n += count
    own = read(burgers(), *files, map="u=u(sample,t,x), t=t, x=x")
    held = np.concatenate([piece.values[:, :, 0].numpy() for piece in own.held_out])
    np.testing.assert_array_equal(held, u[[HELD_OUT - 1, 8]])
    assert sum(piece.samples for piece in own.train) == 7


@pytest.mark.parametrize("count", [1, FEW - 1])
def test_few_trajectories_are_cut_into_windows(tmp_path, count):
    """In windows side by side, some held out, nothing lost and nothing twice."""
    x, t = nodes_of("uniform", 32), np.linspace(0, 1, 43)
    u = cole_hopf(x, t, count)
    own = read(burgers(), npz(tmp_path / "a.npz", x=x, t=t, u=u.squeeze()))
    assert own.whole is not None and f"cut into {WINDOWS} windows in t; 2 of them" in own.words[-1]
    pieces = sorted([*own.train, *own.held_out], key=lambda piece: float(piece.time[0]))
    np.testing.assert_array_equal(torch.cat([piece.time for piece in pieces]).numpy(), t)
    np.testing.assert_array_equal(torch.cat([p.values[:, :, 0] for p in pieces], 1).numpy(), u)
    assert len(own.held_out) == 2 and all(piece.samples == count for piece in pieces)
    # windows of learning on both sides of each
    ends = [float(piece.time[0]) for piece in own.train]
    assert all(min(ends) < float(piece.time[0]) < max(ends) for piece in own.held_out)


def test_periods_that_differ_make_an_axis_open(tmp_path):
    files = []
    for k, length in enumerate((4.0, 4.0, 5.0)):
        x, t = np.arange(64) * length / 64, np.linspace(0, 1, 12)
        u = np.sin(2 * np.pi * (x - t[:, None]) / length) + 0.3 * np.cos(4 * np.pi * x / length) + 0 * t[:, None]
        files.append(npz(tmp_path / f"{k}.npz", x=x, t=t, u=u))
    alike, mixed = read(burgers(), *files[:2]), read(burgers(), *files)
    assert list(alike.declaration.periodic) == [X] and alike.train[0].grid.axes[0].length == 4.0
    assert list(mixed.declaration.periodic) == []
    assert not any(piece.grid.axes[0].periodic for piece in mixed.train)
    assert mixed.declaration.region[X] == (0.0, 5 - 5 / 64)


@pytest.mark.parametrize("count", range(1, 12))
def test_how_many_are_held_out_is_known_before(count):
    grid, values = Grid((Axis("x", -1.0, 1.0, 24),)), torch.zeros(count, 20, 1, 24)
    piece = Trajectories(torch.linspace(0, 1, 20), grid, values, ("u",), "t")
    train, held_out, _ = divided([piece])
    whole = count >= FEW
    found = [sum(p.samples for p in part) if whole else len(part) * count for part in (train, held_out)]
    assert tuple(found) == counts_apart(count)


def test_a_declaration_is_told_without_values(tmp_path):
    """What is read first of a file, and what own_data finds in it, agree."""
    x, t = np.arange(64) / 16, np.linspace(2, 3, 24)
    u = np.sin(2 * np.pi * (x - t[:, None]) / 4) + 0.2 * np.cos(np.pi * (x + t[:, None]))
    data = FileData(files=(npz(tmp_path / "a.npz", x=x, t=t, u=u),), every="t=2", parameter=("nu:0.01/pi",))
    told, loaded = described(burgers(), data), own_data(burgers(), data, SilentReporter()).declaration
    for name in ("region", "points", "periodic", "parameters"):
        assert getattr(told, name) == getattr(loaded, name)
    assert told.points == {T: 12, X: 64} and told.region == {T: (2.0, float(t[22])), X: (0.0, 4.0)}
    assert list(told.parameters.values()) == [1 / (100 * sp.pi)]
    with pytest.raises(DataError, match="in files"):
        told.source(1, 0)


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        ("mu:0.1", "no parameter 'mu'; it has nu", "nu:0.1"), ("nu:many", "'many' isn't a number", "nu:0.01/pi"),
        ("nu", "'' isn't a number", "nu:0.1"), ("nu:1/0", "'1/0' isn't a number", "nu:0.1"),
        ("nu:sqrt(-1)", "isn't a number", "nu:0.1"), (":0.1", "no parameter ''", "nu:0.1"),
    ],
)  # fmt: skip
def test_parameters_that_are_none(text, words, hint):
    axes = [OwnAxis("t", np.linspace(0, 1, 9), None), OwnAxis("x", np.linspace(0, 1, 9), None)]
    with pytest.raises(UsageError, match="--parameter") as said:
        declared_on(burgers(), FileData(parameter=(text,)), [axes])
    assert words in said.value.message and hint in said.value.hint


# --- by the command line


def run(folder, *arguments, code=0):
    """A command in a process of its own; its JSON."""
    command = [sys.executable, "-m", "lieapp", *map(str, arguments), "--json", "--quiet"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert found.returncode == code, found.stderr[-2000:] + found.stdout[-2000:]
    return json.loads(found.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Burgers on [-1, 1], eight exact solutions, and one."""
    path = tmp_path_factory.mktemp("own")
    x, t = nodes_of("uniform", 128), np.linspace(0, 1, 10)
    npz(path / "eight.npz", x=x, t=t, u=cole_hopf(x, t, 8))
    t = np.linspace(0, 1, 60)
    npz(path / "one.npz", x=x, t=t, u=cole_hopf(x, t, 1)[0])
    return path


@pytest.fixture(scope="module")
def found(folder):
    return run(folder, "discover", *BURGERS, "--data", "eight.npz", *FAST)


FIVE = [
    {"t": "1"}, {"x": "1"}, {"x": "t", "u": "1"}, {"t": "2*t", "x": "x", "u": "-u"},
    {"t": "t**2", "x": "t*x", "u": "x - t*u"},
]  # fmt: skip


def test_the_whole_algebra_of_burgers_is_found_on_an_open_axis(found):
    """With the projective generator, which no periodic box has."""
    assert found["count"] == 5 and not found["more"]
    check = found["formulas_check"]
    assert check["proved"] == check["derived"] == 5 and check["same_span"] and check["holds_derived"]
    right = [{name: sp.sympify((ZERO | field)[name]) for name in "txu"} for field in FIVE]
    formulas = [
        {name: sp.sympify(text) for name, text in row["field"].items()}
        for row in found["formulas"] if row["proved"]
    ]  # fmt: skip
    matched = [any(all(sp.expand(f[n] - r[n]) == 0 for n in "txu") for r in right) for f in formulas]
    assert len(formulas) == 5 and all(matched)
    assert max(row["eta"] for row in found["generators"] if row["verdict"] == "exact") < 1e-6
    assert found["subspace"]["angle"] < 1e-4
    assert found["warnings"] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["uniform", "chebyshev", "uneven"])
def test_training_finds_the_whole_algebra_on_an_open_axis(folder, kind):
    x, t = nodes_of(kind, 128), np.linspace(0, 1, 10)
    npz(folder / f"{kind}.npz", x=x, t=t, u=cole_hopf(x, t, 8))
    found = run(folder, "discover", *BURGERS, "--data", f"{kind}.npz", "--method", "neural", *FAST[4:])
    check = found["formulas_check"]
    assert check["proved"] == check["derived"] == 5 and check["same_span"]
    assert found["cross_check"]["count"] == 5


def test_a_typed_equation_is_kept_as_a_plugin(folder, found):
    """The run knows it by name, resumes with it, and users can take it."""
    run_folder = folder / found["run"]
    config = json.loads((run_folder / "config.json").read_text())
    assert config["plugin"] == found["plugin"] and config["plugin"].startswith("typed-")
    file = run_folder.parent / ".equations" / f"{config['plugin']}.py"
    text = file.read_text()
    assert "nu" in text and "hookimpl" in text
    assert config["data"]["files"] and config["data"]["parameter"] == ["nu:0.1"]
    # done, it gives its result without work; undone, it works anew
    again = run(folder, "discover", "--resume", run_folder.name)
    assert again["generators"] == found["generators"]
    status = json.loads((run_folder / "status.json").read_text())
    (run_folder / "status.json").write_text(json.dumps(status | {"state": "failed"}))
    (run_folder / "summary.json").unlink()
    resumed = run(folder, "discover", "--resume", run_folder.name)
    assert resumed["generators"] == found["generators"] and resumed["formulas"] == found["formulas"]
    assert file.read_text() == text
    derived = run(folder, "truth", "--plugin", config["plugin"], "--plugins", file.parent)
    assert derived["dimension"] == len(derived["periodic"]) == 5


def test_a_constant_without_a_value_is_told_the_option(folder):
    typed = ("--equation", "u_t + u*u_x - nu*u_xx", "--data", "eight.npz")
    error = run(folder, "discover", *typed, "--out", "wrong", code=2)["error"]
    assert "'nu' is not declared" in error["message"] and "--parameter nu:0.1" in error["hint"]


@pytest.mark.slow
def test_a_run_goes_on_with_the_same_data_only(folder):
    """What was learned on the old data would be judged on the new."""
    x, t = nodes_of("uniform", 64), np.linspace(0, 1, 60)
    file = npz(folder / "changing.npz", x=x, t=t, u=cole_hopf(x, t, 1)[0])
    made = run(folder, "discover", *BURGERS, "--data", file, *FAST, "--out", "changing")["run"]
    status = folder / made / "status.json"
    status.write_text(json.dumps(json.loads(status.read_text()) | {"state": "failed"}))
    (folder / made / "summary.json").unlink()
    npz(folder / "changing.npz", x=x, t=t, u=cole_hopf(x, t, 1, seed=1)[0])
    error = run(folder, "discover", "--resume", folder / made, code=1)["error"]
    assert error["message"] == f"{file} has changed since this run began." and "start a new run" in error["hint"]


def test_files_of_settings_have_absolute_paths(folder, monkeypatch):
    """A run may be resumed from another folder."""
    monkeypatch.chdir(folder)
    config = PDES.works[0].complete(
        DiscoverConfig(plugin="heat", data=DiscoverData(files=("one.npz",))), burgers(), folder
    )
    assert config.data.files == (str(folder / "one.npz"),)


@pytest.mark.parametrize("file", ["eight", "one"])
def test_a_wrong_coefficient_is_refused_before_learning(folder, file):
    """Also in one trajectory, whose windows have too few times to tell."""
    wrong = ("--equation", "u_t + 2*u*u_x - nu*u_xx", "--parameter", "nu:0.1", "--data", f"{file}.npz")
    error = run(folder, "discover", *wrong, *FAST, "--out", f"wrong-{file}", code=1)["error"]
    assert error["type"] == "DataError"
    assert "the term -2*u*u_x should be taken 0.5 times" in error["message"]
    assert "u_xx should" not in error["message"] and "--set misfit=" in error["hint"]
    assert not list((folder / f"wrong-{file}").glob("2*"))


def test_a_wrong_coefficient_is_seen_in_one_trajectory_with_few_times(folder):
    """It is looked for in the whole of it, not in windows of a few times each."""
    x, t = nodes_of("uniform", 64), np.linspace(0, 1, 24)
    npz(folder / "few.npz", x=x, t=t, u=cole_hopf(x, t, 1)[0])
    wrong = (*BURGERS[:3], "nu:0.3", "--data", "few.npz")
    error = run(folder, "discover", *wrong, *FAST, "--out", "wrong", code=1)["error"]
    assert "u_xx/10 should be taken 0.333 times" in error["message"]


@pytest.mark.slow
def test_what_one_trajectory_cannot_decide_is_not_counted(folder):
    """Fields tangent to it hold on it; only those that are proved are counted."""
    found = run(folder, "discover", *BURGERS, "--data", "one.npz", *FAST)
    proved = [row for row in found["formulas"] if row["proved"]]
    assert found["count"] == len(proved) <= 5 and not found["more"]
    exact = [row for row in found["generators"] if row["verdict"] == "exact"]
    assert len(exact) <= len(proved)
    small = [row for row in found["generators"] if row["eta"] < 1e-6 and row["verdict"] != "exact"]
    if small:
        told = "can't be decided", "symmetries of these data alone"
        assert any(words in text for text in found["warnings"] for words in told)


def test_an_equation_is_checked_on_files(folder, tmp_path):
    t, x = np.linspace(0, 1, 21), np.linspace(-1, 1, 96)
    file = npz(tmp_path / "waves.npz", u=cole_hopf(x, t, 2), t=t, x=x)
    options = ["check", "--plugin", "burgers", "--data", str(file), "--json", "--quiet"]
    for nu, code, names in (("1/10", 0, []), ("1/5", 1, ["data"])):
        rows = run(folder, *options, "--parameter", f"nu:{nu}", code=code)["checks"]
        assert [row["name"] for row in rows if row["ok"] is False] == names
    assert "u_xx/5 should be taken 0.5 times" in next(row["detail"] for row in rows if row["name"] == "data")


@pytest.mark.slow
def test_data_of_another_equation_are_told_in_the_outcome(folder):
    options = ("--equation", "u_t + u_xxx + u", "--data", "eight.npz", *FAST, "--out", "other")
    found = run(folder, "discover", *options)
    assert found["misfit"] > 0.5 and "but the data miss the equation by" in found["sentence"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (["none.npz"], "none.npz doesn't exist"),
        (np.zeros((3, 9, 9)), "data is ndarray; it must be an xarray Dataset, a path"),
        (xr.Dataset({"u": ("x", np.zeros(9))}, {"x": np.arange(9)}, {"a": {"b": 1}}), "can't be written as netCDF"),
    ],
)
def test_what_is_no_data_in_python(tmp_path, data, words):
    """Given in place of a plugin, beside an equation."""
    with pytest.raises(LieappError, match=words) as said:
        lieapp.discover(data, equation="u_t - u_xx", out=tmp_path)
    assert said.value.hint and not list(tmp_path.glob("2*")) and not list(tmp_path.glob(".data/*"))
