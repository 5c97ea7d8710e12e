"""Cosines and angles from a Gram matrix against SciPy on the vectors themselves."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from lieapp.compare.subspace import (
    cosines,
    independent,
    largest_components,
    normalised,
    orthonormalised,
    principal_angle,
)


def gram(vectors):
    v = torch.as_tensor(vectors)
    return v @ v.T


@given(seed=st.integers(0, 10**6), first=st.integers(1, 3), second=st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_the_largest_angle_is_scipys(seed, first, second):
    vectors = np.random.default_rng(seed).normal(size=(first + second, 9))
    ours = principal_angle(gram(vectors), list(range(first)), list(range(first, first + second)))
    theirs = subspace_angles(vectors[:first].T, vectors[first:].T).max()
    assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 0.3, 1.2])
def test_small_angles_keep_their_digits(angle):
    vectors = np.array([[1.0, 0, 0], [np.cos(angle), np.sin(angle), 0]])
    assert principal_angle(gram(vectors), [0], [1]) == pytest.approx(angle, rel=1e-4)


def test_cosine_is_the_length_of_the_projection():
    vectors = np.array([[1.0, 0, 0], [1, 1, 0], [0, 3, 4], [0, 0, 2], [5, -7, 0]])
    assert cosines(gram(vectors), [0, 1], [2, 3, 4]) == pytest.approx([0.6, 0.0, 1.0], abs=1e-12)


def test_no_span_means_no_cosine_and_no_angle():
    assert cosines(gram(np.eye(3)), [], [1, 2]) == [0.0, 0.0]
    assert principal_angle(gram(np.eye(3)), [], [1]) is None


def test_a_repeated_field_adds_nothing_to_a_span():
    vectors = np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 1]])
    assert cosines(gram(vectors), [0, 1], [2]) == pytest.approx([0.0], abs=1e-12)


def test_normalised_has_ones_on_the_diagonal():
    g = normalised(gram(np.random.default_rng(0).normal(size=(4, 6))))
    torch.testing.assert_close(torch.diagonal(g), torch.ones(4, dtype=torch.float64))


def test_what_depends_on_those_before_it_is_left_out():
    vectors = np.array([[1.0, 0, 0], [2, 0, 0], [1, 1, 0], [3, -5, 0], [0, 0, 1e-2], [0, 0, 0]])
    assert independent(gram(vectors), [0, 1, 2, 3, 4, 5]) == [0, 2, 4]
    assert independent(gram(vectors), [3, 2, 0]) == [3, 2]


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_orthonormalised_fields_are_those_of_gram_and_schmidt(seed):
    vectors = np.random.default_rng(seed).normal(size=(4, 6))
    found = orthonormalised(gram(vectors), [2, 0, 3]).T.numpy() @ vectors[[2, 0, 3]]
    assert np.allclose(found @ found.T, np.eye(3))
    assert np.allclose(found[0], vectors[2] / np.linalg.norm(vectors[2]))
    # the second lies in the plane of the first two, along the second
    assert found[1] @ vectors[0] > 0 and np.linalg.matrix_rank(np.stack([found[1], vectors[2], vectors[0]])) == 2


def test_a_field_is_named_by_its_largest_components():
    names = np.array([[1.0, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    field = np.array([[0.9, 0, -0.4, 0.05]])
    found = largest_components(gram(np.concatenate([field, names])), 0, [1, 2, 3, 4])
    size = np.linalg.norm(field)
    assert [number for number, _ in found] == [1, 4]
    assert [value for _, value in found] == pytest.approx([0.9 / size, -0.4 / size])
    # the nearest is named even where it is far
    alone = largest_components(gram(np.array([[0.1, 0, 1.0], [1, 0, 0], [0, 1, 0]])), 0, [1, 2])
    assert [number for number, _ in alone] == [1] and alone[0][1] == pytest.approx(0.1, abs=1e-3)
