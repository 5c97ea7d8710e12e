"""Equations in SymPy's own notation with parameters and arbitrary functions left free.

A function of all the independent variables is an unknown, unless others are named as such; any other function of
variables and unknowns, such as k(x, u(t, x)), is arbitrary; every other symbol is a generic constant. Results are
written with names, so one name must stand for one thing; and all of them are real.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.equation import System, as_expression, exact, on_jets, with_values
from lieapp.equations.jets import JetSpace, readings
from lieapp.equations.limits import too_large
from lieapp.errors import EquationError

SAME = "Make it once, with its assumptions, and use that one: t, x = sp.symbols('t x', real=True)."


def check_real(expressions: Iterable[sp.Expr], name: str) -> None:
    """Raises EquationError for symbols or functions that are no real numbers, or that are always 0."""
    for expression in expressions:
        atoms = sorted(expression.free_symbols | expression.atoms(AppliedUndef), key=str)
        for atom in atoms:
            problems = {
                "is not commutative": atom.is_commutative is False,
                "is assumed to be 0": atom.is_zero,
                "is assumed not to be real": atom.is_extended_real is False,
                "is assumed to be infinite": atom.is_finite is False,
            }
            for problem in (told for told, true in problems.items() if true):
                raise EquationError(
                    f"{name}: {atom} {problem}; everything in an equation is a real number here.",
                    hint="Write complex equations as two real ones, and make symbols with real=True.",
                )
        if expression.is_commutative is False:
            raise EquationError(
                f"{name}: {expression} doesn't commute.", hint="Write matrix equations in their components."
            )


def check_distinct(symbols: Iterable[sp.Symbol], functions: Iterable[AppliedUndef], name: str) -> None:
    """Raises EquationError for a name that stands for two symbols, for a symbol and a function, or two functions.

    Functions are given with their arguments: u(t, x) and u(t) are two.
    """
    known: dict[str, sp.Symbol] = {}
    for symbol in sorted(set(symbols), key=sp.default_sort_key):
        other = known.setdefault(symbol.name, symbol)
        if other != symbol:
            raise EquationError(f"{name}: two different symbols are named {symbol.name}.", hint=SAME)
    applied: dict[str, AppliedUndef] = {}
    for function in sorted(set(functions), key=str):
        called = function.func.__name__
        if called in known:
            arguments = ", ".join(map(str, function.args))
            raise EquationError(
                f"{name}: {called} is the name of a symbol and of the function {function}.",
                hint=f"Write {called} = sp.Function('{called}')({arguments}) for the function, or give the symbol "
                "another name.",
            )
        other = applied.setdefault(called, function)
        if other != function:
            raise EquationError(
                f"{name}: {called} is used at different arguments, as {other} and {function}.",
                hint="Delay and reflection equations have no point symmetries in this sense; a function of other "
                "variables needs a name of its own.",
            )


def check_no_jets(names: Sequence[str], jets: JetSpace, name: str) -> None:
    """Raises EquationError for a name that results would confuse with a derivative: u_x beside u."""
    variables = [str(x) for x in jets.independent]
    for called in names:
        for u in jets.dependent:
            if called.startswith(f"{u}_") and readings(called[len(u) + 1 :], variables):
                raise EquationError(
                    f"{name}: the name {called} is that of a derivative of {u}.",
                    hint=f"Write u.diff(x) for the derivative, or choose a name other than {called}.",
                )


def read_free(
    equations: Sequence[sp.Eq | sp.Expr],
    independent: Sequence[sp.Symbol | str] = (),
    dependent: Sequence[AppliedUndef | str] = (),
    nonzero: Sequence[sp.Expr] = (),
    name: str = "equation",
) -> System:
    """The system of SymPy equations (= 0 understood) in u(t, x) and its derivatives.

    The variables, in order, are else the arguments of the function that has most of them; the unknowns u(t, x),
    in order, else every function of all the variables. Expressions in the parameters that are `nonzero` are known
    not to vanish. Messages call the system by its name.

    Raises EquationError when unknowns and arbitrary functions can't be told apart or the equations can't be read.
    """
    # done, so that the derivatives of k(u) are taken
    sides = [exact(_side(e, name)).doit() for e in equations]
    check_real(sides, name)
    # without those at a variable that SymPy puts in for a derivative
    found = {f for side in sides for f in side.atoms(AppliedUndef) if not f.atoms(sp.Dummy)}
    applied = sorted(found, key=str)
    symbols = {s for side in sides for s in side.free_symbols}
    variables = _meant(independent, symbols, str, "variable", name)
    if not variables:
        of_symbols = [f for f in applied if all(a.is_Symbol for a in f.args)]
        if not of_symbols:
            raise EquationError(
                f"{name}: the equation contains no unknown function; it is no differential equation.",
                hint="Declare u = sp.Function('u')(t, x) and write the equation in u and u.diff(x).",
            )
        variables = max(of_symbols, key=lambda f: len(f.args)).args
    unknowns = list(_meant(dependent, applied, lambda f: f.func.__name__, "unknown", name))
    check_real(variables, name)
    check_distinct({*symbols, *variables}, applied, name)
    unknowns = unknowns or [f for f in applied if set(f.args) == set(variables)]
    _check_unknowns(unknowns, applied, variables, name)
    jets = JetSpace(variables, tuple(f.func.__name__ for f in unknowns))
    coordinates = dict(zip([*variables, *unknowns], jets.coordinates, strict=True))
    # k of a jet symbol in place of k(u(t, x))
    arbitrary = {
        f: sp.Function(f.func.__name__, real=True)(*(coordinates[a] for a in f.args))
        for f in applied
        if f not in unknowns
    }
    names = {*map(str, symbols), *(f.func.__name__ for f in applied)}
    check_no_jets(sorted(names), jets, name)
    residuals = tuple(_residual(side, jets, unknowns, arbitrary, name) for side in sides)
    outside = {*variables, *(s for r in residuals for s in jets.jets(r))}
    parameters = sorted({s for r in residuals for s in r.free_symbols} - outside, key=str)
    return System(
        jets,
        residuals,
        tuple(parameters),
        name=name,
        functions={f.func.__name__: tuple(map(str, f.args)) for f in arbitrary.values()},
        nonzero=tuple(_nonzero(e, parameters, name) for e in nonzero),
    )


def _meant(
    given: Sequence[Any], there: Collection[Any], called: Callable[[Any], str], what: str, name: str
) -> tuple[Any, ...]:
    """Variables or unknowns as objects: names are looked up among those of the equations.

    Raises EquationError for a name that isn't there, what is neither name nor symbol, and one given twice.
    """
    found = []
    for one in given:
        if isinstance(one, str):
            same = [e for e in there if called(e) == one]
            if not same:
                raise EquationError(
                    f"{name}: the {what} {one} doesn't occur.",
                    hint=f"There are {', '.join(sorted({called(e) for e in there}))}.",
                )
            # several of one name are refused afterwards
            one = same[0]
        elif not isinstance(one, sp.Symbol if what == "variable" else AppliedUndef):
            raise EquationError(
                f"{name}: {one!r} is no {what}.",
                hint="Variables are symbols, as t, x = sp.symbols('t x', real=True); unknowns functions of them, "
                "as u = sp.Function('u')(t, x).",
            )
        if one in found:
            raise EquationError(f"{name}: the {what} {one} is given twice.", hint="Leave one of them out.")
        found.append(one)
    return tuple(found)


def _nonzero(expression: object, parameters: Sequence[sp.Symbol], name: str) -> sp.Expr:
    """Raises EquationError unless it is an expression in the parameters that can be other than 0."""
    found = exact(as_expression(expression, name))
    if not isinstance(found, sp.Expr) or not found.free_symbols or found.free_symbols - {*parameters}:
        told = f"its parameters are {', '.join(map(str, parameters))}" if parameters else "it has no parameters"
        raise EquationError(
            f"{name}: nonzero holds {found}, which is no expression in the equation's parameters; {told}.",
            hint="Give what is known not to vanish, as nonzero=[g - 3] for a parameter g.",
        )
    if sp.expand(found) == 0:
        raise EquationError(f"{name}: nonzero holds {found}, which is 0.", hint="Leave it out, or correct it.")
    return found


def _side(equation: object, name: str) -> sp.Expr:
    """What must vanish. Raises EquationError for what is no equation in real unknowns."""
    if isinstance(equation, sp.Eq):
        equation = equation.lhs - equation.rhs
    side = as_expression(equation, name)
    # booleans, matrices, sets
    if not isinstance(side, sp.Expr) or side.is_Matrix:
        raise EquationError(
            f"{name}: {equation} is no equation between expressions.",
            hint="Write sp.Eq(u.diff(t), …), or an expression that vanishes; a system is a list of them.",
        )
    for node in sp.postorder_traversal(side):
        if any(too_large(node.func, argument) for argument in node.args):
            raise EquationError(
                f"{name}: {node} is a number too large to be meant.", hint="Put a symbol, such as a, in its place."
            )
    if side.has(sp.I, sp.conjugate, sp.re, sp.im):
        raise EquationError(
            f"{name}: {side} = 0 is complex; unknowns and coefficients are real here.",
            hint="Put u + I*v in place of the unknown and write real and imaginary part as two equations.",
        )
    return side


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
        if f not in unknowns and not set(f.args) <= {*variables, *unknowns}:
            raise EquationError(
                f"{name}: {f} is neither an unknown, a function of {', '.join(map(str, variables))}, nor an "
                "arbitrary function of variables and unknowns.",
                hint="Give the unknowns with dependent=[…]; type functions of derivatives or of x - t as text.",
            )


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
    on = with_values(sp.sympify(on_jets(side, jets, unknowns, name), strict=True), {}, jets, name)
    return on.xreplace(kept)


def _slope(node: sp.Expr, arbitrary: dict[AppliedUndef, sp.Expr]) -> sp.Expr | None:
    """k'(u), k''(u), … in jets; None for a derivative of something else."""
    inner = node if isinstance(node, sp.Derivative) else node.expr
    if not isinstance(inner, sp.Derivative):
        return None
    point = inner.expr if inner is node else inner.expr.subs(dict(zip(node.variables, node.point, strict=True)))
    if point not in arbitrary:
        return None
    value = arbitrary[point]
    return sp.diff(value, *((value.args[inner.expr.args.index(v)], n) for v, n in inner.variable_count))


def with_outputs(system: System, outputs: Sequence[sp.Expr]) -> System:
    """The system with what is measured, in u(t) and parameters, of which further ones may occur there.

    Raises EquationError for functions and derivatives of unknowns, and what is no real expression.
    """
    found, unknowns = [], dict(zip(system.jets.dependent, system.jets.unknowns, strict=True))
    for h in outputs:
        inside = {}
        side = exact(_side(h, system.name))
        for f in side.atoms(AppliedUndef, sp.Derivative):
            if f.func.__name__ not in unknowns or f.args != system.jets.independent:
                raise EquationError(
                    f"{system.name}: the output {h} has {f}, which is no unknown of the equations.",
                    hint="Write outputs in unknowns and parameters; let a derivative be an unknown v = u.diff(t).",
                )
            inside[f] = unknowns[f.func.__name__]
        found.append(side.xreplace(inside))
    check_real(found, system.name)
    symbols = {s for h in found for s in h.free_symbols} - {*system.jets.coordinates}
    parameters = sorted({*system.parameters, *symbols}, key=str)
    check_distinct([*parameters, *system.jets.coordinates], (), system.name)
    return replace(system, outputs=tuple(found), parameters=tuple(parameters))
