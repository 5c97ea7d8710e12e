"""Checks of arrays, the split by class and seed, mirrored pictures."""

import numpy as np
import pytest
import torch

from lieapp.data.images.pictures import check_classes, flipped, make_pictures
from lieapp.errors import DataError

LABELS = np.array([0, 1, 0, 1, 0, 1])


def made(pixels=None, labels=LABELS, names=None):
    pixels = np.random.default_rng(0).random((6, 5, 7)) if pixels is None else pixels
    return make_pictures(pixels, labels, names, "test")


@pytest.mark.parametrize(
    ("pixels", "labels", "names", "words"),
    [
        (np.full((6, 5, 5), 1.5), LABELS, None, r"\[1.5, 1.5\]; floats must lie in \[0, 1\]"),
        (np.full((6, 5, 5), np.nan), LABELS, None, "NaN or infinite, the first in picture 0"),
        (np.zeros((6, 5, 5), np.int64), LABELS, None, "type int64"),
        (np.zeros((6, 2, 5, 5), np.uint8), LABELS, None, "1 or 3 channels"),
        (np.zeros((6, 25), np.uint8), LABELS, None, "1 or 3 channels"),
        (np.zeros((0, 5, 5), np.uint8), LABELS[:0], None, "no picture"),
        (np.zeros((6, 2, 5), np.uint8), LABELS, None, "at least 4 x 4"),
        (None, LABELS[:5], None, "one for each"),
        (None, LABELS * 1.0, None, "whole numbers"),
        (None, LABELS - 1, None, "between -1 and 0; they must be 0 or more"),
        (None, LABELS * 2, ("a", "b"), "between 0 and 1, the last class"),
    ],
)
def test_what_is_no_set_of_pictures(pixels, labels, names, words):
    with pytest.raises(DataError, match=words):
        made(pixels, labels, names)


def test_one_class_is_enough_unless_a_classifier_is_trained():
    check_classes(made())
    with pytest.raises(DataError, match="all 6 pictures are of one class") as caught:
        check_classes(made(labels=LABELS * 0, names=("a", "b")))
    assert "--set trained=FILE" in caught.value.hint


def test_labels_may_have_gaps():
    found = made(labels=np.array([3, 7, 3, 7, 7, 3]))
    assert found.names == ("3", "7") and found.labels.tolist() == [0, 1, 0, 1, 1, 0]


def test_the_split_keeps_every_class_and_repeats_with_its_seed():
    labels = np.repeat([0, 1, 2], [50, 10, 2])
    pictures = made(np.random.default_rng(0).random((62, 5, 5)), labels)
    learn, judge = pictures.split(0.2, 5)
    assert [int((judge.labels == n).sum()) for n in range(3)] == [10, 2, 1]
    together = torch.cat([learn.pixels, judge.pixels])[:, 0, 0, 0]
    assert torch.equal(together.sort()[0], pictures.pixels[:, 0, 0, 0].sort()[0])
    assert torch.equal(judge.pixels, pictures.split(0.2, 5)[1].pixels)
    assert not torch.equal(judge.pixels, pictures.split(0.2, 6)[1].pixels)


def test_a_split_that_can_t_be():
    with pytest.raises(DataError, match="one picture"):
        made(labels=np.array([0, 1, 1, 1, 1, 1])).split(0.5, 0)
    with pytest.raises(DataError, match="between 0 and 1"):
        made().split(1.0, 0)


def test_where_labels_don_t_matter_a_class_of_one_picture_is_no_obstacle():
    learn, judge = made(labels=np.array([0, 1, 1, 1, 1, 1])).split(0.34, 0, labelled=False)
    assert len(learn) == 4 and len(judge) == 2
    with pytest.raises(DataError, match="one picture"):
        made(np.zeros((1, 5, 5)), np.array([0])).split(0.5, 0, labelled=False)
    # of balanced sets nothing changes
    assert torch.equal(made().split(0.4, 3)[1].pixels, made().split(0.4, 3, labelled=False)[1].pixels)


def test_mirrored_pictures():
    pixels = torch.rand(400, 3, 4, 5)
    found = flipped(pixels, torch.Generator().manual_seed(0))
    same = (found == pixels).flatten(1).all(1)
    mirrored = (found == pixels.flip(-1)).flatten(1).all(1)
    assert torch.all(same ^ mirrored) and 150 < int(mirrored.sum()) < 250


def test_the_digest_sees_pixels_and_labels():
    first = made()
    assert first.sha256 == made().sha256
    assert len({first.sha256, made(labels=1 - LABELS).sha256, first.take(torch.arange(5)).sha256}) == 3
