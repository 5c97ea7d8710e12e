"""What data have to show before a field is called a symmetry: unmet, the verdict is undecided, with the reason."""

import numpy as np
import pytest
import sympy as sp
import torch

import lieapp
from lieapp.api import PDE, SumOfSines
from lieapp.compare.outcome import Outcome
from lieapp.errors import DataError, PluginError
from lieapp.pde.conditions import beyond_bound, round_off
from lieapp.pde.domain import PDEDomain
from lieapp.pde.known import Derived

t, x, c = sp.symbols("t x c", real=True)
u = sp.Function("u")(t, x)
KDV = u.diff(t) + u * u.diff(x) + u.diff(x, 3)


def kdv(scale=1.0, equation=KDV, **given):
    settings = {
        "region": {t: (0, 4 * scale), x: (0, 16 * scale)}, "points": {t: 40, x: 64}, "periodic": [x],
        "initial": SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2, 3)),
    }  # fmt: skip
    return PDE(name="own", title="own", equation=sp.Eq(equation, 0), **{**settings, **given})


def found(pde, **given):
    settings = {"method": "spectrum", "cross_check": False, "finite": {"samples": 0}, "samples": 8}
    return lieapp.discover(pde, out=None, **{**settings, **given}).result


@pytest.mark.slow
def test_what_can_be_seen_is_decided():
    result = found(kdv())
    assert result.unmet == [] and result.count == len(result.truth) == 3 and result.all_proved
    assert not any(slot.undecided for slot in result.generators)


def test_round_off_hides_symmetries_of_a_tiny_region():
    """Over the window u_xxx turns waves 1e20 times: η of a translation is round-off, and far above 1."""
    result = found(kdv(1e-10))
    assert "round-off alone gives η" in result.unmet[0] and result.warnings[-1] == result.unmet[0]
    assert result.count == 0 and all(slot.undecided and slot.verdict != "exact" for slot in result.generators)
    assert "undecided" in result.sentence and [row.cosine for row in result.truth] == [0.0, 0.0, 0.0]


def test_round_off_grows_with_the_window_over_the_cube_of_the_region():
    floors = []
    for scale in (1e-4, 1e-5):
        domain = PDEDomain(kdv(scale))
        floors.append(round_off(domain, domain.dataset(2, 1, 0)))
    assert floors[1] / floors[0] == pytest.approx(100, rel=0.1)


@pytest.mark.slow
def test_symmetries_of_what_a_large_region_leaves_of_an_equation_are_undecided():
    """On 1e4 times the region u_xxx can't be seen: u_t + u u_x = 0 has infinitely many symmetries."""
    result = found(kdv(1e4, region={t: (0, 5e3), x: (0, 1.6e5)}))
    assert any("the term -u_xxx changes solutions" in words for words in result.unmet)
    proved = {form.shown.text for form in result.formulas if form.proved}
    exact = [slot for slot in result.generators if slot.verdict == "exact"]
    assert len(exact) <= len(proved) <= 3 and any(slot.undecided for slot in result.generators)


def test_fields_beyond_the_certified_algebra_are_a_fault():
    gram = torch.eye(4, dtype=torch.float64)
    gram[0, 2] = gram[2, 0] = 0.99
    none = torch.zeros(4, dtype=torch.float64)
    outcome = Outcome([0, 1], [2, 3], ["exact", "exact"], [0, 1], [], gram, none, none)
    known = Derived([], [], [], [], complete=True)
    assert beyond_bound(outcome, known, []) == [1] and beyond_bound(outcome, known, [1]) == []
    assert beyond_bound(outcome, Derived([], [], [], []), []) == []


def heat(times, mask=False):
    """u_t = u_xx/10 of random waves, exact."""

    def source(samples, seed):
        generator = np.random.default_rng(seed)
        place, time = np.arange(64) / 64, np.linspace(0, 0.1, times)
        k = 2 * np.pi * np.arange(1, 4)
        sizes, phases = generator.normal(size=(samples, 3)), generator.uniform(0, 6, (samples, 3))
        waves = sizes[..., None] * np.sin(k[:, None] * place + phases[..., None])
        damped = np.exp(-(k**2) * time[:, None] / 10)
        values = np.ma.masked_array(np.einsum("tk,skx->stx", damped, waves))
        if mask:
            values[0, 0, 0] = np.ma.masked
        return {"t": time, "x": place, "u": values}

    return kdv(equation=u.diff(t) - u.diff(x, 2) / 10, region={t: (0, 0.1), x: (0, 1)}, source=source)


def test_a_source_with_two_times_is_refused():
    with pytest.raises(DataError, match="source gave 2 values of t; an axis needs at least 8 points"):
        found(heat(2))
    with pytest.raises(DataError, match="source gave 1 value of t"):
        found(heat(1))


def test_masked_values_of_a_source_are_refused():
    with pytest.raises(DataError, match="1 masked values; none may be missing"):
        found(heat(20, mask=True))
    assert found(heat(20)).all_proved


@pytest.mark.parametrize(("name", "what"), [("x", "a variable"), ("t", "a variable"), ("u", "an unknown")])
def test_a_parameter_named_like_a_coordinate_or_an_unknown_is_refused(name, what):
    with pytest.raises(PluginError, match=f"parameters has {name}, which is {what}"):
        kdv(equation=KDV + c, parameters={sp.Symbol(name): 2.0})
