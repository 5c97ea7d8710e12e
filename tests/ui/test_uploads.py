"""Uploads that nobody needs are deleted: not those of runs, of pages that are open, or of others."""

import os
import time

import numpy as np
import pytest

from lieapp.config import DiscoverConfig
from lieapp.config_types import FileData
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.uploads import DAYS, clean, kept, seen


def aged(file, days):
    moment = time.time() - days * 86400
    os.utime(file, (moment, moment))
    return file


@pytest.fixture
def upload(runs):
    return lambda name, days: aged(kept(name, name.encode()), days)


def test_only_old_uploads_that_no_run_names_are_deleted(runs, upload):
    fresh, old, named, foreign = (
        upload("fresh.npz", DAYS - 1), upload("old.npz", 0), upload("é named.npz", 0),
        runs / ".data" / "0123456789ab.nc",
    )  # fmt: skip
    foreign.write_bytes(b"a Dataset")
    part = runs / ".data" / ".half-0123456789ab.npz.part"
    part.write_bytes(b"")
    run = RunDirectory.create(runs, DiscoverConfig(plugin="heat", data=FileData(files=(str(named),))), "heat")
    for file in (old, named, foreign, part):
        aged(file, DAYS + 1)
    before = named.stat().st_mtime_ns
    clean()
    assert fresh.exists() and named.exists() and foreign.exists() and not old.exists() and not part.exists()
    assert named.stat().st_mtime_ns == before
    (run.path / "config.json").write_bytes(b"\xff")
    aged(fresh, DAYS + 1)
    clean()
    assert fresh.exists()


def test_an_upload_that_a_page_shows_stays_as_it_is(open_page, runs, upload):
    """The file isn't touched: a run that reads it would take it for changed."""
    file = upload("open.npz", 0)
    np.savez(file, t=np.arange(9.0), x=np.arange(16.0), u=np.random.default_rng(0).random((9, 16)))
    aged(file, DAYS + 1)
    before = file.stat().st_mtime_ns
    assert not open_page("data", file=str(file)).exception
    clean()
    assert file.exists() and file.stat().st_mtime_ns == before
    for place in (runs / ".data").iterdir():
        aged(place, DAYS + 1)
    clean()
    assert not list((runs / ".data").iterdir())


def test_a_new_upload_makes_room(runs, upload):
    first = upload("first.npz", 0)
    aged(first, DAYS + 1)
    again = kept("second.npz", b"2")
    assert again.exists() and not first.exists()
    # the same content again counts as looked at
    aged(again, DAYS + 1)
    assert kept("second.npz", b"2") == again and again.exists()


def test_files_of_others_get_no_mark(runs, tmp_path):
    file = tmp_path / "mine.npz"
    file.write_bytes(b"1")
    seen(aged(file, DAYS + 1))
    assert [place.name for place in tmp_path.iterdir() if place.is_file()] == ["mine.npz"]


def test_each_of_several_files_can_be_shown(open_page, tmp_path, words):
    for name, n in (("a", 16), ("b", 24)):
        x = np.arange(n) * 0.1
        u = np.sin(2 * np.pi * np.arange(n) / n) * np.exp(-np.arange(9.0))[:, None]
        np.savez(tmp_path / f"{name}.npz", t=np.arange(9.0), x=x, u=u)
    files = [str(tmp_path / f"{name}.npz") for name in "ab"]
    app = open_page("data", file=", ".join(files))
    assert "1 trajectory of 9 t x 16 x" in words(app)
    (chosen,) = [box for box in app.selectbox if box.label == "Shown of 2 files"]
    chosen.set_value(files[1]).run()
    assert not app.exception and "1 trajectory of 9 t x 24 x" in words(app)
