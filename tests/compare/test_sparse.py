"""Few columns that combine to an element of a span."""

import torch

from lieapp.compare.closed_form.sparse import CLOSE, Columns, candidates


def columns(basis, library):
    library = library / torch.linalg.vector_norm(library, dim=1)[:, None]
    q = torch.linalg.qr(basis.T)[0].T
    return Columns(library @ library.T, q @ library.T)


def test_planted_combinations_come_first():
    """A span mixed from one column, a pair and a triple of 30; the rest of the columns is in the way."""
    generator = torch.Generator().manual_seed(0)
    library = torch.randn(30, 500, generator=generator, dtype=torch.float64)
    planted = [{4: 1.0}, {7: 1.0, 11: -2.0}, {2: 0.5, 9: 1.0, 20: 3.0}]
    pure = torch.stack([sum(w * library[k] for k, w in p.items()) for p in planted])
    mixed = torch.randn(3, 3, generator=generator, dtype=torch.float64) @ pure
    noisy = mixed + 1e-5 * torch.randn(mixed.shape, generator=generator, dtype=torch.float64)
    left = set(range(30))
    for size, plan in enumerate(planted, start=1):
        allowed = torch.tensor(sorted(left))
        groups = list(candidates(columns(noisy, library), size, allowed))
        best = groups[-1][0]
        assert set(best.columns) == set(plan) and best.sine < 1e-4
        ratios = torch.tensor(
            [
                c / float(torch.linalg.vector_norm(library[k]))
                for c, k in zip(best.coefficients, best.columns, strict=True)
            ]
        )
        wanted = torch.tensor([plan[k] for k in best.columns])
        assert torch.allclose(ratios / ratios[0], wanted / wanted[0], rtol=1e-3)
        left -= {best.columns[0]}


def test_the_sine_is_the_angle_and_far_ones_are_left_out():
    library = torch.eye(3, dtype=torch.float64)
    angle = 0.01
    basis = torch.tensor([[1.0, angle, 0.0]], dtype=torch.float64)
    (group,) = candidates(columns(basis, library), 1, torch.arange(3))
    assert [c.columns for c in group] == [(0,)]
    assert abs(group[0].sine - angle) < 1e-5 < CLOSE


def test_columns_that_are_one_function_on_the_data_are_no_pair():
    library = torch.tensor([[1.0, 0.0], [1.0, 1e-12]], dtype=torch.float64)
    *_, pairs = candidates(columns(torch.tensor([[0.0, 1.0]], dtype=torch.float64), library), 2, torch.arange(2))
    assert pairs == []
