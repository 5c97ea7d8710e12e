"""Files of more trajectories than are read at once: the same ones, apart in the same way, whoever reads them."""

import os
from contextlib import contextmanager
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import torch
from own_burgers import burgers, cole_hopf, etas, nodes_of, npz, read
from teams import Others

from lieapp.config import DiscoverConfig
from lieapp.config_types import FileData
from lieapp.data import stretches as room
from lieapp.data.files import Cut
from lieapp.data.own import FEW, HELD_OUT, names
from lieapp.data.own_trajectories import Room, own_data, undeclared
from lieapp.data.stretches import Stretches
from lieapp.errors import DataError, ResumeError
from lieapp.methods.result import Sums, over, sums
from lieapp.pde.chunks import dataset_of
from lieapp.pde.domain import PDEDomain
from lieapp.pde.file_chunks import OfFiles
from lieapp.pde.known import Derived, scaled
from lieapp.progress import SilentReporter
from lieapp.runs.store.checkpoint import Checkpoint

QUIET = SilentReporter()


def kept(folder, *files, chunk=2, team=None, **options):
    shelf = Checkpoint(folder / "checkpoint")
    shelf.folder.mkdir(parents=True, exist_ok=True)
    return own_data(burgers(), FileData(files=files, **options), QUIET, Room(shelf, chunk, team))


def solutions(folder, count, points=48, times=9, seed=0, name="some", rows=None):
    x, t = nodes_of("uniform", points), np.linspace(0, 1, times)
    u = cole_hopf(x, t, count, seed)
    return npz(folder / f"{name}.npz", x=x, t=t, u=u if rows is None else u[rows])


def same(one, other):
    """Whether lists of pieces hold the same trajectories in the same order."""
    apart = [[row for piece in pieces for row in piece.values] for pieces in (one, other)]
    return len(apart[0]) == len(apart[1]) and all(torch.equal(a, b) for a, b in zip(*apart, strict=True))


@pytest.mark.parametrize("split", [(9,), (2, 7), (1, 1, 7), (4, 5)])
@pytest.mark.parametrize("chunk", [1, 2, 4])
def test_stretches_are_what_is_read_at_once(tmp_path, split, chunk):
    """The same trajectories to learn from and to judge on, to the last bit."""
    x, t = nodes_of("uniform", 32), np.linspace(0, 1, 8)
    u, files, n = cole_hopf(x, t, 9), [], 0
    for k, count in enumerate(split):
        files.append(npz(tmp_path / f"{k}.npz", x=x, t=t, u=u[n : n + count]))
        n += count
    named = {"map": "u=u(sample,t,x), t=t, x=x"}
    own, whole = kept(tmp_path, *files, chunk=chunk, **named), read(burgers(), *files, **named)
    assert own.stretches is not None and own.declaration.region == whole.declaration.region
    assert same(own.train, whole.train) and same(own.held_out, whole.held_out)
    assert own.words[-1].startswith("9 trajectories, read in") and own.words[-1].endswith("held out for validation")


def test_grids_and_times_may_differ(tmp_path):
    files = [solutions(tmp_path, 3, 48, 9, 0, "a"), solutions(tmp_path, 4, 64, 12, 1, "b")]
    own, whole = kept(tmp_path, *files), read(burgers(), *files)
    assert same(own.train, whole.train) and same(own.held_out, whole.held_out)
    data = dataset(own, tmp_path)
    assert data.train.trajectories == 5 and data.held_out.trajectories == 2
    # trainings draw from all stretches of the grid that comes first
    assert [piece.grid.shape for piece in data.train.sources] == [(48,), (48,)]


def dataset(own, folder, team=None, **settings):
    config = DiscoverConfig(plugin="mine", **settings)
    domain = PDEDomain(own.declaration)
    chunks = OfFiles(config, domain, own.stretches, Checkpoint(folder / "checkpoint"), "cpu")
    return dataset_of(chunks, chunks.measured(team, QUIET), team)


def test_scales_and_defects_are_those_of_all(tmp_path):
    file = solutions(tmp_path, 11)
    own, whole = kept(tmp_path, file, chunk=3, parameter=("nu:0.1",)), read(burgers(), file, parameter=("nu:0.1",))
    domain = PDEDomain(own.declaration)
    one, data = domain.prepared(whole.train, whole.held_out), dataset(own, tmp_path)
    assert data.scales.size == pytest.approx(one.scales.size, rel=1e-13)
    assert data.held_out.kept == one.held_out.kept
    truth = domain.truth().periodic
    known = scaled(domain, Derived([], [], list(truth), []), data.scales)
    share = lambda d, batches: sums(known, d, batches)  # noqa: E731
    # all slices, so that both sums are over the same ones
    mine, theirs = (over(d.held_out, domain, 10_000, share, Sums.joined).judgement() for d in (data, one))
    assert float(mine.eta.max()) < 1e-6 and max(etas(whole).values()) < 1e-6
    torch.testing.assert_close(mine.eta, theirs.eta, rtol=0, atol=1e-10)


def test_others_read_and_sum_the_same_to_the_last_bit(tmp_path):
    file = solutions(tmp_path, 9, times=12)
    (tmp_path / "two").mkdir()
    shelf = Checkpoint(tmp_path / "two" / "checkpoint")
    there = Stretches(FileData(files=(file,)), *names(burgers()), shelf, 2)
    team = Others(SimpleNamespace(stretches=there))
    own, spread = kept(tmp_path, file), kept(tmp_path / "two", file, team=team)
    assert team.done == 5 and same(own.train, spread.train) and same(own.held_out, spread.held_out)
    alone = dataset(own, tmp_path)
    config, domain = DiscoverConfig(plugin="mine"), PDEDomain(own.declaration)
    others = Others(OfFiles(config, domain, there, shelf, "cpu"))
    data = dataset(spread, tmp_path / "two", others)
    known = scaled(domain, Derived([], [], list(domain.truth().periodic), []), alone.scales)
    share = lambda d, batches: sums(known, d, batches)  # noqa: E731
    eta = [over(d.train, domain, 30, share, Sums.joined).judgement().eta for d in (alone, data)]
    assert torch.equal(*eta) and others.done == 5 + len(data.train._parts)


COPIES = [
    [[0, 1, 2, 0], [3, 2, 4, 5, 6]],
    # copies where trajectories would be held out, so that none were left
    [[*range(HELD_OUT - 1), 0, 1]],
    [[0] * 9, [1, 2, 0, 1, 3, 4, 4, 5, 6], [6, 6, 6, 6]],
]


@pytest.mark.parametrize("rows", COPIES)
@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_copies_are_left_out_as_if_read_at_once(tmp_path, rows, chunk):
    """The same trajectories are held out: their places among those that are no copies decide."""
    files = [solutions(tmp_path, 7, times=12, name=str(k), rows=some) for k, some in enumerate(rows)]
    own, whole = kept(tmp_path, *files, chunk=chunk), read(burgers(), *files)
    assert own.words[-2] == whole.words[-2] and "copies of others; left out" in own.words[-2]
    assert same(own.train, whole.train) and same(own.held_out, whole.held_out) and own.held_out
    again = kept(tmp_path, *files, chunk=chunk)
    assert again.words == own.words and same(again.train, own.train) and same(again.held_out, own.held_out)


def test_a_run_that_ends_while_copies_are_left_out_goes_on(tmp_path, monkeypatch):
    files = [solutions(tmp_path, 7, times=12, name=str(k), rows=some) for k, some in enumerate(COPIES[-1])]
    whole, save = read(burgers(), *files), Checkpoint.save_data
    for count in range(11, 17):
        folder, saved = tmp_path / str(count), []
        folder.mkdir()

        def until(self, data, name, saved=saved, count=count):
            saved.append(name)
            if len(saved) > count:
                raise KeyboardInterrupt
            save(self, data, name)

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(Checkpoint, "save_data", until)
            kept(folder, *files)
        own = kept(folder, *files)
        assert own.words[-2] == whole.words[-2]
        assert same(own.train, whole.train) and same(own.held_out, whole.held_out)


def test_few_that_are_no_copies_are_cut_into_windows(tmp_path):
    own = kept(tmp_path, solutions(tmp_path, 2, times=60, rows=[0, 0, 1, 0, 1]))
    assert own.whole is not None and own.stretches is None
    assert own.words[-1].startswith("2 trajectories, cut into")


def test_what_is_there_is_not_read_again(tmp_path, monkeypatch):
    file = solutions(tmp_path, 7)
    first = kept(tmp_path, file)
    (tmp_path / "checkpoint/data/00001.safetensors").unlink()
    opened = []
    own = Stretches._opened

    @contextmanager
    def counted(self, path):
        with own(self, path) as load:
            yield lambda one, *far: opened.append(one.rows) or load(one, *far)

    monkeypatch.setattr(Stretches, "_opened", counted)
    again = kept(tmp_path, file)
    assert opened == [range(2, 4)] and same(first.train, again.train)
    solutions(tmp_path, 7, seed=1)
    with pytest.raises(DataError, match=r"some\.npz has changed since this run began"):
        kept(tmp_path, file)


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, at):
    """No stretch of another file is kept as one of this: putting the old file back is enough."""
    file, saved, save = solutions(tmp_path, 7, times=12), [], Checkpoint.save_data
    right, other = (tmp_path / "some.npz").read_bytes(), solutions(tmp_path, 7, times=12, seed=1, name="other")

    def then(self, data, name):
        save(self, data, name)
        saved.append(name)
        if len(saved) == at:
            os.replace(other, file)

    load = room.trajectories_of
    with monkeypatch.context() as patched, pytest.raises(DataError, match=r"some\.npz changed while it was read"):
        patched.setattr(Checkpoint, "save_data", then)
        if not at:  # between reading and keeping
            patched.setattr(room, "trajectories_of", lambda *a: (os.replace(other, file), load(*a))[1])
        kept(tmp_path, file)
    if at:
        with pytest.raises(DataError, match=r"some\.npz has changed since this run began"):
            kept(tmp_path, file)
    (tmp_path / "some.npz").write_bytes(right)
    assert same(kept(tmp_path, file).train, read(burgers(), file).train)


def test_a_file_that_changes_between_two_readers_is_refused(tmp_path):
    file = solutions(tmp_path, 7, times=12)
    shelf = Checkpoint(tmp_path / "checkpoint")
    here, rows = Stretches(FileData(files=(file,)), *names(burgers()), shelf, 4), []
    rows += here.read([0])
    solutions(tmp_path, 7, times=12, seed=1)
    there = Stretches(FileData(files=(file,)), *names(burgers()), shelf, 4)
    rows += there.read([1])
    for one in (here, there):
        with pytest.raises(DataError, match=r"some\.npz changed while it was read"):
            one.leave_out(rows)
    (tmp_path / "some.npz").unlink()
    with pytest.raises(DataError, match=r"some\.npz vanished while it was read") as told:
        here.leave_out(rows)
    assert "Put it back" in told.value.hint


@pytest.mark.parametrize(("end", "words"), [(os.remove, "vanished"), (lambda f: os.truncate(f, 900), "changed")])
def test_a_file_that_ends_while_it_is_read_is_told(tmp_path, monkeypatch, end, words):
    x, t = nodes_of("uniform", 48), np.linspace(0, 1, 9)
    with h5py.File(tmp_path / "some.h5", "w") as opened:
        opened["x"], opened["t"] = x, t
        opened.create_dataset("u", data=cole_hopf(x, t, 7), chunks=(1, 9, 48), compression="gzip")
    load = Cut.load
    monkeypatch.setattr(Cut, "load", lambda self, *a, **k: (end(self.part.path), load(self, *a, **k))[1])
    with pytest.raises(DataError, match=rf"some\.h5 {words} while it was read"):
        kept(tmp_path, str(tmp_path / "some.h5"))


class Told(SilentReporter):
    """What is told of how far a stage is."""

    def __init__(self):
        self.steps = []

    def progress(self, step, total, text=""):
        self.steps.append((step, total, text))


def test_how_far_each_pass_is_told_from_its_beginning_on(tmp_path):
    file, told = solutions(tmp_path, 8), Told()
    shelf = Checkpoint(tmp_path / "checkpoint")
    shelf.folder.mkdir()
    own = own_data(burgers(), FileData(files=(file,)), told, Room(shelf, 4))
    size = 8 * 8 * 48 * 9
    assert told.steps[0][:2] == (0, size) and told.steps[0][2].startswith("0.0 of ")
    # the last one within a stretch, and after it
    assert [step for step, total, _ in told.steps[1:]] == [size // 2, size // 2, size, size]
    chunks = OfFiles(DiscoverConfig(plugin="mine"), PDEDomain(own.declaration), own.stretches, shelf, "cpu")
    for work, what in (
        (lambda: chunks.over(None, told)(len_of, max), "stretches checked"),
        (lambda: chunks.measured(None, told), "stretches measured"),
    ):
        told.steps.clear()
        work()
        assert told.steps == [(step, 2, what) for step in range(3)]


def len_of(data):
    return data.samples


def test_spoiled_stretches_that_are_damaged_are_told(tmp_path):
    own = kept(tmp_path, solutions(tmp_path, 8, times=20), chunk=3)
    dataset(own, tmp_path, noise=0.1)
    file = tmp_path / "checkpoint/data/spoiled-00001.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ResumeError, match=r"spoiled-00001\.safetensors .* the checksum differs"):
        dataset(own, tmp_path, noise=0.1)


def test_a_file_that_is_small_is_read_at_once(tmp_path):
    own = kept(tmp_path, solutions(tmp_path, 7), chunk=0)
    assert own.stretches is None and not (tmp_path / "checkpoint" / "data").exists()
    # windows of few trajectories, and holes, are of all that is read
    assert kept(tmp_path, solutions(tmp_path, FEW - 1, times=30)).stretches is None
    assert kept(tmp_path, solutions(tmp_path, 7), drop_nan=True).stretches is None


def test_stretches_hold_as_many_as_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("lieapp.data.own.CHUNK", 3 * 8 * 48 * 9)
    own = kept(tmp_path, solutions(tmp_path, 8), chunk=0)
    assert [piece.samples for piece in own.pieces] == [3, 3, 2]


def test_the_disk_and_holes_are_told(tmp_path, monkeypatch):
    file = solutions(tmp_path, 8)
    with monkeypatch.context() as patched:
        patched.setattr(room.shutil, "disk_usage", lambda folder: SimpleNamespace(free=10_000))
        with pytest.raises(DataError, match=r"8 trajectories take .* GB; the disk of .* has 1e-05 GB"):
            kept(tmp_path, file)
    x, t = nodes_of("uniform", 48), np.linspace(0, 1, 9)
    u = cole_hopf(x, t, 8)
    u[5, 3:, 7] = np.nan
    with pytest.raises(DataError, match=r"6 of 9 times of 1 of 2 samples from sample 5 on") as told:
        kept(tmp_path / "other", npz(tmp_path / "holes.npz", x=x, t=t, u=u))
    assert "--samples 5 keeps those without" in told.value.hint


def test_hints_for_holes_hold_for_all_files(tmp_path):
    """What a stretch can't know isn't said, and `--samples` counts trajectories of all files."""
    x, t = nodes_of("uniform", 48), np.linspace(0, 1, 20)
    u = cole_hopf(x, t, 9)
    u[4:, 3:, 7] = np.nan
    files = [solutions(tmp_path, 6, times=20), npz(tmp_path / "holes.npz", x=x, t=t, u=u)]
    for found in (lambda: read(burgers(), *files), lambda: kept(tmp_path, *files, chunk=3)):
        with pytest.raises(DataError) as told:
            found()
        assert "--samples 10 keeps those without" in told.value.hint
    assert "of 2 of 3 samples from sample 4 on" in told.value.message and "leaves out 1" not in told.value.hint
    own = kept(tmp_path, *files, chunk=3, samples=10)
    assert sum(piece.samples for piece in own.pieces) == 10
    u = cole_hopf(x, t, 9)
    u[4, 10:, 7] = np.nan
    with pytest.raises(DataError) as told:
        kept(tmp_path / "more", npz(tmp_path / "later.npz", x=x, t=t, u=u), chunk=2)
    assert "keeps the longest stretch without in these samples" in told.value.hint


def test_data_are_made_worse_stretch_by_stretch(tmp_path):
    own = kept(tmp_path, solutions(tmp_path, 8, times=20), chunk=3)
    clean, data = dataset(own, tmp_path), dataset(own, tmp_path, noise=0.1, every_time=2)
    assert [len(piece.time) for piece in data.train.pieces] == [10, 10, 10]
    apart = [
        (piece.values - source.values[:, ::2]).flatten()
        for piece, source in zip(data.train.pieces, clean.train.pieces, strict=True)
    ]
    assert all(float(some.std()) > 1e-3 for some in apart)
    # no stretch has the noise of another
    assert not torch.equal(apart[0][:50] / apart[0].std(), apart[1][:50] / apart[1].std())


def test_files_without_an_equation_are_read_in_stretches(tmp_path):
    file = solutions(tmp_path, 8)
    (tmp_path / "checkpoint").mkdir()
    pieces, copies = undeclared(FileData(files=(file,)), QUIET, Room(Checkpoint(tmp_path / "checkpoint"), 3))
    whole, _ = undeclared(FileData(files=(file,)), QUIET)
    assert [piece.samples for piece in pieces] == [3, 3, 2] and not copies
    # those held out stand last in each stretch
    assert sum(float(piece.values.sum()) for piece in pieces) == pytest.approx(float(whole[0].values.sum()))
