"""`lieapp classify`: the JSON, the table, runs that are gone on with, and bad input."""

import pytest

from lieapp.runs.store.directory import RunDirectory

B = ("--independent", "t,x", "--dependent", "u")
POWER = ("--equation", "u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", *B, "--parameter", "n")
DIFFUSION = ("--equation", "u_t - k*u_xx - k_u*u_x**2", *B, "--function", "k:u")


def test_the_json_is_the_contracts(lieapp):
    said = lieapp("classify", *POWER, "--json", "--quiet")
    assert said.code == 0 and said.err == ""
    document = said.json
    first, zero, last = document["branches"]
    assert first["conditions"] == [] and first["dimension"] == 4 and first["parent"] is None
    assert zero["conditions"] == ["n = 0"] and zero["infinite"] and zero["families"]
    assert {key: last[key] for key in ("conditions", "dimension", "infinite", "certified", "parent", "more")} == {
        "conditions": ["n = -4/3"], "dimension": 5, "infinite": False, "certified": True, "parent": 0,
        "more": [{"t": "0", "x": "x**2", "u": "-3*u*x"}],
    }  # fmt: skip
    assert len(last["generators"]) == 5 and document["left"] == [] and document["pending"] == []


def test_the_table_has_a_row_for_each_branch_and_progress_is_on_stderr(lieapp):
    said = lieapp("classify", *POWER)
    assert "2 special cases with more symmetries" in said.out and "6 + families" in said.out
    rows = [line for line in said.out.splitlines() if "certified" in line]
    assert [row.split("│")[1].strip() for row in rows] == ["any", "n = 0", "n = -4/3"]
    # a branch may be over before it is told
    assert any(f"n = {value} …" in said.err for value in ("0", "-4/3"))


def test_a_plugins_parameters_are_free(lieapp):
    said = lieapp("classify", "--plugin", "burgers", "--json", "--quiet")
    assert said.code == 0 and [b["dimension"] for b in said.json["branches"]] == [5]


@pytest.mark.slow
def test_a_run_is_gone_on_with(lieapp, tmp_path):
    said = lieapp("classify", *DIFFUSION, "--budget", "2", "--out", "there", "--json")
    (run,) = RunDirectory.list(tmp_path / "there")
    assert said.code == 0 and said.json["run"] == run.id and said.json["pending"]
    assert (run.path / "report.html").exists() and run.config()["kind"] == "classify"
    kept = run.path / "checkpoint" / "branches.json"
    whole = kept.read_bytes()
    kept.write_bytes(whole.replace(b"branches", b"Branches"))
    said = lieapp("classify", "--resume", run.id, "--out", "there")
    assert said.code == 2 and "branches.json can't be read" in said.err and "the checksum differs" in said.err
    kept.write_bytes(whole)
    said = lieapp("classify", "--resume", run.id, "--out", "there", "--budget", "300", "--json")
    found = {", ".join(b["conditions"]): b["dimension"] for b in said.json["branches"]}
    assert said.json["pending"] == [] and said.json["run"] == run.id
    assert found == {"": 3, "k = 1": 6, "k = exp(u)": 4, "k = u**n": 4, "k = u**(-4/3)": 5}
    # what is complete is told again
    assert lieapp("classify", "--resume", run.id, "--out", "there", "--json").json == said.json


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "classify needs either a plugin or an equation"),
        (("--equation", "u_t - u_xx", *B), "nothing to classify"),
        (("--plugin", "kdv"), "nothing to classify"),
        (("--plugin", "kdv", "--parameter", "n"), "--parameter belongs to --equation"),
        (("--plugin", "images"), "not an equation"),
        (("--equation", "u_t - u_xx", *B, "--parameter", "n"), "occurs in no equation"),
        (("--equation", "u_t - k*u_xx", *B, "--function", "k:"), "k must be given arguments among t, x, u"),
        (("--equation", "u_t - n*u_xx", *B, "--parameter", "n:positive, negative"), "can't be"),
        (("--equation", "u_t - n*u_xx", *B, "--parameter", "n, n != n"), "nothing fulfils this"),
        (("--resume", "nothing"), "nothing to resume"),
    ],
)  # fmt: skip
def test_bad_input_is_one_error(lieapp, arguments, said):
    found = lieapp("classify", *arguments, "--quiet")
    assert found.code in (1, 2) and found.out == "" and "Traceback" not in found.err
    assert found.err.startswith("error: ") and said in found.err and "\nhint: " in found.err
