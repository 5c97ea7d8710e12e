"""Any bytes in any file of a run leave every page standing, and the run in its lists."""

import os

import pytest

DEEP = b'{"a":' * 100_000
BAD = {
    "config.json": (DEEP, b'{"kind": "discover", "plugin": 3}', b"\xff" * 1000),
    "status.json": (DEEP, b'{"state": "done", "created": 1e300}', b'{"state": "running", "step": -5, "total": 3}'),
    "summary.json": (DEEP, b'{"result": "discovery", "generators": "x"}', b"\xff" * 1000),
}


@pytest.mark.parametrize(("name", "content"), [(name, content) for name, bad in BAD.items() for content in bad])
def test_a_run_that_cannot_be_read_is_listed_with_its_reason(open_page, make_run, words, name, content):
    run, other = make_run("done"), make_run("done", count=1)
    (run / name).write_bytes(content)
    for key in ("home", "runs"):
        shown = words(open_page(key))
        assert "unreadable" in shown and "can't be read" in shown
        assert "1 exact" in shown or "exact" in shown, "the other run is still listed"
    compared = open_page("compare", runs=[run.name, other.name])
    assert "unreadable" in words(compared)
    told = words(open_page("run", run=run.name))
    # of a run without settings its state is told, and all the rest is still there
    assert "can't be read" in told or name == "config.json"
    open_page("discover", again=run.name)
    open_page("explore", run=run.name)


@pytest.mark.parametrize("name", ["provenance.json", "label.json", "metrics.jsonl", "fields.safetensors"])
def test_what_else_a_run_holds_is_left_out(open_page, make_run, words, name):
    run = make_run("done")
    for content in (DEEP, b'{"plugin": {"title": 5}, "name": 5, "step": "x", "eta": {"a": []}}\n'):
        (run / name).write_bytes(content)
        for key in ("home", "runs", "run"):
            assert "unreadable" not in words(open_page(key, run=run.name))


def test_a_pipe_in_place_of_a_file_is_not_waited_for(open_page, make_run, words):
    run = make_run("done")
    (run / "summary.json").unlink()
    os.mkfifo(run / "summary.json")
    assert "it isn't a regular file" in words(open_page("runs"))
