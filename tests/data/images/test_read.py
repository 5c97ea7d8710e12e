"""Every layout gives the pictures that were written, and what is wrong with a file is said."""

import gzip
import hashlib
import io
import zipfile

import numpy as np
import pytest
import torch
from PIL import Image

from lieapp.data.images import sources
from lieapp.data.images.files import read_idx, read_npz
from lieapp.data.images.places import SETS
from lieapp.data.images.sources import READERS, read_pictures
from lieapp.errors import DataError, UsageError

SIDE = 12


def test_idx_files(idx_folder, grey):
    found = read_pictures(str(idx_folder))
    assert found.shape == (1, SIDE, SIDE) and found.names == ("0", "1", "2")
    assert torch.equal((found.pixels[:, 0] * 255).round().to(torch.uint8), torch.from_numpy(grey[0]))
    assert found.labels.tolist() == grey[1].tolist()
    assert found.pixels.dtype == torch.float32 and found.pixels.min() >= 0 and found.pixels.max() <= 1


def test_one_idx_file_finds_its_labels(idx_folder, grey):
    (idx_folder / "train-labels-idx1-ubyte").rename(idx_folder / "train-labels-idx1-ubyte.gz")
    found = read_pictures(str(idx_folder / "train-images-idx3-ubyte.gz"))
    assert found.labels.tolist() == grey[1].tolist()


@pytest.mark.parametrize("channels_last", [True, False])
def test_npz(tmp_path, channels_last):
    images = np.random.default_rng(1).random((5, 3, 6, 8))
    stored = np.moveaxis(images, 1, -1) if channels_last else images
    np.savez(tmp_path / "set.npz", images=stored, labels=[0, 1, 1, 0, 1], names=["cat", "dog"])
    found = read_pictures(str(tmp_path / "set.npz"))
    np.testing.assert_array_equal(found.pixels.numpy(), images.astype(np.float32))
    assert found.names == ("cat", "dog") and found.labels.tolist() == [0, 1, 1, 0, 1]


def test_a_folder_of_classes(class_folder):
    found = read_pictures(str(class_folder))
    assert found.names == ("a", "b") and found.labels.tolist() == [0, 0, 0, 1, 1]
    assert found.pixels.shape == (5, 3, SIDE + 4, SIDE)
    assert found.pixels[4].mean((1, 2)).tolist() == [1, 0, 0]


def test_grey_pictures_of_a_folder_stay_grey(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        Image.new("L", (8, 8), 51).save(tmp_path / name / "0.png")
    found = read_pictures(str(tmp_path))
    assert found.shape == (1, 8, 8) and torch.allclose(found.pixels, torch.tensor(0.2))


@pytest.mark.parametrize("target", ["..", ".", "cat", "cat/more"])
def test_a_link_gives_no_picture_two_classes(tmp_path, target):
    for name in ("cat", "dog"):
        (tmp_path / "set" / name / "more").mkdir(parents=True)
        Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / "set" / name / "more" / "1.png")
    assert read_pictures(str(tmp_path / "set")).names == ("cat", "dog")
    (tmp_path / "set" / "up").symlink_to(target, target_is_directory=True)
    with pytest.raises(DataError, match="the class 'up' is a link to") as caught:
        read_pictures(str(tmp_path / "set"))
    assert ("'cat'" if "cat" in target else "'set'") in caught.value.message and caught.value.hint


def test_a_class_may_be_a_link_to_pictures_elsewhere(tmp_path):
    for place in ("set/cat", "others"):
        (tmp_path / place).mkdir(parents=True)
        Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / place / "1.png")
    (tmp_path / "set" / "dog").symlink_to(tmp_path / "others", target_is_directory=True)
    assert read_pictures(str(tmp_path / "set")).names == ("cat", "dog")


def test_a_folder_for_each_part(class_folder):
    parts = class_folder.parent / "parts"
    parts.mkdir()
    class_folder.rename(parts / "train")
    (parts / "test").mkdir()
    assert read_pictures(str(parts)).names == ("a", "b")


@pytest.mark.parametrize("inside", ["", "cifar-10-batches-bin"])
def test_cifar10_binary(cifar_folder, inside):
    found = read_pictures(str(cifar_folder / inside))
    assert found.shape == (3, 32, 32) and len(found) == 100 and len(read_pictures(str(cifar_folder), "test")) == 20
    assert found.names[found.labels[0]] == "truck"
    assert found.pixels[0].mean((1, 2)).tolist() == [0, 1, 0]


def test_cifar10_for_python_goes_through_torchvision(tmp_path, monkeypatch):
    import pickle

    from torchvision.datasets import CIFAR10

    place = tmp_path / "cifar-10-batches-py"
    place.mkdir()

    def write(name: str, content: dict) -> tuple[str, str]:
        (place / name).write_bytes(pickle.dumps(content))
        return name, hashlib.md5((place / name).read_bytes()).hexdigest()

    data = np.zeros((4, 3072), np.uint8)
    data[:, 2048:] = 255
    batches = [write(f"data_batch_{n}", {"data": data, "labels": [n, 0, 0, 0]}) for n in range(1, 6)]
    names = write("batches.meta", {"label_names": [str(n) for n in range(10)]})
    with pytest.raises(DataError, match="not the published one"):
        read_pictures(str(tmp_path))
    monkeypatch.setattr(CIFAR10, "train_list", batches)
    monkeypatch.setattr(CIFAR10, "test_list", [])
    monkeypatch.setattr(CIFAR10, "meta", {"filename": names[0], "key": "label_names", "md5": names[1]})
    found = read_pictures(str(tmp_path))
    assert len(found) == 20 and found.labels[4].item() == 2
    assert found.pixels[0].mean((1, 2)).tolist() == [0, 0, 1]


def test_the_sets_that_packages_ship():
    found = read_pictures("digits")
    assert found.shape == (1, 8, 8) and len(found) == 1797 and found.pixels.max() == 1


def test_a_set_whose_package_is_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    for name, package in (("digits", "scikit-learn"), ("photographs", "scikit-image")):
        with pytest.raises(DataError, match=f"{package}, which isn't installed") as caught:
            read_pictures(name)
        assert "lieapp[images]" in caught.value.hint


def test_every_set_with_a_name_has_its_reader():
    assert set(SETS) == set(READERS)


def test_what_is_no_set(tmp_path):
    with pytest.raises(UsageError, match="did you mean 'digits'"):
        read_pictures("digit")
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(DataError, match="kind"):
        read_pictures(str(tmp_path / "notes.txt"))


def test_an_idx_file_that_is_cut_off(idx_folder, grey):
    file = idx_folder / "train-labels-idx1-ubyte"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(DataError, match="29 bytes of values where its header, 30, asks for 30"):
        read_idx(file)
    packed = idx_folder / "train-images-idx3-ubyte.gz"
    packed.write_bytes(packed.read_bytes()[:500])
    with pytest.raises(DataError, match="can't be decompressed"):
        read_idx(packed)
    file.write_bytes(b"")
    with pytest.raises(DataError, match="not an idx file"):
        read_idx(file)


def test_labels_that_are_missing(idx_folder):
    (idx_folder / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(DataError, match="incomplete"):
        read_pictures(str(idx_folder))
    with pytest.raises(DataError, match="labels"):
        read_pictures(str(idx_folder / "train-images-idx3-ubyte.gz"))


def test_a_cifar10_that_is_incomplete(cifar_folder):
    place = cifar_folder / "cifar-10-batches-bin"
    (place / "data_batch_2.bin").write_bytes(b"123")
    with pytest.raises(DataError, match="multiple of"):
        read_pictures(str(cifar_folder))
    (place / "data_batch_2.bin").unlink()
    with pytest.raises(DataError, match="is missing"):
        read_pictures(str(cifar_folder))


def test_a_class_without_pictures_and_pictures_of_two_sizes(class_folder):
    (class_folder / "c").mkdir()
    with pytest.raises(DataError, match="'c' has no picture"):
        read_pictures(str(class_folder))
    Image.new("RGB", (SIDE, SIDE)).save(class_folder / "c" / "0.png")
    with pytest.raises(DataError, match=r"several sizes: [a-z]+.0.png has 12 x 16 pixels, [a-z]+.0.png 12 x 12"):
        read_pictures(str(class_folder))
    (class_folder / "c" / "0.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match="can't be read as a picture"):
        read_pictures(str(class_folder))


def test_an_archive_of_objects_or_without_labels(tmp_path):
    np.savez(tmp_path / "a.npz", images=np.array([{}], dtype=object), labels=[0])
    np.savez(tmp_path / "b.npz", pictures=np.zeros((2, 8, 8), np.uint8))
    (tmp_path / "c.npz").write_bytes(b"no archive")
    np.savez(tmp_path / "d.npz", images=np.zeros((4, 3, 5, 3), np.uint8), labels=[0, 1, 0, 1])
    for name, words in (("a", "plain arrays"), ("b", "images and labels"), ("c", "archive"), ("d", "axis 1 or")):
        with pytest.raises(DataError, match=words):
            read_pictures(str(tmp_path / f"{name}.npz"))


def test_gzip_is_seen_by_its_content(idx_folder, grey):
    packed = idx_folder / "train-images-idx3-ubyte.gz"
    packed.write_bytes(gzip.decompress(packed.read_bytes()))
    assert len(read_pictures(str(idx_folder))) == 30


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_nobody_is_told_to_unpickle(tmp_path, content):
    file = tmp_path / "set.npz"
    np.savez(file, images=np.array([{}], dtype=object), labels=[0])
    if content:
        file.write_bytes(content)
    with pytest.raises(DataError, match="never unpickled") as told:
        read_pictures(str(file))
    assert "allow_pickle" not in told.value.message and not told.value.message.endswith("..")


@pytest.mark.parametrize("change", [(b"}", b" "), (b"'descr'", b"\xe9descr'"), (b"{", b"[" * 60)])
def test_archives_with_a_damaged_header(tmp_path, change):
    inside = io.BytesIO()
    np.save(inside, np.zeros((4, 3, 3)))
    with zipfile.ZipFile(tmp_path / "set.npz", "w") as archive:
        archive.writestr("images.npy", inside.getvalue().replace(*change))
    with pytest.raises(DataError, match="not a NumPy archive"):
        read_npz(tmp_path / "set.npz")


def test_archives_that_are_said_to_be_encrypted(tmp_path):
    np.savez(tmp_path / "set.npz", images=np.zeros((4, 3, 3)), labels=np.arange(4))
    content = bytearray((tmp_path / "set.npz").read_bytes())
    # the flag in the central directory, by which zipfile wants a password
    content[content.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "set.npz").write_bytes(content)
    with pytest.raises(DataError, match="not a NumPy archive"):
        read_npz(tmp_path / "set.npz")
