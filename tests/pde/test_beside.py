"""Work beside a run's own: its result, what it says, and that it ends when it isn't wanted any more."""

import threading

import pytest

from lieapp.errors import DataError
from lieapp.pde.beside import Beside
from lieapp.progress import SilentReporter


def test_what_it_says_is_told_with_its_result():
    begun = threading.Event()

    def work(report):
        report.warn("first")
        begun.wait()
        report.warn("second")
        return 3

    told = SilentReporter()
    with Beside(work, told) as beside:
        assert told.warnings == []
        begun.set()
        assert beside.result() == 3
    assert told.warnings == ["first", "second"]


def test_what_it_raises_is_raised_where_its_result_is_wanted():
    def work(report):
        raise DataError("nothing there.")

    with Beside(work, SilentReporter()) as beside, pytest.raises(DataError, match="nothing there"):
        beside.result()


def test_it_is_stopped_at_the_end_of_the_block():
    ended = threading.Event()

    def work(report):
        try:
            while True:
                report.progress(0, None)
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt), Beside(work, SilentReporter()):
        raise KeyboardInterrupt
    assert ended.is_set()
