"""Sizes are compared with headers, and estimated, before memory or time is spent on them."""

import gzip
import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.io
import torch

from lieapp.cli.main import as_lieapp_error
from lieapp.data import sizes
from lieapp.data.files import read
from lieapp.data.images.files import read_idx, read_npz
from lieapp.data.readers import matlab, numpy_files, text
from lieapp.data.simulate import simulate
from lieapp.data.sizes import check_simulation, simulation_cost
from lieapp.errors import DataError, SimulationError
from lieapp.registry.catalog import load_catalog

HEADER = b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (40, 8, 8))


@pytest.fixture
def peak():
    """The largest memory since the last call, in bytes."""
    tracemalloc.start()

    def measured() -> int:
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        return found

    yield measured
    tracemalloc.stop()


@pytest.mark.parametrize("packed", [True, False])
def test_no_more_is_unpacked_than_an_idx_header_says(tmp_path, peak, packed):
    file = tmp_path / "train-images-idx3-ubyte"
    with (gzip.open(file, "wb", 1) if packed else file.open("wb")) as stream:
        stream.write(HEADER)
        for _ in range(128):
            stream.write(bytes(2**20))
    peak()
    with pytest.raises(DataError, match="more than 2560 bytes of values where its header, 40 x 8 x 8, asks for"):
        read_idx(file)
    assert peak() < 2e7


def test_an_idx_header_that_asks_for_what_is_not_there(tmp_path, peak):
    file = tmp_path / "train-images-idx3-ubyte"
    start = b"\0\0\x08\x03"
    for lengths, said in (((2**31, 2**31, 2**31), "the most is"), ((2**12, 2**10, 2**9), "100 bytes of values")):
        file.write_bytes(start + b"".join(n.to_bytes(4, "big") for n in lengths) + bytes(100))
        with pytest.raises(DataError, match=said):
            read_idx(file)
    file.write_bytes(start + b"\0\0")
    with pytest.raises(DataError, match="of values where its header"):
        read_idx(file)
    assert peak() < 2e7


def test_an_archive_that_unpacks_to_more_than_is_read_whole(tmp_path, peak, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", images=np.zeros((400, 256, 256), np.uint8), labels=np.arange(400))
    assert (tmp_path / "a.npz").stat().st_size < 1e5
    monkeypatch.setattr(numpy_files, "MOST", 2**24)
    peak()
    with pytest.raises(DataError, match=r"images\.npy takes .* GiB unpacked") as caught:
        read_npz(tmp_path / "a.npz")
    assert "without compression" in caught.value.hint and peak() < 2e7


def test_a_matlab_file_that_unpacks_to_more_than_is_read_whole(tmp_path, peak, monkeypatch):
    values = {"u": np.zeros((64, 128, 128)), "cells": np.array([np.zeros(2**20), np.ones(3)], dtype=object)}
    scipy.io.savemat(tmp_path / "a.mat", values, do_compression=True)
    matlab.open_level5(tmp_path / "a.mat")
    monkeypatch.setattr(matlab, "MOST", 2**23)
    peak()
    with pytest.raises(DataError, match="compressed variables take more than"):
        read(tmp_path / "a.mat")
    assert peak() < 5e7
    scipy.io.savemat(tmp_path / "b.mat", values)
    matlab.open_level5(tmp_path / "b.mat")


def test_tables_are_read_up_to_a_size(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("t,x,u\n" + "0,0,1\n" * 100)
    monkeypatch.setattr(text, "MOST", 100)
    with pytest.raises(DataError, match="the most is"):
        read(tmp_path / "a.csv")


@pytest.fixture(scope="module")
def kdv():
    return load_catalog().get("kdv").declaration


def on(pde, times, points, **more):
    t, x = pde.region
    return replace(pde, points={t: times, x: points}, **more)


@pytest.mark.parametrize(
    ("times", "points", "keep", "said"),
    [
        (10**7, 10**6, None, "GB of memory; this machine has"),
        (10**9, 10**9, 1, "GB of memory; this machine has"),
        (10**7, 10**4, 10, "at the very least; the most is 24 h 0 min"),
    ],
)
def test_simulations_beyond_this_machine_are_refused_at_once(kdv, times, points, keep, said):
    began = time.perf_counter()
    with pytest.raises(SimulationError, match=said) as caught:
        simulate(on(kdv, times, points, keep_last=keep), 16, torch.Generator())
    assert f"points = {{t: {times}, x: {points}}}" in caught.value.message and "points" in caught.value.hint
    assert time.perf_counter() - began < 2


def test_the_estimate_bounds_what_a_simulation_takes():
    heat = load_catalog().get("heat").declaration
    check_simulation(heat, 64)
    memory, least = simulation_cost(heat, 2)
    began = time.perf_counter()
    found = simulate(heat, 2, torch.Generator().manual_seed(0))
    assert time.perf_counter() - began > least > 0
    assert memory > sizes.COPIES * found.values.nbytes
    with pytest.raises(SimulationError, match="memory"):
        check_simulation(heat, 2, memory=memory / 2)


@pytest.mark.parametrize(
    ("command", "setting"),
    [("discover", "flow_batch"), ("data", "number of trajectories"), ("augment", "batch"), ("truth", "memory")],
)
def test_a_lack_of_memory_is_told_with_settings_that_the_command_has(command, setting):
    told = as_lieapp_error(MemoryError(), command)
    assert setting in told.hint and (command == "discover" or "flow_batch" not in told.hint)
