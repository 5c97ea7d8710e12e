"""Ways to change pictures: crops are crops, flows are flows, and what doesn't fit is said."""

import math

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lieapp.augment.of_pictures import (
    FieldChange,
    affine_change,
    cropped,
    learned_change,
)
from lieapp.data.images.pictures import flipped
from lieapp.domains.formulas import AFFINE
from lieapp.errors import DataError, RunError
from lieapp.pictures.image import pixel_grid, resample


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def blobs(count=4, height=28, width=28):
    """Smooth pictures, dark towards the edge."""
    grid = pixel_grid(height, width, torch.float64)
    middle = 0.6 * torch.rand(count, 2, 1, 1, generator=seeded()).double() - 0.3
    return torch.exp(-6 * (grid - middle).square().sum(1, keepdim=True))


def linear(pixels, matrix):
    """f(exp(-A) x)."""
    back = torch.linalg.matrix_exp(-torch.as_tensor(matrix, dtype=torch.float64))
    grid = pixel_grid(*pixels.shape[2:], pixels.dtype)
    return resample(pixels, torch.einsum("ij,bjhw->bihw", back, grid).expand(len(pixels), -1, -1, -1), "border")


def test_a_crop_is_a_window_of_the_padded_picture():
    pixels = torch.rand(64, 3, 16, 12, generator=seeded())
    found = cropped(pixels, seeded())
    wide = np.pad(pixels.numpy(), ((0, 0), (0, 0), (2, 2), (2, 2)))
    shifts = set()
    for picture, own in zip(wide, found.numpy(), strict=True):
        windows = {(i, j): picture[:, i : i + 16, j : j + 12] for i in range(5) for j in range(5)}
        (shift,) = [where for where, window in windows.items() if np.array_equal(window, own)]
        shifts.add(shift)
    assert len(shifts) > 15 and {i for i, _ in shifts} == {j for _, j in shifts} == set(range(5))


def test_the_default_mirrors_only_where_it_may():
    even = blobs(64, 16, 16)
    even = (even + even.flip(-1)) / 2
    odd = even + torch.linspace(0, 0.1, 16).double()
    generator = seeded()
    found = cropped(flipped(odd, generator), generator)
    mirrored = found[..., 2:-2, 9] < found[..., 2:-2, 6]
    assert 10 < mirrored[:, 0].all(1).sum() < 54


def test_one_field_moves_as_its_exponential():
    change = affine_change(0.5)
    norms = {name: n for n, name in enumerate(f.name for f in AFFINE[:6])}
    pixels = blobs()
    s = torch.zeros(4, 6).double()
    s[:, norms["shear along x"]] = 0.3
    # norms are taken on the square: y has the root mean square 1/sqrt(3)
    length = pixel_grid(64, 64, torch.float64)[0, 1].square().mean().sqrt()
    assert length == pytest.approx(1 / math.sqrt(3), abs=0.02)
    found = change.moved(pixels, s)
    assert torch.allclose(found, linear(pixels, [[0, 0.3 / length], [0, 0]]), atol=1e-5)


def test_a_combination_is_the_flow_of_the_sum():
    pixels, s = blobs(), torch.zeros(4, 6).double()
    s[:, 2:6] = torch.tensor([0.1, -0.2, 0.3, -0.25])
    length = float(pixel_grid(64, 64, torch.float64)[0, 1].square().mean().sqrt())
    found = affine_change(0.5).moved(pixels, s)
    expected = linear(pixels, np.array([[0.1, 0.3], [-0.25, -0.2]]) / length)
    assert torch.allclose(found, expected, atol=1e-4)


def test_pictures_have_combinations_of_their_own_and_seeds_repeat():
    pixels = blobs(1).expand(5, -1, -1, -1)
    change = affine_change(0.2)
    found = change(pixels, seeded(1))
    assert torch.equal(found, change(pixels, seeded(1)))
    assert all(not torch.allclose(found[0], other, atol=1e-3) for other in found[1:])


@pytest.fixture
def run(tmp_path):
    """A run whose two fields are rotation, of norm 1, and a translation, on pictures of 28 x 28."""
    grid = pixel_grid(28, 28, torch.float32)
    turn = torch.cat([-grid[:, 1:], grid[:, :1]], 1)
    learned = torch.cat([turn / turn.square().sum(1).mean().sqrt(), torch.ones_like(turn)])
    save_file({"learned": learned}, tmp_path / "fields.safetensors")
    return tmp_path


def test_learned_fields_move_as_what_they_are(run):
    change = learned_change(run, (1, 28, 28), 0.4)
    assert isinstance(change, FieldChange) and change.count == 2
    pixels = blobs()
    norm = float(pixel_grid(28, 28, torch.float64).square().sum(1).mean().sqrt())
    found = change.moved(pixels, torch.tensor([[0.4, 0.0]]).double().expand(4, 2))
    angle = 0.4 / norm
    # beyond the border the field goes on as on it: corners turn otherwise, and splines feel it a little
    inner = (..., slice(5, -5), slice(5, -5))
    assert (found - pixels)[inner].abs().max() > 0.1
    assert torch.allclose(found[inner], linear(pixels, [[0, -angle], [angle, 0]])[inner], atol=1e-3)


def test_runs_that_can_t_be_used(run, tmp_path):
    with pytest.raises(DataError, match="fields on pictures of 28 x 28 pixels; those here have 32 x 32"):
        learned_change(run, (3, 32, 32), 0.2)
    (run / "fields.safetensors").write_bytes(b"nothing")
    with pytest.raises(RunError, match="its fields can't be read"):
        learned_change(run, (1, 28, 28), 0.2)
    with pytest.raises(RunError, match="its fields can't be read"):
        learned_change(tmp_path / "absent", (1, 28, 28), 0.2)
    save_file({"learned": torch.zeros(2, 3, 28, 28)}, run / "fields.safetensors")
    with pytest.raises(RunError, match="don't move the plane"):
        learned_change(run, (1, 28, 28), 0.2)
