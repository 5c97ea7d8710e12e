"""Labelled pictures to learn from and to test on, none of which is in both."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from lieapp.config_augment import AugmentImagesConfig
from lieapp.data.images.pictures import Pictures, check_classes
from lieapp.data.images.sources import has_test, pictures_of
from lieapp.errors import DataError

ASIDE = 0.25
"""Share of each class tested on where a set has no part for that."""


def parts(config: AugmentImagesConfig, place: str, warn: Callable[[str], None]) -> tuple[Pictures, Pictures]:
    """To learn from and to test on; of a set without a test part, a share of each class is kept aside.

    Of crops whole photographs are kept aside; crops only where a class has one photograph, which is warned of.

    Args:
        place: a file, a folder or a set, as `--data` names it.

    Raises UsageError if there is no such thing; DataError if a part can't be read, if both have other classes or
    sizes, if crops of both are of one photograph, or if all test pictures are copies of those to learn from.
    """
    learn = pictures_of(config, place)
    check_classes(learn)
    if has_test(place):
        test = pictures_of(config, place, "test")
        _check_alike(place, learn, test)
        _check_photographs(place, learn, test)
    else:
        if words := learn.overlap():
            warn(f"test: {words}")
        learn, test = learn.split(ASIDE, config.seed)
    found = test.unlike(learn)
    if copies := len(test) - len(found):
        _check_any(place, found, test)
        warn(f"test: {copies} of {len(test)} pictures are copies of some to learn from; they are left out")
    return learn, found


def _check_any(place: str, found: Pictures, test: Pictures) -> None:
    """Raises DataError if no test picture is left."""
    if not len(found):
        raise DataError(
            f"{place}: all {len(test)} test pictures are copies of pictures to learn from; test pictures must be "
            "new.",
            hint="Give the set other pictures to test on.",
        )


def _check_alike(place: str, learn: Pictures, test: Pictures) -> None:
    """Raises DataError for a test part with other classes or sizes."""
    if test.names != learn.names:
        words = [", ".join(part.names) for part in (test, learn)]
        raise DataError(
            f"{place}: the part 'test' has the classes {words[0]}, but 'train' has {words[1]}.",
            hint="Give both parts pictures of the same classes.",
        )
    if test.shape != learn.shape:
        sizes = [" x ".join(map(str, part.shape)) for part in (test, learn)]
        raise DataError(
            f"{place}: the part 'test' has pictures of {sizes[0]} (channels, height, width), but 'train' of "
            f"{sizes[1]}.",
            hint="Give both parts pictures of one size, all grey or all in colour.",
        )


def _check_photographs(place: str, learn: Pictures, test: Pictures) -> None:
    """Raises DataError for crops of one photograph in both parts, whatever its files are called."""
    known = {sha256(Path(file).read_bytes()).digest() for file in learn.photographs()}
    for file in test.photographs():
        if sha256(Path(file).read_bytes()).digest() in known:
            raise DataError(
                f"{place}: the photograph {file} of the part 'test' is in 'train' too; test pictures must be new.",
                hint="Remove it from one of the two.",
            )
