"""Stirred slices are no solutions: exact symmetries hold on them, what holds on few modes only doesn't."""

import pytest
import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.compare.outcome import compare
from lieapp.data.stepping import Tolerance
from lieapp.domains.formulas import FixedFields
from lieapp.equations.equation import read_pde
from lieapp.lie.stages import derive
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.loop import Alone
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog

T, X = sp.symbols("t x", real=True)
U = sp.Function("u")(T, X)


@pytest.mark.parametrize("plugin", ["kdv", "ckdv", "burgers", "ks", "heat"])
def test_derived_generators_hold_on_them(plugin):
    domain = PDEDomain(load_catalog().get(plugin).declaration)
    data = domain.dataset(2, 2, 0, tolerance=Tolerance(1e-3))
    truth = derive(read_pde(domain.declaration), list(domain.declaration.periodic)).periodic
    functions = [domain.scaled_field(f.components, data.scales) for f in truth]
    fields = FixedFields(lambda points: torch.cat([f(points) for f in functions]))
    stirred = data.held_out.stirred()
    assert float(judge(domain, fields, stirred.batches(8, 4)).eta.max()) < 1e-7
    assert not torch.equal(stirred.source.values, data.held_out.source.values)


def test_what_holds_on_few_modes_only_is_no_candidate():
    """Sums of few waves under u_t = -∂⁵u: two fields hold to 1e-5 on all such solutions, and on nothing else."""
    pde = PDE(name="fifth", title="fifth", equation=U.diff(T) + U.diff(X, 5), region={T: (0, 8), X: (0, 16)},
              points={T: 140, X: 128}, periodic=[X])  # fmt: skip
    domain = PDEDomain(pde)
    data = domain.dataset(16, 4, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 4, (60, 24), Alone())
    batches = list(data.held_out.batches(24, 8))
    trusting = compare(domain, batches, found, None, None)
    assert trusting.exact == [0, 1, 2, 3, 4] and float(trusting.eta[4]) < 1e-5
    assert compare(domain, batches, found, None, None, data.held_out.stirred().batches(24, 8)).exact == [0, 1, 2]
