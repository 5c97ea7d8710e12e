"""Learned spans written down: what is a symmetry is proved, what isn't never is."""

import pytest
import sympy as sp
import torch

from lieapp.compare.closed_form.approximate import decimals, sketch
from lieapp.compare.closed_form.forms import closed_forms, same_span
from lieapp.compare.closed_form.library import atoms, library
from lieapp.compare.closed_form.measure import LibraryFeatures, measure, usable
from lieapp.data.stepping import Tolerance
from lieapp.domains.formulas import FixedFields
from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_system
from lieapp.lie.stages import derive
from lieapp.lie.vector_field import Field, formula_of
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog


@pytest.fixture(scope="module")
def learned():
    """A domain with data, and a function that measures fields given by formulas, mixed and perturbed."""

    def make(plugin, noise):
        domain = PDEDomain(load_catalog().get(plugin).declaration)
        data = domain.dataset(3, 2, 0, tolerance=Tolerance(1e-3))
        truth = derive(read_pde(domain.declaration), list(domain.declaration.periodic)).periodic
        generator = torch.Generator().manual_seed(1)
        mix = torch.randn(len(truth), len(truth), generator=generator, dtype=torch.float64)

        def mixed(fields):
            functions = [domain.scaled_field(f.components, data.scales) for f in fields]

            def value(points):
                stack = torch.cat([f(points) for f in functions])
                wrong = torch.sin(7 * points[None].roll(1, 2)) * noise
                weights = mix if len(functions) == len(mix) else torch.eye(len(functions), dtype=mix.dtype)
                return torch.einsum("nm,m...->n...", weights, stack + wrong)

            return FixedFields(value)

        def measured(fields, degree=2, more=()):
            functions = library(domain.system, domain.arguments.periodic, degree, more)
            coordinates = domain.system.jets.coordinates
            return measure(
                domain, functions, coordinates, data.scales, mixed(fields), lambda: data.held_out.batches(8, 4)
            )

        return domain, truth, measured

    return make


@pytest.mark.parametrize("plugin", ["burgers", "ckdv"])
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_mixed_span_is_unmixed_and_proved(learned, plugin, noise):
    domain, truth, measured = learned(plugin, noise)
    found = closed_forms(domain.system, measured(truth), range(len(truth)))
    assert all(f.proved and f.leftover == (0,) for f in found)
    assert same_span(domain.system, [f.field for f in found], truth)


def test_a_field_that_is_no_symmetry_is_refuted_with_its_leftover(learned):
    """d_t of cKdV, which the paper calls approximate, leaves the derivative of u/(2(t+1))."""
    domain, _, measured = learned("ckdv", 0.0)
    t, _, u = domain.system.jets.coordinates
    wrong = Field({"t": sp.S.One, "x": sp.S.Zero, "u": sp.S.Zero})
    (found,) = closed_forms(domain.system, measured([wrong]), [0])
    assert not found.proved and found.field == wrong
    assert sp.simplify(abs(found.leftover[0]) - abs(u / (2 * (t + 1) ** 2))) == 0


def test_a_span_without_formula_gives_none(learned):
    """sin(t) d_x is nothing that Burgers' coefficients bring."""
    domain, _, measured = learned("burgers", 0.0)
    t = domain.system.jets.coordinates[0]
    strange = Field({"t": sp.S.Zero, "x": sp.sin(t), "u": sp.S.Zero})
    assert closed_forms(domain.system, measured([strange]), [0]) == []


def test_an_approximate_field_gets_decimals_and_a_leftover(learned):
    domain, _, measured = learned("burgers", 0.0)
    t, _, u = domain.system.jets.coordinates
    field = Field({"t": sp.S.Zero, "x": sp.Rational(1234, 10000) * t, "u": sp.S.One + 3 * u})
    found = sketch(domain.system, measured([field]), 0)
    ratio = {c: sp.expand(e) for c, e in found.field.components.items()}
    assert ratio["u"].coeff(u) / ratio["u"].subs(u, 0) == pytest.approx(3, rel=0.01)
    assert ratio["x"].coeff(t) / ratio["u"].subs(u, 0) == pytest.approx(0.1234, rel=0.01)
    assert found.leftover[0] != 0 and found.eta > 0.01


def test_decimals_leave_exponents_alone():
    t = sp.Symbol("t")
    assert str(decimals(sp.Rational(1, 3) * sp.sqrt(t + 1) + t**2)) == "t**2 + 0.333*sqrt(t + 1)"
    assert formula_of(decimals(sp.Rational(5463, 10**8) * t)).latex == r"5.46 \cdot 10^{-5} t"


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("u_t + u*u_x + u_xxx + u/(2*(t+1))", ["sqrt(t+1)", "1/sqrt(t+1)", "log(t+1)", "1/(t+1)"]),
        ("exp(-t/50)*u_t + u*u_x + u_xxx", ["exp(t/50)", "exp(-t/50)"]),
        ("u_t - (1 + t)*u_xx", ["1/(t+1)", "log(t+1)", "exp(t + t**2/2)"]),
        ("u_t - u_xx - u*log(u)", ["log(u)"]),
        ("u_t + u*u_x + u_xxx + u/t", ["log(t)"]),
        ("u_t - u_xx + sin(t)*u", ["sin(t)", "cos(t)", "exp(cos(t))"]),
    ],
)
def test_coefficients_bring_their_functions(equation, expected):
    system = parse_system([equation], ["t", "x"], ["u"])
    found = atoms(system)
    names = {str(s): s for s in system.jets.coordinates}
    for text in expected:
        wanted = sp.sympify(text, locals=names)
        assert any(sp.simplify(f / wanted).is_number for f in found), f"{text} not in {found}"


def test_functions_of_infinite_slope_on_the_data_are_left_out():
    """They would make nothing but NaN of every formula's measure."""
    domain = PDEDomain(load_catalog().get("burgers").declaration)
    data = domain.dataset(2, 2, 0, tolerance=Tolerance(1e-3))
    t, u = domain.system.jets.coordinates[0], domain.system.jets.coordinates[2]
    first = sp.Rational(float(data.held_out.source.time[0]))
    given = [sp.S.One, sp.sqrt(t - first), sp.log(t - first), sp.sqrt(t + 1), u]
    features = LibraryFeatures(given, domain.system.jets.coordinates, data.scales)
    kept, norms = usable(features, given, data.held_out.batches(1, 1))
    assert kept == [1, sp.sqrt(t + 1), u] and norms.isfinite().all()


def test_the_library_has_no_function_twice_and_none_that_is_not_periodic():
    system = parse_system(["u_t + u*u_x + u_xxx + u/(2*(t+1)) + x*u"], ["t", "x"], ["u"])
    found = library(system, (False, True, False))
    x = system.jets.coordinates[1]
    assert not any(f.has(x) for f in found)
    t = system.jets.coordinates[0]
    values = sp.Matrix(
        [
            [
                f.subs({t: sp.Rational(k, 7), system.jets.coordinates[2]: sp.Rational(sp.prime(k + 3), 17)}).evalf(
                    400
                )
                for f in found
            ]
            for k in range(1, len(found) + 3)
        ]
    )
    assert values.rank(iszerofunc=lambda v: abs(v) < sp.Float(10) ** -300) == len(found)


def test_a_learned_field_is_known_by_its_angle_to_the_proved_ones(learned):
    """Of d_x and u d_u the first lies in the span of Burgers' proved formulas, the second doesn't."""
    domain, _, measured = learned("burgers", 0.0)
    u = domain.system.jets.coordinates[2]
    zero = sp.S.Zero
    fields = [Field({"t": zero, "x": sp.S.One, "u": zero}), Field({"t": zero, "x": zero, "u": u})]
    held = measured(fields)
    forms = closed_forms(domain.system, held, [0])
    spanning = [(form.columns, form.coefficients) for form in forms if form.proved]
    assert len(spanning) == 1 and held.sine(0, spanning) < 1e-6
    assert held.sine(1, spanning) > 0.9 and held.sine(0, []) == 1


def test_a_damping_matrix_brings_its_rates():
    """Eigenvalues ±i of u_t = v, v_t = -u, and their differences ±2i."""
    system = parse_system(["u_t + u*u_x - v", "v_t + u*v_x + u"], ["t", "x"], ["u", "v"])
    t = system.jets.coordinates[0]
    assert set(atoms(system)) == {sp.cos(t), sp.sin(t), sp.cos(2 * t), sp.sin(2 * t)}
    assert set(atoms(parse_system(["u_t + u*u_x + u/4"], ["t", "x"], ["u"]))) == {sp.exp(-t / 4), sp.exp(t / 4)}
    assert atoms(parse_system(["u_t - u_xx - u + u**3"], ["t", "x"], ["u"])) == []


@pytest.mark.slow
def test_a_sum_of_symmetries_with_numbers_of_the_data_is_no_answer(learned):
    """∂t + 0.37 ∂x of KdV is a symmetry, as ∂t and ∂x are; the number would be the data's."""
    domain, _, measured = learned("kdv", 0.0)
    sum_of_two = Field({"t": sp.S.One, "x": sp.Rational(37, 100), "u": sp.S.Zero})
    assert closed_forms(domain.system, measured([sum_of_two]), [0]) == []


def test_an_imitation_of_a_proved_formula_is_not_told(learned):
    """e^s + e^-s - s² is almost 2 where s is small, so that its product with ∂t looks like ∂t."""
    domain, _, measured = learned("burgers", 0.0)
    t = domain.system.jets.coordinates[0]
    s = t / (3 * sp.Integer(domain.declaration.region[t][1]))
    shift, strange = (Field({"t": a, "x": b, "u": sp.S.Zero}) for a, b in [(sp.S.One, 0 * t), (0 * t, sp.sin(t))])
    found = closed_forms(domain.system, measured([shift, strange], more=[sp.exp(s), sp.exp(-s)]), [0, 1])
    assert [form.field for form in found] == [shift]
