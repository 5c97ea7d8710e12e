"""What is left unsolved is told with its generator and the number of its constants."""

import pytest
import sympy as sp

from lieapp.equations.parsing import parse_system
from lieapp.lie.families import MAX_TOLD, Family
from lieapp.lie.stages import derive, whole
from lieapp.lie.vector_field import Field


@pytest.mark.parametrize(
    ("equation", "functions", "parts", "dimension"),
    [
        ("y_xx - (x**3 + x)*y", [], {"alpha d_y with alpha*(x**3 + x) - alpha_xx = 0: 2 constants"}, 8),
        ("y_xxx - f(x)*y", ["f:x"], {"alpha d_y with alpha*f - alpha_xxx = 0: 3 constants"}, 4),
        (
            "y_xx - f(x)*y",
            ["f:x"],
            {
                "alpha d_y with alpha*f - alpha_xx = 0: 2 constants",
                "alpha*y d_x + alpha_x*y**2 d_y with alpha*f - alpha_xx = 0: 2 constants",
                "alpha d_x + alpha_x*y/2 d_y with 2*alpha*f_x + 4*alpha_x*f - alpha_xxx = 0: 3 constants",
            },
            8,
        ),
    ],
)
def test_linear_equations_show_the_superposition(equation, functions, parts, dimension):
    """Of order two all have dimension 8; of order n > 2 with arbitrary f the superposition and y d_y, n + 1."""
    result = derive(parse_system([equation], ["x"], ["y"], functions=functions))
    assert parts <= set(result.unsolved) and len(set(result.unsolved)) == len(result.unsolved)
    missing = dimension - 1
    assert result.dimension == 1 and not result.certified
    reason = f"the dimension would be {dimension}, of which {missing} are not in closed form"
    assert result.certificate.reason == reason and result.certificate.bound == dimension


def family(count):
    alpha, f = sp.Symbol("alpha"), sp.Function("f")(sp.Symbol("x"))
    conditions = tuple(k * alpha + sp.Derivative(f, sp.Symbol("x")) for k in range(1, count + 1))
    return Family({"alpha": ("x",)}, conditions, Field({"x": sp.S.Zero, "y": alpha}))


def test_many_conditions_have_lines_of_their_own():
    assert family(1).left_open(1) == ["alpha d_y with alpha + f_x = 0: 1 constant"]
    assert family(0).left_open() == ["alpha d_y"]
    lines = family(MAX_TOLD + 4).left_open()
    assert lines[0] == f"alpha d_y with {MAX_TOLD + 4} equations" and lines[1] == "alpha + f_x = 0"
    assert lines[-1] == "and 4 more equations in alpha" and len(lines) == MAX_TOLD + 2


@pytest.mark.parametrize(
    ("known", "counts", "limit", "words"),
    [
        (1, [3, 2, 2], 8, "would be 8, of which 7 are"),
        (7, [1], 8, "would be 8, of which 1 is"),
        (1, [4, 2, 2], 8, "is at most 8, of which 7 are"),
        (1, [3, None], 8, ""),
        (1, [3], None, ""),
    ],
)
def test_counts_and_the_limit(known, counts, limit, words):
    said = whole(known, counts, limit)
    assert words in said and bool(words) == bool(said)
