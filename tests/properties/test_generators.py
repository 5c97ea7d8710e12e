"""Exact generators leave nothing in the linearised residual of data; fields that are none leave a lot."""

from functools import cache

import pytest
import sympy as sp
import torch

from lieapp.domains.formulas import FixedFields
from lieapp.equations.equation import exact
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive
from lieapp.pde.check import defects, short_declaration, short_trajectories
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog

SIX = {"kdv": 3, "ks": 3, "burgers": 3, "nkdv": 3, "ckdv": 2, "heat": 3}
"""Equations with the number of generators that their periodic domain keeps."""

FLOOR = 1e-8


@cache
def short(name):
    declaration = load_catalog().get(name).declaration
    return PDEDomain(declaration), short_trajectories(short_declaration(declaration), lambda step, total: None)


def wrong_fields(domain):
    """Six fields, periodic in x, none of them a symmetry of any of the equations."""
    t, x, u = domain.evolution.jets.coordinates
    length = exact(domain.declaration.region[x][1])
    parts = [
        {"x": sp.sin(2 * sp.pi * x / length)},
        {"t": t, "u": u},
        {"u": u**2},
        {"x": u},
        {"u": sp.cos(2 * sp.pi * x / length)},
        {"x": t**2},
    ]
    return [{**dict.fromkeys(domain.components, sp.S.Zero), **part} for part in parts]


@pytest.mark.parametrize("name", SIX)
def test_derived_generators_lie_at_the_floor(name):
    domain, data = short(name)
    x = domain.evolution.jets.independent[1]
    left, right = domain.declaration.region[x]
    truth = derive(domain.system, [x], {x: exact(right) - exact(left)})
    assert len(truth.periodic) == SIX[name]
    eta = defects(domain, data, [f.components for f in truth.periodic])
    assert max(eta) < FLOOR, dict(zip(map(str, truth.periodic), eta, strict=True))


@pytest.mark.parametrize("name", SIX)
def test_six_wrong_fields_don_t(name):
    domain, data = short(name)
    fields = wrong_fields(domain)
    assert not any(is_symmetry(domain.system, field) for field in fields)
    eta = defects(domain, data, fields)
    assert min(eta) > 1e-3, dict(zip(map(str, fields), eta, strict=True))


def test_members_of_the_heat_equation_s_family_lie_at_the_floor():
    domain, data = short("heat")
    t, x, _ = domain.evolution.jets.coordinates
    k, zero = sp.pi / 16, sp.S.Zero
    field = {"t": zero, "x": zero, "u": sp.exp(-9 * k**2 * t) * sp.sin(3 * k * x)}
    slower = {**field, "u": sp.exp(-8 * k**2 * t) * sp.sin(3 * k * x)}
    found, other = defects(domain, data, [field, slower])
    assert found < FLOOR and other > 1e-2


def test_the_defect_has_no_unit_and_no_size():
    domain, data = short("kdv")
    field = wrong_fields(domain)[0]
    scaled = {name: 1000 * value for name, value in field.items()}
    one, other = defects(domain, data, [field, scaled])
    assert one == pytest.approx(other, rel=1e-12)


def test_a_sum_of_a_generator_and_a_wrong_field_is_as_wrong():
    domain, data = short("ks")
    wrong = wrong_fields(domain)[0]
    both = {**wrong, "x": wrong["x"] + 1}
    alone, together = defects(domain, data, [wrong, both])
    assert 0.1 * alone < together < alone


def test_the_engine_s_fields_and_the_check_s_agree():
    from lieapp.methods.spectrum import factors, measured
    from lieapp.pde.data import SliceData, measure_scales

    domain, data = short("kdv")
    slices = SliceData([data], domain.linearisation, measure_scales([data], domain.arguments.names), 3)
    field = wrong_fields(domain)[0]
    fixed = FixedFields(domain.scaled_field(field, slices.scales))
    found = measured(factors(domain, fixed, slices.batches(16, 8)), torch.eye(1, dtype=torch.float64))
    assert float(found.eta[0]) == pytest.approx(defects(domain, data, [field])[0], rel=1e-9)
