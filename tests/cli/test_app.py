"""`lieapp app` only starts Streamlit; what it is told is looked at here."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from lieapp.cli.app import SETTINGS
from lieapp.settings import leaves
from lieapp.ui.pinned import LOCAL

ROOT = Path(__file__).parents[2]


@pytest.fixture
def started(monkeypatch):
    """The command line and environment of the process that would be started."""
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda arguments, env: calls.append((arguments, env)) or 0)
    return calls


def test_it_serves_this_machine_only_and_reports_nothing(lieapp, started):
    assert lieapp("app").code == 0
    ((arguments, _),) = started
    told = dict(zip(arguments[6::2], arguments[7::2], strict=True))
    assert told["--server.address"] == "localhost"
    assert told["--browser.gatherUsageStats"] == "false" and told["--client.toolbarMode"] == "minimal"
    assert Path(arguments[5]).is_file() and "--server.port" not in told


def test_port_folders_and_no_browser(lieapp, started, tmp_path):
    (tmp_path / "mine").mkdir()
    assert lieapp("app", "--port", "9000", "--no-browser", "--plugins", "mine", "--out", "there").code == 0
    ((arguments, environment),) = started
    told = dict(zip(arguments[6::2], arguments[7::2], strict=True))
    assert told["--server.port"] == "9000" and told["--server.headless"] == "true"
    assert environment["LIEAPP_RUNS"] == str(tmp_path / "there")
    assert environment["LIEAPP_PLUGINS"].split(os.pathsep) == [str(tmp_path / "mine")]


def test_a_checkout_tells_streamlit_the_same():
    sections = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    # where `lieapp app` pins all requests, Streamlit alone pins its socket
    assert sections["server"].pop("allowedHosts") == list(LOCAL)
    said = dict(leaves(sections))
    assert {key: str(value).lower() for key, value in said.items()} == SETTINGS
