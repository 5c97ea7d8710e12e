"""Small, smooth solutions of the shipped equations, and fields given by formulas, for tests of moved data.

The equations are the plugins' own on a smaller box, so that 32 points hold the solutions to 1e-9 and nonlinearity,
dispersion and explicit time all count within the window.
"""

from dataclasses import dataclass, replace
from functools import cache

import sympy as sp
import torch

from lieapp.api import SumOfSines
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Arguments
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import PatchData, Scales
from lieapp.pde.data import measure_scales
from lieapp.pde.domain import PDEDomain
from lieapp.pde.residual import Backend
from lieapp.registry.catalog import load_catalog

ARGUMENTS = Arguments(("t", "x", "u"), (False, True, False), (False, False, True))
"""Those of each equation here."""

SIX = ("kdv", "ks", "burgers", "nkdv", "ckdv", "heat")
SMOOTH = SumOfSines(terms=3, amplitude=0.4, wavenumbers=(1,))
SHAPED = SumOfSines(terms=3, wavenumbers=(1,), rescale=(0, 1), shape=lambda s: sp.exp(3 * (2 * s - 1)))
T0 = 5
"""Of nkdv, so that its explicit time grows by half over the window."""


@cache
def declaration(name, points=32, times=49):
    """The plugin's declaration on a box in which few points do."""
    shipped = load_catalog().get(name).declaration
    t, x = shipped.region
    burgers = name == "burgers"
    return replace(
        shipped,
        region={t: (0, 4 if burgers else 2), x: shipped.region[x] if burgers else (0, 16)},
        points={t: times, x: points},
        keep_last=None,
        initial=SHAPED if burgers else SMOOTH,
        parameters={k: T0 if name == "nkdv" else v for k, v in shipped.parameters.items()},
    )


@dataclass(frozen=True)
class Small:
    """A domain with solutions and their scales."""

    domain: PDEDomain
    trajectories: Trajectories
    scales: Scales

    def using(self, name, **options):
        """The same data in a domain with another backend."""
        return replace(self, domain=PDEDomain(self.domain.declaration, Backend(name, tuple(options.items()))))

    def patches(self, time=0, space=0, dtype=torch.float64):
        return PatchData([self.trajectories], self.scales, self.domain.evolution.time, (time, space), dtype)

    def whole(self, dtype=torch.float64, samples=1):
        """All nodes of the first trajectories."""
        return next(iter(self.patches(dtype=dtype).batches(samples)))


@cache
def small(name, points=32, times=49, samples=2):
    pde = declaration(name, points, times)
    found = simulate(pde, samples, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-8))
    domain = PDEDomain(pde, Backend("curvilinear", (("accuracy", 4),)))
    return Small(domain, found, measure_scales([found], domain.arguments.names))


class Formulas(FixedFields):
    """Fields given as a function of scaled points, for flows too."""

    def each(self, points, which=None):
        which = range(len(points)) if which is None else which
        return torch.stack([self.function(z)[a] for z, a in zip(points, which, strict=True)])


def formulas(data, *fields):
    """Fields from components in physical coordinates, in the order of the domain's; `L` is the period."""
    domain, length = data.domain, data.trajectories.grid.axes[0].length
    names = dict(zip(domain.components, domain.evolution.jets.coordinates, strict=True), L=sp.Float(length))
    parts = [
        domain.scaled_field(
            {c: sp.sympify(e, locals=names) for c, e in zip(domain.components, field, strict=True)}, data.scales
        )
        for field in fields
    ]
    return Formulas(lambda points: torch.cat([part(points) for part in parts]))


TRUE = {
    "kdv": [("1", "0", "0"), ("0", "1", "0"), ("0", "t", "1")],
    "ks": [("1", "0", "0"), ("0", "1", "0"), ("0", "t", "1")],
    "burgers": [("1", "0", "0"), ("0", "1", "0"), ("0", "t", "1")],
    "nkdv": [(f"exp(-t/{T0})", "0", "0"), ("0", "1", "0"), ("0", f"{T0}*(exp(t/{T0}) - 1)", "1")],
    "ckdv": [("0", "1", "0"), ("0", "2*sqrt(t + 1)", "1/sqrt(t + 1)")],
    "heat": [("1", "0", "0"), ("0", "1", "0"), ("0", "0", "u")],
}
"""Periodic generators in (t, x, u)."""
