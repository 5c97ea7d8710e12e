"""The contract of `extension.Method`, for every method that is registered, lieapp's own and those of plugins."""

from dataclasses import replace

import pytest
import torch
from registered import CATALOG, DISCOVER, METHODS

from lieapp.methods.fields import values
from lieapp.pde import plan
from lieapp.pde.domain import PDEDomain
from lieapp.progress import SilentReporter
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.session import Session
from lieapp.settings import load_config

FEW = [
    "samples=4", "held_out=1", "slices=24", "held_out_slices=8", "slots=3", "projection.steps=4",
    "projection.width=8", "projection.features=5", "projection.batch=6", "spectrum.degrees=[1,2]",
    "gradient.batch=6", "gradient.trunk=8", "gradient.head=4", "flow.patch_time=20", "flow.patch_space=32",
    "flow.trunk=8", "flow.head=4",
]  # fmt: skip
REFINING = [name for name, method in METHODS.items() if method.refine]


@pytest.fixture(scope="module")
def small():
    """cKdV on a coarse grid and a short window."""
    pde = CATALOG.get("ckdv").declaration
    t, x = pde.region
    domain = PDEDomain(replace(pde, region={t: (0, 20), x: (0, 32)}, points={t: 40, x: 48}, keep_last=32))
    return domain, domain.dataset(4, 1, seed=0)


def session(folder, *sets):
    config = load_config(DISCOVER, None, [*FEW, *sets], plugin="ckdv")
    return Session(RunDirectory(folder), SilentReporter(), config, (), METHODS)


def check(found, domain, folder):
    points = torch.rand(1, len(domain.components), 5, 5, dtype=torch.float64)
    count = len(found.levels[-1].eta)
    assert values(found.fields, points).shape == (count, *points.shape) and 0 < count <= 3
    assert all(eta >= 0 for level in found.levels for eta in level.eta) and found.grows and found.spectrum
    rows = RunDirectory(folder).metrics()
    assert rows and all({"step", "total", "stage"} <= set(row) for row in rows)
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize("name", METHODS)
def test_it_finds_fields_and_its_settings_are_its_own(small, tmp_path, name):
    method = METHODS[name]
    check(plan.discover(*small, session(tmp_path, f"method={name}")), small[0], tmp_path)
    assert method.checked_by in METHODS and method.checked_by != name
    if method.settings.__struct_fields__:
        assert method.settings() == getattr(load_config(DISCOVER, plugin="ckdv"), name)


@pytest.mark.parametrize("name", REFINING)
def test_it_refines_the_fields_of_another(small, tmp_path, name):
    first = next(own for own, method in METHODS.items() if method.refinable and not method.parts)
    family = METHODS[first].family or first
    sitting = session(tmp_path, f"method={family}", f'stages=["{first}","{name}"]')
    check(plan.discover(*small, sitting), small[0], tmp_path)
    assert {row["stage"] for row in RunDirectory(tmp_path).metrics()} == {first, name}
