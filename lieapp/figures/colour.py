"""Colours that colour-blind readers can tell apart, and arrays turned into small PNG pictures."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SERIES = ("#0072b2", "#d55e00", "#009e73", "#a6447f", "#8a6d00", "#3d9ad1", "#000000")
"""Okabe and Ito's qualitative palette, yellow and pink darkened to read on white."""
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Second sign beside the colour, so that lines differ in grey print too."""

# The middle of Crameri's "vik" (diverging; its dark ends would hide arrows) and matplotlib's "viridis", by a
# handful of anchors each: even steps in lightness, no red against green.
_DIVERGING = ("1e6f9d", "71a8c4", "c9dde7", "f7f5f3", "eacebd", "d39774", "be6533")
_SEQUENTIAL = (
    *("440154", "482878", "3e4989", "31688e", "26828e"),
    *("1f9e89", "35b779", "6ece58", "b5de2b", "fde725"),
)
NO_DATA = (236, 239, 242)
"""Where nothing was moved to."""


def series(index: int) -> tuple[str, str]:
    """Colour and dash of the index-th line."""
    return SERIES[index % len(SERIES)], DASHES[(index // len(SERIES)) % len(DASHES)]


def diverging(values: NDArray[np.floating], limit: float) -> NDArray[np.uint8]:
    """RGB of values in [-limit, limit], white-grey at zero; NaN is `NO_DATA`."""
    return _mapped((np.asarray(values, dtype=float) / (limit or 1.0) + 1) / 2, _DIVERGING)


def sequential(values: NDArray[np.floating], low: float, high: float) -> NDArray[np.uint8]:
    """RGB of values in [low, high], dark to light; NaN is `NO_DATA`."""
    return _mapped((np.asarray(values, dtype=float) - low) / ((high - low) or 1.0), _SEQUENTIAL)


def hexadecimal(rgb: NDArray[np.uint8]) -> str:
    """#rrggbb of one colour."""
    return "#" + "".join(f"{int(c):02x}" for c in rgb)


def reads_dark(rgb: NDArray[np.uint8]) -> bool:
    """Whether dark text reads better than white on this colour."""
    red, green, blue = (float(c) for c in rgb)
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140


def png(rgb: NDArray[np.uint8]) -> str:
    """A data URI of an RGB picture, first row on top.

    Written here because a picture library would be one more dependency for thirty bytes of header.
    """
    height, width, _ = rgb.shape
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), rgb.reshape(height, 3 * width)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _mapped(share: NDArray[np.floating], anchors: tuple[str, ...]) -> NDArray[np.uint8]:
    table = np.array([[int(a[i : i + 2], 16) for i in (0, 2, 4)] for a in anchors], dtype=float)
    missing = ~np.isfinite(share)
    place = np.clip(np.where(missing, 0.0, share), 0, 1) * (len(anchors) - 1)
    below = np.minimum(place.astype(int), len(anchors) - 2)
    part = (place - below)[..., None]
    rgb = table[below] * (1 - part) + table[below + 1] * part
    rgb[missing] = NO_DATA
    return np.round(rgb).astype(np.uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
