"""What is given to the search for laws and generalised symmetries: too much, or what it can't be."""

import pytest
import sympy as sp

import lieapp
from lieapp.cli.main import run
from lieapp.equations.parsing import parse_system
from lieapp.errors import LieappError, UsageError
from lieapp.lie.beyond import hierarchy
from lieapp.lie.beyond.laws import conservation_laws
from lieapp.lie.beyond.told import told_laws
from lieapp.lie.deadline import Clock, OutOfTimeError

KDV = ["u_t + u*u_x + u_xxx"]
CAMASSA_HOLM = ["u_t - u_xxt + 3*u*u_x - 2*u_x*u_xx - u*u_xxx"]
u, X = sp.symbols("u x", real=True)


def laws(equations, order=2, parameters=(), budget=None, independent="t,x", dependent="u", functions=()):
    system = parse_system(equations, independent.split(","), dependent.split(","), parameters, functions)
    return conservation_laws(system, order, Clock(budget))


def test_too_high_an_order_for_the_budget_keeps_what_was_found():
    """In 4 s there is no answer of order 14 to KdV in general; mass, momentum and energy are known by then."""
    found = laws(KDV, order=14, budget=4.0)
    assert found.unsolved and not found.certified
    assert "budget" in found.unsolved[0]
    densities = [law.density for law in found.laws if law.order == 0]
    assert {u, u**2 / 2} <= set(densities)
    assert all(law.proved for law in found.laws)
    assert "multipliers up to order 14; not certified" in told_laws(found).sentence


def test_too_high_an_order_of_symmetries_keeps_the_point_ones():
    truth = lieapp.symmetries(KDV, "t,x", "u", order=14, budget=6)
    assert truth.dimension == 4 and truth.certified
    hierarchy = truth.hierarchy
    # the polynomials may end within the time
    assert hierarchy is None or not (hierarchy.certified and hierarchy.general)
    if hierarchy is not None:
        assert hierarchy.unsolved or not hierarchy.general
        assert all(one.proved for one in hierarchy.symmetries if one.kind == "point")


def test_point_symmetries_stay_proved_when_no_time_is_left_to_prove_others(monkeypatch):
    def out_of_time(*_):
        raise OutOfTimeError

    monkeypatch.setattr(hierarchy, "characteristic_defect", out_of_time)
    found = lieapp.symmetries(KDV, "t,x", "u", order=5, budget=60).hierarchy.symmetries
    assert {(one.kind, one.proved) for one in found} == {("point", True), ("generalised", False)}


def test_equations_that_are_no_polynomials_say_when_the_time_ends():
    """No class of polynomials to fall back on: the answer tells the budget, and what is found is proved."""
    try:
        found = laws(["u_t - sin(u_xx)*u_xxx - exp(u)*u_x"], order=8, budget=0.5)
    except LieappError as error:
        assert "budget" in error.message and error.hint
        return
    assert not found.certified and found.unsolved
    assert all(law.proved for law in found.laws)


@pytest.mark.parametrize(
    ("equation", "densities"),
    [
        ("u_t + log(u)*u_x + u_xxx", [u, u**2 / 2]),
        ("u_t + u**sqrt(2)*u_x + u_xxx", [u, u**2 / 2]),
        ("u_t + sqrt(u)*u_x + u_xxx", [u, u**2 / 2]),
    ],
)
def test_equations_that_are_no_polynomials_have_mass_and_momentum(equation, densities):
    """u_t + f(u) u_x + u_xxx conserves ∫u and ∫u²/2 for every f, and an energy: three laws."""
    found = laws([equation])
    assert found.certified
    assert [law.density for law in found.laws[:2]] == densities
    assert len(found.laws) == 3 and all(law.proved for law in found.laws)


def test_parameters_are_generic_and_special_values_told():
    """u_t + a u u_x + b u_xxx + c u_xx: mass alone, and further laws where one of them vanishes."""
    found = laws(["u_t + a*u*u_x + b*u_xxx + c*u_xx"], parameters=["a", "b", "c"])
    assert [law.density for law in found.laws] == [u]
    assert {str(e) for e in found.assumed_nonzero} >= {"a", "c"}
    assert len(laws(["u_t + a*u*u_x + b*u_xxx"], parameters=["a", "b"]).laws) == 4
    # c = 0 and a = 0: linear, and solutions of the adjoint equation make a family
    assert laws(["u_t + b*u_xxx + c*u_xx"], parameters=["b", "c"]).families


def test_what_a_density_divides_by_is_told():
    """u^(n + 2)/((n + 1) (n + 2)): for n = -2 the energy has a logarithm."""
    found = laws(["u_t + u**n*u_x + u_xxx"], parameters=["n"])
    assert {"n + 1", "n + 2"} <= {str(e) for e in found.assumed_nonzero}
    special = laws(["u_t + u_x/u**2 + u_xxx"])
    assert any(law.density.has(sp.log) for law in special.laws)


def test_densities_have_no_constants_and_no_second_time_derivatives():
    waves = laws(["u_tt - u_xx + u**3"], order=1)
    u_t, u_x = sp.symbols("u_t u_x", real=True)
    assert u**4 / 4 + u_t**2 / 2 + u_x**2 / 2 in [law.density for law in waves.laws]
    assert next(law.density for law in laws(["u_t - u**3*u_xxx"], order=0).laws) == -1 / u


@pytest.mark.parametrize(
    ("equation", "parameters", "count", "assumed"),
    [
        ("u_t - u**n*u_xx", ["n"], 2, {"n", "n - 1"}),
        ("u_tx - exp(u) - c*exp(-n*u)", ["c", "n"], 3, {"c", "n"}),
        ("u_t + exp(a*u)*u_x + u_xxx", ["a"], 3, {"a"}),
    ],
)
def test_symbolic_exponents_leave_no_density_open(equation, parameters, count, assumed):
    """∫ u^-n du and ∫ exp(-n u) du are told for generic n, and what they divide by."""
    found = laws([equation], parameters=parameters)
    assert len(found.laws) == count and found.certified
    assert all(law.proved and law.density is not None for law in found.laws)
    assert {str(e) for e in found.assumed_nonzero} >= assumed


@pytest.mark.parametrize(
    ("equation", "functions", "densities"),
    [
        ("u_t - f_u*u_x**2 - f*u_xx", ["f:u"], ["u", "u*x"]),
        ("u_t - f*u_xx", ["f:u_x"], ["u"]),
        ("u_t + f*u_x + u_xxx", ["f:u"], ["u", "u**2/2", "-u_x**2/2 + Integral(f(u), u, u)"]),
        ("u_tx - f", ["f:u"], ["u_x**2/2", "-Integral(f(u), u)", "-t*Integral(f(u), u) - u_x**2*x/2"]),
    ],
)
def test_arbitrary_functions_have_densities_with_integrals(equation, functions, densities):
    found = laws([equation], order=2 if "xxx" in equation else 1, functions=functions)
    assert [str(law.density) for law in found.laws] == densities
    assert all(law.proved for law in found.laws) and found.certified


def test_densities_that_need_special_functions_are_left_out():
    """∫ (1 + u²)^n du is hypergeometric; the law u_t + (1 + u²)^n u_x = D(u) + … is proved all the same."""
    found = laws(["u_t + (1 + u**2)**n*u_x + u_xxx"], order=0, parameters=["n"])
    assert [law.multiplier[0] for law in found.laws] == [1, u] and all(law.proved for law in found.laws)


def test_functions_of_derivatives_in_equations_with_a_lagrangian():
    """u_tt = f'(u_x) u_xx, of u_t²/2 - F(u_x): t·Δ gives the density t u_t - u."""
    found = laws(["u_tt - f_u_x*u_xx"], order=0, functions=["f:u_x"])
    assert "t*u_t - u" in [str(law.density) for law in found.laws]


def test_among_polynomials_is_said():
    """KdV for 1/u in place of u: of its four laws, only the mass has a multiplier that is a polynomial."""
    equation = "-u_t/u**2 - u_x/u**3 - u_xxx/u**2 + 6*u_x*u_xx/u**3 - 6*u_x**3/u**4"
    found = laws([equation], order=2, budget=6)
    assert found.general or "certified among polynomials" in found.as_json()["sentence"] or not found.certified
    assert len(laws([equation], order=0).laws) == 3


def test_multipliers_are_kept_where_densities_take_too_long(monkeypatch):
    def endless(*_):
        raise OutOfTimeError

    monkeypatch.setattr("lieapp.lie.beyond.laws.shortest", endless)
    found = laws(KDV, budget=20.0)
    assert [law.multiplier[0] for law in found.laws[:2]] == [1, u] and len(found.laws) == 4
    assert all(law.proved and law.density is None for law in found.laws)
    assert not found.certified and "densities" in found.unsolved[-1]
    assert len(laws(["u_t - u_xx"], budget=20.0).families) == 1


@pytest.mark.parametrize("order", [-1, 2.5, True, "2", None])
def test_orders_are_whole_numbers(order):
    with pytest.raises(UsageError) as found:
        lieapp.conservation_laws(KDV, "t,x", "u", order=order)
    assert "order" in found.value.message and found.value.hint


def test_symmetries_of_odes_below_their_order_only():
    with pytest.raises(UsageError) as found:
        lieapp.symmetries(["y_xxx"], "x", "y", order=2)
    assert "up to 1" in found.value.hint
    with pytest.raises(UsageError):
        laws(["y_x - y**2"], independent="x", dependent="y")


@pytest.mark.parametrize(
    "arguments",
    [
        ["laws", "u_t + u*u_x + u_xxx", "--independent", "t,x", "--dependent", "u", "--order", "-2"],
        ["laws", "y_x - y", "--independent", "x", "--dependent", "y"],
        ["truth", "y_xxx", "--independent", "x", "--dependent", "y", "--order", "4"],
        ["laws", "u_t - abs(u_x)", "--independent", "t,x", "--dependent", "u"],
    ],
    ids=" ".join,
)
def test_a_clear_sentence_and_no_traceback(arguments, capsys):
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said and len(said.strip().splitlines()) <= 6
    assert said.strip()


@pytest.mark.parametrize("factor", ["exp(x)", "1 + u**2", "-3/u**2"])
def test_what_symmetries_make_of_laws_is_the_same_for_an_equation_times_a_factor(factor):
    """Of KdV's mass, momentum and centre of mass: translation makes the mass of the centre of mass, and no more."""
    plain, other = (
        conservation_laws(parse_system([e], ["t", "x"], ["u"], []), 0, actions=True)
        for e in (KDV[0], f"({factor})*({KDV[0]})")
    )
    scales = [sp.cancel(n.multiplier[0] * sp.sympify(factor, {"u": u, "x": X}) / m.multiplier[0])
              for n, m in zip(other.laws, plain.laws, strict=True)]  # fmt: skip
    assert all(s.is_number for s in scales)
    assert plain.actions.symmetries == other.actions.symmetries
    for rows, others in zip(plain.actions.images, other.actions.images, strict=True):
        for k, (row, image) in enumerate(zip(rows, others, strict=True)):
            assert [scales[j] / scales[k] * c for j, c in enumerate(image)] == list(row)
    assert plain.actions.generating == other.actions.generating == (2,)


def test_laws_are_complete_where_actions_are_not_told():
    """Those of wave equations aren't told; the heat equation with a source has no laws for symmetries to act on."""
    waves = conservation_laws(parse_system(["u_tt - u_xx + u**3"], ["t", "x"], ["u"], []), 1, actions=True)
    assert waves.certified and waves.actions is None and "evolution" in waves.left_out
    none = conservation_laws(parse_system(["u_t - u_xx - u**2"], ["t", "x"], ["u"], []), 1, actions=True)
    assert none.certified and not none.laws and not none.left_out


@pytest.mark.parametrize(
    ("equations", "unknowns", "parameters", "functions", "densities"),
    [
        (["y_xx + sin(y)"], "y", [], [], ["y_x**2/2 - cos(y)"]),
        (["y_xx + f"], "y", [], ["f:y"], ["y_x**2/2 + Integral(f(y), y)"]),
        (["y_xx + a*y_x + y**3"], "y", ["a"], [], []),
        (["y_xx - y*z", "z_xx - y**2/2"], "y,z", [], [], ["-y**2*z/2 + y_x**2/2 + z_x**2/2"]),
    ],
)
def test_second_order_odes_have_their_energies(
    equations, unknowns, parameters, functions, densities
):
    found = laws(equations, 2, parameters, independent="x", dependent=unknowns, functions=functions)
    assert [str(law.density) for law in found.laws] == densities
    assert found.certified and all(law.proved for law in found.laws)


def test_a_damped_oscillator_has_an_energy_without_damping_alone():
    """y'' + a y' + y³: for a = 0 there is one, and a is told to be nonzero."""
    found = laws(["y_xx + a*y_x + y**3"], parameters=["a"], independent="x", dependent="y")
    assert not found.laws and "a" in {str(e) for e in found.assumed_nonzero}
    assert len(laws(["y_xx + y**3"], independent="x", dependent="y").laws) == 1
    # multipliers of order 1 aren't asked for
    assert not laws(["y_xx + y**3"], order=0, independent="x", dependent="y").laws


def test_five_of_eight_symmetries_of_free_motion_are_variational():
    """Those of y'' = 0 with the densities y', x y' - y and their products (Olver 1993, ch. 4.2)."""
    found = laws(["y_xx"], independent="x", dependent="y")
    p, y, X = sp.symbols("y_x y x", real=True)
    a, b = p, X * p - y
    assert len(found.laws) == 5
    space = sp.Matrix([[sp.Poly(e, X, y, p).as_expr().subs(point) for e in (a, b, a**2, a * b, b**2, *(
        law.density for law in found.laws))] for point in ({X: i, y: j, p: k} for i, j, k in (
            (1, 2, 3), (2, 5, 1), (0, 1, 4), (3, 1, 2), (5, 2, 7), (1, 1, 6), (4, 3, 5)))])  # fmt: skip
    assert space.rank() == space[:, :5].rank() == 5


@pytest.mark.parametrize(
    ("equation", "parameters", "order", "assumed"),
    [
        ("u_t + u**n*u_x + u_xxx", ["n"], 5, {"n", "n - 1", "n - 2"}),
        ("u_t - u**n*u_xx", ["n"], 3, {"n", "n - 2"}),
        ("a*u_t + u*u_x + u_xxx", ["a"], 3, {"a"}),
    ],
)
def test_special_values_with_more_generalised_symmetries_are_told(equation, parameters, order, assumed):
    """mKdV is n = 2; u_t = u² u_xx is a heat equation for the inverse function of ∫ dx/u."""
    found = lieapp.symmetries(equation, "t,x", "u", parameters, order=order).hierarchy
    assert {str(e) for e in found.assumed_nonzero} >= assumed
    assert all(one.kind == "point" for one in found.symmetries)
    if "n" in parameters:
        special = lieapp.symmetries(equation.replace("**n", "**2"), "t,x", "u", order=order).hierarchy
        assert any(one.kind == "generalised" for one in special.symmetries) or special.families


def test_what_equations_are_solved_by_is_assumed_nonzero():
    assert {str(e) for e in laws(["a*u_t + u*u_x + u_xxx"], parameters=["a"]).assumed_nonzero} >= {"a"}


def test_an_energy_that_is_no_noether_integral_is_found():
    """x'' + a x + b x y, y'' + c y + x²: b times the second equation makes them Euler-Lagrange equations."""
    found = laws(["x_tt + a*x + b*x*y", "y_tt + c*y + x**2"], parameters=["a", "b", "c"], independent="t",
                 dependent="x,y")  # fmt: skip
    (energy,) = found.laws
    assert str(energy.multiplier) == "(2*x_t, b*y_t)" and energy.proved and found.lagrangian is None


@pytest.mark.slow
def test_irrational_numbers_in_odes_leave_no_traceback():
    """x'' + √2 y, y'' + √2 x: two oscillations, with products of their integrals."""
    found = laws(["x_tt + sqrt(2)*y", "y_tt + sqrt(2)*x"], independent="t", dependent="x,y", budget=30)
    assert sum(law.proved for law in found.laws) >= 6


def test_densities_of_families_are_as_short_as_those_of_laws():
    """u_tx = exp(u): with f(t) nothing free of u is in the density, with f(x) no u_xx, as f u_x²/2 - f'' u."""
    of_time, of_space = laws(["u_tx - exp(u)"], order=1).families
    (f,), (g,) = of_time.functions, of_space.functions
    assert [str(f.args[0]), str(g.args[0])] == ["t", "x"]
    u_x = parse_system(["u_tx - exp(u)"], ["t", "x"], ["u"]).jets.symbol(0, (0, 1))
    assert sp.expand(of_time.density + f * sp.exp(u)) == 0
    assert sp.expand(of_space.density - g * u_x**2 / 2 + g.diff(X, 2) * u) == 0
