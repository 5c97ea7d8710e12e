"""Named fields in the cube of colours, which learned ones are compared with.

With m = (r + g + b)/3, the mean that both saturation and the grey axis r = g = b refer to.
"""

from __future__ import annotations

from lieapp.document import Formula
from lieapp.domains.reference import linear_field

ROOT = 3**-0.5
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = ((0.0, 0.0, 0.0),) * 3
NO_SHIFT = (0.0, 0.0, 0.0)
THIRD = 1 / 3

COLOR_FIELDS = (
    linear_field("shift of red", {"r": "1", "g": "0", "b": "0"}, ZERO, (1.0, 0.0, 0.0)),
    linear_field("shift of green", {"r": "0", "g": "1", "b": "0"}, ZERO, (0.0, 1.0, 0.0)),
    linear_field("shift of blue", {"r": "0", "g": "0", "b": "1"}, ZERO, (0.0, 0.0, 1.0)),
    linear_field("brightness", {"r": "r", "g": "g", "b": "b"}, EYE, NO_SHIFT),
    linear_field(
        "saturation",
        {"r": "(2*r - g - b)/3", "g": "(2*g - r - b)/3", "b": "(2*b - r - g)/3"},
        tuple(tuple(EYE[i][j] - THIRD for j in range(3)) for i in range(3)),
        NO_SHIFT,
        Formula(
            "(2*r - g - b)/3 ∂r + (2*g - r - b)/3 ∂g + (2*b - r - g)/3 ∂b",
            r"\frac{2 r - g - b}{3}\,\partial_{r} + \frac{2 g - r - b}{3}\,\partial_{g} + "
            r"\frac{2 b - r - g}{3}\,\partial_{b}",
        ),
    ),
    linear_field(
        "hue rotation",
        {"r": "(b - g)/sqrt(3)", "g": "(r - b)/sqrt(3)", "b": "(g - r)/sqrt(3)"},
        ((0.0, -ROOT, ROOT), (ROOT, 0.0, -ROOT), (-ROOT, ROOT, 0.0)),
        NO_SHIFT,
        Formula(
            "(b - g)/sqrt(3) ∂r + (r - b)/sqrt(3) ∂g + (g - r)/sqrt(3) ∂b",
            r"\frac{b - g}{\sqrt{3}}\,\partial_{r} + \frac{r - b}{\sqrt{3}}\,\partial_{g} + "
            r"\frac{g - r}{\sqrt{3}}\,\partial_{b}",
        ),
    ),
    linear_field("lightness", {"r": "1", "g": "1", "b": "1"}, ZERO, (1.0, 1.0, 1.0)),
    linear_field("contrast", {"r": "r - 1/2", "g": "g - 1/2", "b": "b - 1/2"}, EYE, (-0.5, -0.5, -0.5)),
    linear_field("blue-yellow shift", {"r": "1", "g": "1", "b": "-2"}, ZERO, (1.0, 1.0, -2.0)),
)
"""Shifts of a channel; brightness multiplies, lightness adds; contrast multiplies the distance from middle grey,
saturation that from the grey axis, and hue turns about that axis. Which of them depend on others is computed."""
