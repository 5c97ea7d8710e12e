"""Maps: the algebras that are known, from formulas, torch modules and samples; proofs; and bad declarations."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from registered import CATALOG
from scipy.linalg import expm

import lieapp
from lieapp.errors import ConfigError, DataError, PluginError, RunError
from lieapp.functions import Function
from lieapp.functions.spans import EXACT, find
from lieapp.functions.values import evaluated, monomials, slopes, values_of
from lieapp.functions.written import module_generators, row_echelon, write_down
from lieapp.progress import SilentReporter
from lieapp.runs.short import rows_of

SO3, LORENTZ, GL3_SL2 = 3 * 2 // 2, 4 * 3 // 2, 3 * 3 + 3
KOSZUL = 4 * 3 // 2
"""Fields f_i ∂_j - f_j ∂_i, which every f has; of a cubic in four variables they are quadratic."""
KNOWN = {("norm", 1): SO3, ("lorentz", 1): LORENTZ, ("pendulum", 0): 1, ("pendulum", 1): 5, ("cross", 1): GL3_SL2,
         ("polynomial", 1): 0, ("polynomial", 2): KOSZUL}  # fmt: skip
X, Y = sp.symbols("x y", real=True)


def found(declaration, degree, seed=0, sought=None):
    learn, judge = values_of(declaration, 300, seed), values_of(declaration, 300, seed + 100)
    return find(learn, judge, degree, sought or declaration.sought), learn, judge


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "degree"), KNOWN)
def test_dimensions_are_those_of_the_algebra(name, degree, seed):
    declaration = CATALOG.get(name).declaration
    span, _, judge = found(declaration, degree, seed)
    assert span.count == KNOWN[name, degree]
    # a gap, no threshold: what isn't exact is far from it
    assert (span.eta[: span.count] < 1e-13).all() and (span.eta[span.count :] > 1e-3).all()
    written = write_down(declaration, span, judge, declaration.sought)
    assert len(written) == span.count and all(row.proved and row.eta < EXACT for row in written)


def test_all_fields_of_the_pendulum_are_multiples_of_one():
    declaration = CATALOG.get("pendulum").declaration
    span, learn, judge = found(declaration, 1)
    (one,) = module_generators(span, judge, learn, 1, "invariance")
    terms = dict(zip(span.terms, one.tolist(), strict=True))
    assert terms.pop((0, 0, 0, 0)) == pytest.approx([1, 1, 0, 0]) and np.abs([*terms.values()]).max() < 1e-12
    # no field of so(3) is a multiple of others with polynomial factors of this degree
    norm = CATALOG.get("norm").declaration
    span, learn, judge = found(norm, 1)
    assert module_generators(span, judge, learn, 1, "invariance") is None


def test_quadratic_multiples_of_rotations():
    """Of degree 2 there are x·V for each rotation V and each coordinate x, which have one relation."""
    norm = CATALOG.get("norm").declaration
    span, learn, judge = found(norm, 2)
    generators = module_generators(span, judge, learn, 2, "invariance")
    assert span.count == SO3 + 3 * SO3 - 1 and len(generators) == SO3


def test_the_matrix_of_an_equivariant_field():
    """Scaling the first vector scales the product: A is the identity."""
    declaration = CATALOG.get("cross").declaration
    span, _, judge = found(declaration, 1)
    for row in write_down(declaration, span, judge, "equivariance"):
        outputs, parts = declaration.expressions, row.field.components
        rates = [sum(parts[str(s)] * y.diff(s) for s in declaration.symbols) for y in outputs]
        assert sp.expand(sp.Matrix(rates) - row.matrix * sp.Matrix(outputs)) == sp.zeros(3, 1)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([-2, -1, 1, 3]), min_size=2, max_size=5), st.integers(0, 9))
def test_a_quadratic_form_has_its_orthogonal_algebra(diagonal, seed):
    names = sp.symbols(f"x1:{len(diagonal) + 1}", real=True)
    form = sum(c * s**2 for c, s in zip(diagonal, names, strict=True))
    declaration = Function(name="form", title="A form", variables=names, expression=form)
    span, _, judge = found(declaration, 1, seed)
    n = len(diagonal)
    assert span.count == n * (n - 1) // 2
    assert all(row.proved for row in write_down(declaration, span, judge, "invariance"))


def test_flows_leave_the_map_as_it_is():
    """Group law: e^{sM} for each affine field V = M x of the Lorentz form."""
    declaration = CATALOG.get("lorentz").declaration
    span, _, judge = found(declaration, 1)
    form = np.diag([1.0, -1, -1, -1])
    for coefficients in row_echelon(span.coefficients[: span.count]):
        # rows of monomials x_k, columns of components
        matrix = coefficients[1:].numpy().T
        moved = judge.x.numpy() @ expm(0.7 * matrix).T
        before = np.einsum("ni,ij,nj->n", judge.x.numpy(), form, judge.x.numpy())
        assert np.allclose(np.einsum("ni,ij,nj->n", moved, form, moved), before)


def test_a_module_is_exact_to_round_off_and_nothing_is_proved():
    weights = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    declaration = Function(
        name="net", title="A network", variables="abc", module=lambda x: torch.tanh((x * weights).sum(1))
    )
    span, _, judge = found(declaration, 0)
    written = write_down(declaration, span, judge, "invariance")
    assert span.count == 2 and not any(row.proved for row in written) and all(row.eta < EXACT for row in written)
    normals = [[float(v) for v in row.field.components.values()] for row in written]
    assert np.abs(np.array(normals) @ weights.numpy()).max() < 1e-12


@pytest.mark.parametrize("derivatives", [True, False])
def test_samples_with_and_without_derivatives(derivatives):
    def samples(count, seed):
        x = np.random.default_rng(seed).uniform(-1, 1, (count, 3))
        given = {"x": x, "y": (x**2).sum(1)}
        return given | {"jacobian": 2 * x} if derivatives else given

    declaration = Function(name="data", title="Samples", variables="xyz", samples=samples)
    assert found(declaration, 1)[0].count == SO3


def test_samples_that_no_polynomial_fits_need_derivatives():
    def samples(count, seed):
        x = np.random.default_rng(seed).uniform(-3, 3, (count, 2))
        return {"x": x, "y": np.abs(x[:, 0])}

    with pytest.raises(DataError, match="no polynomial fits them exactly"):
        values_of(Function(name="data", title="Samples", variables="xy", samples=samples), 100, 0)


@pytest.mark.parametrize(
    ("map_of", "message"),
    [
        ({"expression": 1 / X}, None),
        ({"expression": sp.log(X)}, "values aren't finite at"),
        ({"expression": sp.S(3)}, "constant"),
        ({"module": lambda x: x.detach()}, "without a gradient"),
        ({"module": lambda x: x.float()}, "computes in float32"),
        ({"expression": sp.I * X}, "its expression can't be used: I is not real"),
        ({"samples": lambda count, seed: {"x": [[1, np.nan]], "y": [1]}}, "aren't finite"),
        ({"module": lambda x: x[:3]}, r"shape \[3, 2\] for 9 samples"),
        ({"module": lambda x: x / 0 + int("a")}, "can't be evaluated: ValueError"),
        ({"samples": lambda count, seed: {"x": [[1, 2]]}}, "lack 'y'"),
        ({"samples": lambda count, seed: {"x": [1, 2], "y": [1, 2]}}, r"x of shape \[2\]"),
        ({"samples": lambda count, seed: {"x": [[1, 2]], "y": [1], "jacobian": [[[1, 2], [3, 4]]]}}, "2 outputs"),
    ],
)
def test_maps_that_cannot_be_used(map_of, message):
    declaration = Function(name="bad", title="Bad", variables=[X, Y], **map_of)
    if message is None:
        assert values_of(declaration, 9, 0).y.shape == (9, 1)
        return
    with pytest.raises(DataError, match=message) as caught:
        values_of(declaration, 9, 0)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"variables": []}, "distinct names, at least one"),
        ({"variables": [X, X]}, "distinct names"),
        ({"expression": None}, "it has no map"),
        ({"module": abs}, "it has expression and module"),
        ({"expression": X + sp.Symbol("k")}, "expression has k"),
        ({"region": {"z": (0, 1)}}, "region has z"),
        ({"region": {X: (1, 0)}}, "pairs"),
        ({"sought": "all"}, "invariance or equivariance"),
        ({"name": "A b"}, "lower-case"),
    ],
)
def test_declarations_that_cannot_be_meant(keywords, message):
    with pytest.raises(PluginError, match=message):
        Function(**{"name": "map", "title": "Map", "variables": [X, Y], "expression": X * Y, **keywords})


def test_derivatives_of_monomials():
    x = torch.rand(7, 3, dtype=torch.float64, requires_grad=True)
    terms = monomials(3, 3)
    values, rates = evaluated(x, terms), slopes(x, terms)
    assert len(terms) == 20 and len(set(terms)) == 20
    for k in range(len(terms)):
        (rate,) = torch.autograd.grad(values[:, k].sum(), x, retain_graph=True, allow_unused=True)
        assert torch.allclose(rates[:, k], torch.zeros_like(x) if rate is None else rate)


def test_units_do_not_change_the_count():
    """A circle with x and y in other units has the same one rotation."""
    for unit in (10, 10**6):
        circle = Function(
            name="even", title="Units", variables=[X, Y], expression=(X * unit) ** 2 + (Y / unit) ** 2,
            region={X: (-1 / unit, 1 / unit), Y: (-unit, unit)},
        )  # fmt: skip
        span, _, judge = found(circle, 1)
        (row,) = write_down(circle, span, judge, "invariance")
        # a coefficient of 1e24 isn't read as a number
        assert span.count == 1 and row.proved == (unit == 10)


def test_what_a_formula_refutes_is_not_counted(tmp_path, monkeypatch):
    """Of x² + y² with x at 1e-6 and y at 1e6 round-off leaves a function of y alone."""
    run = _run(tmp_path, monkeypatch, expression=X**2 + Y**2, region={X: (-1e-6, 1e-6), Y: (-1e6, 1e6)})
    assert run.count == 0 and all(row.verdict != "exact" for row in run.generators)
    assert "3 more are exact to round-off but undecided" in run.warnings[0]


def test_a_reading_that_the_formula_refutes_is_no_formula():
    for map_of in (sp.pi * X**2 + sp.sqrt(2) * Y**2, X**2 + Y**2 + sp.Float("1e-12") * X**3):
        declaration = Function(name="near", title="Nearly", variables=[X, Y], expression=map_of)
        span, _, judge = found(declaration, 1)
        assert [row.field for row in write_down(declaration, span, judge, "invariance")] == [None] * span.count


def _run(tmp_path, monkeypatch, **keywords):
    monkeypatch.chdir(tmp_path)
    declaration = Function(name="data", title="Samples", variables=[X, Y], **keywords)
    return lieapp.discover(declaration, out=None, degree=keywords.pop("degree", 1))


def test_samples_of_a_file_are_halved_and_counted(tmp_path, monkeypatch):
    def samples(count, seed):
        x = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        return {"x": x, "y": (x**2).sum(1)}

    run = _run(tmp_path, monkeypatch, samples=samples)
    assert run.count == 1 and run.generators[0].eta < EXACT
    with pytest.raises(DataError, match="3 samples don't determine 6 coefficients"):
        _run(tmp_path, monkeypatch, samples=lambda count, seed: {k: v[:6] for k, v in samples(0, 0).items()} | {
            "jacobian": 2 * samples(0, 0)["x"][:6, None]
        })  # fmt: skip


def test_a_variable_is_meant_by_its_name():
    declaration = Function(name="plain", title="Plain", variables="xy", expression=sp.Symbol("x") * sp.Symbol("y"))
    assert found(declaration, 1)[0].count == 1


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"samples": lambda count, seed: None}, "can't be used: Type"),
        ({"samples": lambda count, seed: {"x": [["a", "b"]], "y": [1]}}, "can't be used: ValueError"),
        ({"samples": lambda count, seed: {"x": [[1, 2]], "y": [1j]}}, "complex"),
        ({"module": lambda x: x.detach().numpy()}, "it returned ndarray"),
    ],
)
def test_a_plugins_own_faults_are_not_lieapps(keywords, message, tmp_path, monkeypatch):
    with pytest.raises(DataError, match=message):
        _run(tmp_path, monkeypatch, **keywords)


def test_too_high_a_degree_leaves_no_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="at most 1000"):
        lieapp.discover("norm", degree=100000)
    assert not (tmp_path / "runs").exists()


def test_a_map_has_no_learned_slots(tmp_path, monkeypatch):
    with pytest.raises(RunError, match="has no learned slots"):
        _ = _run(tmp_path, monkeypatch, expression=X * Y).learned


def test_one_plugins_fault_ends_no_other_check():
    """Among others a fault is a failed check; alone it is an error of its own."""
    norm = CATALOG.get("norm")
    entry = replace(norm, kind=replace(norm.kind, check=lambda declaration, report: 1 / 0))
    (row,) = rows_of(entry, SilentReporter(), among=True)
    assert not row.ok and row.detail == "ended early: ZeroDivisionError: division by zero"
    with pytest.raises(ZeroDivisionError):
        rows_of(entry, SilentReporter())


def test_what_is_no_result_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("lieapp.functions.discover.execute", lambda config, declaration, session: None)
    with pytest.raises(PluginError, match="functions: execute returned NoneType; it must return a Result"):
        _run(tmp_path, monkeypatch, expression=X * Y)
