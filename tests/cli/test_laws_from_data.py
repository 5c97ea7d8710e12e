"""`lieapp discover --laws`: a run with result and report, and what may not be typed."""

import json

import pytest


@pytest.fixture
def nls(pytestconfig):
    return ["--plugin", "nls", "--plugins", str(pytestconfig.rootpath / "tests" / "plugins"), "--laws"]


def test_a_run_with_report(lieapp, nls, tmp_path):
    said = lieapp("discover", *nls, "--set", "samples=6", "--set", "laws.weight=4", "--order", "1", "--json")
    assert said.code == 0
    found = said.json
    assert found["result"] == "laws_from_data" and found["count"] == 3 == len(found["laws"])
    first = found["laws"][0]
    assert first["density"] == "u**2 + v**2" and first["proved"] is True and first["order"] == 0
    assert first["shown"]["latex"] == "u^{2} + v^{2}" and first["drift"] < 1e-3 and len(first["values"]) == 60
    run = tmp_path / found["run"]
    assert json.loads((run / "summary.json").read_text()) == found
    page = (run / "report.html").read_text()
    assert "Conservation laws" in page and "Totals along a held-out trajectory" in page
    again = lieapp("discover", "--resume", found["run"])
    assert again.code == 0 and "Found 3 conservation laws, each proved" in again.out
    assert "nls" in lieapp("runs", "list").out


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["--plugin", "kdv", "--order", "2"], "UsageError", "--order is"),
        (["--plugin", "kdv", "--laws", "--set", "samples=1"], "ConfigError", "one trajectory"),
        (["--plugin", "kdv", "--laws", "--extend", "3", "--data", "none.npz"], "DataError", "none.npz"),
        (["--plugin", "kdv", "--laws", "--set", "laws.weight=60"], "ConfigError", "Set laws.weight between"),
        (["--plugin", "kdv", "--set", "sought=magic"], "ConfigError", "expected one of"),
    ],
)
def test_bad_input(lieapp, tmp_path, arguments, kind, words):
    said = lieapp("discover", *arguments, "--json")
    assert said.code != 0 and said.error["type"] == kind and words in said.error["message"] + said.error["hint"]
    assert not list((tmp_path / "runs").glob("*"))
