"""Stirred slices are no solutions: exact symmetries hold on them, what holds on few modes only doesn't."""

from dataclasses import replace

import pytest
import sympy as sp
import torch

from lieapp.api import PDE, SumOfSines
from lieapp.compare.outcome import compare
from lieapp.data.stepping import Tolerance
from lieapp.domains.formulas import FixedFields
from lieapp.equations.equation import read_pde
from lieapp.lie.stages import derive
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.fields import Combination
from lieapp.methods.loop import Alone
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDomain
from lieapp.pde.stirred import separated, stirred
from lieapp.registry.catalog import load_catalog

T, X = sp.symbols("t x", real=True)
U = sp.Function("u")(T, X)


@pytest.mark.parametrize("plugin", ["kdv", "ckdv", "burgers", "ks", "heat"])
@pytest.mark.slow
def test_derived_generators_hold_on_them(plugin):
    domain = PDEDomain(load_catalog().get(plugin).declaration)
    data = domain.dataset(2, 2, 0, tolerance=Tolerance(1e-3))
    truth = derive(read_pde(domain.declaration), list(domain.declaration.periodic)).periodic
    functions = [domain.scaled_field(f.components, data.scales) for f in truth]
    fields = FixedFields(lambda points: torch.cat([f(points) for f in functions]))
    made = data.held_out.stirred()
    assert float(judge(domain, fields, made.batches(8, 4)).eta.max()) < 1e-7
    assert not torch.equal(made.source.values, data.held_out.source.values)


def waves(equation, window, length):
    """Linear, started from two wavenumbers."""
    return PDE(
        name="waves", title="Two waves", equation=sp.Eq(equation, 0), periodic=[X],
        region={T: (0, window), X: (0, length)}, points={T: 32, X: 32}, initial=SumOfSines(wavenumbers=(1, 2)),
    )  # fmt: skip


def outcomes(domain, data, found):
    """Without and with slices that are no solutions."""
    held_out = list(data.held_out.batches(16, 8))
    return [compare(domain, held_out, found, None, None, batches) for batches in ((), stirred(data))]


def test_two_waves_of_a_linear_equation_have_more_symmetries_than_the_equation():
    """u = Σ a_k(t) exp(ikx), |k| = 1, 2: fields that send 1 to 2 and -2 to -1 hold, as ω(2) - ω(1) serves both.

    On the same slices times other functions they don't, and of the equation's own none gets worse.
    """
    domain = PDEDomain(waves(U.diff(T) + U.diff(X, 5), 8, 16))
    data = domain.dataset(6, 3, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 6, (40, 16), Alone())
    plain, judged = outcomes(domain, data, found)
    assert (len(plain.exact), len(judged.exact), len(judged.special)) == (5, 3, 2)
    assert all(judged.verdicts[n] == "approximate" for n in judged.special)
    assert separated(domain, data, found, 16).levels[-1].eta[5] == found.levels[-1].eta[5]


def test_mixtures_with_symmetries_of_the_data_come_apart():
    """Such slow waves that all five are exact to round-off: what a method finds of them is any basis."""
    domain = PDEDomain(waves(U.diff(T) + U.diff(X, 3), 4, 32))
    data = domain.dataset(6, 3, 0)
    found = by_spectrum(domain, data, (2, 4, 6, 8), 1, 1, 6, (40, 16), Alone())
    fields = torch.linalg.qr(torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))[0]
    mixed = found.fields.coefficients.clone()
    mixed[:5] = torch.einsum("mn,nkc->mkc", fields, mixed[:5])
    found = replace(found, fields=Combination(found.fields.features, mixed))
    before, after = (outcomes(domain, data, one)[1] for one in (found, separated(domain, data, found, 16)))
    # which basis round-off leaves differs between machines, and one of a mixture may be right by chance
    assert len(before.exact) < len(after.exact)
    assert (len(after.exact), len(after.special)) == (3, 2)
