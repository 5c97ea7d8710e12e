"""The main job end to end at reduced size: contract, files, seeds, resume, and a new PDE as one file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from lieapp.config import DiscoverConfig, Spectrum
from lieapp.runs.store.directory import RunDirectory

SMALL = {
    "samples": 5, "held_out": 2, "steps": 16, "width": 16, "features": 8, "slices": 40, "held_out_slices": 12,
    "degrees": [2, 4],
}  # fmt: skip

GARDNER = '''"""Gardner equation, uₜ + 6 u uₓ - 6 u² uₓ + uₓₓₓ = 0."""
import sympy as sp
from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

gardner = PDE(
    name="gardner", title="Gardner",
    equation=sp.Eq(u.diff(t) + 6 * u * u.diff(x) - 6 * u**2 * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 4), x: (0, 32)}, points={t: 41, x: 64}, keep_last=30, periodic=[x],
    initial=SumOfSines(terms=4, amplitude=0.3),
)

@hookimpl
def lieapp_domains():
    return [gardner]
'''


def run(folder, *arguments, code=0):
    """A command in a process of its own; its JSON."""
    command = [sys.executable, "-m", "lieapp", *arguments, "--json"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert found.returncode == code, found.stderr[-2000:]
    return json.loads(found.stdout)


def settings(**more):
    values = {**SMALL, **more}
    return [part for key, value in values.items() for part in ("--set", f"{key}={json.dumps(value)}")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("work")
    (path / "plugins").mkdir()
    (path / "plugins" / "gardner.py").write_text(GARDNER)
    return path


@pytest.fixture(scope="module")
def summary(folder):
    return run(folder, "discover", "--plugin", "gardner", "--method", "spectrum", *settings())


def test_summary_keeps_the_contract(summary):
    assert set(summary) >= {
        "run", "plugin", "method", "seconds", "count", "more", "generators", "formulas", "spectrum", "truth",
        "subspace", "cross_check",
    }  # fmt: skip
    assert summary["plugin"] == "gardner"
    assert set(summary["seconds"]) >= {"start", "data", "truth", "discovery", "total"}
    assert [row["slot"] for row in summary["generators"]] == [1, 2, 3, 4]
    assert len(summary["spectrum"]["eta"]) > 4
    assert summary["result"] == "discovery"
    assert summary["sentence"].startswith("Found all 2 symmetries of the equation, each proved: ")
    assert summary["equation_shown"][0]["latex"] == summary["equation_latex"]
    shown = [row["shown"] for row in (*summary["truth"], *summary["formulas"])]
    assert all("∂" in one["text"] and r"\partial" in one["latex"] for one in shown) and shown


def test_a_new_equation_is_one_file(folder, summary):
    """Gardner: translations in t and x are all that is periodic, and both are found."""
    listed = run(folder, "plugins")
    assert any(row["name"] == "gardner" for row in listed["plugins"])
    truth = run(folder, "truth", "--plugin", "gardner")
    assert len(truth["periodic"]) == 2
    assert run(folder, "check", "--plugin", "gardner")["ok"]
    data = run(folder, "data", "--plugin", "gardner", "--samples", "2", "--out", "g.nc", "--set", "tolerance=1e-3")
    assert (folder / "g.nc").exists() and data["samples"] == 2
    assert summary["count"] == 2
    assert [row["field"] for row in summary["truth"]] == truth["periodic"]
    assert min(row["cosine"] for row in summary["truth"]) > 0.9999
    assert summary["subspace"]["angle"] < 1e-3


def test_a_new_equation_stands_in_the_app(folder, monkeypatch):
    from streamlit.testing.v1 import AppTest

    monkeypatch.chdir(folder)
    page = Path(__file__).parents[2] / "lieapp" / "ui" / "pages" / "plugins.py"
    app = AppTest.from_file(str(page), default_timeout=60).run()
    assert not app.exception
    shown = " ".join(str(getattr(e, "value", "")) + str(getattr(e, "options", "")) for e in app.main)
    assert "gardner" in shown or "Gardner" in shown


def test_run_directory_is_complete(folder, summary):
    path = folder / summary["run"]
    names = {p.name for p in path.iterdir()}
    assert names >= {
        "config.json", "provenance.json", "status.json", "metrics.jsonl", "log.txt", "fields.safetensors",
        "generators.csv", "summary.json", "report.html", "figures", "checkpoint",
    }  # fmt: skip
    assert json.loads((path / "status.json").read_text())["state"] == "done"
    provenance = json.loads((path / "provenance.json").read_text())
    assert provenance["plugin"]["file"].endswith("gardner.py") and len(provenance["plugin"]["sha256"]) == 64
    arrays = load_file(path / "fields.safetensors")
    slots, truths = len(summary["generators"]), len(summary["truth"])
    shape = arrays["solution"].shape[1:]
    assert arrays["learned"].shape == (slots, 3, *shape)
    assert arrays["truth"].shape == (truths, 3, *shape)
    assert arrays["orbit/points"].shape == (slots, len(arrays["orbit/s"]), 3, *shape)
    html = (path / "report.html").read_text()
    assert "Gardner" in html and "http://" not in html.replace("http://www.w3.org", "")


@pytest.mark.slow
def test_a_seed_repeats_and_another_differs(folder):
    seeds = [run(folder, "discover", "--plugin", "gardner", "--seed", s, *settings()) for s in ("3", "3", "4")]
    assert seeds[0]["generators"] == seeds[1]["generators"]
    assert seeds[0]["truth"] == seeds[1]["truth"]
    assert seeds[0]["generators"] != seeds[2]["generators"]
    assert seeds[0]["cross_check"]["method"] == "spectrum"


@pytest.mark.slow
def test_seconds_of_a_resumed_run_count_earlier_sessions(folder):
    config = DiscoverConfig(
        plugin="gardner", method="spectrum", samples=2, held_out=1, cross_check=False,
        spectrum=Spectrum(degrees=(2,)),
    )  # fmt: skip
    begun = RunDirectory.create(folder / "resumed", config, "gardner", state="failed")
    (begun.path / "checkpoint").mkdir()
    earlier = {"start": 100.0, "data": 1000.0, "discovery": 2000.0, "total": 5000.0}
    (begun.path / "checkpoint" / "seconds.json").write_text(json.dumps(earlier))
    seconds = run(folder, "discover", "--resume", str(begun.path))["seconds"]
    assert all(value < seconds[stage] for stage, value in earlier.items())
    own = {stage: value - earlier.get(stage, 0.0) for stage, value in seconds.items() if stage != "total"}
    # stages of a session are parts of it; each is rounded
    assert sum(own.values()) <= seconds["total"] - earlier["total"] + 0.1


@pytest.mark.slow
def test_one_trajectory_warns_of_the_false_kernel(folder):
    one = run(folder, "discover", "--plugin", "gardner", "--method", "spectrum", *settings(samples=1, degrees=[2]))
    assert any("false kernel" in text for text in one["warnings"])


def test_second_order_in_time_is_refused_with_advice(folder):
    text = GARDNER.replace("gardner", "klein").replace("u.diff(t) +", "u.diff(t, 2) +")
    (folder / "plugins" / "klein.py").write_text(text)
    error = run(folder, "discover", "--plugin", "klein", code=1)["error"]
    assert error["type"] == "EquationError"
    assert "u_tt" in error["message"] and "second unknown" in error["hint"]
    (folder / "plugins" / "klein.py").unlink()


@pytest.mark.slow
def test_blow_up_leaves_one_clear_error_and_a_failed_run(folder):
    text = GARDNER.replace("gardner", "bang").replace("6 * u * u.diff(x) - 6 * u**2 * u.diff(x)", "u.diff(x, 2)")
    (folder / "plugins" / "bang.py").write_text(text.replace("u.diff(x, 3)", "-(u**3)"))
    error = run(folder, "discover", "--plugin", "bang", "--out", "bang", code=1)["error"]
    assert error["type"] == "SimulationError"
    (state,) = (folder / "bang").glob("*/status.json")
    assert json.loads(state.read_text())["state"] == "failed"
    (folder / "plugins" / "bang.py").unlink()


@pytest.mark.slow
def test_a_training_that_misses_what_the_spectrum_has_is_made_longer_once(folder):
    options = settings(steps=2, degrees=[2, 4, 6], finite_samples=0, epochs=0, tolerance=0.01)
    summary = run(folder, "discover", "--plugin", "nkdv", *options)
    log = (folder / summary["run"] / "log.txt").read_text()
    assert log.count("training anew with 4 steps") == 1
    assert "the spectrum has 3 exact candidates, the training" in log
    rows = [json.loads(line) for line in (folder / summary["run"] / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [1, 2, 3, 4] and rows[-1]["total"] == 4

    # as after a kill at the beginning of the second go
    at = folder / summary["run"]
    before = {name: load_file(at / f"{name}.safetensors") for name in ("fields", "learned")}
    shutil.rmtree(at / "checkpoint" / "longer")
    (at / "status.json").write_text((at / "status.json").read_text().replace('"done"', '"failed"'))
    (at / "summary.json").unlink()
    again = run(folder, "discover", "--resume", str(at))
    for one in (summary, again):
        del one["seconds"], one["run"]
    assert again == summary
    for name, tensors in before.items():
        after = load_file(at / f"{name}.safetensors")
        assert all((after[key] == value).all() for key, value in tensors.items())
