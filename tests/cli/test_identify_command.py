"""`lieapp identify`, and `discover --data` without an equation."""

import json

import numpy as np
import pytest

from lieapp.cli.main import run


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Heat, and a wave that one equation of first order doesn't explain, in files."""
    folder = tmp_path_factory.mktemp("files")
    rng, x, t = np.random.default_rng(0), np.arange(64) * 20 / 64, np.linspace(0, 4, 41)[:, None]
    k = 2 * np.pi / 20 * np.arange(1, 6)[:, None, None]
    a, p = rng.normal(size=(5, 1, 1)), rng.uniform(0, 6, (5, 1, 1))
    axes = {"t": t[:, 0], "x": x}
    np.savez(folder / "heat.npz", u=(a * np.exp(-0.3 * k**2 * t) * np.cos(k * x + p)).sum(0), **axes)
    np.savez(folder / "wave.npz", u=(a * np.cos(1.5 * k * t + 3 * p) * np.cos(k * x + p)).sum(0), **axes)
    np.savez(folder / "noise.npz", u=rng.normal(size=(41, 64)), **axes)
    return folder


def test_the_last_line_goes_on(files, capsys):
    assert run(["identify", "--data", str(files / "heat.npz"), "--quiet"]) == 0
    told = capsys.readouterr().out
    assert "u_t - 0.3*u_xx = 0" in told and "Error against number of terms" in told
    last = told.splitlines()[-1]
    assert last.startswith("lieapp discover --data") and "'u_t - 0.3*u_xx'" in last


def test_json_and_plugin_file(files, tmp_path, capsys):
    plugin, page = tmp_path / "mine.py", tmp_path / "page.html"
    options = ["--write", str(plugin), "--html", str(page), "--json", "--quiet"]
    assert run(["identify", "--data", str(files / "heat.npz"), *options]) == 0
    said = json.loads(capsys.readouterr().out)
    (equation,) = said["equations"]
    (term,) = equation["terms"]
    assert (equation["unknown"], equation["left"], term["term"], term["exact"]) == ("u", "u_t", "u_xx", "3/10")
    assert term["coefficient"] == pytest.approx(0.3) and term["share"] == pytest.approx(1)
    assert said["undecided"] == [] and said["path"][-1]["terms"] == 0 and said["file"] == str(plugin)
    assert "<svg" in page.read_text()
    assert run(["check", "--plugin", "mine", "--plugins", str(tmp_path), "--data", str(files / "heat.npz")]) == 0


def test_no_equation_no_file(files, tmp_path, capsys):
    assert run(["identify", "--data", str(files / "noise.npz"), "--quiet"]) == 1
    assert "No equation is claimed" in capsys.readouterr().out
    plugin = tmp_path / "mine.py"
    assert run(["identify", "--data", str(files / "noise.npz"), "--write", str(plugin), "--quiet"]) == 1
    assert "isn't written" in capsys.readouterr().err and not plugin.exists()


@pytest.mark.slow
def test_so_many_trajectories_are_read(tmp_path, capsys):
    """--samples is of the files where there are any; else of the simulation."""
    x, t = np.arange(64) * 20 / 64, np.linspace(0, 4, 41)[:, None]
    k = 2 * np.pi / 20 * np.arange(1, 4)
    u = np.stack([(np.exp(-0.3 * k**2 * t)[:, :, None] * np.cos(k[:, None] * x + p)).sum(1) for p in range(4)])
    np.savez(tmp_path / "many.npz", u=u, t=t[:, 0], x=x)
    place = ["--data", str(tmp_path / "many.npz"), "--samples", "2"]
    assert run(["identify", *place]) == 0 and "2 trajectories of u" in capsys.readouterr().err
    few = ["--set", "finite.samples=0", "--set", "cross_check=false", "--method", "spectrum"]
    few += ["--out", str(tmp_path)]
    assert run(["discover", "--equation", "u_t - 0.3*u_xx", *place, *few, "--json"]) == 0
    folder = json.loads(capsys.readouterr().out)["run"]
    config = json.loads((tmp_path / folder / "config.json").read_text())
    assert config["data"]["samples"] == 2 and config["samples"] == 16
    assert run(["discover", "--plugin", "heat", "--samples", "3", *few, "--json", "--quiet"]) == 0
    folder = json.loads(capsys.readouterr().out)["run"]
    config = json.loads((tmp_path / folder / "config.json").read_text())
    assert config["data"]["samples"] is None and config["samples"] == 3


def test_second_order_goes_on_with_truth(files, capsys):
    assert run(["identify", "--data", str(files / "wave.npz"), "--quiet"]) == 0
    command = capsys.readouterr().out.splitlines()[-1]
    assert command == "lieapp truth --equation 'u_tt - 2.25*u_xx' --independent t,x --dependent u"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "needs data"),
        (["--data", "nowhere.npz"], "doesn't exist"),
        (["--data", "HEAT", "--data", "HEAT"], "is given 2 times"),
        (["--data", "HEAT", "--terms", "u_xx+u"], "isn't one polynomial term"),
        (["--data", "HEAT", "--terms", "u_t"], "--terms u_t: it is"),
        (["--data", "HEAT", "--terms", "u/0"], "--terms u/0: it is no term"),
        (["--data", "HEAT", "--symmetry", "d_q"], "--symmetry: column 1: 'd_q' is not declared"),
        (["--data", "HEAT", "--write", "mine.txt"], "ends with .py"),
    ],
)
def test_bad_input(files, options, said, capsys):
    typed = [str(files / "heat.npz") if part == "HEAT" else part for part in options]
    assert run(["identify", *typed]) != 0
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_discover_identifies_first(files, tmp_path, capsys):
    options = ["--method", "spectrum", "--set", "cross_check=false", "--out", str(tmp_path), "--json", "--quiet"]
    assert run(["discover", "--data", str(files / "heat.npz"), *options]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["identified"]["equations"][0]["text"] == "u_t - 0.3*u_xx"
    assert said["truth"] and said["formulas"]
    assert run(["discover", "--resume", said["run"], "--json", "--quiet"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["identified"] == said["identified"]


def test_discover_stops_where_the_data_do_not_decide(files, tmp_path, capsys):
    for name, word in (("noise.npz", "No equation is claimed"), ("wave.npz", "second order in time")):
        assert run(["discover", "--data", str(files / name), "--out", str(tmp_path), "--quiet"]) == 1
        assert word in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", [[], ["--plugin", "kdv"], ["--data", "HEAT", "--equation", "u_t - u_xx"]])
def test_only_an_equation_that_is_not_known_is_learned(files, more, capsys):
    typed = [str(files / "heat.npz") if part == "HEAT" else part for part in more]
    assert run(["discover", "--learn-equation", *typed]) == 2
    assert "takes the place of a known equation" in capsys.readouterr().err


def test_one_trajectory_is_too_few_to_learn_from(files, tmp_path, capsys):
    options = ["--data", str(files / "heat.npz"), "--learn-equation", "--out", str(tmp_path), "--quiet"]
    assert run(["discover", *options]) == 1
    assert "8 trajectories or more, and there is one" in capsys.readouterr().err


def test_what_is_no_variable_is_told(files, capsys):
    assert run(["identify", "--data", str(files / "heat.npz"), "--explicit", "t,z", "--quiet"]) == 2
    assert "there is no variable 'z'; there are t, x" in capsys.readouterr().err


def test_times_that_hold_nan_are_left_out(files, tmp_path, capsys):
    arrays = dict(np.load(files / "heat.npz"))
    arrays["u"][20, 3] = np.nan
    np.savez(tmp_path / "holes.npz", **arrays)
    place = ["--data", str(tmp_path / "holes.npz"), "--quiet"]
    assert run(["identify", *place]) == 1 and "--drop-nan leaves out 1 of 41 times" in capsys.readouterr().err
    assert run(["identify", *place, "--drop-nan"]) == 0
    told = capsys.readouterr().out
    assert "u_t - 0.3*u_xx = 0" in told and "--drop-nan" in told.splitlines()[-1] and "1 of 41 times" in told


def test_a_word_that_is_no_term_is_told(files, capsys):
    assert run(["identify", "--data", str(files / "heat.npz"), "--terms", "u_xx,foo", "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "--terms foo: it is no term of these data, which have t, x, u" in told and "--terms u_x,u*u_x" in told


def test_copies_are_left_out_as_by_discover(files, tmp_path, capsys):
    arrays = dict(np.load(files / "heat.npz"))
    twice = tmp_path / "twice.npz"
    np.savez(twice, **{**arrays, "u": np.stack([arrays["u"]] * 2)})
    said = []
    for file in (files / "heat.npz", twice):
        assert run(["identify", "--data", str(file), "--json", "--quiet"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    one, copies = said
    assert copies["windows"] == one["windows"] and copies["equations"] == one["equations"]
    assert "1 of 2 trajectories is a copy of another; left out" in copies["notes"]


def test_of_a_refused_file_no_run_is_left(files, tmp_path, capsys):
    arrays = dict(np.load(files / "heat.npz"))
    arrays["u"][20, 3] = np.nan
    np.savez(tmp_path / "holes.npz", **arrays)
    for file, word in ((tmp_path / "holes.npz", "NaN"), (files / "heat.npz", "miss the equation")):
        own = ["--equation", "u_t - u_xx", "--data", str(file), "--out", str(tmp_path / "runs"), "--quiet"]
        assert run(["discover", "--method", "spectrum", *own]) == 1
        assert word in capsys.readouterr().err
        assert not list(tmp_path.glob("runs/2*"))
