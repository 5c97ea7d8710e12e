"""Reductions: the equations textbooks have, and every one proved again here by substitution with functions."""

import time

import pytest
import sympy as sp

from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.lie.reduction.flows import combined
from lieapp.lie.reduction.reduce import reduce
from lieapp.lie.vector_field import Field


def system(*equations, independent="t,x", dependent="u", parameters=()):
    return parse_system(equations, independent.split(","), dependent.split(","), parameters)


def field(found, **components):
    names = {str(s): s for s in (*found.jets.coordinates, *found.parameters)}
    return Field({str(X): parse_expression(components.get(str(X), "0"), names) for X in found.jets.coordinates})


def jet_equations(reduction):
    return [str(e) for e in reduction.residuals]


HEAT = system("u_t - u_xx")
BURGERS = system("u_t + u*u_x - nu*u_xx", parameters=["nu:positive"])
KDV = system("u_t + u*u_x + u_xxx")
CKDV = system("u_t + u*u_x + u_xxx + u/(2*(t+1))")
NLS = system("u_t + v_xx + (u**2+v**2)*v", "v_t - u_xx - (u**2+v**2)*u", dependent="u,v")
BOUSSINESQ = system("u_tt + u*u_xx + u_x**2 + u_xxxx")
SINE_GORDON = system("u_tt - u_xx + sin(u)")
DIFFUSION = system(
    "u_t - u**m*(u_xx+u_yy) - m*u**(m-1)*(u_x**2+u_y**2)", independent="t,x,y", parameters=["m:positive"]
)
NAVIER_STOKES = system(
    "u_t + u*u_x + v*u_y + p_x - nu*(u_xx+u_yy)", "v_t + u*v_x + v*v_y + p_y - nu*(v_xx+v_yy)", "u_x + v_y",
    independent="t,x,y", dependent="u,v,p", parameters=["nu:positive"],
)  # fmt: skip
BLASIUS = system("y_xxx + y*y_xx/2", independent="x", dependent="y")
EMDEN = system("y_xx + 2*y_x/x + y**5", independent="x", dependent="y")
MINIMAL = system("(1+u_y**2)*u_xx - 2*u_x*u_y*u_xy + (1+u_x**2)*u_yy", independent="x,y")

KNOWN = [
    (HEAT, {"t": "1"}, ["w_xx"]),
    (HEAT, {"x": "1"}, ["w_t"]),
    (HEAT, {"t": "2*t", "x": "x"}, ["w_z*z/2 + w_zz"]),
    (HEAT, {"x": "2*t", "u": "-x*u"}, ["2*t*w_t + w"]),
    (HEAT, {"t": "4*t**2", "x": "4*t*x", "u": "-(x**2+2*t)*u"}, ["w_zz"]),
    (BURGERS, {"t": "t**2", "x": "t*x", "u": "x-t*u"}, ["nu*w_zz - w*w_z"]),
    (KDV, {"x": "t", "u": "1"}, ["t*w_t + w"]),
    (KDV, {"t": "3*t", "x": "x", "u": "-2*u"}, ["w*w_z - 2*w/3 - w_z*z/3 + w_zzz"]),
    (CKDV, {"t": "3*(t+1)", "x": "x", "u": "-2*u"}, ["w*w_z - w/6 - w_z*z/3 + w_zzz"]),
    (CKDV, {"t": "(t+1)**Rational(3,2)", "x": "sqrt(t+1)*x/2", "u": "-sqrt(t+1)*u+x/(4*sqrt(t+1))"},
     ["w*w_z + w_zzz"]),
    (SINE_GORDON, {"t": "x", "x": "t"}, ["4*w_z + 4*w_zz*z - sin(w)"]),
    (MINIMAL, {"x": "u", "u": "-x"}, ["w*w_yy - w_y**2 - 1"]),
    (BLASIUS, {"x": "1"}, ["2*v*v_yy + 2*v_y**2 + v_y*y"]),
]  # fmt: skip

OTHERS = [
    (NLS, {"x": "2*t", "u": "-x*v", "v": "x*u"}),
    (NLS, {"t": "1", "u": "-v", "v": "u"}),
    (BOUSSINESQ, {"t": "2*t", "x": "x", "u": "-2*u"}),
    (DIFFUSION, {"t": "2*t", "x": "x + y", "y": "y - x"}),
    (DIFFUSION, {"x": "y", "y": "-x"}),
    (DIFFUSION, {"t": "m*t", "u": "-u"}),
    (NAVIER_STOKES, {"t": "2*t", "x": "x", "y": "y", "u": "-u", "v": "-v", "p": "-2*p"}),
    (NAVIER_STOKES, {"x": "y", "y": "-x", "u": "v", "v": "-u"}),
]


@pytest.mark.parametrize(("found", "components", "expected"), KNOWN)
def test_reduced_equations_of_textbooks(found, components, expected):
    assert jet_equations(reduce(found, field(found, **components))) == expected


@pytest.mark.parametrize(("found", "components"), [(f, c) for f, c, _ in KNOWN if f is not BLASIUS] + OTHERS)
def test_functions_that_solve_the_reduced_equation_solve_the_system(found, components):
    """Polynomials w that solve the reduced equations at a point make the system's residuals vanish there."""
    reduction = reduce(found, field(found, **components))
    assert reduction, reduction.reason
    left = numeric_residuals(found, reduction)
    assert left, "nothing was compared"
    for old, reduced in left:
        # w was chosen so that the reduced equations hold at the point
        assert all(abs(r) < 1e-20 for r in reduced)
        assert all(abs(e) < 1e-15 for e in old), f"{old} where the reduced equations hold"


def numeric_residuals(found, reduction):
    """Values of residuals and reduced equations at points, for polynomials w that solve the latter there.

    The highest derivative in each reduced equation is solved for at the point; all are checked with SymPy's own
    derivatives of U(x, w(z(x))), which share no code with the reduction.
    """
    results = []
    jets = reduction.jets
    for k in range(3):
        point = {x: sp.Rational(7 + 5 * k + 2 * i, 5 + i) for i, x in enumerate(found.jets.independent)}
        values = {p: sp.Rational(3, 2) for p in found.parameters}
        place = [sp.N(reduction.variables[str(z)].subs(values).subs(point), 40) for z in jets.independent]
        chosen = taylor_values(reduction, place, values)
        new = {str(w): polynomial(reduction, a, place, chosen) for a, w in enumerate(jets.unknowns)}
        inner = {z: reduction.variables[str(z)] for z in jets.independent}
        symbols = {str(w): w for w in jets.unknowns}
        U = {}
        for u in found.jets.dependent:
            expression = reduction.ansatz[u].xreplace({symbols[n]: sp.Symbol(f"_{n}") for n in new})
            filled = {
                sp.Symbol(f"_{n}"): e.subs(dict(zip(stand(jets), inner.values(), strict=True)))
                for n, e in new.items()
            }
            U[u] = expression.subs(filled, simultaneous=True).subs(values)
        old = []
        for residual in found.residuals:
            jet_values = {
                s: sp.N(derivative(U[found.jets.dependent[a]], found.jets.independent, J).subs(point), 40)
                for s, (a, J) in found.jets.jets(residual).items()
            }
            old.append(sp.N(residual.subs(values).subs(point).xreplace(jet_values), 30))
        at = {**dict(zip(jets.independent, place, strict=True)), **chosen}
        results.append((old, [sp.N(e.subs(values).xreplace(at), 30) for e in reduction.residuals]))
    return results


def stand(jets):
    return [sp.Symbol(f"_{z}") for z in jets.independent]


def derivative(expression, variables, J):
    for x, n in zip(variables, J, strict=True):
        for _ in range(n):
            expression = sp.diff(expression, x)
    return expression


def taylor_values(reduction, place, values):
    """Values of all jets at a place, the reduced equations solved for one of the highest jets each."""
    jets = reduction.jets
    found = {s for e in reduction.residuals for s in jets.jets(e)} | set(jets.unknowns)
    numbers = {s: sp.Rational(11 + 3 * k, 13 + k) for k, s in enumerate(sorted(found, key=str))}
    at = dict(zip(jets.independent, place, strict=True))
    order = {s: sum(jets.index(s)[1]) for s in found}
    unknown = []
    for e in reduction.residuals:
        candidates = sorted(jets.jets(e), key=lambda s: (-order[s], str(s)))
        linear = [s for s in candidates if s not in unknown and not sp.diff(e, s).has(s)]
        unknown.append((linear or candidates)[0])
    rest = {s: n for s, n in numbers.items() if s not in unknown}
    equations = [e.subs(values).xreplace({**at, **rest}) for e in reduction.residuals]
    matrix = sp.Matrix(equations).jacobian(unknown)
    assert not matrix.has(*unknown), f"{equations} aren't linear in {unknown}"
    right = -sp.Matrix(equations).xreplace(dict.fromkeys(unknown, sp.S.Zero))
    solution = matrix.evalf(40).LUsolve(right.evalf(40))
    return {**rest, **dict(zip(unknown, solution, strict=True))}


def polynomial(reduction, a, place, chosen):
    """A polynomial with the chosen derivatives at the place."""
    total = sp.S.Zero
    for s, value in chosen.items():
        b, J = reduction.jets.index(s)
        if a == b:
            total += value * sp.Mul(
                *((z - c) ** n / sp.factorial(n) for z, c, n in zip(stand(reduction.jets), place, J, strict=True))
            )
    return total


@pytest.mark.parametrize(
    ("found", "components"),
    [(EMDEN, {"x": "2*x", "y": "-y"}), (BLASIUS, {"x": "1"})],
)
def test_odes_lose_one_order_and_solutions_go_over(found, components):
    """y' from the ansatz at a jet of an exact solution, and the reduced equation holds along it."""
    reduction = reduce(found, field(found, **components))
    assert reduction.kind == "order"
    assert reduction.jets.order(reduction.residuals) == found.jets.order(found.residuals) - 1
    (x,), (y,) = found.jets.independent, found.jets.unknowns
    exact = 6 / x if found is BLASIUS else 1 / sp.sqrt(1 + x**2 / 3)
    (r,), (v,) = reduction.jets.independent, reduction.jets.unknowns
    solved = sp.solve(reduction.ansatz["y_x"].subs(y, exact) - sp.diff(exact, x), v)[0]
    rate = sp.diff(reduction.variables[str(r)].subs(y, exact), x)
    values = {r: reduction.variables[str(r)].subs(y, exact), v: solved}
    value = solved
    for n in range(1, 3):
        value = sp.diff(value, x) / rate
        values[reduction.jets.symbol(0, (n,))] = value
    assert all(sp.simplify(e.subs(values, simultaneous=True)) == 0 for e in reduction.residuals)


def test_travelling_waves_along_a_combination_with_a_symbol():
    c = sp.Symbol("c", real=True)
    moving = combined([field(KDV, t="1"), field(KDV, x="1")], [sp.S.One, c])
    reduction = reduce(KDV, moving)
    assert str(reduction.variables["z"]) == "-c*t + x"
    assert jet_equations(reduction) == ["-c*w_z + w*w_z + w_zzz"]
    wave = 3 * c * sp.sech(sp.sqrt(c) * sp.Symbol("z", real=True) / 2) ** 2
    (equation,) = reduction.equations
    left = equation.subs(reduction.functions[0], wave).doit()
    assert abs(left.subs({c: 2, sp.Symbol("z", real=True): sp.Rational(3, 7)}).evalf(30)) < 1e-25


def test_names_in_use_are_avoided():
    found = system("w_t - z*w_xx", dependent="w", parameters=["z:positive"])
    reduction = reduce(found, field(found, t="2*t", x="x"))
    assert set(reduction.variables) == {"r"}
    assert jet_equations(reduction) == ["f_r*r + 2*f_rr*z"]


@pytest.mark.parametrize(
    ("found", "components", "words"),
    [
        (HEAT, {"u": "u"}, "moves no independent variable"),
        (HEAT, {}, "is zero"),
        (HEAT, {"t": "t*x", "x": "1"}, "no symmetries"),
        (system("u_xx*u_yy - u_xy**2 - 1", independent="x,y"), {"x": "1"}, "no invariant solutions"),
        (system("u_x*u_y - 1", independent="x,y"), {"x": "u**2", "y": "4*y**2", "u": "4*y*u"}, "implicit"),
    ],
)
def test_why_there_is_no_reduction(found, components, words):
    reduction = reduce(found, field(found, **components))
    assert not reduction
    assert words in reduction.reason
    assert reduction.as_json()["equations"] == []


def test_a_passed_deadline_is_a_reason_not_an_error():
    reduction = reduce(NAVIER_STOKES, field(NAVIER_STOKES, **OTHERS[-1][1]), deadline=time.perf_counter() - 1)
    assert "time ran out" in reduction.reason


def test_json_text_and_latex():
    reduction = reduce(HEAT, field(HEAT, t="2*t", x="x"))
    assert reduction.as_json() == {
        "kind": "similarity", "variables": {"z": "x/sqrt(t)"}, "functions": {"w": ["z"]}, "ansatz": {"u": "w"},
        "equations": ["w_z*z/2 + w_zz"], "assumed_nonzero": [], "reason": "",
    }  # fmt: skip
    assert reduction.text() == "z = x/sqrt(t)\nu = w\nw_z*z/2 + w_zz = 0"
    assert r"\frac{x}{\sqrt{t}}" in reduction.latex()


def test_a_reduced_system_reduces_further():
    first = reduce(DIFFUSION, field(DIFFUSION, t="2*t", x="x", y="y"))
    z, r = first.jets.independent
    second = reduce(first.system, Field({str(z): r, str(r): -z, first.jets.dependent[0]: sp.S.Zero}))
    assert second and len(second.jets.independent) == 1


def test_coupled_highest_derivatives_are_separated():
    found = system("u_t + v_xx", "v_t - u_xx", dependent="u,v")
    projective = {"t": "4*t**2", "x": "4*t*x", "u": "-2*t*u-x**2*v", "v": "-2*t*v+x**2*u"}
    assert jet_equations(reduce(found, field(found, **projective))) == ["w1_zz", "w2_zz"]


def test_arbitrary_functions_of_an_invariant_unknown_are_kept():
    found = parse_system(["u_t - k(u)*u_xx - k_u*u_x**2"], ["t", "x"], ["u"], [], ["k:u"])
    reduction = reduce(found, field(found, t="2*t", x="x"))
    w = reduction.functions[0]
    k, (z,) = sp.Function("k", real=True), w.args
    expected = sp.diff(k(w) * sp.diff(w, z), z) + z * sp.diff(w, z) / 2
    cube = {k: lambda value: value**3}
    (equation,) = reduction.equations
    left = equation.subs(w, z**2).replace(k, cube[k]).doit() - 2 * expected.subs(w, z**2).replace(k, cube[k]).doit()
    assert sp.simplify(left) == 0
