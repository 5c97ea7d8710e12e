"""Random smooth slices and the true generators of three equations."""

import math

import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

EQUATIONS = {
    "kdv": u.diff(t) + u * u.diff(x) + u.diff(x, 3),
    "ks": u.diff(t) + u.diff(x, 2) + u.diff(x, 4) + u * u.diff(x),
    "ckdv": u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (2 * (t + 1)),
}
TRUE = {
    "kdv": [{"t": "1"}, {"x": "1"}, {"x": "t", "u": "1"}],
    "ks": [{"t": "1"}, {"x": "1"}, {"x": "t", "u": "1"}],
    "ckdv": [{"x": "1"}, {"x": "2*sqrt(t + 1)", "u": "1/sqrt(t + 1)"}],
}


def declaration(name, length=32, points=32):
    return PDE(
        name=name, title=name, equation=sp.Eq(EQUATIONS[name], 0),
        region={t: (0, 10), x: (0, length)}, points={t: 32, x: points}, periodic=[x],
    )  # fmt: skip


def smooth_slices(domain, samples, seed, modes=4):
    """Random smooth functions of x at random times: exact symmetries don't need the slices to be solutions."""
    generator = torch.Generator().manual_seed(seed)
    (axis,) = _grid(domain).axes
    n = torch.arange(1, modes + 1, dtype=torch.float64)
    phase = 2 * math.pi * torch.rand(samples, 16, modes, generator=generator, dtype=torch.float64)
    height = torch.rand(samples, 16, modes, generator=generator, dtype=torch.float64) / n
    angle = 2 * math.pi * n[:, None] * axis.coordinates() / axis.length
    values = (height[..., None] * torch.sin(angle + phase[..., None])).sum(2)
    time = torch.linspace(0, 10, 16, dtype=torch.float64)
    return Trajectories(time, _grid(domain), values[:, :, None], ("u",))


def _grid(domain):
    from lieapp.data.simulate import space_grid

    return space_grid(domain.declaration, domain.evolution)


def true_fields(name, domain, scales):
    from lieapp.domains.formulas import FixedFields

    symbols = dict(zip(domain.components, domain.evolution.jets.coordinates, strict=True))
    functions = [
        domain.scaled_field({c: sp.sympify(f.get(c, "0"), locals=symbols) for c in symbols}, scales)
        for f in TRUE[name]
    ]
    return FixedFields(lambda points: torch.cat([f(points) for f in functions]))
