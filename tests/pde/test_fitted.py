"""A declaration whose right side was learned: its plugin file, and that nothing is derived from it."""

import pytest
import sympy as sp

from lieapp.api import PDE
from lieapp.config import TruthConfig
from lieapp.config_types import DiscoverData
from lieapp.errors import EquationError
from lieapp.pde.derivation import Request, derive
from lieapp.pde.domain import PDEDomain
from lieapp.pde.typed import plugin_of
from lieapp.registry.catalog import load_catalog

FORMULA = "u_t - (0.0123456789012345*u_x + (0.5 + 1.25*u_xx)*tanh(0.7*u - 0.3))"


@pytest.fixture
def made(tmp_path):
    import numpy as np

    x, t = np.arange(32) / 32 * 6, np.linspace(0, 1, 21)[:, None]
    np.savez(tmp_path / "data.npz", t=t[:, 0], x=x, u=np.exp(-t) * np.cos(2 * np.pi * x / 6))
    data = DiscoverData(files=(str(tmp_path / "data.npz"),))
    name, folder = plugin_of([FORMULA], data, tmp_path, ["t", "x"], ["u"], 1.5e-4)
    return name, folder


def test_the_plugin_file_has_all_numbers(made):
    name, folder = made
    declaration = load_catalog([folder]).get(name).declaration
    assert declaration.fitted == 1.5e-4 and declaration.title == "u_t = F(u, u_x, u_xx)"
    domain = PDEDomain(declaration)
    assert domain.fitted and [form.text for form in domain.shown()] == ["u_t = F(u, u_x, u_xx)"]
    u, u_x, u_xx = (domain.evolution.jets.symbol(0, (0, n)) for n in range(3))
    (f,) = domain.evolution.rhs
    expected = 0.0123456789012345 * u_x + (0.5 + 1.25 * u_xx) * sp.tanh(0.7 * u - 0.3)
    assert abs(float((f - expected).subs({u: 0.4, u_x: -1.1, u_xx: 0.8}))) < 1e-14


def test_nothing_is_derived_from_it(made):
    name, folder = made
    with pytest.raises(EquationError, match="learned from data; nothing is derived"):
        derive(Request(TruthConfig(plugin=name), [str(folder)]))


@pytest.mark.parametrize("fitted", [-1.0, float("nan"), "small"])
def test_an_error_is_a_number(fitted):
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    with pytest.raises(EquationError, match="isn't a relative error"):
        PDE(
            name="mine", title="Mine", equation=sp.Eq(u.diff(t), u.diff(x)), region={t: (0, 1), x: (0, 1)},
            points={t: 8, x: 8}, fitted=fitted,
        )  # fmt: skip
