"""Plugin files run once for each content, whoever asks for them at once."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lieapp.registry import loaded
from lieapp.registry.catalog import load_catalog
from lieapp.registry.modules import stdout_to_stderr

PLUGIN = """
import os, pathlib, time
import sympy as sp
from lieapp.api import PDE, hookimpl

runs = pathlib.Path(__file__).with_name("runs")
with runs.open("a") as stream:
    stream.write("x")
{body}
t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

@hookimpl
def lieapp_domains():
    return [PDE(name="{name}", title="Mine", equation=sp.Eq(u.diff(t), u.diff(x, 2)),
                region={{t: (0, 1), x: (0, 1)}}, points={{t: 16, x: 16}}, periodic=[x])]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugins").mkdir()
    return tmp_path / "plugins"


def put(folder, name, body=""):
    (folder / f"{name}.py").write_text(PLUGIN.format(name=name, body=body))


def count(folder):
    return len((folder / "runs").read_text())


def names():
    return {entry.name for entry in load_catalog().entries}


def test_once_for_each_content(folder):
    put(folder, "mine")
    for _ in range(3):
        assert "mine" in names()
    assert count(folder) == 1
    put(folder, "mine", "version = 2")
    for _ in range(2):
        assert "mine" in names()
    assert count(folder) == 2
    # back to what ran before
    put(folder, "mine")
    assert "mine" in names() and count(folder) == 2


def test_a_broken_file_is_run_again_once_a_file_beside_it_changed(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    put(folder, "mine", "import _helper_of_mine")
    for _ in range(3):
        (broken,) = load_catalog().broken
        assert "No module named '_helper_of_mine'" in broken.error and broken.line == 9
    assert count(folder) == 1
    (folder / "_helper_of_mine.py").write_text("")
    assert "mine" in names() and load_catalog().broken == []
    put(folder, "other", "raise ValueError('no')")
    for again in (30.0, 0.0):
        monkeypatch.setattr(loaded, "AGAIN", again)
        before = count(folder)
        assert len(load_catalog().broken) == 1
        load_catalog()
        assert count(folder) == before + (1 if again else 2)


@pytest.mark.parametrize("body", ["time.sleep(0.3)", "time.sleep(0.3); raise ValueError('broken')"])
def test_many_pages_at_once(folder, body):
    put(folder, "slow", body)
    put(folder, "broken", "import nothing_of_that_name")
    start = threading.Barrier(8)

    def page(_):
        start.wait()
        return load_catalog()

    began = time.perf_counter()
    with ThreadPoolExecutor(8) as pages:
        found = list(pages.map(page, range(8)))
    assert time.perf_counter() - began < 8 * 0.3 + 2
    assert count(folder) == 2
    whole = "ValueError" not in body
    for catalog in found:
        assert ("slow" in {entry.name for entry in catalog.entries}) == whole
        assert len(catalog.broken) == (1 if whole else 2)
    began = time.perf_counter()
    load_catalog()
    assert time.perf_counter() - began < 0.3, "the slow file isn't run anew"


def test_stdout_is_back_where_it_was_after_threads_sent_it_elsewhere():
    before, place = sys.stdout, os.fstat(1)

    def use(_):
        with stdout_to_stderr():
            time.sleep(0.01)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(use, range(32)))
    after = os.fstat(1)
    assert sys.stdout is before and (after.st_dev, after.st_ino) == (place.st_dev, place.st_ino)


@pytest.mark.parametrize("title", [r"a\0b", r"\ud800"])
def test_a_title_that_no_file_can_hold_is_told(folder, title):
    text = PLUGIN.format(name="mine", body="").replace('title="Mine"', f'title="{title}"')
    (folder / "mine.py").write_text(text)
    (broken,) = load_catalog().broken
    assert "mine: title=" in broken.error and "which can't be shown" in broken.error
    str(broken).encode()


def test_a_file_in_another_encoding_is_told_so(folder):
    (folder / "latin.py").write_bytes('title = "café"\n'.encode("latin-1"))
    (broken,) = load_catalog([folder]).broken
    assert "isn't text in UTF-8: byte 0xe9" in broken.error and "codec" not in broken.error
