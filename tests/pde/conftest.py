"""Short data of the shipped equations, simulated once."""

from functools import cache

import pytest

from lieapp.pde.check import short_declaration, short_trajectories
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog

SIX = ("kdv", "ks", "burgers", "nkdv", "ckdv", "heat")


@cache
def _short(name: str):
    declaration = load_catalog().get(name).declaration
    return PDEDomain(declaration), short_trajectories(short_declaration(declaration), lambda step, total: None)


@pytest.fixture(params=SIX)
def short(request):
    """One of the six domains with a few short trajectories."""
    return _short(request.param)


@pytest.fixture(autouse=True)
def checkout_on_path(monkeypatch, pytestconfig):
    """Child processes work in other folders and find the checkout all the same."""
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
