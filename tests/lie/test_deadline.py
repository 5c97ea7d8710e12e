"""The alarm of a budget ends work anywhere but inside the import of a library, which would stay half loaded."""

import sys
import time

import pytest

from lieapp.lie.deadline import Clock, OutOfTimeError

SLOW = """
import time
begun = True
end = time.perf_counter() + 0.3
while time.perf_counter() < end:
    pass
whole = True
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A module that takes longer to load than the budget."""
    (tmp_path / "slow_library.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "slow_library"
    sys.modules.pop("slow_library", None)


def test_a_library_is_loaded_whole_before_the_time_is_over(library):
    with pytest.raises(OutOfTimeError), Clock(0.1).limit():
        __import__(library)
        time.sleep(5)
    assert sys.modules[library].whole


def test_work_inside_a_module_that_is_being_loaded_is_ended(tmp_path, monkeypatch):
    text = (
        "import time\nfrom lieapp.lie.deadline import Clock\nstart = time.perf_counter()\n"
        "done = Clock(0.1).within(0.0, lambda: time.sleep(5), 'ended')\nseconds = time.perf_counter() - start\n"
    )
    (tmp_path / "script_with_work.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("script_with_work")
    assert module.done == "ended" and module.seconds < 2
    del sys.modules["script_with_work"]
