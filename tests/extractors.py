"""Extractors that are invariant by construction.

The planted symmetry must be the only one. Magnitudes of Fourier modes are the autocorrelation of a picture; a flow
that leaves the autocorrelation of every picture commutes with all shifts, so it is one of them.
"""

import math

import torch
from torch.nn import functional

from lieapp.pictures.image import resample


def turning(pixels, rings=12, angles=48):
    """Unmoved by rotation: what a common phase leaves of Fourier modes over the angle on a polar grid.

    Magnitudes on each ring would also allow every ring a rotation of its own, f(r) ∂_θ; the product of a mode with
    the next ring's conjugate is unmoved only if both turn alike.
    """
    r = torch.linspace(0.08, 0.95, rings)[:, None]
    modes = torch.fft.rfft(_polar(pixels, r, angles))
    tied = modes[:, :, :-1] * modes[:, :, 1:].conj()
    tied = tied / tied.abs().clamp_min(1e-6).sqrt()
    return torch.cat([part.flatten(1) for part in (modes.abs(), tied.real, tied.imag)], 1)


def shifting(pixels, most=5):
    """Unmoved by both translations, as long as nothing leaves the frame: low 2-D Fourier magnitudes.

    Times the wavenumber, so that the largest don't hide the others. Magnitudes along rows alone would also allow
    f(y) ∂_x.
    """
    modes = torch.fft.rfft2(pixels)
    size = _wavenumbers(*pixels.shape[2:]).to(pixels)
    return (modes.abs() * size)[:, :, (size > 0) & (size <= most)].flatten(1)


def zooming(pixels, rings=48, angles=64, most=5):
    """Unmoved by uniform scaling and rotation: low 2-D Fourier magnitudes over ln r and the angle.

    Scaling shifts ln r. Times r², so that the middle, which never leaves the grid, fades out; scaling changes that
    factor of all features alike, and so not their direction.
    """
    r = torch.exp(torch.linspace(math.log(0.02), 0, rings))[:, None]
    modes = torch.fft.rfft2(_polar(pixels, r, angles) * r.to(pixels).square())
    size = _wavenumbers(rings, angles, math.inf).to(pixels)
    return modes.abs()[:, :, (size > 0) & (size <= most)].flatten(1)


def with_margin(pixels, inner, outer):
    """Pictures made smaller and put in the middle of black ones, so that moved contents stay in the frame."""
    margin = (outer - inner) // 2
    return functional.pad(functional.interpolate(pixels, size=(inner, inner), mode="area"), (margin,) * 4)


def _polar(pixels, r, angles):
    """Pictures on rings `r` by angle."""
    theta = torch.arange(angles) * (2 * torch.pi / angles)
    places = torch.stack([r * theta.cos(), r * theta.sin()])[None].to(pixels)
    return resample(pixels, places.expand(len(pixels), -1, -1, -1), "border")


def _wavenumbers(rows, columns, order=2):
    """The norm of each mode of rfft2."""
    along = [torch.fft.fftfreq(rows, 1 / rows)[:, None], torch.fft.rfftfreq(columns, 1 / columns)]
    return torch.linalg.vector_norm(torch.stack(torch.broadcast_tensors(*along)), order, 0)
