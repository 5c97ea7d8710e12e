"""Seconds of stages and of the whole add up over the sessions of a run."""

import json

import pytest

from lieapp.runs.store import session
from lieapp.runs.store.session import Stopwatch


class Clock:
    """A clock that goes on only when told to."""

    def __init__(self):
        self.now = 1000.0

    def perf_counter(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(session, "time", clock)
    return clock


@pytest.fixture
def file(tmp_path):
    return tmp_path / "checkpoint" / "seconds.json"


def begin(clock, file, start):
    """A new process, `start` seconds after it began."""
    began = clock.now
    clock.wait(start)
    return Stopwatch(file, began)


def test_one_session(clock, file):
    watch = begin(clock, file, 2)
    for name, seconds in (("data", 3), ("discovery", 4)):
        with watch.stage(name):
            clock.wait(seconds)
    clock.wait(0.5)
    assert watch.seconds() == {"start": 2, "data": 3, "discovery": 4, "total": 9.5}
    assert list(watch.seconds()) == ["start", "data", "discovery", "total"]


def test_sessions_add_up(clock, file):
    """Also those ended in the middle of a stage; what lies between sessions doesn't count."""
    watch = begin(clock, file, 2)
    with watch.stage("data"):
        clock.wait(3)
    with pytest.raises(KeyboardInterrupt), watch.stage("discovery"):
        clock.wait(4)
        raise KeyboardInterrupt
    clock.wait(100)
    watch = begin(clock, file, 1)
    with watch.stage("data"):
        clock.wait(0.25)
    with watch.stage("discovery"):
        clock.wait(6)
    with watch.stage("report"):
        clock.wait(2)
    assert watch.seconds() == {"start": 3, "data": 3.25, "discovery": 10, "report": 2, "total": 18.25}


def test_a_killed_session_leaves_what_it_saved_last(clock, file):
    watch = begin(clock, file, 1)
    with watch.stage("discovery"):
        clock.wait(5)
        watch.save()
        kept = file.read_bytes()
        clock.wait(2)
    file.write_bytes(kept)
    assert begin(clock, file, 1).seconds() == {"start": 2, "discovery": 5, "total": 7}


def test_a_stage_entered_twice_counts_twice(clock, file):
    watch = begin(clock, file, 0)
    for _ in range(2):
        with watch.stage("data"):
            clock.wait(3)
    assert watch.seconds()["data"] == 6


def test_a_file_that_can_t_be_read_counts_as_none(clock, file):
    file.parent.mkdir()
    for text in ("{", "[]", json.dumps({"data": "long"})):
        file.write_text(text)
        assert begin(clock, file, 1).seconds() == {"start": 1, "total": 1}


def test_no_room_for_the_file_hides_no_error(clock, file):
    file.parent.write_text("a file where the folder should be")
    watch = begin(clock, file, 1)
    with pytest.raises(KeyError), watch.stage("data"):
        raise KeyError
