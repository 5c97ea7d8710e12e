"""Data files on their way to workers that don't see them."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import xarray as xr

pytest.importorskip("distributed")

import lieapp
from lieapp.cli.main import run as command
from lieapp.data.files import read
from lieapp.data.opening import all_readers, lying
from lieapp.errors import DataError
from lieapp.results.sweep import Failure
from lieapp.runs.store.directory import RunDirectory, versions
from lieapp.sweeps import data_files, worker
from lieapp.sweeps.data_files import DataFile, described, is_seen, kept, pieces, take, together
from lieapp.sweeps.lending import Lender
from lieapp.sweeps.messages import Answer, Task
from lieapp.sweeps.resolve import resolve
from lieapp.sweeps.spec import read_sweep
from lieapp.sweeps.worker import Placed, Returned, Shared

NAMES = ("first.nc", "second.nc")


def waves(file: Path, seed: int) -> None:
    """Exact solutions of u_t = u_xx, four of them."""
    t, x = np.linspace(0, 1, 24), 2 * np.pi * np.arange(32) / 32
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, (4, 3, 1, 1))
    k = np.arange(1, 4)[:, None, None]
    values = (np.exp(-k**2 * t[:, None]) * np.sin(k * x + phases) / k).sum(1)
    xr.Dataset({"u": (("sample", "t", "x"), values)}, {"t": t, "x": x}).to_netcdf(file)


@pytest.fixture
def files(tmp_path):
    """Two small files in a folder of their own, as a sweep knows them."""
    (tmp_path / "own").mkdir()
    for seed, name in enumerate(NAMES):
        waves(tmp_path / "own" / name, seed)
    return [described(str(tmp_path / "own" / name)) for name in NAMES]


def test_a_file_is_known_by_its_content(files, monkeypatch):
    first, second = files
    content = Path(first.path).read_bytes()
    assert first.sha256 == hashlib.sha256(content).hexdigest() and first.size == len(content)
    assert is_seen(first) and not is_seen(msgspec.structs.replace(first, path=second.path))
    shutil.copyfile(second.path, first.path)
    assert not is_seen(first)
    with pytest.raises(DataError, match=r"first\.nc has changed since the sweep began"):
        list(pieces(first))
    Path(first.path).unlink()
    assert not is_seen(first)
    with pytest.raises(DataError, match="doesn't exist") as raised:
        list(pieces(first))
    assert raised.value.hint == data_files.UNCHANGED
    monkeypatch.setattr(data_files, "LARGEST", 10)
    large, folder = described(second.path), described(str(Path(second.path).parent))
    assert large.sha256 == "" and is_seen(large) and not is_seen(msgspec.structs.replace(large, size=11))
    assert folder.size is None and is_seen(folder)
    assert not is_seen(DataFile("/none", None, 0)) and kept(folder, Path("/")) is None


def test_a_file_arrives_in_pieces_and_keeps_its_time(files, tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "PIECE", 1000)
    first, folder = files[0], tmp_path / "there"
    assert take(first, folder, "a", 0, b"") is False
    arrived = [take(first, folder, "a", start, piece) for start, piece in pieces(first)]
    assert arrived[:-1] == [False] * (len(arrived) - 1) and arrived[-1] and len(arrived) > 3
    place = kept(first, folder)
    assert place == folder / first.sha256 / "first.nc"
    assert place.read_bytes() == Path(first.path).read_bytes() and place.stat().st_mtime_ns == first.modified
    # it is there: a second sweep sends nothing
    assert take(first, folder, "b", 0, b"") is True and [*place.parent.iterdir()] == [place]


def test_a_file_that_arrives_damaged_is_refused(files, tmp_path):
    content = b"x" * files[0].size
    with pytest.raises(DataError, match=r"first\.nc arrived with sha256 .* where the sweep began"):
        take(files[0], tmp_path / "there", "a", 0, content)
    assert kept(files[0], tmp_path / "there") is None and not any((tmp_path / "there").rglob("*.nc"))


def test_a_copy_that_is_damaged_is_sent_again(files, tmp_path):
    folder, content = tmp_path / "there", Path(files[0].path).read_bytes()
    take(files[0], folder, "a", 0, content)
    place = kept(files[0], folder)
    # as many bytes, and the same time
    place.write_bytes(content[::-1])
    os.utime(place, ns=(files[0].modified, files[0].modified))
    assert kept(files[0], folder) is None and take(files[0], folder, "b", 0, b"") is False
    assert take(files[0], folder, "b", 0, content) and kept(files[0], folder).read_bytes() == content


def test_a_full_disk_is_left_as_it_was(files, tmp_path, monkeypatch):
    folder = tmp_path / "there"
    content = Path(files[0].path).read_bytes()
    assert take(files[0], folder, "a", 0, content[:1000]) is False

    def full(place, mode):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(OSError, match=r"No space left on device: .*first\.nc"):
            take(files[0], folder, "a", 1000, content[1000:])
    assert [*folder.iterdir()] == []


def test_parts_of_files_to_which_nobody_adds_are_removed(files, tmp_path):
    folder = tmp_path / "there"
    take(files[0], folder, "a", 0, Path(files[0].path).read_bytes())
    for sender, age in (("b", 0), ("c", 2 * data_files.DRAFT)):
        draft = folder / files[0].sha256 / f".{sender}"
        draft.write_bytes(b"part")
        os.utime(draft, (time.time() - age,) * 2)
    take(files[1], folder, "d", 0, b"")
    assert {place.name for place in (folder / files[0].sha256).iterdir()} == {"first.nc", ".b"}


def test_what_no_cell_has_read_for_long_is_removed(files, tmp_path):
    folder = tmp_path / "there"
    for file in files:
        take(file, folder, "a", 0, Path(file.path).read_bytes())
    for file in files:
        os.utime(folder / file.sha256, (1, 1))
    assert kept(files[0], folder) is not None
    take(DataFile("new.nc", 1, 0, "0" * 64), folder, "a", 0, b"")
    assert [place.name for place in folder.iterdir()] == [files[0].sha256]


def test_a_file_of_another_machine_is_called_by_its_path_there(files, tmp_path):
    (there,) = read(files[0].path)
    place = tmp_path / "moved.nc"
    Path(files[0].path).rename(place)
    with lying({files[0].path: str(place)}):
        (here,) = read(files[0].path)
    assert here.identical(there) and here.attrs["file"] == files[0].path
    with pytest.raises(DataError, match="doesn't exist"):
        read(files[0].path)


@pytest.mark.parametrize(("name", "more"), [("discover", ""), ("augment", "batch = 2\nmodes = 8\nhistory = 4\n")])
def test_cells_know_the_files_that_they_read(files, write, tmp_path, name, more):
    grid = '[grid]\ndata = ["own/first.nc", "own/second.nc"]\n'
    file = write(f'command = "{name}"\n{grid}[set]\nplugin = "heat"\n{more}')
    resolved = resolve(read_sweep(file), "grid.toml", tmp_path / "runs")
    assert [plan.data for plan in resolved.plans] == [(file,) for file in files]


@pytest.fixture
def described_waves(tmp_path):
    """Solutions as APEBench writes them, whose grid stands in a file beside them; as `waves` otherwise."""
    (tmp_path / "own").mkdir()
    waves(tmp_path / "own" / "waves.nc", 0)
    values = xr.open_dataset(tmp_path / "own" / "waves.nc")["u"].values
    np.save(tmp_path / "own" / "heat_train.npy", values[:, :, None])
    grid = {"info": {"dt": 1 / 23, "domain_extent": 2 * np.pi}}
    (tmp_path / "own" / "heat.json").write_text(json.dumps(grid))
    return tmp_path / "own" / "heat_train.npy"


def test_what_a_layout_reads_besides_a_file_goes_along(described_waves, tmp_path, monkeypatch):
    (there,) = read(described_waves)
    main, grid = found = together(str(described_waves), all_readers())
    assert [Path(one.path).name for one in found] == ["heat_train.npy", "heat.json"]
    assert main.group == grid.group and main.place(tmp_path).parent == grid.place(tmp_path).parent
    monkeypatch.setattr(worker, "_data", lambda: tmp_path / "sent")
    placed = Placed(SimpleNamespace(sweep="sweep"))
    placed.address = "tcp://a:1"
    # where one of them differs, both are sent
    Path(grid.path).write_text("{}")
    assert placed._places(found).lacks == [main.sha256, grid.sha256]
    content = json.dumps({"info": {"dt": 1 / 23, "domain_extent": 2 * np.pi}}).encode()
    for one, sent in ((main, described_waves.read_bytes()), (grid, content)):
        assert worker.receive(msgspec.json.encode(one), "sweep", 0, sent)
    with lying(placed._places(found)):
        (here,) = read(described_waves)
    assert here.identical(there)
    # alone it is what it was
    Path(grid.path).unlink()
    assert together(str(described_waves), all_readers()) == [described(str(described_waves))]


def test_a_file_beside_one_that_is_too_large_isn_t_sent_either(described_waves, monkeypatch):
    monkeypatch.setattr(data_files, "LARGEST", 1000)
    assert [one.sha256 for one in together(str(described_waves), all_readers())] == ["", ""]


@pytest.fixture
def lender(tmp_path):
    """What sends files to workers with one place for all of them, and the pieces that went there."""
    client = SimpleNamespace(sent=[], error=None, folder=tmp_path / "there")

    def run(function, file, sweep, start, piece, *, workers, on_error):
        assert function is worker.receive and on_error == "return"
        if client.error is not None:
            return dict.fromkeys(workers, client.error)
        client.sent += [len(piece)] if piece else []
        return {workers[0]: take(msgspec.json.decode(file, type=DataFile), client.folder, sweep, start, piece)}

    client.run = run
    return Lender(client, "sweep"), client


def task_of(files):
    return Task("run", "/runs", "discover", "heat", "0" * 64, msgspec.Raw(b"{}"), "sweep", tuple(files))


def lacking(*files, address="tcp://a:1"):
    return Returned(Answer("missing"), address, f"worker {address}", lacks=[file.sha256 for file in files])


def test_a_machine_is_sent_a_file_once(files, lender):
    lends, client = lender
    task = task_of(files)
    for address in ("tcp://a:1", "tcp://a:2"):
        lent = lends.lend("key", task, lacking(files[1], address=address), lambda: True)
        assert (lent.key, lent.wrong, lent.told) == ("key", None, None)
    assert client.sent == [files[1].size]
    assert lends.words.get_nowait().startswith(f"{files[1].path}: ") and lends.words.empty()


def test_nothing_is_sent_for_a_sweep_that_stops(files, lender):
    lends, client = lender
    assert lends.lend("key", task_of(files), lacking(*files), lambda: False).told is None and client.sent == []


def test_a_worker_without_room_is_told_from_one_that_is_gone(files, lender):
    lends, client = lender
    client.error = OSError(errno.ENOSPC, "No space left on device", "there")
    told = lends.lend("key", task_of(files), lacking(*files), lambda: True).told
    assert told.answer.elsewhere and "No space left" in told.answer.error.message and not told.lacks
    client.error = OSError("Timed out trying to connect")
    lent = lends.lend("key", task_of(files), lacking(*files), lambda: True)
    assert lent.told is None and lent.wrong is None


def test_a_file_that_changed_here_is_an_error_of_the_sweep(files, lender):
    lends, client = lender
    waves(Path(files[0].path), 7)
    lent = lends.lend("key", task_of(files), lacking(files[0]), lambda: True)
    assert isinstance(lent.wrong, DataError) and "has changed since the sweep began" in lent.wrong.message
    assert client.sent == []


def test_a_worker_begins_no_cell_whose_files_it_lacks(files, tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "_data", lambda: tmp_path / "sent")
    placed = Placed(SimpleNamespace(sweep="sweep"))
    placed.address, placed.is_stopping, placed.is_shared, placed.root = "tcp://a:1", False, True, tmp_path / "runs"
    asked = []
    placed.idle = [SimpleNamespace(ask=lambda task: asked.append(task) or Answer("done"))]
    placed.running, begun = set(), []
    placed.worker = SimpleNamespace(log_event=lambda topic, run: begun.append((topic, run)))
    away = [msgspec.structs.replace(file, path=f"/away/{name}") for file, name in zip(files, NAMES, strict=True)]
    task = task_of([files[0], away[1]])
    found = placed.execute(task, b"")
    assert found.lacks == [files[1].sha256] and not asked and not begun
    content = Path(files[1].path).read_bytes()
    placed.refused = None
    assert worker.receive(msgspec.json.encode(away[1]), "sweep", 0, content)
    assert placed.execute(task, b"").answer == Answer("done") and begun == [("lieapp-sweep-begun", "run")]
    assert asked[0].places == {"/away/second.nc": str(tmp_path / "sent" / files[1].sha256 / "second.nc")}
    found = placed.execute(task_of([DataFile("/away/large.nc", 2**40, 0)]), b"")
    assert found.answer.elsewhere and found.answer.error == Failure(
        "DataError", f"{found.worker} doesn't see /away/large.nc as it was when the sweep began.", worker.UNSEEN
    )


def test_a_worker_without_room_for_a_sweep_answers_its_cells(files, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("LIEAPP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(worker, "write_files", full)
    placed = Placed(Shared(tmp_path / "none", "sweep", "proof", {}, [], "", versions(), False))
    dask = SimpleNamespace(address="tcp://a:1", status=None)
    placed.setup(dask)
    found = placed.execute(task_of([]), b"")
    assert found.answer.elsewhere and found.answer.error.type == "FileError"
    place = tmp_path / "cache" / "sweeps" / "sweep"
    assert found.answer.error.message == f"{place} can't be written: No space left on device."
    placed.teardown(dask)


HIDDEN = """
mount -t tmpfs none "$1" && mkdir "$1/work" && cd "$1/work" || exit 9
exec "$2" -m distributed.cli.dask_worker "$3" --nworkers 2 --nthreads 1 --no-dashboard
"""
"""Two workers to which a folder looks empty."""

QUICK = """
[set]
plugin = "heat"
method = "spectrum"
cross_check = false
finite.samples = 0
spectrum.degrees = [1]
threads = 1
"""


@pytest.fixture
def apart(tmp_path, pytestconfig):
    """The address of a scheduler, whose two workers see nothing of the working folder."""
    unshare = ["unshare", "-rm"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("no mount namespaces here")
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        workers = subprocess.Popen(
            [*unshare, "sh", "-c", HIDDEN, "sh", str(tmp_path), sys.executable, address],
            env={**os.environ, "LIEAPP_CACHE": str(tmp_path.parent / f"{tmp_path.name}-cache"),
                 "PYTHONPATH": str(pytestconfig.rootpath), "OMP_NUM_THREADS": "1"},
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + 60
            while len(cluster.scheduler.workers) < 2:
                assert workers.poll() is None and time.monotonic() < deadline
                time.sleep(0.1)
            yield address
        finally:
            workers.terminate()
            workers.wait(30)


def the_same(run, other):
    """Whether two results are the same but for the run's name and its times."""
    found = []
    for one in (run, other):
        document = json.loads((one.path / "summary.json").read_text())
        found.append({key: value for key, value in document.items() if key not in ("run", "seconds")})
    return found[0] == found[1]


@pytest.mark.slow
def test_cells_read_files_that_were_sent_as_runs_by_hand_do(files, write, apart, capsys, tmp_path):
    write(f'[grid]\ndata = ["own/first.nc", "own/second.nc"]\nseed = [0, 1]\n{QUICK}')
    capsys.readouterr()
    code = command(["sweep", "grid.toml", "--on", apart, "--json"])
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert code == 0, told
    runs = [RunDirectory(Path(cell["run"])) for cell in found["cells"]]
    assert [told.err.count(f"{file.path}: ") for file in files] == [1, 1]
    for run, file in zip(runs, (files[0], files[0], files[1], files[1]), strict=True):
        assert run.config()["data"]["files"] == [file.path]
        assert run.provenance()["data_files"] == {file.path: [file.sha256, None, None]}
        assert run.provenance()["data_sent"] == {file.path: file.sha256}
    by_hand = lieapp.discover(
        "heat", data=files[1].path, method="spectrum", cross_check=False, threads=1, seed=1, out=tmp_path / "hand",
        quiet=True, **{"finite.samples": 0, "spectrum.degrees": [1]},
    )  # fmt: skip
    assert the_same(runs[3], by_hand.directory)

    # what is there isn't sent again
    shutil.rmtree(runs[2].path)
    assert command(["sweep", "--resume", found["run"], "--on", apart, "--json"]) == 0
    told = capsys.readouterr()
    assert "sent to" not in told.err and json.loads(told.out)["sentence"] == "4 of 4 cells are done"
    # a file that changed ends the sweep with one error
    shutil.rmtree(runs[2].path)
    shutil.rmtree(tmp_path.parent / f"{tmp_path.name}-cache" / "data")
    waves(Path(files[1].path), 9)
    assert command(["sweep", "--resume", found["run"], "--on", apart, "--json"]) == 1
    assert "second.nc has changed since the sweep began" in json.loads(capsys.readouterr().out)["error"]["message"]
