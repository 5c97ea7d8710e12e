"""`lieapp truth --out` keeps a derivation as a run, which --resume takes up."""

import json

from lieapp.runs.store.directory import RunDirectory


def stored(run):
    return json.loads((run.path / "summary.json").read_text(encoding="utf-8"))


def test_out_keeps_a_run_and_resume_gives_its_result_again(lieapp, tmp_path):
    typed = ["--equation", "u_t - u_xx", "--independent", "t,x", "--dependent", "u", "--periodic", "x"]
    said = lieapp("truth", *typed, "--out", "there", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    (run,) = RunDirectory.list(tmp_path / "there")
    assert run.state == "done" and stored(run) == document and run.config()["kind"] == "truth"
    assert document["sentence"] == "6 symmetries modulo 1 family, 3 kept if periodic in x; certified"
    again = lieapp("truth", "--resume", run.id, "--out", "there", "--json")
    assert json.loads(again.out) == document


def test_a_summary_of_another_version_is_told(lieapp, tmp_path):
    typed = ["--equation", "u_t - u_xx", "--independent", "t,x", "--dependent", "u"]
    assert lieapp("truth", *typed, "--out", "there").code == 0
    (run,) = RunDirectory.list(tmp_path / "there")
    assert (run.path / "report.html").is_file()
    document = stored(run)
    del document["result"]
    (run.path / "summary.json").write_text(json.dumps(document), encoding="utf-8")
    said = lieapp("truth", "--resume", run.id, "--out", "there")
    assert said.code == 1 and "another kind" in said.err and "run it again" in said.err
