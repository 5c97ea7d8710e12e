"""Pictures in a NumPy archive: arrays `images` and `labels`, and `names` of the classes if there are any."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np

from lieapp.data.images.pictures import CHANNELS, Pictures, make_pictures
from lieapp.errors import DataError


def read_npz(file: Path) -> Pictures:
    """The pictures of an archive; channels may come first or last. Objects are never unpickled.

    Raises DataError.
    """
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in ("images", "labels", "names") if name in archive}
            found = list(archive)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, AttributeError) as error:
        raise DataError(
            f"{file}: not a NumPy archive of plain arrays: {_told(error)}.",
            hint="Write one with numpy.savez(file, images=…, labels=…).",
        ) from None
    missing = [name for name in ("images", "labels") if name not in arrays]
    if missing:
        raise DataError(
            f"{file}: it holds {', '.join(found) or 'nothing'}; {' and '.join(missing)} must be there.",
            hint="Write one with numpy.savez(file, images=…, labels=…).",
        )
    names = arrays.get("names")
    known = None if names is None else tuple(str(name) for name in names.ravel())
    return make_pictures(_channels_first(arrays["images"], file), arrays["labels"], known, str(file))


def _channels_first(images: np.ndarray, file: Path) -> np.ndarray:
    if images.ndim != 4:
        return images
    first, last = images.shape[1] in CHANNELS, images.shape[3] in CHANNELS
    if first and last:
        raise DataError(
            f"{file}: images of shape {list(images.shape)}: the channels may be axis 1 or axis 3.",
            hint="Use pictures that are wider than 3 pixels.",
        )
    return np.moveaxis(images, 3, 1) if last else images


def _told(error: Exception) -> str:
    """What is wrong, without NumPy's advice to unpickle it all the same."""
    text = str(error)
    return "it isn't an archive, or has objects (never unpickled)" if "pickle" in text else text.rstrip(".")
