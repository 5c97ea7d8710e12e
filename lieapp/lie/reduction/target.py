"""What a reduction gives: new variables and unknowns, and equations in them in their shortest exact form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.equations.equation import System
from lieapp.equations.factors import named, vanishing_factors
from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.equations.printing import aligned, ordered_latex
from lieapp.errors import EquationError
from lieapp.lie.reduction.exact import element_of


@dataclass(frozen=True)
class Reduction:
    """A system reduced by one generator, proved by substitution.

    Args:
        kind: "similarity", invariant solutions with one variable fewer; "order", an ODE of one order less;
            "" if there is none.
        jets: the new variables and unknowns.
        variables: each new independent variable in the old coordinates.
        ansatz: for "similarity" each old unknown in old variables and new unknowns; for "order" each first
            derivative of an old unknown, and new unknowns that are functions of the old coordinates alone.
        residuals: the reduced equations in jet notation, = 0 understood.
        parameters: symbols that stay free.
        assumed_nonzero: what was divided by.
        reason: why there is no reduction; empty if there is one.
    """

    kind: str = ""
    jets: JetSpace | None = None
    variables: Mapping[str, sp.Expr] = field(default_factory=dict)
    ansatz: Mapping[str, sp.Expr] = field(default_factory=dict)
    residuals: tuple[sp.Expr, ...] = ()
    parameters: tuple[sp.Symbol, ...] = ()
    assumed_nonzero: tuple[sp.Expr, ...] = ()
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason

    @property
    def functions(self) -> tuple[sp.Expr, ...]:
        """The new unknowns as functions, w1(z), …"""
        jets = self.jets
        return () if jets is None else tuple(sp.Function(n)(*jets.independent) for n in jets.dependent)

    @property
    def equations(self) -> tuple[sp.Expr, ...]:
        """The reduced equations with SymPy functions and derivatives, = 0 understood."""
        if self.jets is None:
            return ()
        functions, values = self.functions, {}
        for s, (a, J) in self.jets.jets(sp.Tuple(*self.residuals)).items():
            pairs = [(z, n) for z, n in zip(self.jets.independent, J, strict=True) if n]
            values[s] = sp.Derivative(functions[a], *pairs) if pairs else functions[a]
        return tuple(e.xreplace(values) for e in self.residuals)

    @property
    def system(self) -> System:
        """The reduced equations as a system that can be reduced further. Raises ValueError if there is none."""
        if self.jets is None or not self.residuals:
            raise ValueError(f"there is no reduced system: {self.reason or 'every function solves it'}")
        return System(self.jets, self.residuals, self.parameters, name="reduced equation")

    def as_json(self) -> dict[str, Any]:
        """`{"kind": "similarity", "variables": {"z": "x/sqrt(t)"}, "ansatz": {"u": "w"}, "equations": […], …}`"""
        names, unknowns = (self.jets.independent, self.jets.dependent) if self.jets else ((), ())
        return {
            "kind": self.kind,
            "variables": {name: str(value) for name, value in self.variables.items()},
            "functions": {name: list(map(str, names)) for name in unknowns},
            "ansatz": {name: str(value) for name, value in self.ansatz.items()},
            "equations": [str(e) for e in self.residuals],
            "assumed_nonzero": [str(e) for e in self.assumed_nonzero],
            "reason": self.reason,
        }

    def text(self) -> str:
        """One line for each of variables, ansatz, equations: `z = x/sqrt(t)`, `u = w`, `w_zz + z*w_z/2 = 0`."""
        if self.reason:
            return f"no reduction: {self.reason}"
        lines = [f"{name} = {value}" for name, value in self.variables.items() if str(value) != name]
        lines += [f"{name} = {value}" for name, value in self.ansatz.items()]
        lines += [f"{e} = 0" for e in self.residuals] or ["every function solves it"]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""The same as an `aligned` block of LaTeX, derivatives written as indices."""
        if self.reason or self.jets is None:
            return rf"\text{{{self.text()}}}"
        return aligned(self.latex_rows())

    def latex_rows(self) -> list[str]:
        """The rows of that block."""
        if self.jets is None:
            return []
        lines = [f"{name} &= {sp.latex(value)}" for name, value in self.variables.items() if str(value) != name]
        lines += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in self.ansatz.items()]
        lines += [f"{ordered_latex(e, self.jets)} &= 0" for e in self.residuals]
        return lines


SECTIONS = (sp.S.Zero, sp.S.One, sp.Integer(2))
"""Places on the orbits, values of τ, at which the reduced equation is read off; the first that passes the check."""


def sections(expressions: Sequence[sp.Expr]) -> Sequence[sp.Expr]:
    """The places to try; angles where circular functions occur."""
    angles = (sp.pi / 4, sp.pi / 2) if any(e.has(sp.sin, sp.cos, sp.tan) for e in expressions) else ()
    return (*SECTIONS[:1], *angles, *SECTIONS[1:])


def fresh_names(wanted: Sequence[str], taken: Iterable[str], count: int) -> list[str]:
    """The first `count` of the wanted names that aren't taken."""
    used = set(taken)
    return [n for n in (*wanted, *(f"{wanted[0]}{k}" for k in range(1, 40))) if n not in used][:count]


def names_in_use(system: System, expressions: Iterable[sp.Expr]) -> set[str]:
    """Names of coordinates, parameters and functions of a system, and of the symbols in some expressions."""
    symbols = {*system.jets.coordinates, *system.parameters}
    symbols = symbols.union(*(e.free_symbols for e in (*expressions, *system.residuals)))
    return {s.name for s in symbols} | set(system.functions)


@dataclass
class Target:
    """Jets of the new unknowns; the unknowns themselves and the variables have positive stand-ins.

    `parameters` stay free; `nonzero` are declared not to vanish.
    """

    jets: JetSpace
    stand_in: Mapping[sp.Symbol, sp.Symbol]
    parameters: Sequence[sp.Symbol]
    nonzero: Sequence[sp.Expr] = ()
    assumed: list[sp.Expr] = field(default_factory=list)

    @classmethod
    def of(
        cls, system: System, taken: Sequence[sp.Expr], jets: JetSpace, stand_in: Mapping[sp.Symbol, sp.Symbol]
    ) -> Target:
        """New jets in place of a system's; symbols of the `taken` expressions that aren't its own stay free too."""
        free = set().union(*(e.free_symbols for e in taken)) - {*system.jets.coordinates, *system.parameters}
        return cls(jets, stand_in, [*system.parameters, *sorted(free, key=str)], system.nonzero)

    def symbol(self, a: int, J: MultiIndex) -> sp.Symbol:
        """The jet w^a_J, its stand-in for J = 0."""
        s = self.jets.symbol(a, J)
        return self.stand_in.get(s, s)

    def jets_in(self, expression: sp.Expr) -> dict[sp.Symbol, tuple[int, MultiIndex]]:
        """The jets in an expression in stand-ins."""
        own = {self.stand_in[w]: w for w in self.jets.unknowns}
        found = {s: self.jets.index(own.get(s, s)) for s in expression.free_symbols
                 if self.jets.is_jet(own.get(s, s))}  # fmt: skip
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def leave(self, expression: sp.Expr) -> sp.Expr:
        """An expression in the new symbols themselves."""
        return expression.xreplace({d: s for s, d in self.stand_in.items()})

    def cleaned(self, expression: sp.Expr) -> sp.Expr | None:
        """An equation without denominators and factors that don't vanish, in the new symbols; 0 and None apart.

        None: the equation has no solution, as no jet is left.
        """
        found = self.jets_in(expression)
        variables = [*(self.stand_in[z] for z in self.jets.independent), *found]
        base, (element,) = element_of([expression], variables)
        if not element:
            return sp.S.Zero
        # each as often as it occurs
        factors = [f for f, n in base.reduce(element).numer.factor_list()[1] for _ in range(n)]
        kept = [f for f in factors if self._counts(f, base, variables, found)]
        if not kept:
            # w = 0 or sin(w) = 0 itself is what is left, not something to divide by
            written = [self.leave(base.expression(base.field.raw_new(f))) for f in factors]
            own = {e.as_base_exp()[0] for e in written if e.free_symbols & set(self.jets.unknowns)}
            self.assumed = [e for e in self.assumed if e not in own]
            kept = [f for f, e in zip(factors, written, strict=True) if e.free_symbols & set(self.jets.unknowns)]
        if not kept:
            return None
        result = sp.Mul(*(base.expression(base.field.raw_new(f)) for f in kept))
        return self._scaled(sp.powsimp(sp.expand(self.leave(result))))

    def decoupled(self, equations: Sequence[sp.Expr]) -> tuple[sp.Expr, ...] | None:
        """Equations solved for their highest derivatives, where several have the same and it makes them shorter."""
        found = [self.jets.jets(e) for e in equations]
        highest = max((sum(J) for jets in found for _, J in jets.values()), default=0)
        tops = list(dict.fromkeys(s for jets in found for s, (_, J) in jets.items() if sum(J) == highest))
        if not 1 < len(tops) == len(equations) <= 4 or all(sum(s in jets for jets in found) == 1 for s in tops):
            return None
        matrix = sp.Matrix(equations).jacobian(tops)
        if any(self.jets.jets(e) for e in matrix):
            return None
        solved = matrix.adjugate() * sp.Matrix(equations)
        before = list(self.assumed)
        cleaned = [self.cleaned(sp.expand(e).xreplace(dict(self.stand_in))) for e in solved]
        result = tuple(e for e in cleaned if e is not None and e != 0)
        shorter = sum(map(sp.count_ops, result)) < sum(map(sp.count_ops, equations))
        if len(result) < len(equations) or not shorter:
            self.assumed[:] = before
            return None
        return result

    def _counts(
        self, factor: Element, base: CoefficientField, variables: Sequence[sp.Symbol], found: Mapping
    ) -> bool:
        """Whether a factor belongs to the equation; if not, what it assumes is noted."""
        element = base.field.raw_new(factor)
        involved = {variables[v] for v in base.depends(element)}
        single = len(factor) == 1
        if involved & set(found) and not (single and not any(any(found[s][1]) for s in involved if s in found)):
            return True
        written = self.leave(base.expression(element))
        if involved & set(found):
            # w of sqrt(w), k(w) itself; of exp(w) it is the number e
            divisor = written.as_base_exp()[0]
            assumed = [divisor] if divisor.free_symbols and named(divisor)[0] not in self.nonzero else []
        else:
            assumed = vanishing_factors(written, self.parameters, self.nonzero)
        self.assumed += [e for e in assumed if e not in self.assumed]
        return False

    def _scaled(self, equation: sp.Expr) -> sp.Expr:
        """Coefficient 1 of the highest derivative where it is a number, else no common number and a + first."""
        found = self.jets.jets(equation)
        top = max(found, key=lambda s: (sum(found[s][1]), found[s][1], -found[s][0]))
        coefficient = sp.diff(equation, top)
        if coefficient.is_Rational:
            return sp.expand(equation / coefficient)
        rest = equation.primitive()[1]
        return -rest if sp.expand(coefficient).could_extract_minus_sign() else rest


def proportional(old: sp.Expr, new: sp.Expr, jets: Sequence[sp.Symbol], others: Sequence[sp.Symbol]) -> bool:
    """Whether old = μ · new with μ free of the jets, exactly."""
    try:
        base, (one, two) = element_of([old, new], [*others, *jets])
        if not one or not two:
            return not one
        ratio = base.reduce(one / two)
        return all(not base.diff(ratio, len(others) + k) for k in range(len(jets)))
    except (EquationError, ZeroDivisionError):
        return False


def follows(
    old: Sequence[sp.Expr], equations: Sequence[sp.Expr], target: Target, places: Mapping[sp.Symbol, sp.Expr]
) -> bool:
    """Whether expressions in old variables and new jets vanish modulo the new equations and their derivatives.

    `places` are the new variables in terms of the old ones.
    """
    system = System(target.jets, tuple(equations), tuple(target.parameters))
    try:
        leading: Leading = solve_for_leading(system)
        for e in old:
            found = target.jets_in(e)
            values = {s: leading.normal(j) for s, j in found.items() if leading.is_principal(j)}
            values = {s: v.xreplace(dict(target.stand_in)).xreplace(dict(places)) for s, v in values.items()}
            rest = e.xreplace(values)
            _, (element,) = element_of([rest], sorted(rest.free_symbols - set(target.parameters), key=str))
            if element:
                return False
    except (EquationError, ZeroDivisionError):
        return False
    return True
