"""`lieapp data --moved-by`: moved trajectories in a file."""

import numpy as np
import pytest
import xarray as xr

SMALL = """
import sympy as sp
from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
{name} = PDE(
    name="{name}", title="Small", equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
    region={{t: (0, 2), x: (0, 16)}}, points={{t: 41, x: 32}}, periodic=[{periodic}],
    initial=SumOfSines(terms=3, wavenumbers=(1,)), {more}
)

@hookimpl
def lieapp_domains():
    return [{name}]
"""


@pytest.fixture
def small(tmp_path):
    """Plugins on small grids, by name."""
    (tmp_path / "plugins").mkdir()

    def write(name="small", periodic="x", more=""):
        (tmp_path / "plugins" / f"{name}.py").write_text(SMALL.format(name=name, periodic=periodic, more=more))
        return ["data", "--plugin", name, "--samples", "3", "--out", f"{name}.nc", "--json"]

    return write


def test_moved_copies_are_written_on_the_window_that_all_have(lieapp, small, tmp_path):
    command = [*small(), "--moved-by", "truth", "--set", "copies=2", "--set", "sigma=0.1"]
    said = lieapp(*command)
    assert said.code == 0, said.err
    told = said.json
    assert told["moved_by"] == "truth" and told["samples"] == 6 and told["left_out"] == 0 and told["error"] is None
    assert told["generators"] == "time translation; space translation; Galilean boost"
    with xr.open_dataset(tmp_path / "small.nc") as file:
        time, u = np.asarray(file["t"]), np.asarray(file["u"])
        assert file.attrs["moved_by"] == "truth" and file.attrs["sigma"] == 0.1
    assert 21 <= len(time) < 41 and u.shape == (6, len(time), 32)
    np.testing.assert_allclose(np.diff(time), 0.05, rtol=1e-9)
    assert time[0] <= 0.5 and time[-1] >= 1.5
    # translations and the boost shift the mean, the same at all times and places of a sample
    assert np.ptp(u.mean(2), axis=1).max() < 1e-7
    assert len({round(float(m), 6) for m in u.mean((1, 2))}) == 6
    again = lieapp(*command, "--force").json
    with xr.open_dataset(tmp_path / "small.nc") as file:
        assert np.array_equal(np.asarray(file["u"]), u) and again["drawn_again"] == told["drawn_again"]


def test_people_are_told_what_was_done(lieapp, small):
    arguments = [a for a in small() if a != "--json"]
    said = lieapp(*arguments, "--moved-by", "d_x")
    assert "moved along space translation; 41 time samples are left" in said.out


@pytest.mark.parametrize(
    ("options", "more", "code", "words"),
    [
        (["--moved-by", "turth"], {}, 2, "there is no run 'turth'"),
        (["--moved-by", "fields:nothing"], {}, 2, "there is no run 'nothing'"),
        (["--moved-by", "d_y"], {}, 2, "no coordinate 'y'"),
        (["--moved-by", "d_t", "--set", "sigma=0.9", "--set", "middle=1.0"], {}, 1, "none of 3 moved samples has"),
        (["--moved-by", "d_t"], {"more": "keep_last=6"}, 1, "6 time samples; interpolation of order 8"),
        (["--moved-by", "d_t", "--set", "sigma=0"], {}, 2, "sigma"),
    ],
    ids=range(6),
)
def test_bad_input(lieapp, small, tmp_path, options, more, code, words):
    said = lieapp(*small(**more), *options)
    assert said.code == code and words in said.error["message"], said.out
    assert said.error["hint"]
    assert not (tmp_path / "small.nc").exists()
