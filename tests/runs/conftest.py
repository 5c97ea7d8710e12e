"""For all tests of runs."""

import pytest


@pytest.fixture(autouse=True)
def checkout_on_path(monkeypatch, pytestconfig):
    """Child processes work in other folders and find the checkout all the same."""
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
