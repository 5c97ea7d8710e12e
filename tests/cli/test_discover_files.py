"""`lieapp discover --data`: options that need files, and what files and typed equations may not be."""

import numpy as np
import pytest
import xarray as xr

BURGERS = ("--equation", "u_t + u*u_x - nu*u_xx", "--parameter", "nu:0.1")


@pytest.fixture
def file(tmp_path_factory):
    """A file outside of the working folder."""
    x, t = np.linspace(-1, 1, 32), np.linspace(0, 1, 10)
    path = tmp_path_factory.mktemp("data") / "eight.npz"
    np.savez(path, x=x, t=t, u=np.exp(t[:, None] * x))
    return path


BAD = [
    (("--plugin", "burgers", "--map", "u=u"), "UsageError", "--map says how files are read; there are none"),
    (("--plugin", "burgers", "--every", "t=2"), "UsageError", "--every says"),
    (("--plugin", "burgers", "--window", "t=0:1"), "UsageError", "--window says"),
    (("--plugin", "burgers", "--parameter", "nu:0.1"), "UsageError", "--parameter says"),
    (BURGERS[:2], "UsageError", "--equation needs data"),
    ((*BURGERS, "--plugin", "kdv", "--data", "eight.npz"), "UsageError", "--equation and --plugin are both given"),
    ((*BURGERS, "--resume", "20", "--data", "eight.npz"), "UsageError", "--equation and --resume are both given"),
    ((*BURGERS[:3], "nu:abc", "--data", "eight.npz"), "UsageError", "--parameter nu:abc: 'abc' isn't a number"),
    ((*BURGERS[:3], "nu", "--data", "eight.npz"), "UsageError", "--parameter nu: '' isn't a number"),
    ((*BURGERS, "--parameter", "mu:1", "--data", "eight.npz"), "ParseError", "mu is declared but occurs in no"),
    ((*BURGERS, "--data", "eight.npz", "--data", "eight.npz"), "UsageError", "eight.npz is given 2 times."),
    (("--plugin", "burgers", *["--data", "eight.npz"] * 4), "UsageError", "eight.npz is given 4 times."),
    ((*BURGERS, "--data", "none.npz"), "DataError", "none.npz doesn't exist"),
    ((*BURGERS, "--data", "eight.npz", "--window", "x=3:4"), "DataError", "x has 0 points left"),
]  # fmt: skip


def test_a_constant_without_value_is_asked_for(lieapp, file):
    said = lieapp("discover", *BURGERS[:2], "--data", str(file), "--json")
    assert said.error["message"].count("'nu' is not declared") == 1
    assert "by --parameter nu:0.1" in said.error["hint"]


@pytest.mark.parametrize(("arguments", "kind", "words"), BAD)
def test_bad_input_is_refused_before_anything_is_made(lieapp, discovery, tmp_path, file, arguments, kind, words):
    given = [str(file) if a == "eight.npz" else a for a in arguments]
    said = lieapp("discover", *given, "--json")
    assert said.code in (1, 2) and said.error["type"] == kind, said.out
    assert words in said.error["message"] and said.error["hint"]
    assert discovery == [] and not list(tmp_path.rglob("config.json"))


def test_units_that_differ_are_told_before_anything_is_made(lieapp, discovery, tmp_path, tmp_path_factory):
    x, t = np.linspace(-1, 1, 32), np.linspace(0, 1, 10)
    folder, files = tmp_path_factory.mktemp("units"), []
    for unit in ("s", "h"):
        data = xr.Dataset({"u": (("time", "x"), np.exp(t[:, None] * x))}, {"time": t, "x": x})
        data.time.attrs["units"] = unit
        data.to_netcdf(folder / f"{unit}.nc")
        files += ["--data", str(folder / f"{unit}.nc")]
    for own in (BURGERS, ("--plugin", "burgers")):
        said = lieapp("discover", *own, *files, "--json")
        assert said.error["type"] == "DataError" and "t is in s in" in said.error["message"]
        assert "and in h in" in said.error["message"] and said.error["hint"]
        assert discovery == [] and not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("way", ["option", "config", "set"])
@pytest.mark.parametrize("slots", [None, 5])
@pytest.mark.parametrize("equation", [True, False])
def test_files_mean_the_same_however_they_are_given(lieapp, discovery, tmp_path, file, way, slots, equation):
    """A typed equation finds them."""
    toml = [f"slots = {slots}"] * bool(slots)
    given = ["--data", str(file), "--every", "t=1", "--parameter", "nu:0.1"]
    if way == "config":
        toml += ["[data]", f'files = ["{file}"]', 'every = "t=1"', 'parameter = ["nu:0.1"]']
        given = []
    if way == "set":
        given = ["--set", f'data.files=["{file}"]', "--set", "every=t=1", "--set", 'data.parameter=["nu:0.1"]']
    (tmp_path / "c.toml").write_text("\n".join(toml))
    own = BURGERS[:2] if equation else ("--plugin", "burgers")
    said = lieapp("discover", *own, *given, "--config", "c.toml", "--json")
    assert said.code == 0, said.out
    ((config, _),) = discovery
    assert config.slots == (slots or 4)
    assert (config.data.files, config.data.every, config.data.parameter) == ((str(file),), "t=1", ("nu:0.1",))


def test_options_of_reading_join_the_files_of_a_config(lieapp, discovery, tmp_path, file):
    (tmp_path / "c.toml").write_text(f'[data]\nfiles = ["{file}"]\n')
    said = lieapp("discover", *BURGERS, "--config", "c.toml", "--window", "t=0:0.9", "--json")
    assert said.code == 0, said.out
    ((config, _),) = discovery
    assert config.data.window == "t=0:0.9" and config.data.files == (str(file),)
