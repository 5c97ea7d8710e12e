"""Prolongation of a point field V = ξⁱ ∂ᵢ + φᵃ ∂_{uᵃ} to derivatives, and its exact invariance condition.

With the characteristic Qᵃ = φᵃ - ξⁱ uᵃᵢ the coefficient of ∂/∂uᵃ_J in pr V is φᵃ_J = D_J Qᵃ + ξⁱ uᵃ_{J+i} (Olver
1993, Thm 2.36). `GeneralProlongation` has them for unknown ξ(x, u), φ(x, u), as linear forms with integer
polynomials in the jets, for the determining equations. `defect` is independent of the solver: it takes the
characteristic of a given field, Σ ∂Δ/∂uᵃ_J (D_J Qᵃ + ξⁱ uᵃ_{J+i}) + ξⁱ ∂Δ/∂xⁱ = 0 on solutions (Thm 2.31). The
terms with ξ add ξⁱ DᵢΔ, which vanishes on solutions, and cancel the derivatives of highest order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy import ZZ
from sympy.polys.rings import PolyRing

from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace, MultiIndex, multi_indices
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.lie.linear import add


def characteristic(jets: JetSpace, components: Mapping[str, sp.Expr]) -> tuple[sp.Expr, ...]:
    """Qᵃ = φᵃ - ξⁱ uᵃᵢ of a field given by its components, one entry for each coordinate name."""
    zero = jets.zero
    result = []
    for a, u in enumerate(jets.dependent):
        Q = components.get(u, sp.S.Zero)
        for i, x in enumerate(jets.independent):
            Q -= components.get(str(x), sp.S.Zero) * jets.symbol(a, jets.raised(zero, i))
        result.append(Q)
    return tuple(result)


JetForm = dict[tuple[int, MultiIndex], Any]
"""(number of the component, multi-index over all coordinates) -> polynomial in the jets over ℤ."""


class GeneralProlongation:
    """φᵃ_J for unknown components, numbered as the coordinates: ξ¹ … ξᵖ, φ¹ … φ^q.

    `asked` are the J that will be asked for, |J| at most `order`; all of these by default.
    """

    def __init__(self, jets: JetSpace, order: int, asked: Collection[MultiIndex] | None = None) -> None:
        self.jets = jets
        self.p, self.q = len(jets.independent), len(jets.dependent)
        self.indices = [
            # those that stand in some φᵃ_J: at most as high as J, and beyond J by one derivative at most
            K for n in range(1, order + 1) for K in multi_indices(self.p, n)
            if asked is None or any(
                n <= sum(J) and sum(max(k - j, 0) for k, j in zip(K, J, strict=True)) <= 1 for J in asked
            )
        ]  # fmt: skip
        self.symbols = [jets.symbol(a, J) for a in range(self.q) for J in self.indices]
        self.ring = PolyRing(self.symbols, ZZ, sp.polys.orderings.grevlex)
        self.position = {(a, J): n for n, (a, J) in enumerate((a, J) for a in range(self.q) for J in self.indices)}
        self._known: dict[tuple[int, MultiIndex], JetForm] = {}

    def jet(self, a: int, J: MultiIndex) -> Any:
        """The ring generator of uᵃ_J, |J| ≥ 1."""
        return self.ring.gens[self.position[(a, J)]]

    def coefficient(self, a: int, J: MultiIndex) -> JetForm:
        """φᵃ_J by the recursion φᵃ_{J+i} = Dᵢ φᵃ_J - Σₖ Dᵢξᵏ uᵃ_{J+k} (Olver 1993, eq. 2.44)."""
        if (a, J) not in self._known:
            if not any(J):
                self._known[(a, J)] = {(self.p + a, (0,) * (self.p + self.q)): self.ring.one}
            else:
                i = max(k for k, n in enumerate(J) if n)
                lower = self.jets.raised(J, i, -1)
                result = self.total(self.coefficient(a, lower), i)
                for k in range(self.p):
                    factor = self.jet(a, self.jets.raised(lower, k))
                    for key, c in self.total({(k, (0,) * (self.p + self.q)): self.ring.one}, i).items():
                        add(result, key, -c * factor)
                self._known[(a, J)] = result
        return self._known[(a, J)]

    def total(self, form: JetForm, i: int) -> JetForm:
        """Dᵢ of a form: ∂ᵢ + Σ uᵃᵢ ∂_{uᵃ} on the components, and on the jets in the coefficients."""
        result: JetForm = {}
        first = self.jets.raised(self.jets.zero, i)
        for (f, K), c in form.items():
            rate = self.ring.zero
            for n in {n for m in c for n, e in enumerate(m) if e}:
                a, J = divmod(n, len(self.indices))
                rate += c.diff(self.ring.gens[n]) * self.jet(a, self.jets.raised(self.indices[J], i))
            add(result, (f, K), rate)
            add(result, (f, self.jets.raised(K, i)), c)
            for a in range(self.q):
                add(result, (f, self.jets.raised(K, self.p + a)), c * self.jet(a, first))
        return result


def defect(
    system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None
) -> tuple[sp.Expr, ...]:
    """What is left of the invariance condition, one expression for each equation; all 0 for a symmetry."""
    xi = {i: components[str(x)] for i, x in enumerate(system.jets.independent) if components.get(str(x), 0) != 0}
    return _left(system, characteristic(system.jets, components), xi, leading)


def characteristic_defect(
    system: System, Q: Sequence[sp.Expr], leading: Leading | None = None
) -> tuple[sp.Expr, ...]:
    """What is left of Σ ∂Δ/∂uᵃ_J D_J Qᵃ on solutions (Olver 1993, eq. 5.5); all 0 for a generalised symmetry.

    `Q` has one expression for each unknown, in any derivatives.
    """
    return _left(system, Q, {}, leading)


def _left(
    system: System, Q: Sequence[sp.Expr], xi: Mapping[int, sp.Expr], leading: Leading | None
) -> tuple[sp.Expr, ...]:
    leading = leading or solve_for_leading(system)
    jets = system.jets
    known = {(a, jets.zero): q for a, q in enumerate(Q)}
    result = []
    for residual in system.residuals:
        terms = [(sp.diff(residual, jets.independent[i]), value) for i, value in xi.items()]
        for s, (a, J) in jets.jets(residual).items():
            moved = sum((value * jets.symbol(a, jets.raised(J, i)) for i, value in xi.items()), sp.S.Zero)
            terms.append(
                (sp.diff(residual, s), sp.expand(jets.from_below(known, (a, J), jets.total_derivative) + moved))
            )
        result.append(_on_solutions(terms, system, leading))
    return tuple(result)


def constant_slope(system: System, constant: sp.Symbol, leading: Leading) -> tuple[sp.Expr, ...]:
    """∂Δ/∂C on solutions, one expression for each equation."""
    one = sp.S.One
    return tuple(_on_solutions([(sp.diff(r, constant), one)], system, leading) for r in system.residuals)


def is_symmetry(system: System, components: Mapping[str, sp.Expr], leading: Leading | None = None) -> bool:
    """Whether a field generates point symmetries of the system, decided exactly."""
    return all(e == 0 for e in defect(system, components, leading))


def _on_solutions(terms: list[tuple[sp.Expr, sp.Expr]], system: System, leading: Leading) -> sp.Expr:
    """Σ factor · factor with the principal derivatives replaced; exactly 0 if it vanishes by any relation."""
    jets = system.jets
    found = {s: j for pair in terms for e in pair for s, j in jets.jets(e).items()}
    values = {
        s: leading.normal(j) for s, j in found.items() if leading.is_principal(j) and j not in leading.relations
    }
    inside = {s for pair in terms for e in pair for s in _inside_functions(e)}
    if inside & values.keys():
        # a root or exponential of what is replaced: only the expression knows
        terms = [(a.xreplace(values), b.xreplace(values)) for a, b in terms]
        values = {}
    terms = [(leading.with_roots(a), leading.with_roots(b)) for a, b in terms]
    values = {s: leading.with_roots(v) for s, v in values.items()}
    symbols = set().union(
        *(e.free_symbols for pair in terms for e in pair), *(v.free_symbols for v in values.values()),
        *(r.power.free_symbols for r in leading.relations.values()),
    )  # fmt: skip
    present = sorted((s for s in symbols if jets.is_jet(s)), key=jets.index)
    variables = [*jets.independent, *present, *leading.roots]
    field = CoefficientField(variables, sorted(symbols - set(variables), key=str))
    leading.relate(field)
    factors = [(field.element(a), field.element(b)) for a, b in terms]
    replaced = {field.position[s]: field.element(v) for s, v in values.items()}
    total = field.zero
    for a, b in factors:
        total += field.lift(a) * field.lift(b)
    replaced = {n: field.lift(v) for n, v in replaced.items()}
    left = field.reduce_polynomial(_replaced(total.numer, replaced, field))
    if not left:
        return sp.S.Zero
    # what was multiplied by on the way, for the value itself
    below = _replaced(total.denom, replaced, field)
    for part, sign in ((total.numer, 1), (total.denom, -1)):
        for n, value in replaced.items():
            degree = sign * max((m[n] for m in part), default=0)
            below = below * field.field.raw_new(value.denom) ** degree
    return sp.factor_terms(field.expression(field.reduce(field.field.raw_new(left) / below)))


def _replaced(polynomial: Any, values: Mapping[int, Element], field: CoefficientField) -> Any:
    """The numerator of a polynomial with some generators replaced by fractions: no common divisors are sought."""
    degrees = {n: max((m[n] for m in polynomial), default=0) for n in values}
    ring, powers = field.field.ring, {}
    for n, value in values.items():
        for e in range(degrees[n] + 1):
            # a ring refuses 0**0
            numer = value.numer**e if e else ring.one
            powers[n, e] = field.reduce_polynomial(numer * value.denom ** (degrees[n] - e))
    total = ring.zero
    for on, part in parted(polynomial, values).items():
        for n in values:
            if degrees[n]:
                part *= powers[n, on[n]]
        total += part
    return total


def _inside_functions(expression: sp.Expr) -> set[sp.Symbol]:
    """The symbols that occur in anything that isn't rational."""
    if expression.is_rational_function(*expression.free_symbols):
        return set()
    nodes = sp.preorder_traversal(expression)
    opaque = (e for e in nodes if e.args and not (e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer)))
    return set().union(*(e.free_symbols for e in opaque))
