"""Photographs seen by extractors that are invariant to one change of colours by construction, and to no other.

An angle between features doesn't see their length, and whatever leaves each picture's features alone is a symmetry:
tests/pictures/test_planted_colors.py counts them among the quadratic fields.
"""

import torch

from lieapp.api import Colors, hookimpl

APART = 3
"""Pixels between two whose hues are compared."""

CONSTANT = 10.0
"""A feature that never changes: with it the length of the others counts."""


def hue_free(pixels: torch.Tensor) -> torch.Tensor:
    """Unmoved by the rotation of hues about the grey axis.

    With the mean m of the channels and the chroma c, a complex number whose argument is the hue: m and |c| alone
    would allow a turn by f(m, |c|), another one for each colour; c(x) c*(x') of pixels near each other is unmoved
    only if both turn alike.
    """
    red, green, blue = pixels.unbind(1)
    mean = (red + green + blue) / 3
    chroma = torch.complex((2 * red - green - blue) / 3, (green - blue) * 3**-0.5)
    tied = [chroma[:, APART:] * chroma[:, :-APART].conj(), chroma[:, :, APART:] * chroma[:, :, :-APART].conj()]
    # square roots bring products back to the size of chroma
    tied = [part / part.abs().clamp_min(1e-4).sqrt() for part in tied]
    values = [mean, chroma.abs(), *(part.real for part in tied), *(part.imag for part in tied)]
    flat = torch.cat([part.flatten(1) for part in values], 1)
    return torch.cat([flat, flat.new_full((len(flat), 1), CONSTANT)], 1)


def brightness_free(pixels: torch.Tensor) -> torch.Tensor:
    """Unmoved by brightness: the pixels as they are, whose length an angle doesn't see."""
    return pixels.flatten(1)


planted = [
    Colors(name="planted-hue", title="Colours, hue planted", features=hue_free),
    Colors(name="planted-brightness", title="Colours, brightness planted", features=brightness_free),
]


@hookimpl
def lieapp_domains() -> list[Colors]:
    return planted
