"""The smaller commands."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from lieapp.cli import app
from lieapp.cli.options import Common
from lieapp.config import DiscoverConfig, TruthConfig
from lieapp.config_types import DiscoverData
from lieapp.document import Formula
from lieapp.errors import SimulationError
from lieapp.results.discovery import DerivedField, EquationResult
from lieapp.runs.store.directory import RunDirectory

KDV = ("--equation", "u_t + u*u_x + u_xxx", "--independent", "t,x", "--dependent", "u")


def test_plugins_lists_what_is_there_and_what_is_broken(lieapp, tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "bad.py").write_text("x = 1\nraise RuntimeError('no luck')\n")
    said = lieapp("plugins", "--json")
    entry = next(e for e in said.json["plugins"] if e["name"] == "ckdv")
    assert entry["source"] == "shipped" and entry["hooks"] == ["lieapp_domains"] and "= 0" in entry["equation"]
    (broken,) = said.json["broken"]
    assert broken["file"] == "plugins/bad.py" and broken["line"] == 2 and "no luck" in broken["error"]
    said = lieapp("plugins")
    assert said.code == 0 and "ckdv" in said.out and "bad.py, line 2: RuntimeError: no luck" in said.out


@pytest.mark.parametrize("command", ["check --plugin kdv", "truth --plugin kdv", "data --plugin kdv --out d.h5"])
def test_a_name_that_a_file_shares_with_a_shipped_plugin_is_warned_of(lieapp, engine, tmp_path, command):
    engine("lieapp.pde.check", check=lambda entry, report: [])
    engine("lieapp.data.store", simulate_to_file=lambda declaration, config, out, report: {})
    text = Path(os.environ["PYTHONPATH"], "plugins", "kdv.py").read_text()
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "kdv.py").write_text(text.replace("u * u.diff(x)", "6 * u * u.diff(x)"))
    said = lieapp(*command.split(), "--quiet", "--json")
    assert said.code == 0 and said.json
    assert said.err.startswith("warning: 'kdv' is the shipped ") and "not that of plugins/kdv.py" in said.err


def test_check_tells_which_failed(lieapp, engine):
    def check(entry, report):
        return [
            SimpleNamespace(name="equation", ok=True, detail=""),
            SimpleNamespace(name="data", ok=False, detail="NaN"),
        ]

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--json")
    assert said.code == 1 and said.json["ok"] is False
    assert said.json["checks"][1] == {"plugin": "ckdv", "name": "data", "ok": False, "detail": "NaN"}
    assert "FAILED" in lieapp("check", "--plugin", "ckdv").out
    assert lieapp("check").code == 2


def test_a_check_that_could_not_be_run_has_not_failed(lieapp, engine):
    outcomes = {"data": False, "tensors": None, "equation": True}
    rows = [SimpleNamespace(name=name, ok=ok, detail="") for name, ok in outcomes.items()]
    engine("lieapp.pde.check", check=lambda entry, report: rows)
    said = lieapp("check", "--plugin", "ckdv", "--json").json
    assert said["sentence"] == "failed: data; 1 not run" and said["checks"][1]["ok"] is None
    out = lieapp("check", "--plugin", "ckdv").out
    assert out.count("FAILED") == 1 and "not run" in out


def test_check_all_counts_broken_files(lieapp, engine, tmp_path):
    engine("lieapp.pde.check", check=lambda entry, report: [])
    engine("lieapp.pictures.sides", check_pictures=lambda declaration, report: [])
    assert lieapp("check", "--plugin", "all").code == 0
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "bad.py").write_text("x = (\n")
    said = lieapp("check", "--plugin", "all", "--json")
    assert said.code == 1 and said.json["checks"][0]["name"] == "loads"


def test_truth_of_a_plugin(lieapp):
    said = lieapp("truth", "--plugin", "ckdv", "--json")
    assert said.code == 0 and said.json["dimension"] == 4 and len(said.json["periodic"]) == 2


def test_truth_of_a_typed_equation(lieapp):
    said = lieapp("truth", *KDV, "--periodic", "x")
    assert said.code == 0 and "dimension 4" in said.out and "t ∂x + ∂u" in said.out
    assert "periodic in x" in said.out


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ([], "UsageError", "either a plugin or an equation"),
        (["--plugin", "ckdv", *KDV], "UsageError", "both a plugin, ckdv, and an equation"),
        (["--plugin", "ckdv", "--dependent", "u"], "UsageError", "--dependent belongs to --equation"),
        (["--plugin", "ckvd"], "UnknownPluginError", "did you mean 'ckdv'"),
        (["--equation", "u_t"], "UsageError", "independent variables"),
        ([*KDV, "--budget", "0"], "ConfigError", "budget"),
        ([*KDV, "--periodic", "y"], "UsageError", "the variables are t, x"),
        (["--equation", "__import__('os')", *KDV[2:]], "ParseError", ""),
    ],
)
def test_truth_of_nothing_in_particular(lieapp, arguments, kind, words):
    said = lieapp("truth", *arguments, "--json")
    assert said.code == 2 and said.error["type"] == kind and words in said.error["message"]


def test_truth_warns_of_an_equation_that_is_not_periodic(lieapp, tmp_path):
    text = Path(os.environ["PYTHONPATH"], "plugins", "kdv.py").read_text()
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "mine.py").write_text(
        text.replace("u * u.diff(x)", "x * u.diff(x)").replace('name="kdv"', 'name="mine"')
    )
    said = lieapp("truth", "--plugin", "mine", "--json")
    assert said.code == 0 and said.json["generators"]
    assert said.err.startswith("warning: mine: the coefficient x of u_x isn't periodic in x over ")
    assert lieapp("data", "--plugin", "mine", "--out", "d.h5").code == 1
    assert lieapp("truth", "--plugin", "kdv", "--json").err == ""


def test_truth_gives_up_after_its_budget(lieapp):
    said = lieapp("truth", *KDV, "--budget", "0.01", "--json")
    assert said.code == 1 and said.error["type"] == "BudgetError" and "0.01 s" in said.error["message"]


def test_data_goes_where_it_was_told(lieapp, engine, tmp_path):
    def simulate(declaration, config, out, report):
        Path(out).write_text(f"{config.samples}")
        return {"samples": config.samples, "file": str(out)}

    engine("lieapp.data.store", simulate_to_file=simulate)
    said = lieapp("data", "--plugin", "ckdv", "--samples", "3", "--out", "d.h5", "--json")
    assert said.json == {"samples": 3, "file": "d.h5"} and (tmp_path / "d.h5").read_text() == "3"

    def fail(declaration, config, out, report):
        raise SimulationError("NaN")

    engine("lieapp.data.store", simulate_to_file=fail)
    assert lieapp("data", "--plugin", "ckdv", "--out", "e.h5").code == 1
    assert os.listdir(tmp_path) == ["d.h5"]


def test_data_replaces_a_file_only_when_told_to(lieapp, engine, tmp_path):
    calls = []

    def simulate(declaration, config, out, report):
        calls.append(Path(out).write_text("new"))
        return {}

    engine("lieapp.data.store", simulate_to_file=simulate)
    (tmp_path / "d.h5").write_text("old")
    said = lieapp("data", "--plugin", "ckdv", "--out", "d.h5", "--json")
    assert said.code == 2 and said.error["type"] == "UsageError" and "--force" in said.error["hint"]
    assert said.error["message"] == "--out d.h5: the file already exists."
    assert (tmp_path / "d.h5").read_text() == "old" and calls == []
    assert lieapp("data", "--plugin", "ckdv", "--out", "d.h5", "--force").code == 0
    assert (tmp_path / "d.h5").read_text() == "new"


def test_data_takes_no_more_threads_than_any_machine_has(lieapp):
    said = lieapp("data", "--plugin", "ckdv", "--out", "d.h5", "--set", "threads=1025", "--json")
    assert said.code == 2 and said.error["message"] == (
        "threads is 1025 (from --set threads=1025): expected int <= 1024."
    )


@pytest.mark.parametrize(("samples", "words"), [("1", "1 trajectory of "), ("2", "2 trajectories of ")])
def test_data_counts_in_grammar(lieapp, engine, samples, words):
    engine("lieapp.data.store", simulate_to_file=lambda declaration, config, out, report: Path(out).touch() or {})
    assert lieapp("data", "--plugin", "ckdv", "--samples", samples, "--out", "d.h5").out.startswith(words)


@pytest.mark.parametrize("out", ["d.h5/x.h5", "none/x.h5", "."])
def test_data_that_can_t_be_written(lieapp, engine, tmp_path, out):
    engine("lieapp.data.store", simulate_to_file=None)
    (tmp_path / "d.h5").write_text("")
    said = lieapp("data", "--plugin", "ckdv", "--out", out, "--json")
    assert said.code == 1 and said.error["type"] == "DataError"


def test_compare_shows_what_differs(lieapp, tmp_path):
    runs = [
        RunDirectory.create(tmp_path / "runs", DiscoverConfig(plugin="ckdv", slots=slots), "ckdv")
        for slots in (3, 4)
    ]
    known = DerivedField(name="d_x", field={"x": "1"}, cosine=0.9999, shown=Formula("∂x", ""))
    runs[0].write_summary(EquationResult(count=2, truth=[known], seconds={"total": 4.5}))
    ids = [run.id for run in runs]
    said = lieapp("compare", *ids, "--json")
    assert said.json["differ"] == {"slots": [3, 4]} and said.json["runs"][0]["cosines"] == [0.9999]
    said = lieapp("compare", *ids)
    assert said.code == 0 and "slots" in said.out and "0.9999" in said.out
    assert lieapp("compare", "none").code == 2


def test_a_typed_equation_and_its_file_are_listed(lieapp, tmp_path):
    config = DiscoverConfig(plugin="typed-0123abcd", data=DiscoverData(files=["/far/away/waves.mat"]))
    run = RunDirectory.create(tmp_path / "runs", config, "typed-0123abcd")
    run.add_provenance(plugin={"name": "typed-0123abcd", "title": "u_t + u*u_x = 0"})
    (listed,) = lieapp("runs", "list", "--json").json["runs"]
    assert (listed["equation"], listed["data"]) == ("u_t + u*u_x = 0", ["waves.mat"])
    assert "u_t + u*u_x = 0" in lieapp("runs", "list").out and "waves.mat" in lieapp("runs", "list").out


def test_runs_list_and_show(lieapp, tmp_path):
    assert lieapp("runs", "list", "--json").json == {"runs": []}
    run = RunDirectory.create(tmp_path / "runs", DiscoverConfig(plugin="ckdv"), "ckdv")
    assert run.id in lieapp("runs", "list").out
    typed = TruthConfig(equation=["u_t - u_xx"], independent=["t", "x"], dependent=["u"])
    other = RunDirectory.create(tmp_path / "runs", typed, "truth")
    assert "u_t - u_xx" in lieapp("runs", "list").out
    assert lieapp("runs", "show", other.id, "--json").json["equation"] == "u_t - u_xx"
    shutil.rmtree(other.path)
    shown = lieapp("runs", "show", run.id, "--json").json
    assert shown["config"]["plugin"] == "ckdv" and shown["status"]["state"] == "starting"
    assert shown["summary"] is None
    run.write_summary(EquationResult(count=3, sentence="3 of 4 slots exact"))
    assert lieapp("runs", "show", run.id, "--json").json["summary"]["count"] == 3
    assert "3 of 4 slots exact" in lieapp("runs", "show", run.id).out
    (run.path / "summary.json").write_text('{"result": "discovery", "count": "three"}')
    (listed,) = lieapp("runs", "list", "--json").json["runs"]
    assert listed["state"] == "unreadable" and "$.count" in listed["error"]["message"]
    for words in (("runs", "show", run.id), ("compare", run.id), ("discover", "--resume", run.id)):
        said = lieapp(*words, "--json")
        assert said.code == 1 and "summary.json can't be read" in said.error["message"], words
        assert "run it again" in said.error["hint"]
    assert lieapp("runs", "show", "none").code == 2


@pytest.mark.parametrize(
    "words", ["runs list", "runs show a", "runs cancel a", "compare a b", "discover --resume a"]
)
def test_a_file_is_no_folder_of_runs(lieapp, tmp_path, words):
    (tmp_path / "afile").write_text("")
    said = lieapp(*words.split(), "--out", "afile", "--json")
    assert said.code == 2 and said.error["type"] == "UsageError" and said.error["hint"]
    assert said.error["message"] == "--out afile: afile is a file, not a folder."


def test_the_app_gets_folders_in_its_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LIEAPP_PLUGINS", "elsewhere")
    found = app.environment(Common(plugins=(tmp_path / "a",), out=tmp_path / "runs"))
    assert found["LIEAPP_PLUGINS"] == os.pathsep.join([str(tmp_path / "a"), "elsewhere"])
    assert found["LIEAPP_RUNS"] == str(tmp_path / "runs")
