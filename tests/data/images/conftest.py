"""Small sets of pictures in every layout that can be read."""

import gzip

import numpy as np
import pytest
from PIL import Image

SIDE = 12


def idx(array: np.ndarray) -> bytes:
    """An array of bytes as an idx file."""
    header = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return header + array.tobytes()


@pytest.fixture
def grey():
    """Grey pictures as bytes, with their labels: picture n has label n % 3."""
    pixels = np.random.default_rng(0).integers(0, 256, (30, SIDE, SIDE), dtype=np.uint8)
    return pixels, np.arange(30, dtype=np.uint8) % 3


@pytest.fixture
def idx_folder(tmp_path, grey):
    """The training part of a set of MNIST type, its pictures compressed."""
    pixels, labels = grey
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(pixels)))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(labels))
    return tmp_path


@pytest.fixture
def class_folder(tmp_path):
    """Two classes of RGB pictures; "b" holds red ones."""
    for name, colour, count in (("a", (0, 0, 255), 3), ("b", (255, 0, 0), 2)):
        (tmp_path / "set" / name).mkdir(parents=True)
        for n in range(count):
            Image.new("RGB", (SIDE, SIDE + 4), colour).save(tmp_path / "set" / name / f"{n}.png")
    return tmp_path / "set"


@pytest.fixture
def cifar_folder(tmp_path):
    """A small CIFAR-10 in its binary layout: the first picture has label 9 and is green."""
    place = tmp_path / "cifar" / "cifar-10-batches-bin"
    place.mkdir(parents=True)
    records = np.random.default_rng(0).integers(0, 256, (6, 20, 3073), dtype=np.uint8)
    records[:, :, 0] = np.arange(20) % 10
    records[0, 0, 0] = 9
    records[0, 0, 1:] = np.repeat([0, 255, 0], 1024)
    for name, batch in zip([*(f"data_batch_{n}.bin" for n in range(1, 6)), "test_batch.bin"], records, strict=True):
        (place / name).write_bytes(batch.tobytes())
    return place.parent
