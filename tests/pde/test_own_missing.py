"""Files with NaN: dropped where asked, and symmetries hold on what is left."""

import numpy as np
import pytest
import torch
from own_burgers import burgers, cole_hopf, etas, nodes_of, npz, read

from lieapp.errors import DataError, GridError
from lieapp.pde.domain import PDEDomain
from lieapp.pde.misfit import misfit


@pytest.fixture
def file(tmp_path):
    """Eight exact solutions of which two of 24 times, inside, hold NaN."""
    x, t = nodes_of("uniform", 96), np.linspace(0, 1, 24)
    u = cole_hopf(x, t, 8)
    u[3, 7, 50] = u[:, 15] = np.nan
    return npz(tmp_path / "holes.npz", x=x, t=t, u=u)


def test_dropped_times_leave_what_is_found(file):
    """Slices know nothing of steps in time, and the misfit integrates over uneven ones."""
    with pytest.raises(DataError, match="NaN"):
        read(burgers(), file, parameter=("nu:0.1",))
    own = read(burgers(), file, parameter=("nu:0.1",), drop_nan=True)
    assert any("2 of 24 times" in words for words in own.words)
    assert len(own.pieces[0].time) == 22
    found = etas(own)
    assert len(found) == 5 and max(found.values()) < 1e-7
    domain = PDEDomain(own.declaration)
    assert misfit(domain.evolution, own.pieces).relative < 0.01
    wrong = PDEDomain(read(burgers(), file, parameter=("nu:0.3",), drop_nan=True).declaration)
    assert misfit(wrong.evolution, own.pieces).refutes


def test_nothing_is_moved_on_uneven_times(file):
    own = read(burgers(), file, parameter=("nu:0.1",), drop_nan=True)
    data = PDEDomain(own.declaration).prepared(own.train, own.held_out)
    with pytest.raises(GridError, match="t is not sampled evenly"):
        data.patches(None, None, (8, 32), torch.float64)
