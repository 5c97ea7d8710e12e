"""`lieapp discover --fields generalised`: a run with result and report, and what may not be typed."""

import json

import pytest

from lieapp.runs.store.directory import RunDirectory


def test_a_run_with_report(lieapp, tmp_path):
    said = lieapp("discover", "--fields", "generalised", "--order", "3", "--plugin", "burgers", "--json")
    assert said.code == 0
    found = said.json
    assert found["result"] == "generalised_from_data" and found["count"] == 4 == found["derived"]
    (flow,) = [row for row in found["generalised"] if row["kind"] == "generalised"]
    assert flow["proved"] and flow["order"] == 3 and set(flow["characteristic"]) == {"u"}
    run = tmp_path / found["run"]
    assert json.loads((run / "summary.json").read_text()) == found
    assert "Characteristics" in (run / "report.html").read_text()
    again = lieapp("discover", "--resume", found["run"])
    assert again.code == 0 and "Found 4 symmetries up to order 3" in again.out


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["--fields", "magic"], "UsageError", "magic"),
        (["--fields", "generalised", "--laws"], "UsageError", "both given"),
        (["--fields", "point", "--order", "3"], "UsageError", "--order is"),
        (["--fields", "generalised", "--method", "flow"], "UsageError", "--method flow finds point fields"),
        (["--fields", "generalised", "--order", "40"], "ConfigError", "more than 400 terms"),
        (["--fields", "generalised", "--order", "0"], "ConfigError", "order"),
    ],
)
def test_bad_input(lieapp, tmp_path, arguments, kind, words):
    said = lieapp("discover", "--plugin", "kdv", *arguments, "--json")
    assert said.code != 0 and said.error["type"] == kind and words in said.error["message"] + said.error["hint"]
    assert not list((tmp_path / "runs").glob("*"))


def test_a_resumed_run_has_each_step_once(lieapp, tmp_path):
    small = ("samples=4", "held_out=2", "generalised.basis=network", "generalised.network_steps=6",
             "generalised.network_width=4", "generalised.network_features=6")  # fmt: skip
    words = [word for text in small for word in ("--set", text)]
    said = lieapp("discover", "--fields", "generalised", "--order", "2", "--plugin", "burgers", *words, "--json")
    run = RunDirectory(tmp_path / said.json["run"])
    rows = run.metrics()
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5, 6]
    # killed after more steps than the checkpoint has, the last one inside its line
    with (run.path / "metrics.jsonl").open("a") as stream:
        stream.write('{"step":7,"total":9}\n{"step":8,"to')
    (run.path / "summary.json").unlink()
    run.update(state="failed")
    assert lieapp("discover", "--resume", said.json["run"]).code == 0
    assert run.metrics() == rows
