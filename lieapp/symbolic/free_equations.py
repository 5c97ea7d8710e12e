"""Equations in SymPy's own notation with parameters and arbitrary functions left free.

A function of all the independent variables is an unknown; any other function of one variable or of one unknown,
such as k(u(t, x)), is arbitrary; every other symbol is a generic constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.errors import EquationError
from lieapp.symbolic.equation import System, as_expression, exact, on_jets
from lieapp.symbolic.jets import JetSpace


def read_free(
    equations: Sequence[sp.Eq | sp.Expr],
    independent: Sequence[sp.Symbol] = (),
    dependent: Sequence[AppliedUndef] = (),
    nonzero: Sequence[sp.Expr] = (),
    name: str = "equation",
) -> System:
    """The system of SymPy equations (= 0 understood) in u(t, x) and its derivatives.

    Args:
        equations: `sp.Eq`s, or expressions that vanish.
        independent: the variables, in order; else the arguments of the function that has most of them.
        dependent: the unknowns u(t, x), in order; else every function of all the variables.
        nonzero: expressions in the parameters that are known not to vanish.
        name: what messages call the system.

    Raises EquationError when unknowns and arbitrary functions can't be told apart or the equations can't be read.
    """
    # done, so that the derivatives of k(u) are taken
    sides = [exact(_side(e, name)).doit() for e in equations]
    applied = sorted({f for side in sides for f in side.atoms(AppliedUndef)}, key=str)
    variables = tuple(independent) or _variables(applied, name)
    unknowns = list(dependent) or [f for f in applied if set(f.args) == set(variables)]
    _check_unknowns(unknowns, applied, variables, name)
    jets = JetSpace(variables, tuple(f.func.__name__ for f in unknowns))
    coordinates = dict(zip([*variables, *unknowns], jets.coordinates, strict=True))
    arbitrary = {
        f: _arbitrary(f, coordinates, name) for f in applied if f not in unknowns and f.args[0] in coordinates
    }
    residuals = tuple(_residual(side, jets, unknowns, arbitrary, name) for side in sides)
    outside = {*variables, *(s for r in residuals for s in jets.jets(r))}
    parameters = sorted({s for r in residuals for s in r.free_symbols} - outside, key=str)
    return System(
        jets,
        residuals,
        tuple(parameters),
        name=name,
        functions={f.func.__name__: (str(f.args[0]),) for f in arbitrary.values()},
        nonzero=tuple(as_expression(e, name) for e in nonzero),
    )


def _side(equation: object, name: str) -> sp.Expr:
    """What must vanish. Raises EquationError for what is no equation in real unknowns."""
    if isinstance(equation, sp.Eq):
        equation = equation.lhs - equation.rhs
    if isinstance(equation, (bool, sp.logic.boolalg.Boolean, sp.MatrixBase)):
        raise EquationError(
            f"{name}: {equation} is no equation between expressions.",
            hint="Write sp.Eq(u.diff(t), …), or an expression that vanishes; a system is a list of them.",
        )
    side = as_expression(equation, name)
    if side.has(sp.I, sp.conjugate, sp.re, sp.im):
        raise EquationError(
            f"{name}: {side} = 0 is complex; unknowns and coefficients are real here.",
            hint="Put u + I*v in place of the unknown and write real and imaginary part as two equations.",
        )
    return side


def _variables(applied: Sequence[AppliedUndef], name: str) -> tuple[sp.Symbol, ...]:
    found = [f for f in applied if all(a.is_Symbol for a in f.args)]
    if not found:
        raise EquationError(
            f"{name}: the equation contains no unknown function; it is no differential equation.",
            hint="Declare u = sp.Function('u')(t, x) and write the equation in u and u.diff(x).",
        )
    variables: tuple[sp.Symbol, ...] = max(found, key=lambda f: len(f.args)).args
    return variables


def _check_unknowns(
    unknowns: Sequence[AppliedUndef], applied: Sequence[AppliedUndef], variables: Sequence[sp.Symbol], name: str
) -> None:
    for f in unknowns:
        if f not in applied:
            raise EquationError(
                f"{name}: the unknown {f} doesn't occur.", hint="Leave it out, or write it as in the equation."
            )
        if set(f.args) != set(variables):
            raise EquationError(
                f"{name}: {f} must depend on all of {', '.join(map(str, variables))}.",
                hint="Write each unknown as a function of every variable.",
            )
    for f in applied:
        if f not in unknowns and (len(f.args) != 1 or f.args[0] not in (*variables, *unknowns)):
            raise EquationError(
                f"{name}: {f} is neither an unknown, a function of {', '.join(map(str, variables))}, nor an "
                "arbitrary function of one variable or unknown.",
                hint="Give the unknowns with dependent=[…]; write functions of several arguments as products.",
            )


def _arbitrary(f: AppliedUndef, coordinates: dict[sp.Expr, sp.Symbol], name: str) -> sp.Expr:
    """k of a jet symbol in place of k(u(t, x))."""
    result: sp.Expr = sp.Function(f.func.__name__, real=True)(coordinates[f.args[0]])
    return result


def _residual(
    side: sp.Expr,
    jets: JetSpace,
    unknowns: Sequence[AppliedUndef],
    arbitrary: dict[AppliedUndef, sp.Expr],
    name: str,
) -> sp.Expr:
    """The side on jets, with k(u) and its derivatives in u kept aside as they hold derivatives of their own."""
    kept: dict[sp.Expr, sp.Expr] = {}
    slopes: dict[sp.Expr, sp.Symbol] = {}
    for node in side.atoms(sp.Subs, sp.Derivative):
        found = _slope(node, arbitrary)
        if found is not None:
            slopes[node] = sp.Dummy()
            kept[slopes[node]] = found
    plain = {f: sp.Dummy() for f in arbitrary}
    kept |= {plain[f]: value for f, value in arbitrary.items()}
    # derivatives first: they contain the functions
    side = side.xreplace(slopes).xreplace(plain)
    return sp.sympify(on_jets(side, jets, unknowns, name)).xreplace(kept)


def _slope(node: sp.Expr, arbitrary: dict[AppliedUndef, sp.Expr]) -> sp.Expr | None:
    """k'(u), k''(u), … in jets; None for a derivative of something else."""
    if isinstance(node, sp.Derivative):
        inner, point = node, node.expr
        if point not in arbitrary:
            return None
    else:
        inner = node.expr
        if not isinstance(inner, sp.Derivative) or not isinstance(inner.expr, AppliedUndef):
            return None
        point = inner.expr.subs(dict(zip(node.variables, node.point, strict=True)))
        if point not in arbitrary:
            return None
    value = arbitrary[point]
    count = sum(int(n) for _, n in inner.variable_count)
    return sp.Derivative(value, (value.args[0], count))
