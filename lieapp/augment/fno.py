"""Fourier Neural Operator in one dimension (Li 2021; layers as in Brandstetter 2022, which the paper follows).

vₖ₊₁ = GELU(F⁻¹(R F vₖ) + W vₖ + b), R a complex matrix for each of the lowest modes; lifted from and projected to
the channels of the data point by point. Coordinates are no input: the network commutes with shifts of the grid.
"""

from __future__ import annotations

from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.config_augment import check_modes

HEAD = 128
"""Channels of the projection's hidden layer."""

SMALLEST = 1e-12
"""Root mean square of data below which they count as 0."""


@lru_cache(maxsize=8)
def _waves(
    points: int, modes: int, dtype: torch.dtype, device: torch.device
) -> tuple[Float[Tensor, "2*{modes} {points}"], Float[Tensor, "{points} 2*{modes}"]]:
    """Matrices to the real and imaginary parts of the lowest modes, and back to values.

    Products with them take half the time of FFTs of all modes and the copies these need (256 points, 32 modes).
    """
    phase = (torch.outer(torch.arange(points), torch.arange(modes)) % points).double() * (2 * torch.pi / points)
    there = torch.stack([phase.cos(), -phase.sin()], 2)
    # a mode above 0 stands for its conjugate too
    back = there * torch.where(torch.arange(modes) > 0, 2.0, 1.0)[:, None] / points
    matrices = (there.flatten(1).T, back.flatten(1))
    to, of = (matrix.to(dtype=dtype, device=device).contiguous() for matrix in matrices)
    return to, of


class SpectralConvolution(nn.Module):
    """v -> F⁻¹(R F v): a complex matrix for each of the lowest modes (0 included), higher ones dropped."""

    def __init__(self, width: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        # real and imaginary part apart: optimisers and files know real numbers best
        self.weight = nn.Parameter(torch.rand(2, modes, width, width) / width)

    def forward(self, values: Float[Tensor, "batch x channel"]) -> Float[Tensor, "batch x channel"]:
        """Raises ConfigError on grids with fewer modes."""
        batch, points, width = values.shape
        check_modes(self.modes, points)
        to, back = _waves(points, self.modes, values.dtype, values.device)
        low = torch.matmul(to, values).reshape(batch, self.modes, 2 * width).transpose(0, 1)
        real, imaginary = self.weight
        # (a + i b)(R + i I) as one real product
        matrix = torch.cat([torch.cat([real, imaginary], 2), torch.cat([-imaginary, real], 2)], 1)
        found = torch.bmm(low, matrix).transpose(0, 1).reshape(batch, 2 * self.modes, width)
        return torch.matmul(back, found)


class FNO1d(nn.Module):
    """From the channels of one function to those of another, both on one uniform periodic grid of any size.

    Args:
        inputs, outputs: channels.
        width: channels of the Fourier layers.
        modes: Fourier modes they multiply, at most half the points.
        layers: how many of them.
    """

    scale: Float[Tensor, " 1"]

    def __init__(self, inputs: int, outputs: int, width: int, modes: int, layers: int) -> None:
        super().__init__()
        self.lift = nn.Linear(inputs, width)
        self.spectral = nn.ModuleList(SpectralConvolution(width, modes) for _ in range(layers))
        self.pointwise = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.project = nn.Sequential(nn.Linear(width, HEAD), nn.GELU(), nn.Linear(HEAD, outputs))
        self.register_buffer("scale", torch.ones(1))

    def normalise_by(self, values: Float[Tensor, "..."]) -> None:
        """Take the unit of inputs and outputs from data: their root mean square."""
        self.scale.fill_(float(values.double().square().mean().sqrt().clamp_min(SMALLEST)))

    def forward(self, values: Float[Tensor, "batch input x"]) -> Float[Tensor, "batch output x"]:
        """Outputs in the units of the inputs. Raises ConfigError on grids with fewer than 2 `modes` points."""
        # channels last: each layer is then one product, whose gradient is cheaper than that of a convolution
        found = self.lift(values.transpose(1, 2) / self.scale)
        for spectral, pointwise in zip(self.spectral, self.pointwise, strict=True):
            found = functional.gelu(spectral(found) + pointwise(found))
        projected: Tensor = self.project(found)
        return projected.transpose(1, 2) * self.scale
