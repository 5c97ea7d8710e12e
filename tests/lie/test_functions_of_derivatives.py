"""Forms in functions of derivatives, and the certificate of what solves their determining equations."""

import random
import time
from functools import reduce
from itertools import combinations

import pytest
import sympy as sp

from lieapp.equations.jets import directions
from lieapp.equations.parsing import parse_system
from lieapp.lie.beyond.algebra import commutators, prolonged
from lieapp.lie.beyond.generalised import generalised_equations
from lieapp.lie.beyond.hierarchy import generalised_symmetries
from lieapp.lie.beyond.jet_forms import JetForms, arguments
from lieapp.lie.beyond.laws import conservation_laws
from lieapp.lie.beyond.multipliers import multiplier_equations, off_solutions
from lieapp.lie.beyond.space import solution_space
from lieapp.lie.certificate import certify as certificate
from lieapp.lie.certificate.certify import certify
from lieapp.lie.certificate.consequences import with_short_derivatives
from lieapp.lie.deadline import Clock
from lieapp.lie.linear import combined, reduced, substituted
from lieapp.lie.normal_form import expression_of
from lieapp.lie.solving.vanishing import vanishing
from lieapp.lie.stages import derive

HEAT = parse_system(["u_t - u_xx"], ["t", "x"], ["u"], [], [])
KDV = parse_system(["u_t + u*u_x + u_xxx"], ["t", "x"], ["u"], [], [])
SINE = parse_system(["u_tx - sin(u)"], ["t", "x"], ["u"], [], [])
NLS = parse_system(
    ["u_t + v_xx + v*(u**2 + v**2)", "v_t - u_xx - u*(u**2 + v**2)"], ["t", "x"], ["u", "v"], [], []
)
SHALLOW = parse_system(["u_t + u*u_x + h_x", "h_t + h*u_x + u*h_x"], ["t", "x"], ["u", "h"], [], [])


@pytest.mark.parametrize("system", [KDV, SINE, SHALLOW], ids=["kdv", "sine", "shallow"])
def test_total_derivatives_of_forms_are_those_of_the_functions_on_solutions(system):
    determining = generalised_equations(system, 2)
    leading, jets = determining.leading, system.jets
    own = arguments(leading, 2)
    forms = JetForms(leading, (), own, [(1, 1), (0, 3)])
    f = forms.unknowns.new(range(forms.size))
    generator = random.Random(1)
    chosen = [jets.independent[0], jets.independent[1], *own]
    value = sum(generator.randint(1, 5) * sp.Mul(*generator.sample(chosen, 2)) ** k for k in (1, 2))
    for J in ((1, 1), (0, 3)):
        total = forms.totals(forms.unknowns.form(forms.field, f), J)
        known = {f: {(-1, forms.unknowns.zero): forms.field.element(value)}}
        put = substituted(total, known, forms.field, _Fixed(forms.unknowns.zero))
        (element,) = reduced(put, forms.field).values()
        expected = leading.reduce(jets.total_derivatives(value, J))
        assert sp.simplify(expression_of(element, forms.field) - expected) == 0


def test_identities_off_solutions_are_written_with_the_equation_as_an_unknown():
    leading = multiplier_equations(KDV, 0).leading
    off, (w,) = off_solutions(KDV, leading)
    u_t = KDV.jets.symbol(0, (1, 0))
    assert sp.expand(KDV.residuals[0].xreplace({u_t: off.normal((0, (1, 0)))}) - w) == 0


@pytest.mark.parametrize(
    ("make", "system", "order"),
    [(generalised_equations, KDV, 3), (multiplier_equations, KDV, 4), (generalised_equations, SINE, 3),
     (multiplier_equations, NLS, 2)],
    ids=["symmetries", "multipliers", "light cone", "two unknowns"],
)  # fmt: skip
def test_the_certificate_misses_each_solution_that_is_left_out(make, system, order):
    space = solution_space(make(system, order), Clock(60))
    assert space.certificate.certified
    for left_out in range(len(space.vectors)):
        rest = [v for k, v in enumerate(space.vectors) if k != left_out]
        assert not certify(space.determining, rest, ()).certified


def test_short_derivatives_are_consequences():
    """Each is annihilated by all solutions."""
    determining = generalised_equations(KDV, 5)
    space = solution_space(determining, Clock(60))
    equations, vanishing = with_short_derivatives(determining.equations, determining.field, determining.unknowns)
    (component,) = determining.components
    single = [{(f, K): determining.field.one} for f, Ks in vanishing.least.items() for K in Ks]
    for (value,) in space.vectors:
        known = {component: {(-1, determining.unknowns.zero): determining.field.lift(value)}}
        for equation in (*equations, *single):
            left = substituted(equation, known, determining.field, _Fixed(determining.unknowns.zero))
            assert not reduced(left, determining.field)


@pytest.mark.parametrize(
    ("make", "system", "order"),
    [(generalised_equations, KDV, 5), (multiplier_equations, KDV, 4), (generalised_equations, SINE, 3),
     (multiplier_equations, NLS, 2), (generalised_equations, HEAT, 2)],
    ids=["kdv", "laws", "sine", "nls", "heat"],
)  # fmt: skip
def test_solutions_and_their_parts_of_fewer_variables_correspond_to_each_other(make, system, order):
    """Known solutions solve the equations of the parts, and are the sums of their parts."""
    space = solution_space(make(system, order), Clock(60))
    field = space.determining.field
    count = certificate._Count(space.determining, space.vectors, (), time.perf_counter() + 60)
    parts, whole = count.parts, dict(count.parts.known)
    functions = {f: parts.unknowns.form(field, f) for f in whole}
    while count.divide(0):
        # components in terms of the parts
        functions = {f: substituted(form, parts.replaced, field, parts.unknowns) for f, form in functions.items()}
    for f, form in functions.items():
        back = substituted(form, parts.known, field, parts.unknowns)
        assert not reduced(combined((field.one, back), (-field.one, whole[f])), field)
    single = [{(f, K): field.one} for f, Ks in parts.vanishing.least.items() for K in Ks]
    for equation in (*parts.rest, *single):
        assert not reduced(substituted(equation, parts.known, field, parts.unknowns), field)
    assert max(len(parts.unknowns.arguments[f]) for f in parts.known) <= 3


def test_derivatives_that_vanish_at_two_points_vanish_for_all_solutions():
    determining = generalised_equations(SINE, 3)
    space = solution_space(determining, Clock(60))
    state = determining.state()
    state.counting = False
    before = {frozenset(e) for e in state.equations}
    assert vanishing(state)
    new = [next(iter(e)) for e in state.equations if frozenset(e) not in before]
    field = space.state.field
    (component,) = determining.components
    assert new and {f for f, _ in new} == {component}
    for (value,) in space.vectors:
        for _, K in new:
            assert not reduce(field.diff, directions(K), field.lift(value))


@pytest.mark.slow
def test_sine_gordon_has_two_symmetries_of_order_five():
    """One along each characteristic, of the mKdV hierarchies (Olver 1977, J. Math. Phys. 18)."""
    space = solution_space(generalised_equations(SINE, 5), Clock(100))
    orders = [SINE.jets.order(q) for q in space.expressions()]
    assert space.certificate.certified and sorted(orders) == [1, 1, 1, 3, 3, 5, 5]


def test_an_equation_without_symmetries_has_none_beyond_point_ones():
    """Its determining equations bring exponentials while they are solved."""
    equation = "u_t - t*u*u_x*sin(x) - x*u_xx - u_xxx*exp(t*x) - u*t*sin(x)"
    truth = derive(parse_system([equation], ["t", "x"], ["u"], [], []), budget=60, order=1)
    assert truth.hierarchy.certified and not truth.hierarchy.symmetries


class _Fixed:
    """Unknowns with one constant function, -1, whose derivatives vanish."""

    def __init__(self, zero: tuple[int, ...]) -> None:
        self.arguments, self.zero = {-1: frozenset[int]()}, zero


@pytest.mark.parametrize("system", [HEAT, SINE, NLS], ids=["heat", "sine", "nls"])
def test_commutators_are_those_of_prolongations(system):
    space = solution_space(generalised_equations(system, 2), Clock(60))
    basis, leading, jets = space.expressions(), space.determining.leading, system.jets
    found = {(i, j): c for i, j, c in commutators(system, basis, leading)}
    assert found
    for (i, q), (j, r) in combinations(enumerate(basis), 2):
        whole = [prolonged(q, b, jets) - prolonged(r, a, jets) for a, b in zip(q, r, strict=True)]
        told = found.get((i, j), (0,) * len(basis))
        for n, e in enumerate(whole):
            if told is not None:
                e -= sum(c * v[n] for c, v in zip(told, basis, strict=True))
            assert (sp.expand(leading.reduce(sp.expand(e))) == 0) == (told is not None)


def test_scaled_unknowns_have_the_same_counts():
    other = parse_system(["u_t + 3*u*u_x/7 + 2*u_xxx"], ["t", "x"], ["u"], [], [])
    for order in (2, 4):
        first, second = (len(conservation_laws(s, order, Clock(60)).laws) for s in (KDV, other))
        assert first == second
    first, second = (generalised_symmetries(s, 5, (), Clock(60)) for s in (KDV, other))
    assert [one.order for one in first.symmetries] == [one.order for one in second.symmetries]


@pytest.mark.parametrize(
    ("equations", "unknowns", "count", "energy"),
    [
        (["y_tt + sin(y)"], ["y"], 1, "y_t**2/2 - cos(y)"),
        (["y_tt + y"], ["y"], 5, "y**2/2 + y_t**2/2"),
        (["a_tt + a*b**2", "b_tt + b*a**2"], ["a", "b"], 1, "a**2*b**2/2 + a_t**2/2 + b_t**2/2"),
        # two momenta, the energy and their products with each other and with the centre of mass
        (["a_tt + exp(a - b)", "b_tt - exp(a - b)"], ["a", "b"], 6, None),
    ],
    ids=["pendulum", "oscillator", "quartic", "toda"],
)  # fmt: skip
def test_first_integrals_that_are_quadratic_in_velocities(equations, unknowns, count, energy):
    found = conservation_laws(parse_system(equations, ["t"], unknowns, [], []), 2, Clock(60))
    assert found.certified and len(found.laws) == count
    assert all(law.proved and law.density is not None for law in found.laws)
    if energy is not None:
        assert energy in {str(law.density) for law in found.laws}


def test_densities_with_symbolic_powers_are_told_with_one_coefficient_each():
    system = parse_system(["u_t + u**n*u_x + u_xxx"], ["t", "x"], ["u"], ["n"], [])
    (energy,) = (law for law in conservation_laws(system, 2, Clock(60)).laws if law.order == 2)
    assert len(sp.Add.make_args(energy.flux["x"])) == 8
    assert str(energy.density) == "-n*u_x**2/2 + u**(n + 2)/(n + 2) - u_x**2/2"
