"""`import lieapp` and what is called from Python: exports, fields as functions, declarations made here."""

import subprocess
import sys

import numpy as np
import pytest
import sympy as sp
import torch
import xarray as xr

import lieapp
from lieapp.errors import ConfigError, DataError, PluginError, RunError, UnknownPluginError, UsageError

T, X = sp.symbols("t x", real=True)
U = sp.Function("u")(T, X)
SMALL = {
    "method": "spectrum", "samples": 5, "held_out": 2, "slices": 40, "held_out_slices": 12, "tolerance": 0.01,
    "spectrum": {"degrees": [2, 4]},
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return lieapp.discover("ckdv", out=tmp_path_factory.mktemp("calls") / "runs", seed=0, **SMALL)


def test_nothing_heavy_is_loaded():
    heavy = ["torch", "sympy", "numpy", "msgspec", "pluggy", "rich"]
    code = f"import lieapp, sys; print([m for m in {heavy!r} if m in sys.modules], sorted(lieapp.__all__))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("[] ['Colors', 'Function', 'Images', 'PDE', 'Run', 'SumOfSines', 'classify'")
    assert all(getattr(lieapp, name) for name in lieapp.__all__) and set(lieapp.__all__) <= set(dir(lieapp))
    with pytest.raises(AttributeError, match="no attribute 'discoverr'"):
        _ = lieapp.discoverr


def test_a_run_is_its_result_and_is_opened_again(run):
    assert run.count == 2 == run.result.count and run.formulas[0].proved and run.directory.state == "done"
    again = lieapp.open_run(run.directory.id[:20], run.path.parent)
    assert again.result == run.result and repr(again) == repr(run) and run.sentence in repr(run)
    assert (run.path / "report.html").is_file()
    with pytest.raises(AttributeError):
        _ = run.nothing


def test_formulas_and_learned_fields_are_the_same_functions(run):
    """The proved formula lies in the span of the exact learned slots, at points that no data have."""
    points = {"t": np.array([0.3, 5.0, 40.0]), "x": np.array([[1.0], [77.0]]), "u": np.array(0.1)}
    exact = [field(**points) for field in run.learned[: run.count]]
    learned = np.stack([np.concatenate([field[c].ravel() for c in "txu"]) for field in exact], 1)
    assert exact[0]["x"].shape == (2, 3)
    for field in run.fields:
        known = np.concatenate([field(**points)[c].ravel() for c in "txu"])
        # the time part of learned slots is 0 up to the little that the method leaves
        rest = known - learned @ np.linalg.lstsq(learned, known, rcond=None)[0]
        assert np.linalg.norm(rest) < 0.05 * np.linalg.norm(known)
    with pytest.raises(UsageError, match="a field of t, x, u was given t"):
        run.fields[0](t=1)
    for wrong in ("one", [1, 2, 3]):
        with pytest.raises(UsageError, match="points of a field can't be read"):
            run.fields[0](t=wrong, x=[1, 2], u=0)
    kept = torch.ones(2, requires_grad=True)
    for wrong in (1j, np.array([1j]), None, "3", np.datetime64("2020-01-01"), 10**400, kept):
        with pytest.raises(UsageError, match=r"points of a field can't be read: .*[^.]\.$"):
            run.fields[0](t=wrong, x=[1, 2], u=0)
    assert repr(run.fields[0]) == "<field of t, x, u>"


def test_a_notebook_shows_figures_and_formulas(run):
    html = run._repr_html_()
    assert html.count("<svg") == len(run.figures) > 3 and "<math" in html and run.sentence in html
    assert "<html" not in html and run.figures["learned"].svg.startswith("<svg")


def test_an_equation_declared_here_needs_no_file():
    transport = lieapp.PDE(
        name="kdv", title="Not the shipped one", equation=sp.Eq(U.diff(T) + U * U.diff(X) + U.diff(X, 5), 0),
        region={T: (0, 4), X: (0, 32)}, points={T: 41, X: 64}, keep_last=30, periodic=[X],
    )  # fmt: skip
    made = lieapp.discover(transport, out=None, seed=0, **SMALL)
    assert made.title == "Not the shipped one" and made.warnings == []
    # of fifth order: it has no scaling of the shipped KdV equation, but the same three that a periodic x keeps
    assert [row.name for row in made.truth] == ["time translation", "space translation", "Galilean boost"]
    assert made.path.exists() and made.directory.provenance()["plugin"]["source"] == "this process"


def test_simulated_data_are_those_of_the_run():
    data, again = (lieapp.simulate("ckdv", 2, seed=3) for _ in range(2))
    assert data.values.shape == (2, 140, 1, 256) and bool((data.values == again.values).all())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lieapp.discover("ckdvv"), UnknownPluginError, "did you mean 'ckdv'"),
        (lambda: lieapp.discover(3), PluginError, "int 3 isn't a declaration"),
        (lambda: lieapp.discover("ckdv", sampels=3), ConfigError, "sampels: there is no such key"),
        (lambda: lieapp.discover("ckdv", spectrum={"degree": [2]}), ConfigError, "spectrum.degree: there is no"),
        (lambda: lieapp.discover(np.zeros((2, 9)), equation="u_t + u_x"), UsageError, "data is ndarray; it must"),
        (
            lambda: lieapp.discover(xr.Dataset({"u": (("t", "x"), np.eye(9))}), equation="u_t + u_x"),
            DataError, "no coordinates, so the points of t, x",
        ),
        (lambda: lieapp.discover(data="a.npz", equation="u_t", parameter={"k": 1}), ConfigError, "got a mapping"),
        (lambda: lieapp.discover(data="a.npz", equation="u_t", every={"t": 2}), ConfigError, "every is {'t': 2}"),
        (lambda: lieapp.identify("a.npz", map=3), ConfigError, "map is 3: expected str"),
        (lambda: lieapp.identify("a.npz", order=9), UsageError, "order is 9; it must be a whole number from 1"),
        (lambda: lieapp.simulate("images", 2), UsageError, "images"),
        (lambda: lieapp.open_run("nowhere"), RunError, "there is no run"),
    ],
)
def test_what_cannot_be_meant_is_told_before_any_run(call, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        call()
    assert not (tmp_path / "runs").exists()
