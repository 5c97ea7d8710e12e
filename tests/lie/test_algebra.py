"""Lie algebras by structure constants: known ones, invariance under a change of basis, numbers and parameters."""

import msgspec
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lieapp.lie.algebra.scalars import Scalars, Undecided
from lieapp.lie.algebra.series import Algebra, derived_series, killing_form, levi_factor, nilradical, radical
from lieapp.lie.structure import summary


def matrix(n, *entries):
    result = sp.zeros(n)
    for i, j, value in entries:
        result[i, j] += value
    return result


def table_of(matrices):
    """Structure constants of the span of matrices under the commutator."""
    columns = sp.Matrix([list(m) for m in matrices]).T
    inverse = (columns.T * columns).inv() * columns.T
    table = {}
    for i, a in enumerate(matrices):
        for j in range(i + 1, len(matrices)):
            bracket = sp.Matrix(list(a * matrices[j] - matrices[j] * a))
            constants = inverse * bracket
            assert columns * constants == bracket
            if any(constants):
                table[i, j] = list(constants)
    return table, len(matrices)


def sl(n):
    units = [matrix(n, (i, j, 1)) for i in range(n) for j in range(n) if i != j]
    return units + [matrix(n, (i, i, 1), (i + 1, i + 1, -1)) for i in range(n - 1)]


def so(p, q=0):
    n = p + q
    metric = sp.diag(*[1] * p, *[-1] * q)
    return [matrix(n, (i, j, 1), (j, i, -1)) * metric for i in range(n) for j in range(i)]


def units(n, rows, shift=0):
    return [matrix(n, (i, j, 1)) for i in range(rows) for j in range(i + shift, n)]


AFFINE = [matrix(2, (0, 0, 1)), matrix(2, (0, 1, 1))]
# boost, time, space and mass: [boost, time] = space, [boost, space] = mass
GALILEI = [matrix(4, (0, 1, 1), (1, 2, 1)), matrix(4, (2, 3, 1)), matrix(4, (1, 3, 1)), matrix(4, (0, 3, 1))]
HEISENBERG = units(3, 3, 1)
# sl(2, R) acting on the plane and the centre: the algebra of the heat equation
SCHROEDINGER = [
    matrix(4, (1, 1, 1), (2, 2, -1)),
    matrix(4, (1, 2, 1)),
    matrix(4, (2, 1, 1)),
    matrix(4, (0, 1, 1), (2, 3, 1)),
    matrix(4, (0, 2, 1), (1, 3, -1)),
    matrix(4, (0, 3, 1)),
]
GL3 = [matrix(3, (i, j, 1)) for i in range(3) for j in range(3)]
EUCLID = [
    *[matrix(4, (i, j, 1), (j, i, -1)) for i in range(3) for j in range(i)],
    *[matrix(4, (i, 3, 1)) for i in range(3)],
]
# rotations and a weight: complex roots, where the Killing form of the radical is degenerate
SPIRAL = [matrix(3, (0, 1, 1), (1, 0, -1)), matrix(3, (0, 2, 1)), matrix(3, (1, 2, 1))]

# matrices -> dimensions of centre, derived series, lower central series, radical, nilradical; Levi type
KNOWN = {
    "aff(1)": (AFFINE, 0, [1, 0], [1], 2, 1, None),
    "Heisenberg": (HEISENBERG, 1, [1, 0], [1, 0], 3, 3, None),
    "Galilei": (GALILEI, 1, [2, 0], [2, 1, 0], 4, 4, None),
    "upper triangular": (units(3, 3), 1, [3, 1, 0], [3], 6, 4, None),
    "rotation of the plane": (SPIRAL, 0, [2, 0], [2], 3, 2, None),
    "sl(2)": (sl(2), 0, [3], [3], 0, 0, "sl(2, R)"),
    "so(3)": (so(3), 0, [3], [3], 0, 0, "so(3)"),
    "so(2,1)": (so(2, 1), 0, [3], [3], 0, 0, "sl(2, R)"),
    "so(4)": (so(4), 0, [6], [6], 0, 0, "so(3) + so(3)"),
    "so(3,1)": (so(3, 1), 0, [6], [6], 0, 0, "sl(2, C)"),
    "so(2,2)": (so(2, 2), 0, [6], [6], 0, 0, "sl(2, R) + sl(2, R)"),
    "sl(3)": (sl(3), 0, [8], [8], 0, 0, "sl(3, R)"),
    "so(3,2)": (so(3, 2), 0, [10], [10], 0, 0, "so(3, 2)"),
    "so(4,2)": (so(4, 2), 0, [15], [15], 0, 0, "so(4, 2)"),
    "sl(4)": (sl(4), 0, [15], [15], 0, 0, "sl(4, R)"),
    "gl(3)": (GL3, 1, [8], [8], 1, 1, "sl(3, R)"),
    "Euclid": (EUCLID, 0, [6], [6], 3, 3, "so(3)"),
    "Schroedinger": (SCHROEDINGER, 1, [6], [6], 3, 3, "sl(2, R)"),
}


def sizes(result):
    return (
        len(result.center),
        [len(member) for member in result.derived_series],
        [len(member) for member in result.lower_central_series],
        len(result.radical),
        len(result.nilradical),
        result.levi.type,
    )


KEYS = ["brackets", "closed", "modulo_families", "ideal", "abelian", "nilpotent", "solvable", "semisimple"]
KEYS += ["perfect", "center", "derived_series", "lower_central_series", "killing", "killing_signature", "radical"]
KEYS += ["nilradical", "levi", "assumed_nonzero"]


@pytest.mark.parametrize("case", KNOWN)
def test_known_algebras(case):
    matrices, *expected = KNOWN[case]
    result = summary(*table_of(matrices))
    n = len(matrices)
    assert [key for key in msgspec.to_builtins(result) if not key.endswith("_shown")] == KEYS
    assert sizes(result) == tuple(expected)
    assert result.solvable is (expected[1][-1] == 0) and result.nilpotent is (expected[2][-1] == 0)
    assert result.semisimple is (expected[3] == 0) and result.perfect is (expected[1][0] == n)
    assert result.abelian is False
    assert len(result.levi.factor) == n - expected[3]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_abelian(size):
    result = summary({}, size)
    assert result.abelian and result.nilpotent and result.solvable
    assert not result.semisimple and not result.perfect
    assert len(result.center) == len(result.radical) == len(result.nilradical) == size


def mixed(table, size, rows):
    """Structure constants in the basis e'ᵢ = Σ rows[i][k] e_k."""
    P = sp.Matrix(rows)
    inverse = P.inv()
    g = Algebra.from_table(table, size)
    to = [[g.scalars.element(c) for c in rows[i]] for i in range(size)]
    result = {}
    for i in range(size):
        for j in range(i + 1, size):
            product = sp.Matrix([[g.scalars.expression(c) for c in g.product(to[i], to[j])]]) * inverse
            if any(product):
                result[i, j] = list(product)
    return result


@settings(max_examples=40, deadline=None)
@given(
    case=st.sampled_from([k for k in KNOWN if len(KNOWN[k][0]) <= 6]),
    seed=st.lists(st.integers(-2, 2), min_size=36, max_size=36),
)
def test_change_of_basis_changes_no_invariant(case, seed):
    table, n = table_of(KNOWN[case][0])
    rows = [[sp.Integer(c) for c in seed[i * n : (i + 1) * n]] for i in range(n)]
    assume(sp.Matrix(rows).det() != 0)
    before, after = summary(table, n), summary(mixed(table, n, rows), n)
    assert sizes(before) == sizes(after)
    assert before.killing_signature == after.killing_signature
    for key in ("abelian", "nilpotent", "solvable", "semisimple", "perfect"):
        assert getattr(before, key) is getattr(after, key)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.lists(st.integers(-2, 2), min_size=36, max_size=36), case=st.sampled_from(["Schroedinger", "Euclid"])
)
def test_levi_factor_closes_and_complements_the_radical(seed, case):
    table, n = table_of(KNOWN[case][0])
    rows = [[sp.Integer(c) for c in seed[i * n : (i + 1) * n]] for i in range(n)]
    assume(sp.Matrix(rows).det() != 0)
    g = Algebra.from_table(mixed(table, n, rows), n)
    root = radical(g, killing_form(g), derived_series(g)[0])
    factor = levi_factor(g, root)
    assert len(factor) == 3 and g.contains(factor, g.commutator(factor, factor))
    assert len(g.scalars.echelon([*factor, *root])[0]) == n
    for ideal in (root, nilradical(g, root)):
        assert g.contains(ideal, [g.product(g.unit(k), a) for k in range(g.size) for a in ideal])
    s = g.subalgebra(factor)
    assert len(s.scalars.echelon(killing_form(s))[0]) == 3


def test_direct_sums_are_told_apart_by_the_count_of_ideals():
    """Five copies of so(3) have the dimension and the signature of su(4): both compact of dimension 15."""
    parts = [sp.diag(*[sp.zeros(3)] * k, m, *[sp.zeros(3)] * (4 - k)) for k in range(5) for m in so(3)]
    five = summary(*table_of(parts))
    six = summary(*table_of(so(6)))
    assert five.killing_signature == six.killing_signature == [0, 15]
    assert five.levi.type == " + ".join(["so(3)"] * 5) and six.levi.type == "so(6)"


a, b = sp.symbols("a b", real=True)
p = sp.Symbol("p", positive=True)


def test_parameter_that_the_structure_depends_on():
    """[e1, e2] = a e2 is abelian at a = 0 only, which is recorded."""
    table = {(0, 1): [sp.S.Zero, a]}
    result = summary(table, 2)
    assert result.assumed_nonzero == ["a"]
    assert result.solvable and not result.nilpotent
    assert result.derived_series == [[[0, 1]], []] and result.nilradical == [[0, 1]]
    assert summary(table, 2, nonzero=[a]).assumed_nonzero == []
    assert summary({(0, 1): [sp.S.Zero, p]}, 2).assumed_nonzero == []
    assert summary({(0, 1): [sp.S.Zero, sp.S.Zero]}, 2).abelian


def test_type_that_depends_on_a_parameter_is_left_open():
    """[e1, e2] = e3, [e2, e3] = a e1, [e3, e1] = e2: so(3) for a > 0, sl(2, R) for a < 0."""

    def rotations(k):
        return {(0, 1): [0, 0, 1], (1, 2): [k, 0, 0], (0, 2): [0, -1, 0]}

    def read(k):
        return summary({pair: [sp.sympify(c) for c in cs] for pair, cs in rotations(k).items()}, 3)

    generic = read(a)
    assert generic.semisimple is True and generic.assumed_nonzero == ["a"]
    assert generic.levi.type is None and generic.killing_signature is None
    assert read(p).levi.type == "so(3)" and read(p).assumed_nonzero == []
    assert read(-p).levi.type == "sl(2, R)"
    assert read(sp.S.Zero).solvable is True
    # a square has its sign but not where it vanishes
    assert read(a**2).levi.type == "so(3)" and read(a**2).assumed_nonzero == ["a"]


@pytest.mark.parametrize("matrices, case", [(SCHROEDINGER, "Schroedinger"), (sl(4), "sl(4)")])
def test_conditions_are_those_of_the_structure(matrices, case):
    """Multiplying a basis by parameters brings in no other condition than that they aren't zero."""
    table, n = table_of(matrices)
    scale = [(1, a, b, 1 + a, a * b)[k % 5] for k in range(n)]
    scaled = {
        (i, j): [sp.factor(c * scale[i] * scale[j] / scale[k]) for k, c in enumerate(cs)]
        for (i, j), cs in table.items()
    }
    result = summary(scaled, n)
    assert set(result.assumed_nonzero) <= {"a", "b", "a + 1"}
    assert sizes(result) == tuple(KNOWN[case][1:])


PARAMETRIC = {
    "Bianchi VI": (3, {(0, 1): [0, 1, 0], (0, 2): [0, 0, a]}),
    "two weights": (4, {(0, 1): [0, a, 0, 0], (0, 2): [0, 0, 1 - a, 0], (0, 3): [0, 0, 0, a + 1]}),
    "spiral": (3, {(0, 1): [0, a, 1], (0, 2): [0, -1, a]}),
    "oscillator": (4, {(0, 1): [0, 0, 1, 0], (0, 2): [0, -a, 0, 0], (1, 2): [0, 0, 0, a - 2]}),
    "contraction": (3, {(0, 1): [0, 0, 1], (1, 2): [a, 0, 0], (0, 2): [0, -a - 1, 0]}),
}


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    case=st.sampled_from(sorted(PARAMETRIC)),
    seed=st.lists(st.sampled_from([0, 1, -1, a]), min_size=16, max_size=16),
)
def test_where_nothing_assumed_vanishes_numbers_give_the_generic_dimensions(case, seed):
    n, constants = PARAMETRIC[case]
    rows = [[sp.sympify(c) for c in seed[i * n : (i + 1) * n]] for i in range(n)]
    change = sp.factor(sp.Matrix(rows).det())
    assume(change != 0)
    table = mixed({pair: [sp.sympify(c) for c in cs] for pair, cs in constants.items()}, n, rows)
    table = {pair: [sp.factor(c) for c in cs] for pair, cs in table.items()}
    generic = summary(table, n)
    special = [sp.sympify(e, locals={"a": a}) for e in [*generic.assumed_nonzero, str(change)]]
    for value in (-2, -1, 0, 1, 2, 3, sp.Rational(1, 2)):
        if any(e.subs(a, value) == 0 for e in special):
            continue
        numbers = {pair: [c.subs(a, value) for c in cs] for pair, cs in table.items()}
        assert sizes(summary(numbers, n))[:-1] == sizes(generic)[:-1]


def test_radicals_are_exact():
    """sqrt(2) sqrt(8) = 4: the rank of such numbers is decided."""
    root = sp.sqrt(2)
    table = {(0, 1): [sp.S.Zero, sp.S.Zero, root, sp.S(2)]}
    result = summary(table, 4)
    assert result.nilpotent is True and len(result.center) == 2
    assert result.derived_series == [[[0, 0, 1, "sqrt(2)"]], []]
    dependent = {(0, 1): [0, 0, root, 2], (0, 2): [0, 0, sp.S(1), root]}
    dependent = {pair: [sp.sympify(c) for c in cs] for pair, cs in dependent.items()}
    assert len(summary(dependent, 4).derived_series[0]) == 1


def test_other_numbers_are_decided_by_their_value_or_not_at_all():
    three = {(0, 1): [sp.S.Zero, sp.log(3)]}
    assert summary(three, 2).nilpotent is False and summary(three, 2).assumed_nonzero == []
    # 3 + sqrt(8) = (1 + sqrt(2))^2: this vanishes, but not if the logarithms count as unrelated
    hidden = sp.Add(
        sp.Mul(sp.log(2), sp.Pow(sp.log(3 + sp.sqrt(8)), -1)), -sp.log(2) / (2 * sp.log(1 + sp.sqrt(2)))
    )
    assert abs(hidden.evalf(30)) < 1e-25 and hidden != 0
    result = summary({(0, 1): [sp.S.Zero, hidden]}, 2)
    assert result.solvable is None and result.nilpotent is None and result.levi is None


def test_undecided_is_said():
    hidden = sp.log(3 + 2 * sp.sqrt(2)) - 2 * sp.log(1 + sp.sqrt(2))
    scalars = Scalars([hidden])
    with pytest.raises(Undecided):
        scalars.divide(scalars.element(hidden))


def test_roots_of_parameters_are_related_to_them():
    """sqrt(p)² = p, so these two brackets are parallel."""
    root = sp.sqrt(p)
    table = {(0, 1): [0, 0, root, p], (0, 2): [0, 0, 1, root]}
    result = summary({pair: [sp.sympify(c) for c in cs] for pair, cs in table.items()}, 4)
    assert len(result.derived_series[0]) == 1
