"""Small pictures, and settings of discoveries that take a second on them."""

import numpy as np

DISCOVER = (
    "--slots", "2", *(part for text in (
        "steps=6", "batch=4", "trunk=16", "head=8", "weight_pictures=16", "held_out=8", "threads=1",
        "network=trained",
    ) for part in ("--set", text)),
)  # fmt: skip


def write_halves(folder, count):
    """So many pictures of 9 x 8 with a bright half, left or right, in set.npz."""
    pixels = np.random.default_rng(0).random((count, 9, 8)) * 0.5
    labels = np.arange(count) % 2
    for n, label in enumerate(labels):
        pixels[n, :, 4 * label : 4 * label + 4] += 0.5
    np.savez(folder / "set.npz", images=pixels, labels=labels)
