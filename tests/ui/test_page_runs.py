"""Runs: the list, in sheets."""


def test_empty(open_page, words):
    assert "No runs yet" in words(open_page("runs"))


def test_states_side_by_side(open_page, make_run, words):
    for count, state in enumerate(("queued", "running", "done", "failed", "cancelled", "lost")):
        make_run(state, count=count)
    app = open_page("runs")
    text = words(app)
    assert "6 in" in text and "sheet 1 of 1" in text
    for word in ("queued", "running", "done", "failed", "cancelled", "lost"):
        assert word in text


def test_sheets(open_page, make_run, words):
    for count in range(25):
        make_run("queued", count=count)
    assert "sheet 2 of 2" in words(open_page("runs", sheet="2"))
    assert "sheet 2 of 2" in words(open_page("runs", sheet="99"))
    assert "sheet 1 of 2" in words(open_page("runs", sheet="-1"))
