"""The contract of `extension.ReadyNetwork`, for every one that is registered, lieapp's own and those of plugins."""

import pytest
import torch
from registered import CATALOG

from lieapp.pictures.ready import Ready

NETWORKS = {name: known.item for name, known in CATALOG.networks.items()}
SINGLE = [name for name, network in NETWORKS.items() if network.build and not network.takes_weights]
FAMILIES = [name for name, network in NETWORKS.items() if network.member]


def test_every_network_is_one_or_a_family():
    assert all((network.build is None) != (network.member is None) for network in NETWORKS.values())
    assert all(name == network.name and network.title.endswith(".") for name, network in NETWORKS.items())
    assert set(SINGLE) | set(FAMILIES) == {
        name for name, network in NETWORKS.items() if network.member or not network.takes_weights
    }


@pytest.mark.parametrize("name", SINGLE)
def test_its_features_are_finite_repeatable_differentiable_and_each_picture_s_own(name):
    network = NETWORKS[name]
    if network.missing:
        pytest.skip(f"{' and '.join(network.missing)} not installed")
    size = network.sides[0], network.sides[0] + 16
    ready = Ready(network.build(*size, None), name, size)
    pixels = torch.rand(3, 1, 20, 25, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = ready(pixels)
    assert found.ndim == 2 and len(found) == 3 and torch.isfinite(found).all()
    assert torch.equal(found, ready(pixels)) and not torch.allclose(found[0], found[1])
    # no picture changes the features of another one
    assert torch.allclose(found[:1], ready(pixels[:1]), rtol=1e-3, atol=1e-4 * float(found.detach().abs().max()))
    slope = torch.autograd.grad(found[0].square().sum(), pixels)[0]
    assert torch.isfinite(slope).all() and slope[0].any() and not slope[1:].any()


@pytest.mark.parametrize("name", FAMILIES)
def test_each_of_a_family_s_names_has_a_declaration(name):
    family = NETWORKS[name]
    if family.missing:
        pytest.skip(f"{' and '.join(family.missing)} not installed")
    members = family.members()
    assert len(set(members)) == len(members) > 0
    for member in members[::10]:
        network = family.member(member)
        assert network.build is not None and member in network.name and network.takes_weights
