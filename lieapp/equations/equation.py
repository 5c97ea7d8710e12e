"""A validated system Δ(x, u, u_J, …) = 0 on its jet space, read from SymPy as users write it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.api import PDE, ChangeOfVariables
from lieapp.equations.jets import JetSpace
from lieapp.errors import EquationError

INFINITE = (sp.oo, -sp.oo, sp.zoo, sp.nan)

NOT_LOCAL = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Subs)
"""What makes an equation depend on more than the point, the unknowns and their derivatives there."""


def with_values(expression: sp.Expr, values: Mapping[sp.Expr, sp.Expr], jets: JetSpace, name: str) -> sp.Expr:
    """An expression on jets with its parameters replaced.

    Raises EquationError if it is infinite or complex then, or isn't local.
    """
    for node in expression.atoms(*NOT_LOCAL):
        raise EquationError(
            f"{name}: {node} is no expression in the unknowns and their derivatives at one point.",
            hint="Carry out integrals and sums; that of an unknown becomes an unknown v with v.diff(x) = u.",
        )
    result: sp.Expr = expression.subs(values)
    if result.has(*INFINITE):
        bad = [term for term in sp.Add.make_args(expression) if term.subs(values).has(*INFINITE)]
        coefficient, what = (bad or [expression])[0].as_independent(*jets.jets(expression), as_Add=False)
        used = ", ".join(f"{s} = {v}" for s, v in values.items() if coefficient.has(s))
        told = f" with {used}" if used else ""
        raise EquationError(
            f"{name}: the coefficient {coefficient} of {what} isn't a finite number{told}.",
            hint="Correct the equation or its parameters.",
        )
    if any(node.is_number and node.is_extended_real is False for node in sp.preorder_traversal(result)):
        raise EquationError(
            f"{name}: {result} = 0 is complex; an equation must be real.",
            hint="Write u = v + i w, and give the real and the imaginary part as two equations in v and w.",
        )
    return result


LARGEST = 10**30
"""Denominators above it are binary fractions, which nobody means."""


@dataclass(frozen=True)
class System:
    """Equations Δᵏ = 0 on a jet space.

    Args:
        jets: variables, unknowns and jet symbols.
        residuals: the left-hand sides Δᵏ as expressions in the jets.
        parameters: the symbols that stay free (generic constants), with their assumptions.
        name: what messages call the system.
        functions: arbitrary functions and the names of their arguments.
        nonzero: expressions in the parameters declared not to vanish.
        outputs: what is measured, expressions in the coordinates and parameters.
    """

    jets: JetSpace
    residuals: tuple[sp.Expr, ...]
    parameters: tuple[sp.Symbol, ...] = ()
    name: str = "equation"
    functions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nonzero: tuple[sp.Expr, ...] = ()
    outputs: tuple[sp.Expr, ...] = ()


def in_decimals(system: System) -> System:
    """The system with measured numbers as decimals: as fractions their products would grow without bound."""
    found = [r.xreplace({n: sp.Float(n, 15) for n in r.atoms(sp.Rational) if n.q != 1}) for r in system.residuals]
    return replace(system, residuals=tuple(found))


def as_expression(value: object, name: str) -> sp.Expr:
    """A SymPy expression or a number; text is refused, as SymPy would evaluate it.

    Raises EquationError naming what it is not.
    """
    try:
        return sp.sympify(value, strict=True)
    except sp.SympifyError:
        raise EquationError(
            f"{name}: {value!r} is not a SymPy expression.",
            hint="Write it with SymPy's symbols and functions; text is not evaluated.",
        ) from None


def exact(value: float | int | sp.Expr) -> sp.Expr:
    """The number a user meant: .01 is 1/100, not the binary fraction next to it.

    In expressions 1/3 for .333333333333333 too, where a short fraction is near.
    """
    if not isinstance(value, sp.Expr):
        return sp.Rational(str(value))
    meant = {f: sp.nsimplify(f, rational=True) for f in value.atoms(sp.Float)}
    short = {f: e.is_Rational and e.q <= LARGEST for f, e in meant.items()}
    return value.xreplace({f: e if short[f] else sp.Rational(str(f)) for f, e in meant.items()})


def read_pde(pde: PDE, free: Collection[str] = ()) -> System:
    """The system of a plugin's declaration; its parameters have their exact values, but for those left `free`.

    Raises EquationError when a variable isn't declared, an unknown can't be read or a parameter has no value.
    """
    values = {s: v for s, v in pde.parameters.items() if str(s) not in free}
    return read_equations(
        pde.equation, tuple(pde.region), values, name=pde.name, free=[s for s in pde.parameters if s not in values]
    )


def read_transform(pde: PDE, transform: ChangeOfVariables) -> System:
    """The system that a change of variables solves in place of the plugin's own."""
    return read_equations(transform.equation, tuple(pde.region), pde.parameters, name=f"{pde.name} (transform)")


def read_equations(
    equations: sp.Eq | sp.Expr | Sequence[sp.Eq | sp.Expr],
    variables: tuple[sp.Symbol, ...],
    values: Mapping[sp.Symbol, float],
    name: str,
    free: Sequence[sp.Symbol] = (),
) -> System:
    """Read SymPy equations in u(t, x) and its derivatives as a system on jets, with parameters that stay free."""
    if not isinstance(equations, (list, tuple)):
        equations = [equations]
    sides = [e.lhs - e.rhs if isinstance(e, sp.Eq) else as_expression(e, name) for e in equations]
    functions = _unknowns(sides, variables, name)
    jets = JetSpace(variables, tuple(f.func.__name__ for f in functions))
    substitution = {as_expression(symbol, name): exact(value) for symbol, value in values.items()}
    real = {s: sp.Symbol(s.name, **{**s.assumptions0, "real": True}) for s in free}
    on = (with_values(on_jets(side, jets, functions, name), substitution, jets, name) for side in sides)
    residuals = tuple(r.xreplace(real) for r in on)
    if jets.order(residuals) == 0:
        raise EquationError(
            f"{name}: no derivative occurs; it is no differential equation.",
            hint="Write derivatives of the unknown as u.diff(t).",
        )
    for residual in residuals:
        if not jets.jets(residual):
            raise EquationError(
                f"{name}: {residual} = 0 contains no unknown; it is no differential equation.",
                hint="Write the equation in u = sp.Function('u')(t, x) and its derivatives u.diff(x).",
            )
        stray = residual.free_symbols - {*variables, *real.values()} - set(jets.jets(residual))
        if stray:
            names = ", ".join(sorted(map(str, stray)))
            raise EquationError(
                f"{name}: {names} has no value.",
                hint=f"Add parameters={{{names}: …}}, or an interval in region if it is a variable.",
            )
    return System(jets, residuals, tuple(real.values()), name=name)


def on_jets(
    expression: sp.Expr, jets: JetSpace, functions: Sequence[AppliedUndef], name: str = "equation"
) -> sp.Expr:
    """Replace u(t, x) and its derivatives by jet symbols."""
    order = {f: a for a, f in enumerate(functions)}
    positions = {x: i for i, x in enumerate(jets.independent)}
    expression = expression.doit()
    replacement = {}
    for derivative in expression.atoms(sp.Derivative):
        if derivative.expr not in order:
            raise EquationError(
                f"{name}: {derivative} differentiates something that is not an unknown.",
                hint="Only derivatives of the unknowns, as u.diff(x), may occur.",
            )
        J = [0] * len(jets.independent)
        for variable, count in derivative.variable_count:
            J[positions[variable]] += int(count)
        replacement[derivative] = jets.symbol(order[derivative.expr], tuple(J))
    # derivatives first: they contain the functions
    expression = expression.xreplace(replacement)
    return expression.xreplace({f: jets.symbol(a, jets.zero) for f, a in order.items()})


def _unknowns(sides: Sequence[sp.Expr], variables: tuple[sp.Symbol, ...], name: str) -> list[AppliedUndef]:
    found = sorted({f for side in sides for f in side.atoms(AppliedUndef)}, key=str)
    if not found:
        raise EquationError(
            f"{name}: the equation contains no unknown function; it is no differential equation.",
            hint="Declare u = sp.Function('u')(t, x) and write the equation in u and u.diff(x).",
        )
    for f in found:
        missing = [str(a) for a in f.args if a not in variables]
        if missing:
            raise EquationError(
                f"{name}: {f} depends on {', '.join(missing)}, which has no interval in region.",
                hint="Declare every variable with the same symbol and assumptions, e.g. "
                "t, x = sp.symbols('t x', real=True), and give it an interval in region.",
            )
        if set(f.args) != set(variables):
            raise EquationError(
                f"{name}: {f} must depend on all of {', '.join(map(str, variables))}.",
                hint="Write each unknown as a function of every variable in region.",
            )
    if len({f.func for f in found}) < len(found):
        raise EquationError(
            f"{name}: {', '.join(map(str, found))} use one unknown at different arguments.",
            hint="Delay and reflection equations have no point symmetries in this sense.",
        )
    return found
