"""Sources that misbehave, and numbers that double precision can't be computed with, are refused by name."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from lieapp.api import PDE, SumOfSines
from lieapp.cli.main import run as command
from lieapp.data.simulate import simulate
from lieapp.derived import symmetries
from lieapp.errors import DataError, EquationError, PluginError

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)


def heat(**more) -> PDE:
    grid = {"region": {t: (0, 1), x: (0, 6)}, "points": {t: 40, x: 32}, "periodic": [x]}
    return PDE(name="warm", title="Warm", equation=sp.Eq(u.diff(t), u.diff(x, 2)), **{**grid, **more})


def given(scale=1.0, **other):
    """What a source returns: decaying sines."""
    times, places = np.linspace(0, 1, 40), np.linspace(0, 6, 32, endpoint=False)
    k, phases = 2 * np.pi / 6, np.arange(4)[:, None]
    waves = np.sin(k * places + phases)[:, None] * np.exp(-(k**2) * times)[:, None]
    return {"t": times, "x": places, "u": scale * waves, **other}


def leave(code):
    sys.exit(code)


def interrupt():
    raise KeyboardInterrupt


BAD_SOURCES = {
    "exit 0": (lambda: leave(0), PluginError, r"source raised SystemExit: 0\."),
    "exit": (lambda: leave(None), PluginError, r"source raised SystemExit"),
    "interrupt": (interrupt, PluginError, r"source raised KeyboardInterrupt\."),
    "ragged": (lambda: given(u=[[1.0, 2.0], [3.0]]), DataError, "u that isn't an array: .*inhomogeneous"),
    "text": (lambda: given(u="abc"), DataError, "isn't an array of real numbers"),
    "too large": (lambda: given(1e300), DataError, r"value of u is .*e\+\d+; .* between 1e-100 and 1e\+100"),
    "too small": (lambda: given(1e-300), DataError, "largest value of u is"),
    "subnormal": (lambda: given(1e-310), DataError, "largest value of u is"),
    "beyond doubles": (lambda: given(np.longdouble("1e400")), DataError, "NaN or infinite"),
}


@pytest.mark.parametrize("why", BAD_SOURCES)
@pytest.mark.filterwarnings("error")
def test_sources_are_refused_by_name(why):
    answer, error, said = BAD_SOURCES[why]
    with pytest.raises(error, match=said) as caught:
        simulate(heat(source=lambda samples, seed: answer()), 4, torch.Generator())
    assert caught.value.message.startswith("warm: source") or "warm: the largest" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
def test_sizes_between_are_taken_as_they_are(scale):
    found = simulate(heat(source=lambda samples, seed: given(scale)), 4, torch.Generator())
    np.testing.assert_array_equal(found.values[:, :, 0].numpy(), given(scale)["u"])


@pytest.mark.parametrize("amplitude", [1e300, 1e-300])
def test_initial_states(amplitude):
    with pytest.raises(DataError, match="initial state of u is") as caught:
        simulate(heat(initial=SumOfSines(amplitude=amplitude)), 2, torch.Generator().manual_seed(0))
    assert "amplitude" in caught.value.hint


@pytest.mark.parametrize(
    "number", [sp.Float(1e300), sp.Float(1e-300), sp.Integer(10) ** 400, -sp.Rational(1, 10**101)]
)
def test_numbers_of_equations(number):
    made = replace(heat(), equation=sp.Eq(u.diff(t), number * u.diff(x, 2)))
    with pytest.raises(EquationError, match=r"warm: the equation has the number -?1\.00E[+-]\d+; data are"):
        simulate(made, 2, torch.Generator())


def test_exact_derivations_take_any_number():
    found = symmetries("u_t = 10**60*10**60*u_xx", independent="t,x", dependent="u")
    assert len(found.generators) == 6


PLUGIN = """
import sys
import numpy as np, sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

def source(samples, seed):
    np.float64(1e300) * np.float64(1e300)
    sys.exit(0)

@hookimpl
def lieapp_domains():
    return [PDE(name="leaves", title="Leaves", equation=sp.Eq(u.diff(t), u.diff(x, 2)), periodic=[x],
                region={t: (0, 1), x: (0, 1)}, points={t: 16, x: 16}, source=source)]

@hookimpl
def lieapp_readers():
    from lieapp.extension import Reader
    return [Reader(name="leaving", title="Leaving.", suffixes=(".leaving",),
                   recognizes=lambda path, start: path.suffix == ".leaving", open=lambda path: sys.exit(0))]
"""


@pytest.fixture
def leaving(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "leaves.py").write_text(PLUGIN)
    (tmp_path / "a.leaving").write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    "typed", [["data", "--plugin", "leaves", "--out", "a.nc"], ["inspect", "a.leaving"]]
)
def test_no_plugin_ends_a_command_as_if_it_were_done(leaving, capsys, typed):
    assert command([*typed, "--json"]) == 1
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert "SystemExit" in error["message"] and "bug in lieapp" not in error["hint"]
    # a warning of the plugin's own code is shown with its place, none of lieapp's
    assert "lieapp/" not in told.err.replace(str(leaving), "")
    assert not (leaving / "a.nc").exists()


