"""Home: empty, with running work, with many runs."""

from urllib.parse import parse_qsl

import pytest


def test_empty(open_page, words):
    app = open_page("home")
    text = words(app)
    assert "No runs yet" in text and "Nothing is running." in text
    assert not app.error


def test_running_and_finished_work(open_page, make_run, words):
    make_run("done", count=1)
    make_run("running", count=2)
    text = words(open_page("home"))
    assert "2 candidates exact of 4 slots; 2 derived; worst cosine 0.99998" in text
    assert "discovery, step 12 of 60" in text


def test_only_the_last_runs_are_listed(open_page, make_run, words):
    for count in range(8):
        make_run("failed", count=count, error={"type": "DataError", "message": f"broken {count}", "hint": ""})
    text = words(open_page("home"))
    assert "broken 7" in text and "broken 1" not in text


@pytest.mark.parametrize("place", range(8))
def test_every_example_opens_ready_to_start(open_page, runs, place, words):
    links = [link.proto for link in open_page("home").get("page_link")]
    link = next(link for n, link in enumerate(links) if n == place)
    address = dict(parse_qsl(link.query_string))
    app = open_page(link.page, **address)
    ready = {"Start", "Derive", "Continue"}
    assert not app.error and [b.label for b in app.button if b.label in ready and not b.disabled]
