"""Crops: where they are cut, what their pixels are, and which photographs are held out."""

import os
import tracemalloc
import weakref

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.stats import kstest

from lieapp.data.images import crops as module
from lieapp.data.images.crops import SHRUNK, Crops, boxes, shares
from lieapp.data.images.sources import PHOTOGRAPHS, read_pictures
from lieapp.errors import DataError, UsageError
from lieapp.pictures.networks import drawn

COLOURS = {"a/0.png": (255, 0, 0), "a/1.png": (0, 255, 0), "a/2.png": (0, 0, 255), "b/0.png": (255, 255, 0)}


@pytest.fixture
def photos(tmp_path):
    """Photographs of several sizes, each of one colour: three of class a and one of class b."""
    for number, (name, colour) in enumerate(COLOURS.items()):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40 + 7 * number, 60 - 5 * number), colour).save(tmp_path / "photos" / name)
    return str(tmp_path / "photos")


def only(folder, values):
    """The path of a folder with a single picture, of these values."""
    folder.mkdir(exist_ok=True)
    Image.fromarray(values).save(folder / "0.png")
    return str(folder)


@given(
    st.integers(4, 40), st.integers(0, 80), st.integers(0, 80), st.integers(1, 30), st.integers(0, 2**63 - 1),
)  # fmt: skip
def test_boxes_are_squares_inside(side, wider, higher, count, seed):
    size = (side + wider, side + higher)
    found = list(boxes(size, count, side, (seed, 0)))
    least = SHRUNK * side if SHRUNK * side <= min(size) else side
    assert len(found) == count and found == list(boxes(size, count, side, (seed, 0)))
    for left, top, right, bottom in found:
        assert right - left == bottom - top and least <= right - left <= min(size)
        assert min(left, top) >= 0 and right <= size[0] and bottom <= size[1]


def test_sides_and_places_are_uniform():
    found = np.array(list(boxes((30000, 20000), 3000, 100, (5, 0))))
    side = found[:, 2] - found[:, 0]
    for values in (
        (side - 250) / (20000 - 250), found[:, 0] / (30000 - side), found[:, 1] / np.maximum(20000 - side, 1),
    ):  # fmt: skip
        assert kstest(values, "uniform").pvalue > 1e-3


@given(st.integers(0, 500), st.integers(1, 60), st.integers(0, 2**63 - 1))
def test_each_photograph_gives_evenly_many(count, photographs, seed):
    found = shares(count, photographs, seed)
    assert sum(found) == count and len(found) == photographs and max(found) - min(found) <= 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_ramp_stays_one_where_it_was_cut(tmp_path, seed):
    """The filter is symmetric, so linear values come back at the centres of the larger pixels."""
    width, height, side = 90, 80, 8
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    ramp = (300 * x + 400 * y).astype(np.uint16)
    place = only(tmp_path / "set", ramp)
    found = read_pictures(place, crops=Crops(5, side, seed)).pixels[:, 0].numpy() * 65535
    for values, (left, top, right, _) in zip(found, boxes((width, height), 5, side, (seed, 0)), strict=True):
        step = (right - left) / side
        across, down = np.meshgrid(left + step * (np.arange(side) + 0.5), top + step * (np.arange(side) + 0.5))
        inner = (slice(1, -1),) * 2  # beyond the photograph's edge the filter has nothing
        # to a twentieth of the photograph's pixel: the filter's weights are few
        np.testing.assert_allclose(values[inner], (300 * across + 400 * down)[inner], atol=35)
    again, other = (read_pictures(place, crops=Crops(5, side, own)).pixels for own in (seed, seed + 1))
    assert np.array_equal(again[:, 0].numpy() * 65535, found) and not torch.equal(again, other)


def test_what_is_finer_than_a_pixel_is_averaged(tmp_path):
    stripes = np.zeros((100, 100), np.uint8)
    stripes[:, ::2] = 255
    found = read_pictures(only(tmp_path / "set", stripes), crops=Crops(20, 20)).pixels
    # sampled without a filter, it would be 0 or 1 everywhere
    assert (found - 0.5).abs().max() < 0.15 and (found - 0.5).abs().mean() < 0.03


def test_a_crop_as_large_as_the_photograph_is_the_photograph(tmp_path):
    values = np.random.default_rng(0).integers(0, 256, (9, 9, 3), dtype=np.uint8)
    found = read_pictures(only(tmp_path / "set", values), crops=Crops(2, 9)).pixels
    wanted = torch.from_numpy(values).movedim(-1, 0).expand(2, -1, -1, -1)
    assert torch.equal((found * 255).round().to(torch.uint8), wanted)


def test_photographs_of_several_sizes(photos):
    found = read_pictures(photos, crops=Crops(42, 10, 3))
    assert found.shape == (3, 10, 10) and len(found) == 42 and found.names == ("a", "b")
    counts = torch.bincount(found.photograph)
    assert sorted(counts.tolist()) == [10, 10, 11, 11]
    assert (found.labels == (found.photograph == 3)).all()
    for number, (name, colour) in enumerate(COLOURS.items()):
        own = found.pixels[found.photograph == number]
        assert torch.equal(own, torch.tensor(colour).div(255)[:, None, None].expand_as(own))
        assert found.files[number].endswith(name)
    assert {key: found.facts[key] for key in ("crops", "crop_side", "crop_seed", "photographs")} == {
        "crops": 42, "crop_side": 10, "crop_seed": 3, "photographs": 4,
    }  # fmt: skip


def test_parts_remember_their_photographs(photos):
    found = read_pictures(photos, crops=Crops(40, 10))
    some = drawn(found, 12, 0)
    assert len(some.photograph) == 12 and some.files == found.files
    last = found.take(torch.arange(30, 40))
    assert last.photographs() == [found.files[3]]
    assert last.sha256 != found.take(torch.arange(30, 40)).take(torch.arange(9)).sha256


@given(st.floats(0.01, 0.99), st.integers(0, 2**32))
def test_held_out_photographs_are_learned_from_by_no_crop(share, seed):
    count = 7
    pixels = np.arange(35, dtype=np.float32)[:, None, None] / 35 * np.ones((4, 4), np.float32)
    photograph = torch.arange(35) % count
    made = module.make_pictures(pixels, (photograph % 2).numpy(), None, "test")
    made = module.replace(made, photograph=photograph, files=tuple("abcdefg"))
    learn, judge = made.split(share, seed, labelled=False)
    assert not set(learn.photographs()) & set(judge.photographs()) and not made.overlap(labelled=False)
    assert len(judge.photographs()) == min(max(1, round(share * count)), count - 1)
    together = torch.cat([learn.pixels, judge.pixels])[:, 0, 0, 0].sort()[0]
    assert torch.equal(together, made.pixels[:, 0, 0, 0])
    # each class keeps a photograph in both parts
    learn, judge = made.split(share, seed)
    assert not set(learn.photographs()) & set(judge.photographs()) and not made.overlap()
    assert set(learn.labels.tolist()) == set(judge.labels.tolist()) == {0, 1}


def test_the_only_photograph_of_a_class_is_in_both_parts_and_this_is_said(photos):
    found = read_pictures(photos, crops=Crops(80, 10))
    learn, judge = found.split(0.3, 0)
    shared = set(learn.photographs()) & set(judge.photographs())
    assert shared == {found.files[3]} and len(judge.photographs()) == 2
    assert found.overlap().startswith("1 of 2 classes have one photograph each: crops for validation may overlap")
    assert not found.overlap(labelled=False)
    alone = found.take(torch.nonzero(found.labels == 1)[:, 0])
    assert alone.overlap(labelled=False).startswith("one photograph:")
    assert [len(part) for part in alone.split(0.1, 0, labelled=False)] == [18, 2]


def test_a_photograph_that_is_smaller_than_a_crop(photos):
    with pytest.raises(DataError, match=r"a.0.png: it has 40 x 60 pixels; .* at least crop_side = 41\.") as caught:
        read_pictures(photos, crops=Crops(10, 41))
    assert "crop_side to 40 or less" in caught.value.hint
    assert read_pictures(photos, crops=Crops(10, 40)).shape == (3, 40, 40)


@pytest.mark.parametrize(("side", "helps"), [(40, True), (41, False)])
def test_without_a_margin_is_advised_where_that_is_enough(photos, side, helps):
    with pytest.raises(DataError, match=f"crop_side = {side} and two margins of 10") as caught:
        read_pictures(photos, crops=Crops(10, side, margin=10))
    assert ("or crop_margin to 0" in caught.value.hint) == helps


def test_more_crops_than_memory_holds(photos):
    with pytest.raises(DataError, match="crops = 1000000000, crop_side = 10: ") as caught:
        read_pictures(photos, crops=Crops(10**9, 10))
    assert "crops to 14316557 or less" in caught.value.hint


@pytest.mark.parametrize("name", ["digits", "offline", "cifar10", "set.npz"])
def test_pictures_that_no_crops_are_cut_from(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    np.savez("set.npz", images=np.zeros((4, 8, 8)), labels=np.arange(4) % 2)
    with pytest.raises(UsageError, match=r"crops = 5: .* have one size already"):
        read_pictures(name, crops=Crops(5))


def test_no_crops_of_idx_files(idx_folder):
    with pytest.raises(UsageError, match="have one size already"):
        read_pictures(str(idx_folder), crops=Crops(5))


def test_one_photograph_is_in_memory_at_a_time(tmp_path, monkeypatch):
    size, count = 1000, 12
    only(tmp_path / "set", np.zeros((size, size, 3), np.uint8))
    for number in range(1, count):
        os.link(tmp_path / "set" / "0.png", tmp_path / "set" / f"{number}.png")
    alive, opened = [], module.opened

    def watched(file, grey):
        # the one before may not have been freed when the next one is read
        assert sum(picture() is not None for picture in alive) <= 1
        picture = opened(file, grey)
        alive.append(weakref.ref(picture))
        return picture

    monkeypatch.setattr(module, "opened", watched)
    tracemalloc.start()
    read_pictures(str(tmp_path / "set"), crops=Crops(count, 64))
    # Pillow's memory isn't counted here, that of arrays is
    assert len(alive) == count and tracemalloc.get_traced_memory()[1] < 2 * 3 * size**2
    tracemalloc.stop()


def test_ten_photographs_that_packages_ship():
    found = read_pictures("photographs", crops=Crops(30, 16))
    assert found.shape == (3, 16, 16) and len(PHOTOGRAPHS) == 10
    assert found.names == found.files == tuple(PHOTOGRAPHS)
    assert torch.bincount(found.labels).tolist() == [3] * 10 and torch.equal(found.labels, found.photograph)
    assert found.sha256 == read_pictures("photographs", crops=Crops(30, 16)).sha256
