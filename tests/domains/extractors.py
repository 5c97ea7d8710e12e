"""Extractors that are invariant by construction."""

import torch

from lieapp.domains.image_grid import resample


def turning(pixels, rings=12, angles=48):
    """Unmoved by rotation: what a common phase leaves of Fourier modes over the angle on a polar grid.

    Magnitudes on each ring would also allow every ring a rotation of its own, f(r) ∂_θ; the product of a mode with
    the next ring's conjugate is unmoved only if both turn alike. The planted symmetry must be the only one.
    """
    r = torch.linspace(0.08, 0.95, rings)[:, None]
    theta = torch.arange(angles) * (2 * torch.pi / angles)
    places = torch.stack([r * theta.cos(), r * theta.sin()])[None].to(pixels)
    polar = resample(pixels, places.expand(len(pixels), -1, -1, -1), "border")
    modes = torch.fft.rfft(polar)
    tied = modes[:, :, :-1] * modes[:, :, 1:].conj()
    tied = tied / tied.abs().clamp_min(1e-6).sqrt()
    return torch.cat([part.flatten(1) for part in (modes.abs(), tied.real, tied.imag)], 1)
