"""Where a sweep runs, what travels to workers and back, and the table over the grid."""

import csv
import io
import tarfile

import pytest

from lieapp.errors import PluginError, UsageError
from lieapp.registry.catalog import load_catalog
from lieapp.registry.modules import digest
from lieapp.report.page import page
from lieapp.results.base import Compared
from lieapp.results.sweep import Cell, Failure, Sweep
from lieapp.sweeps import carried, place
from lieapp.sweeps.packing import packed, unpack
from lieapp.sweeps.place import Local, Remote, place_of
from lieapp.sweeps.table import as_csv, document, drawn, rows_of, sentence


def test_a_place_is_processes_of_this_machine_or_a_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr(place, "cores", lambda: 8)
    assert place_of(None, None) == place_of("local", None) == Local(8)
    assert [place_of(f"local:{n}", None).threads for n in (1, 3, 8, 20)] == [8, 2, 1, 1]
    assert place_of("tls://[::1]:8786", None) == Remote("tls://[::1]:8786")
    (tmp_path / "address.json").write_text('{"type": "Scheduler", "address": "tcp://a:1", "workers": {}}')
    assert place_of(None, tmp_path / "address.json") == Remote("tcp://a:1")
    (tmp_path / "other.json").write_text("{}")
    for name, words in (("none.json", "No such file"), ("other.json", "missing required field `address`")):
        with pytest.raises(UsageError, match=f"{name}: it can't be read: .*{words}"):
            place_of(None, tmp_path / name)
    with pytest.raises(UsageError, match="both given"):
        place_of("local:2", tmp_path / "address.json")


@pytest.mark.parametrize("text", ["", "local:0", "local:x", "local:", "tcp://host", "tcp://host:70000", "host:1"])
def test_another_place_is_refused(text):
    with pytest.raises(UsageError, match="expected local, local:N"):
        place_of(text, None)


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(place, "find_spec", lambda name: None if name == "distributed" else object())
    with pytest.raises(UsageError, match="needs distributed, not installed here") as raised:
        place.check_installed()
    assert "lieapp[cluster]" in raised.value.hint


def test_plugin_files_are_loaded_from_their_copy(mine, tmp_path, monkeypatch):
    (mine.parent / "whole").mkdir()
    (mine.parent / "whole" / "__init__.py").write_text("from . import part\n")
    (mine.parent / "whole" / "part.py").write_text("")
    (mine.parent / "data").mkdir()
    (mine.parent / "data" / "huge.py").write_text("")
    files = carried.plugin_files(load_catalog())
    assert set(files) == {"0/mine.py", "0/whole/__init__.py", "0/whole/part.py"}
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    entry = load_catalog(carried.write_files(files, tmp_path / "copy")).get("mine")
    assert entry.file == tmp_path / "copy" / "0" / "mine.py" and entry.sha256 == digest(mine.read_bytes())
    monkeypatch.setattr(carried, "LARGEST", 10)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PluginError, match="more than 10"):
        carried.plugin_files(load_catalog())


def test_a_run_folder_comes_back_whole_in_place_of_the_old_one(tmp_path):
    folder = tmp_path / "there" / "run"
    (folder / "checkpoint").mkdir(parents=True)
    (folder / "status.json").write_text("new")
    (folder / "checkpoint" / "a.json").write_bytes(b"\0" * 1000)
    (folder / ".lock").touch()
    here = tmp_path / "here" / "run"
    here.mkdir(parents=True)
    (here / "old").touch()
    unpack(packed(folder), here)
    assert sorted(file.name for file in here.rglob("*")) == ["a.json", "checkpoint", "status.json"]
    assert (here / "status.json").read_text() == "new" and [*here.parent.iterdir()] == [here]
    assert packed(tmp_path / "none") == b""


def test_an_archive_writes_nowhere_else(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("../../evil")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    with pytest.raises(tarfile.FilterError):
        unpack(stream.getvalue(), tmp_path / "runs" / "run")
    assert not (tmp_path.parent / "evil").exists() and not (tmp_path / "evil").exists()


CELLS = [
    Cell(key={"plugin": plugin, "seed": seed}, state="done", run=f"runs/{plugin}-{seed}", count=count)
    for plugin, seed, count in (("ckdv", 0, 2), ("ckdv", 1, 4), ("ks", 0, 3))
]
CELLS.append(Cell(key={"plugin": "ks", "seed": 1}, state="failed", error=Failure("DataError", "no, data", "")))
FOUND = {
    0: Compared(count=2, cosines=[1.0, 0.5], angle=1e-6, seconds={"total": 10.0}),
    1: Compared(count=4, cosines=[None], angle=3e-6, seconds={"total": 20.0}),
    2: Compared(count=3, seconds={"total": 5.0}),
}


def test_a_row_has_the_spread_over_seeds():
    first, second = rows_of(CELLS, FOUND)
    assert first.key == {"plugin": "ckdv"} and (first.cells, first.done) == (2, 2)
    assert (first.count.mean, first.count.low, first.count.high) == (3, 2, 4)
    assert first.count.deviation == pytest.approx(2**0.5) and first.seconds.mean == 15
    assert first.cosine.n == 1 and first.cosine.mean == 0.5 and first.accuracy is None
    assert (second.cells, second.done, second.count.n, second.angle) == (2, 1, 1, None)


def test_the_table_is_shown_everywhere():
    result = Sweep(cells=CELLS, table=rows_of(CELLS, FOUND), sentence=sentence(CELLS))
    assert result.sentence == "3 of 4 cells are done; 1 failed" and result.level == "info"
    text = page("Sweep", "A grid", document(result))
    assert "3 ± 1.4 (2 to 4)" in text and "plugin=ks, seed=1" in text and "no, data" in text and "<svg" in text
    titles = [panel.title for row in drawn(result).rows for panel in row]
    assert titles == [f"{what}: means (orange) and ends (blue)" for what in (
        "exact fields", "1 − smallest cosine", "angle (rad)", "seconds"
    )]  # fmt: skip
    cosines = drawn(result).rows[1][0]
    assert cosines.layers[1].y.tolist() == [0.5] and cosines.y.log and cosines.y.low <= 0.5 <= cosines.y.high
    assert drawn(Sweep(cells=CELLS[3:], table=rows_of(CELLS[3:], {}))) is None


def test_the_file_of_the_table_has_a_line_for_each_cell():
    rows = list(csv.DictReader(io.StringIO(as_csv(Sweep(cells=CELLS), FOUND).decode())))
    assert [row["exact fields"] for row in rows] == ["2", "4", "3", ""]
    assert rows[0]["angle (rad)"] == "1e-06" and rows[3]["error"] == "no, data" and rows[3]["run"] == ""
