"""Rounds of moves: made once, kept for a later session, given up with their way of moving."""

import pytest
import torch

from lieapp.augment import of_solutions as pool_module
from lieapp.augment.moving import Moved
from lieapp.augment.of_solutions import Pool


@pytest.fixture
def made():
    """A maker of rounds that counts."""
    calls = []

    def make():
        calls.append(len(calls))
        samples = torch.full((2, 1, 3, 4), float(len(calls)), dtype=torch.float64)
        valid = torch.tensor([[True, True, False], [True, True, True]])
        return Moved(samples, valid, valid.all(1), torch.zeros(2, 1, dtype=torch.float64))

    make.calls = calls
    return make


def test_a_round_is_made_once_also_in_a_later_session(tmp_path, made):
    first = Pool(tmp_path / "pool")
    one = first.round("8 truth", 0, "cpu", made)
    assert one.samples.dtype == torch.float32
    assert first.round("8 truth", 0, "cpu", made) is one and len(made.calls) == 1
    first.round("8 truth", 1, "cpu", made)
    later = Pool(tmp_path / "pool")
    again = later.round("8 truth", 0, "cpu", made)
    assert len(made.calls) == 2
    assert all(torch.equal(getattr(one, n), getattr(again, n)) for n in ("samples", "valid", "kept"))


def test_another_way_takes_the_place(tmp_path, made):
    pool = Pool(tmp_path / "pool")
    pool.round("8 truth", 0, "cpu", made)
    other = pool.round("16 truth", 0, "cpu", made)
    assert len(made.calls) == 2 and float(other.samples[0, 0, 0, 0]) == 2
    assert len(list((tmp_path / "pool").iterdir())) == 1
    pool.drop()
    assert not (tmp_path / "pool").exists()
    pool.drop()


def test_large_rounds_and_broken_files_are_made_again(tmp_path, made, monkeypatch):
    pool = Pool(tmp_path / "pool")
    pool.round("8 truth", 0, "cpu", made)
    (file,) = (tmp_path / "pool").iterdir()
    file.write_bytes(b"broken")
    Pool(tmp_path / "pool").round("8 truth", 0, "cpu", made)
    assert len(made.calls) == 2
    monkeypatch.setattr(pool_module, "MOST", 10)
    pool.round("8 d_t", 0, "cpu", made)
    assert not list((tmp_path / "pool").iterdir())
