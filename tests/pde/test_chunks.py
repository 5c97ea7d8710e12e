"""Trajectories in chunks: what is known of parts gives what is known of all, whoever computes it."""

import io
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_solutions import declaration
from teams import Others

from lieapp.config import DiscoverConfig
from lieapp.data.sizes import simulation_cost
from lieapp.data.trajectories import Extent, Trajectories
from lieapp.domains.solutions import PatchData
from lieapp.domains.spread import EveryComponent
from lieapp.errors import DataError, ResumeError, SimulationError
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.fields import Combination
from lieapp.methods.result import Sums, factored, over, sums
from lieapp.methods.spectrum import Factors, spectrum
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import amplitudes, loudest
from lieapp.numerics.tree import merged
from lieapp.pde import chunks as room
from lieapp.pde.chunks import InChunks, Simulated, dataset_of
from lieapp.pde.data import Known, Measured
from lieapp.pde.domain import PDEDomain
from lieapp.pde.gathering import Gathering
from lieapp.progress import SilentReporter
from lieapp.runs.store.checkpoint import Checkpoint
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.reporter import PlainReporter, RunReporter
from lieapp.runs.store.sealed import check_sealed
from lieapp.runs.store.session import Session

GIVEN = {"plugin": "burgers", "samples": 5, "held_out": 3, "seed": 4, "tolerance": 1e-6}


@pytest.fixture(scope="module")
def domain():
    return PDEDomain(declaration("burgers", 32, 25))


def gatherer(domain, folder, team=None, **settings):
    config = DiscoverConfig(**GIVEN, **settings)
    (folder / "checkpoint").mkdir(exist_ok=True)
    return InChunks(Simulated(config, domain, Checkpoint(folder / "checkpoint"), "cpu"), team, SilentReporter())


@pytest.fixture(scope="module")
def gathered(domain, tmp_path_factory):
    own = gatherer(domain, tmp_path_factory.mktemp("run"), chunk=3)
    return own, own.gathered()


def data_of(gatherer, made):
    return dataset_of(gatherer.chunks, made, gatherer.team)


@given(st.lists(st.integers(), min_size=1, max_size=40))
def test_a_tree_keeps_the_order(numbers):
    assert merged([[n] for n in numbers], lambda a, b: a + b) == numbers


def test_nothing_can_not_be_merged():
    with pytest.raises(ValueError, match="nothing to merge"):
        merged([], lambda a, b: a)


@given(st.integers(1, 3), st.integers(0, 2**30))
def test_extents_of_parts_give_that_of_all(cut, seed):
    generator = torch.Generator().manual_seed(seed)
    values = 3 + torch.randn(4, 5, 2, 8, generator=generator, dtype=torch.float64)
    grid = Grid((Axis("x", 0.0, 1.0, 8, True),))
    data = Trajectories(torch.arange(5.0, dtype=torch.float64), grid, values, ("u", "v"))
    whole = Measured.of(data)
    both = Measured.of(data.select(slice(0, cut))).joined(Measured.of(data.select(slice(cut, None))))
    for name in ("low", "high", "mean", "squares", "along"):
        torch.testing.assert_close(getattr(both.extent, name), getattr(whole.extent, name), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(both.lines, whole.lines)
    expected = values.movedim(2, 0).flatten(1).std(1).tolist()
    assert both.extent.spreads == pytest.approx(expected, rel=1e-12)


def test_what_does_not_vary_is_refused():
    grid = Grid((Axis("x", 0.0, 1.0, 8, True),))
    time = torch.arange(3.0, dtype=torch.float64)
    level = Trajectories(time, grid, torch.ones(2, 3, 1, 8, dtype=torch.float64), ("u",))
    other = replace(level, values=2 * level.values)
    with pytest.raises(DataError, match="u is 1 at every time"):
        Extent.of(level).joined(Extent.of(level)).check(level, "mine")
    with pytest.raises(DataError, match="don't vary along x"):
        Extent.of(level).joined(Extent.of(other)).check(level, "mine")


def test_chunks_are_the_trajectories_of_one_set(domain, gathered):
    own, made = gathered
    assert [len(rows) for rows in own.chunks.rows] == [3, 3, 2]
    train, held_out = own.chunks.pieces()
    assert [piece.samples for piece in train] == [3, 2] and [piece.samples for piece in held_out] == [1, 2]
    values = torch.cat([piece.values for piece in (*train, *held_out)])
    everything = domain.trajectories(8, seed=4)
    # steps are chosen for all that are stepped together; initial states are drawn one by one
    torch.testing.assert_close(values[:, 0], everything.values[:, 0], rtol=0, atol=1e-14)
    torch.testing.assert_close(values, everything.values, rtol=0, atol=1e-5)
    assert made.error < 1e-5 and made.facts["steps"] > 0


def test_scales_and_cuts_are_those_of_all(domain, gathered):
    own, made = gathered
    data, (train, held_out) = data_of(own, made), own.chunks.pieces()
    together = replace(train[0], values=torch.cat([piece.values for piece in train]))
    judged = replace(train[0], values=torch.cat([piece.values for piece in held_out]))
    one = domain.prepared([together], [judged], known=Known(Measured.of(together), Measured.of(judged)))
    assert data.scales.size == pytest.approx(one.scales.size, rel=1e-13)
    assert data.train.kept == one.train.kept and data.held_out.kept == one.held_out.kept
    assert data.train.trajectories == 5 and data.held_out.trajectories == 3
    lines = (amplitudes(piece.values.flatten(0, 1), piece.grid) for piece in train)
    torch.testing.assert_close(merged(lines, loudest), amplitudes(together.values.flatten(0, 1), together.grid))


@pytest.fixture(scope="module")
def basis(domain):
    return TensorBasis(domain.arguments, Degrees(1, 2, 1))


def test_sums_over_chunks_are_those_over_all_slices(domain, gathered, basis):
    data = data_of(*gathered)
    fields = EveryComponent(basis, len(domain.components))
    found = over(data.train, domain, 40, lambda d, batches: factored(fields, d, batches), Factors.joined)
    expected = factored(fields, domain, data.train.batches(40, 8))
    for name in ("fields", "characteristics", "residuals"):
        mine, theirs = getattr(found, name), getattr(expected, name)
        torch.testing.assert_close(mine.T @ mine, theirs.T @ theirs, rtol=1e-11, atol=1e-11)
    assert found.rows == expected.rows
    eta = spectrum(found).eta
    torch.testing.assert_close(eta, spectrum(expected).eta, rtol=1e-8, atol=1e-10)
    few = Combination(basis, spectrum(found).coefficients[:3].reshape(3, basis.count, -1))
    mine = over(data.held_out, domain, 20, lambda d, batches: sums(few, d, batches), Sums.joined).judgement()
    theirs = sums(few, domain, data.held_out.batches(20, 8)).judgement()
    torch.testing.assert_close(mine.eta, theirs.eta, rtol=1e-10, atol=1e-13)
    torch.testing.assert_close(mine.parts, theirs.parts)


def test_others_give_the_same_to_the_last_bit(domain, gathered, basis, tmp_path):
    own, made = gathered
    there = Others(Simulated(own.chunks.config, domain, own.chunks._checkpoint, "cpu"))
    spread = InChunks(Simulated(own.chunks.config, domain, own.chunks._checkpoint, "cpu"), there, SilentReporter())
    fields = EveryComponent(basis, len(domain.components))
    share = lambda d, batches: factored(fields, d, batches)  # noqa: E731
    mine = over(data_of(own, made).train, domain, 24, share, Factors.joined)
    theirs = over(data_of(spread, spread.gathered()).train, domain, 24, share, Factors.joined)
    assert there.done == 3 + 2 and torch.equal(mine.residuals, theirs.residuals)


def test_patches_are_drawn_from_all_chunks(domain, gathered):
    own, made = gathered
    data = data_of(own, made)
    found = data.patches(4, None, (8, 16), torch.float64)
    train = own.chunks.pieces()[0]
    together = replace(train[0], values=torch.cat([piece.values for piece in train]))
    expected = PatchData([together], data.scales, data.train.time, found.shape, torch.float64)
    assert found.trajectories == 5
    for step in range(3):
        mine, theirs = (z.draw(4, torch.Generator().manual_seed(step), step) for z in (found, expected))
        assert torch.equal(mine.points, theirs.points)
    assert torch.equal(*(torch.cat([b.points for b in z.batches(2)]) for z in (found, expected)))


def test_what_is_moved_comes_from_as_many_chunks_as_it_takes(gathered):
    held_out = data_of(*gathered).held_out
    pieces = gathered[0].chunks.pieces()[1]
    assert [[piece.samples for piece in held_out.first(n)] for n in (1, 2, 9)] == [[1], [1, 1], [1, 2]]
    assert torch.equal(held_out.first(3)[1].values, pieces[1].values)


def test_slices_are_drawn_from_all_chunks(gathered):
    data, generator = data_of(*gathered), torch.Generator().manual_seed(0)
    drawn = torch.cat([data.train.draw(6, generator).sample for _ in range(20)])
    assert set(drawn.tolist()) == set(range(5))


def test_what_is_there_is_gone_on_with(domain, tmp_path, monkeypatch):
    own = gatherer(domain, tmp_path, chunk=3)
    first = own.gathered()
    (tmp_path / "checkpoint/data/00001.safetensors").unlink()
    simulated = []
    monkeypatch.setattr(domain, "simulated", lambda *a: simulated.append(a[0]) or PDEDomain.simulated(domain, *a))
    again = gatherer(domain, tmp_path, chunk=3).gathered()
    assert simulated == [3] and torch.equal(again.train.extent.mean, first.train.extent.mean)
    own.chunks._checkpoint.drop_data()
    assert not (tmp_path / "checkpoint/data").exists()


def test_how_far_the_chunks_are_is_told_in_chunks(domain, tmp_path, monkeypatch):
    monkeypatch.setattr("lieapp.runs.store.reporter.EVERY", 0.0)
    own, told = gatherer(domain, tmp_path, chunk=4), io.StringIO()
    own._report = PlainReporter(told)
    own.gathered()
    lines = told.getvalue().splitlines()
    assert lines and all(re.fullmatch(r"start: \d\.\d of 2 chunks of trajectories", line) for line in lines)


def test_what_is_there_is_read_once(domain, tmp_path, monkeypatch):
    own = gatherer(domain, tmp_path, chunk=3)
    first, read = own.gathered(), []
    plain = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a, **k: read.append(self.name) or plain(self, *a, **k))
    monkeypatch.setattr(Checkpoint, "mapped", lambda self, name: pytest.fail(f"{name} is read again"))
    assert check_sealed(tmp_path) == []
    again = gatherer(domain, tmp_path, chunk=3).gathered()
    assert read == [f"{number:05d}.safetensors" for number in range(3)]
    assert torch.equal(again.train.extent.mean, first.train.extent.mean)


def test_a_damaged_chunk_is_told(domain, tmp_path):
    gatherer(domain, tmp_path, chunk=4).gathered()
    file = tmp_path / "checkpoint/data/00001.safetensors"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ResumeError, match=r"00001\.safetensors can't be read") as told:
        gatherer(domain, tmp_path, chunk=4).gathered()
    assert told.value.hint.startswith("Delete this file")
    content = bytearray(file.with_name("00000.safetensors").read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ResumeError, match=r"00001\.safetensors .* the checksum differs") as told:
        gatherer(domain, tmp_path, chunk=4).gathered()
    assert told.value.hint.startswith("Delete this file")
    file.unlink()
    assert gatherer(domain, tmp_path, chunk=4).gathered().held_out is not None


def test_a_disk_that_is_too_small_is_told_first(domain, tmp_path, monkeypatch):
    monkeypatch.setattr(room.shutil, "disk_usage", lambda folder: SimpleNamespace(free=10_000))
    with pytest.raises(SimulationError, match=r"8 trajectories take .* GB; the disk of .* has 1e-05 GB"):
        gatherer(domain, tmp_path, chunk=4).gathered()


def test_a_disk_needs_room_for_what_is_missing_alone(domain, tmp_path, monkeypatch):
    own = gatherer(domain, tmp_path, chunk=4)
    own.gathered()
    (tmp_path / "checkpoint/data/00001.safetensors").unlink()
    assert own.chunks.missing() == 4
    monkeypatch.setattr(room.shutil, "disk_usage", lambda folder: SimpleNamespace(free=5 * 32 * 25 * 8))
    assert gatherer(domain, tmp_path, chunk=4).gathered().held_out is not None


def test_a_disk_needs_room_for_what_is_kept_alone(domain, tmp_path, monkeypatch):
    monkeypatch.setattr(room.shutil, "disk_usage", lambda folder: SimpleNamespace(free=8 * 32 * 25 * 8 // 3))
    assert gatherer(domain, tmp_path, chunk=4, every_time=2, every_point=2).gathered().train is not None


def test_a_day_is_the_limit_of_one_process(domain, tmp_path, monkeypatch):
    between = sum(simulation_cost(domain.declaration, count)[1] for count in (4, 8)) / 2
    monkeypatch.setattr("lieapp.data.sizes.LONGEST", between)
    with pytest.raises(SimulationError, match="the most is"):
        gatherer(domain, tmp_path, chunk=4).gathered()
    own = gatherer(domain, tmp_path, chunk=4)
    assert gatherer(domain, tmp_path, Others(own.chunks), chunk=4).gathered().train is not None


def test_no_chunk_has_the_noise_of_a_chunk_of_the_next_seed(domain, tmp_path):
    clean = domain.trajectories(2, seed=0)
    configs = [DiscoverConfig(**{**GIVEN, "seed": seed}, noise=0.1, chunk=2) for seed in (0, 1, 2)]
    own = [Simulated(config, domain, Checkpoint(tmp_path), "cpu") for config in configs]
    noises = [made._spoiled(clean, number).values - clean.values for made in own for number in (0, 1, 2)]
    assert not any(torch.equal(a, b) for k, a in enumerate(noises) for b in noises[:k])


@pytest.mark.parametrize(
    ("given", "told"),
    [({}, "all 8 trajectories fit into one chunk: .*; set chunk to fewer"),
     ({"source": lambda samples, seed: {}}, "the plugin's source gives all trajectories at once: .* processes$")],
)  # fmt: skip
def test_a_team_without_chunks_is_told_why(domain, given, told, tmp_path):
    config, run = DiscoverConfig(**GIVEN), RunDirectory(tmp_path)
    session = Session(run, RunReporter(SilentReporter(), run), config)
    session.team = Others(None)
    own = PDEDomain(replace(domain.declaration, **given))
    assert Gathering(config, own, session, None).in_chunks() is None
    (warning,) = session.report.warnings
    assert re.match(told, warning)
