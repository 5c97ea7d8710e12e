"""A simpler equation that the data nearly solve."""

import math
from dataclasses import replace

import pytest
import sympy as sp

from lieapp.api import PDE, SumOfSines
from lieapp.pde.domain import PDEDomain
from lieapp.pde.simpler import simpler


def test_a_simpler_equation_leaves_out_what_hardly_changes_the_data():
    """A single wave of wavenumber k: u_xx/1000 changes it by T k²/1000 of its spread, u_xxx by T k³."""
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    wave = PDE(
        name="wave", title="One wave", equation=sp.Eq(u.diff(t) + u.diff(x, 3) - u.diff(x, 2) / 1000, 0),
        periodic=[x], region={t: (0, 4), x: (0, 8)}, points={t: 32, x: 32}, initial=SumOfSines(wavenumbers=(2,)),
    )  # fmt: skip
    domain = PDEDomain(wave)
    data = domain.dataset(3, 1, 0)
    found = simpler(domain, replace(data, held_out=data.train))
    k = 2 * math.pi / 4
    assert found is not None
    assert [shown.text for shown in found.equation] == ["u_t + u_xxx = 0"]
    assert [shown.text for shown in found.left_out] == ["u_xx/1000"]
    assert found.share == pytest.approx(4 * k**2 / 1000, rel=0.1)
    thick = replace(wave, equation=sp.Eq(u.diff(t) + u.diff(x, 3) - u.diff(x, 2), 0))
    assert simpler(PDEDomain(thick), PDEDomain(thick).dataset(3, 3, 0)) is None
