"""Learned fields written to a file are the same functions when they are read."""

import pytest
import sympy as sp
import torch

from lieapp.augment.learned import Learned, content_of, read_learned
from lieapp.compare.closed_form.measure import LibraryFeatures
from lieapp.domains.base import Arguments
from lieapp.domains.solutions import Scales
from lieapp.domains.spread import Homogeneous
from lieapp.errors import RunError
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import Beside, Extended
from lieapp.methods.fields import Combination, Scaled, values
from lieapp.methods.network import FeatureNetwork, GeneratorNetwork

NAMES = ("t", "x", "u")
ARGUMENTS = Arguments(NAMES, (False, True, False), (False, False, True))
SCALES = Scales((1.5, 0.0, 0.0), (2.0, 16.0, 3.0))


def numbers(*shape):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def basis():
    return TensorBasis(ARGUMENTS, Degrees(1, 3, 2))


def plain():
    return TensorBasis(ARGUMENTS, Degrees(1, 3, 0))


def library():
    t, _, u = symbols = sp.symbols("t x u", real=True)
    functions = [sp.sqrt(t + 1), u / sp.sqrt(t + 1), sp.Integral(sp.exp(sp.sin(t)), t)]
    features = LibraryFeatures(functions, symbols, SCALES)
    features.norms = torch.tensor([1.5, 0.3, 2.0], dtype=torch.float64)
    return features


def extended():
    return Extended(basis(), library(), numbers(basis().count + 3, 5))


def network():
    return FeatureNetwork(ARGUMENTS, 6, 4, 2).double()


KINDS = {
    "basis": lambda: Combination(basis(), numbers(2, basis().count, 3)),
    "extended": lambda: Combination(extended(), numbers(2, 5, 3)),
    "beside": lambda: Combination(Beside(network(), library()), numbers(2, network().count + 3, 3)),
    "network": lambda: Combination(network(), torch.nn.Parameter(numbers(2, network().count, 3))),
    "homogeneous": lambda: Combination(Homogeneous(plain(), [2]), numbers(2, 2 * plain().count, 3)),
    "generators": lambda: Scaled(GeneratorNetwork(ARGUMENTS, 3, 2, 6, 5, 2, 1.5), torch.tensor([2.0, 3.0])),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_fields_come_back_bit_for_bit(tmp_path, kind):
    fields = KINDS[kind]()
    (tmp_path / "learned.safetensors").write_bytes(content_of(Learned(fields, NAMES, NAMES, SCALES)))
    found = read_learned(tmp_path / "learned.safetensors")
    assert (found.arguments, found.components, found.scales) == (NAMES, NAMES, SCALES)
    dtype = torch.float32 if kind == "generators" else torch.float64
    points = torch.rand(4, 3, 7, generator=torch.Generator().manual_seed(0)).to(dtype)
    # what is read back has no gradients, and with gradients other kernels of torch are at work
    with torch.no_grad():
        assert torch.equal(values(found.fields, points), values(fields, points))


def test_what_is_no_such_file_is_told(tmp_path):
    with pytest.raises(RunError, match="no learned"):
        read_learned(tmp_path / "learned.safetensors")
    (tmp_path / "learned.safetensors").write_bytes(b"12345678" * 3)
    with pytest.raises(RunError, match="can't be read"):
        read_learned(tmp_path / "learned.safetensors")
    whole = content_of(Learned(KINDS["basis"](), NAMES, NAMES, SCALES))
    (tmp_path / "learned.safetensors").write_bytes(whole[:-9])
    with pytest.raises(RunError, match="can't be read"):
        read_learned(tmp_path / "learned.safetensors")
