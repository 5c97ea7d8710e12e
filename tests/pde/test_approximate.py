"""What the literature calls approximate is measured here, on the shipped regimes."""

import torch

from lieapp.domains.formulas import FixedFields
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog


def test_time_translation_is_no_approximate_symmetry_of_ckdv():
    """The paper counts d_t; its η on cKdV lies above .1, so a moved solution is wrong by more than a tenth."""
    domain = PDEDomain(load_catalog().get("ckdv").declaration)
    data = domain.split(domain.trajectories(6, seed=0), 3)
    time = torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
    shift = FixedFields(lambda z: (time[:, None] + 0 * z)[None])
    eta = judge(domain, shift, data.held_out.batches(60, 10)).eta
    print(f"eta of d_t on cKdV: {float(eta[0]):.2f}")
    assert 0.1 < eta[0] < 1.0
