import pytest
from smooth_data import EQUATIONS, declaration, smooth_slices

from lieapp.pde.domain import PDEDomain


@pytest.fixture(params=sorted(EQUATIONS))
def equation(request):
    """Name, domain and data of one equation: eight trajectories of slices, the last two held out."""
    domain = PDEDomain(declaration(request.param))
    return request.param, domain, domain.split(smooth_slices(domain, 8, seed=1), 6)


@pytest.fixture
def kdv():
    domain = PDEDomain(declaration("kdv"))
    return domain, domain.split(smooth_slices(domain, 8, seed=1), 6)
