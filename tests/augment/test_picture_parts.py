"""Test pictures are a part of their own wherever a set has one, and none of them is learned from."""

import numpy as np
import pytest
import torch
from PIL import Image

from lieapp.augment.picture_parts import parts
from lieapp.config_augment import AugmentImagesConfig
from lieapp.data.images import sources
from lieapp.errors import DataError

SIDE = 8


def noise(count, seed, channels=()):
    return np.random.default_rng(seed).integers(0, 256, (count, SIDE, SIDE, *channels), dtype=np.uint8)


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return header + array.tobytes()


def folders(place, part, classes=3, side=SIDE):
    """Four grey pictures of each class."""
    for n in range(classes):
        (place / part / f"class{n}").mkdir(parents=True)
        for k, values in enumerate(noise(4, (n, part == "test"))):
            Image.fromarray(values[:side]).save(place / part / f"class{n}" / f"{k}.png")


def idx_files(place, part, classes=3, side=SIDE):
    name = {"train": "train", "test": "t10k"}[part]
    place.mkdir(exist_ok=True)
    (place / f"{name}-images-idx3-ubyte").write_bytes(idx(noise(4 * classes, part == "test")[:, :side]))
    (place / f"{name}-labels-idx1-ubyte").write_bytes(idx(np.arange(4 * classes, dtype=np.uint8) % classes))


def cifar(place, part, **_):
    place.mkdir(exist_ok=True)
    for n, name in enumerate([f"data_batch_{n}" for n in range(1, 6)] if part == "train" else ["test_batch"]):
        rows = np.random.default_rng((n, part == "test")).integers(0, 256, (20, 3073), dtype=np.uint8)
        rows[:, 0] = np.arange(20) % 10
        rows.tofile(place / f"{name}.bin")


LAYOUTS = {"folders": folders, "idx": idx_files, "cifar": cifar}
TESTS = {"folders": "test/class1/0.png", "idx": "t10k-images-idx3-ubyte", "cifar": "test_batch.bin"}
"""A file of each test part."""


@pytest.fixture
def apart(tmp_path):
    """Both parts of the set in the folder, with what was warned of; no picture is in both."""

    def call(**settings):
        warned = []
        config = AugmentImagesConfig(plugin="images", **settings)
        learn, test = parts(config, settings.get("data") or str(tmp_path / "set"), warned.append)
        assert not {*map(flat, learn.pixels)} & {*map(flat, test.pixels)} and len(test)
        return learn, test, warned

    return call


def flat(pixels):
    return tuple(pixels.flatten().tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_test_part_is_taken_whole(apart, tmp_path, layout):
    for part in ("train", "test"):
        LAYOUTS[layout](tmp_path / "set", part)
    learn, test, warned = apart()
    assert not warned and (len(learn), len(test)) == ((100, 20) if layout == "cifar" else (12, 12))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_set_without_a_test_part_is_split(apart, tmp_path, layout):
    LAYOUTS[layout](tmp_path / "set", "train")
    learn, test, _ = apart()
    assert (len(learn), len(test)) == ((80, 20) if layout == "cifar" else (9, 3))
    assert set(learn.labels.tolist()) == set(test.labels.tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_test_part_that_can_t_be_read_is_told(apart, tmp_path, layout):
    for part in ("train", "test"):
        LAYOUTS[layout](tmp_path / "set", part)
    file = tmp_path / "set" / TESTS[layout]
    file.write_bytes(file.read_bytes()[:-41])
    with pytest.raises(DataError, match=file.name) as caught:
        apart()
    assert caught.value.hint


def test_half_of_a_test_part_is_told(apart, tmp_path):
    for part in ("train", "test"):
        idx_files(tmp_path / "set", part)
    (tmp_path / "set" / "t10k-images-idx3-ubyte").unlink()
    with pytest.raises(DataError, match="files of the part 'test' are incomplete"):
        apart()


@pytest.mark.parametrize("layout", ["folders", "idx"])
@pytest.mark.parametrize(
    ("other", "words"), [({"classes": 2}, "'test' has the classes"), ({"side": 6}, "1 x 6 x 8 .* of 1 x 8 x 8")]
)
def test_a_test_part_of_another_kind_is_told(apart, tmp_path, layout, other, words):
    LAYOUTS[layout](tmp_path / "set", "train")
    LAYOUTS[layout](tmp_path / "set", "test", **other)
    with pytest.raises(DataError, match=words):
        apart()


def test_a_class_without_test_pictures_is_told(apart, tmp_path):
    for part in ("train", "test"):
        folders(tmp_path / "set", part)
    for file in (tmp_path / "set" / "test" / "class2").iterdir():
        file.unlink()
    with pytest.raises(DataError, match="'class2' has no picture"):
        apart()


def test_pictures_to_validate_on_are_no_test_part(apart, tmp_path):
    for part in ("train", "val"):
        folders(tmp_path / "set", part)
    learn, test, _ = apart()
    assert learn.names == test.names == ("class0", "class1", "class2") and len(learn) + len(test) == 12


def test_archives_and_single_files_are_split(apart, tmp_path):
    np.savez(tmp_path / "set.npz", images=noise(12, 0), labels=np.arange(12) % 3)
    assert len(apart(data=str(tmp_path / "set.npz"))[1]) == 3
    for part in ("train", "test"):
        idx_files(tmp_path / "set", part)
    assert len(apart(data=str(tmp_path / "set" / "train-images-idx3-ubyte"))[1]) == 3


def test_named_sets(apart, tmp_path, monkeypatch):
    idx_files(tmp_path / "set", "train", classes=10)
    monkeypatch.setattr(sources, "DEBIAN", tmp_path / "set")
    for name in ("fashion-mnist", "offline"):
        with pytest.raises(DataError, match="files of the part 'test' are incomplete"):
            apart(data=name)
    idx_files(tmp_path / "set", "test", classes=10)
    assert [len(apart(data=name)[1]) for name in ("fashion-mnist", "offline")] == [40, 40]


def test_copies_are_left_out(apart, tmp_path):
    for part in ("train", "test"):
        folders(tmp_path / "set", part)
    copied = tmp_path / "set" / "train" / "class0" / "1.png"
    (tmp_path / "set" / "test" / "class1" / "0.png").write_bytes(copied.read_bytes())
    learn, test, (warned,) = apart()
    assert (len(learn), len(test)) == (12, 11) and "1 of 12 pictures are copies" in warned
    for file in (tmp_path / "set" / "train").rglob("*.png"):
        (tmp_path / "set" / "test" / file.parent.name / file.name).write_bytes(file.read_bytes())
    with pytest.raises(DataError, match="all 12 test pictures are copies"):
        apart()


CROPS = {"crops": 48, "crop_side": 4}


def test_crops_are_tested_on_photographs_of_their_own(apart, tmp_path):
    folders(tmp_path / "set", "train")
    learn, test, warned = apart(**CROPS)
    assert not warned and not {*learn.photographs()} & {*test.photographs()}
    assert len(test.photographs()) == 3 and set(test.labels.tolist()) == {0, 1, 2}
    for file in (tmp_path / "set" / "train" / "class1").glob("[1-3].png"):
        file.unlink()
    learn, test, warned = apart(**CROPS)
    assert "1 of 3 classes have one photograph each" in warned[0]
    both = {*learn.photographs()} & {*test.photographs()}
    assert both == {str(tmp_path / "set" / "train" / "class1" / "0.png")}


def test_crops_of_both_parts_are_of_different_photographs(apart, tmp_path):
    for part in ("train", "test"):
        folders(tmp_path / "set", part)
    learn, test, warned = apart(**CROPS)
    assert not warned and (len(learn), len(test)) == (48, 48)
    assert not {*learn.photographs()} & {*test.photographs()}
    copied = (tmp_path / "set" / "train" / "class0" / "1.png").read_bytes()
    (tmp_path / "set" / "test" / "class1" / "3.png").write_bytes(copied)
    with pytest.raises(DataError, match=r"class1/3.png of the part 'test' is in 'train' too"):
        apart(**CROPS)


def test_seeds_split_in_other_ways(apart, tmp_path):
    folders(tmp_path / "set", "train")
    first, again, other = (apart(seed=seed)[1].pixels for seed in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, other)
