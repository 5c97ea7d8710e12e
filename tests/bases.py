"""Other bases of the same space: small invertible matrices, and generators mixed by them."""

import sympy as sp
from hypothesis import assume
from hypothesis import strategies as st

WEIGHTS = st.integers(-3, 3)


@st.composite
def matrices(draw, n):
    """An invertible matrix of small integers."""
    rows = draw(st.lists(st.lists(WEIGHTS, min_size=n, max_size=n), min_size=n, max_size=n))
    # a heavy diagonal: invertible more often than not
    matrix = sp.Matrix(n, n, lambda i, j: rows[i][j] + (7 if i == j else 0))
    assume(matrix.det() != 0)
    return matrix.tolist()


def mixed(vectors, matrix, field):
    """Σⱼ mᵢⱼ Vⱼ for each row."""
    return tuple(combination(vectors, row, field) for row in matrix)


def combination(vectors, weights, field):
    """Σⱼ wⱼ Vⱼ."""
    return tuple(
        sum((c * int(w) for w, c in zip(weights, components, strict=True)), field.zero)
        for components in zip(*vectors, strict=True)
    )
