"""What is typed is read by a process of its own, ended where that takes too long; another takes its place."""

import os
import signal
import threading
from types import SimpleNamespace

import pytest
import streamlit.runtime
import streamlit.runtime.scriptrunner

from lieapp.equations.plugin_file import Draft
from lieapp.errors import BudgetError, PluginError
from lieapp.ui import reader
from lieapp.ui.reader import Typed, joined, plugin_file_text, read, split

BURGERS = Typed(("u_t + u*u_x - nu*u_xx",), ("t", "x"), ("u",), ("nu:positive",))
DRAFT = Draft("made", "Made", {"t": (0.0, 1.0), "x": (0.0, 8.0)}, {"t": 16, "x": 32}, ("x",), {"nu": "0.1"})


def test_formulas_and_parameters():
    found = read(BURGERS)
    assert found.error is None and found.parameters == ("nu",)
    assert found.latex == (r"u_{t} + u u_{x} - \nu u_{xx} = 0",)


def test_an_error_points_into_its_equation():
    found = read(Typed(("u_t - v_x", "v_t + w"), ("t", "x"), ("u", "v")))
    assert found.error is not None and "'w' is not declared" in found.error.message
    assert found.place == 1 and found.error.hint and not found.latex


def test_a_plugin_file():
    assert 'name="made"' in plugin_file_text(BURGERS, DRAFT)
    with pytest.raises(PluginError, match="isn't a number"):
        plugin_file_text(BURGERS, Draft(**{**vars(DRAFT), "values": {"nu": "os"}}))


def stop():
    """Leave the process as it is: it won't answer any more."""
    assert read(BURGERS).error is None
    os.kill(reader._READER._child.pid, signal.SIGSTOP)


def test_what_takes_too_long_is_ended_and_the_next_is_read(monkeypatch):
    stop()
    with monkeypatch.context() as hurried:
        hurried.setattr(reader, "BUDGET", 0.1)
        found = read(BURGERS)
    assert isinstance(found.error, BudgetError) and "within 0.1 s" in found.error.message and found.error.hint
    stop()
    with monkeypatch.context() as hurried:
        hurried.setattr(reader, "BUDGET", 0.1)
        with pytest.raises(BudgetError):
            plugin_file_text(BURGERS, DRAFT)
    assert read(BURGERS).error is None


def test_a_page_that_is_closed_frees_the_process_at_once(monkeypatch):
    stop()
    held = reader._READER._child
    asked = threading.Thread(target=read, args=(BURGERS,))
    with monkeypatch.context() as closing:
        closing.setattr(reader, "BUDGET", 600.0)
        gone = threading.Event()
        closing.setattr(reader, "_closed", gone.is_set)
        asked.start()
        asked.join(3 * reader.LOOK)
        assert asked.is_alive() and held.poll() is None
        gone.set()
        asked.join(10)
    assert not asked.is_alive() and held.poll() is not None
    assert read(BURGERS).error is None


def test_a_page_is_open_while_its_session_is_active(monkeypatch):
    assert not reader._closed(), "outside of the app"
    active = {"mine"}
    monkeypatch.setattr(streamlit.runtime, "exists", lambda: True)
    monkeypatch.setattr(
        streamlit.runtime, "get_instance", lambda: SimpleNamespace(is_active_session=active.__contains__)
    )
    monkeypatch.setattr(
        streamlit.runtime.scriptrunner, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="mine")
    )
    assert not reader._closed()
    active.clear()
    assert reader._closed()


def test_a_process_that_was_ended_by_others_is_started_again():
    read(BURGERS)
    reader._READER._child.kill()
    reader._READER._child.wait()
    assert read(BURGERS).error is None


def test_functions_are_separated_by_semicolons_or_before_a_name():
    assert split("function", "k:x,u; f:u_x; f_u_x != 0") == ("k:x,u", "f:u_x", "f_u_x != 0")
    assert split("function", "k:u, q:x") == ("k:u", "q:x")
    assert split("function", joined("function", ("k:x,u", "q:u"))) == ("k:x,u", "q:u")
