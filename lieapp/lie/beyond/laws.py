"""Conservation laws D_t T + Σ Dᵢ Xⁱ = 0 on solutions, by their multipliers: Λ·Δ = D_t T + Σ Dᵢ Xⁱ identically.

For equations in solved form, laws that aren't trivial correspond to multipliers that don't vanish on solutions
(Olver 1993, Thm 4.26). Densities and fluxes are told on solutions, the density with derivatives in space of as low
an order as parts allow. If the linearised equations are self-adjoint there is a Lagrangian, and multipliers are
characteristics of its symmetries (Noether; Olver 1993, Thm 4.29 and 5.92).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import msgspec
import sympy as sp

from lieapp.equations.by_parts import by_parts
from lieapp.equations.equation import System
from lieapp.equations.evolution import time_variable
from lieapp.equations.jets import JetSpace, directions, raised
from lieapp.equations.leading import Leading
from lieapp.equations.variational import NoPotentialError, euler, over_scale
from lieapp.errors import EquationError, UsageError
from lieapp.lie.beyond.actions import Actions, actions_on
from lieapp.lie.beyond.densities import shortest, tidied, vanishes
from lieapp.lie.beyond.generalised import solved_leading
from lieapp.lie.beyond.multipliers import DEGREE, is_infinite, is_linear, multiplier_equations
from lieapp.lie.beyond.polynomial import PolynomialSpace, polynomial_multipliers
from lieapp.lie.beyond.space import Space, factors_in, find
from lieapp.lie.deadline import Clock
from lieapp.lie.families import NAMES, Group
from lieapp.lie.linear import Form
from lieapp.lie.solving import State
from lieapp.lie.symmetries import Given, seconds
from lieapp.lie.vector_field import Field
from lieapp.results.truth import CertificateResult

NO_ACTIONS = "how symmetries act on the laws is told of evolution systems only, within the budget"


@dataclass(frozen=True)
class Law:
    """A conservation law.

    `multiplier` has Λᵇ for each equation as typed, `order` is its differential order. `density` is T, `flux` has Xⁱ
    for each other variable; both are None where no closed form was found. If `proved`, Eₐ(Λ·Δ) = 0 identically and
    the divergence vanishes on solutions. Where there is a Lagrangian, `symmetry` is the point symmetry whose
    characteristic is ±Λ, if it is one. `functions` are arbitrary ones in a family, with the `conditions` on them.
    """

    multiplier: tuple[sp.Expr, ...]
    order: int
    density: sp.Expr | None
    flux: dict[str, sp.Expr] | None
    proved: bool
    symmetry: Field | None = None
    functions: tuple[sp.Expr, ...] = ()
    conditions: tuple[sp.Expr, ...] = ()


@dataclass(frozen=True)
class Laws:
    """The conservation laws of a system with multipliers up to an order, modulo families.

    `lagrangian` is there if the linearised equations are self-adjoint; multipliers are then characteristics.
    `unsolved` says what is missing; `sought` is the class, in words, `general` if it has all functions and not
    polynomials alone; `actions` are there if they were asked for, of evolution systems; else `left_out` says so.
    """

    system: System
    laws: tuple[Law, ...]
    families: tuple[Law, ...]
    order: int
    sought: str
    general: bool
    certificate: CertificateResult
    unsolved: tuple[str, ...]
    assumed_nonzero: tuple[sp.Expr, ...]
    lagrangian: sp.Expr | None
    seconds: float
    actions: Actions | None = None
    left_out: str = ""

    @property
    def certified(self) -> bool:
        """Whether there are no others in the class."""
        return self.certificate.certified and not self.unsolved

    def as_json(self) -> dict[str, Any]:
        """The object of `lieapp laws --json`."""
        from lieapp.lie.beyond.told import told_laws

        found: dict[str, Any] = msgspec.to_builtins(told_laws(self))
        return found

    def latex(self) -> str:
        """Multiplier, density and fluxes of each law, a line each."""
        rows = [
            rf"\Lambda = {_latex(law.multiplier)}&:\quad "
            + (
                r"\text{no closed form}" if law.density is None else
                rf"D_{{{self.variable}}}\left({sp.latex(law.density)}\right)"
                + "".join(rf" + D_{{{x}}}\left({sp.latex(e)}\right)" for x, e in (law.flux or {}).items())
                + " = 0"
            )
            for law in (*self.laws, *self.families)
        ]  # fmt: skip
        return r"\begin{aligned}" + r" \\ ".join(rows) + r"\end{aligned}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    @property
    def variable(self) -> str:
        """The one in which densities are conserved."""
        return str(self.system.jets.independent[time_variable(self.system)])


def _latex(multiplier: Sequence[sp.Expr]) -> str:
    inside = ", ".join(map(sp.latex, multiplier))
    return inside if len(multiplier) == 1 else rf"\left({inside}\right)"


def check_order(order: int) -> None:
    """Raises UsageError for what is no differential order."""
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise UsageError(f"the order is {order!r}.", hint="Give a whole number from 0 on, as order=2.")


def conservation_laws(
    system: System, order: int = 2, clock: Clock | None = None, actions: bool = False
) -> Laws:
    """All conservation laws with multipliers of differential order up to `order`, within the clock.

    With `actions`, what symmetries of the order of the equation make of them.

    Of an ordinary differential equation of order n the order is n - 1 at most, and there multipliers are
    polynomials of a `DEGREE` in the highest derivatives: first integrals are any functions of n independent ones.
    Raises UsageError for first-order ones, EquationError and BudgetError.
    """
    clock = clock or Clock()
    check_order(order)
    order = highest(system, order)
    leading = solved_leading(system)
    general = f"multipliers of differential order up to {order}"
    if is_infinite(system, order):
        general += f", of degree up to {DEGREE} in the derivatives of order {order}"
    if not is_linear(system, leading):
        solved = {system.jets.symbol(*jet): rule for jet, rule in leading.rules.items()}
        system = replace(system, residuals=tuple(s - rule for s, rule in solved.items()))
        general += f" of the equation solved for {', '.join(map(str, solved))}"
    make, polynomial = partial(multiplier_equations, system, order), partial(_polynomials, system, order)
    found = find(system, make, polynomial, general, clock)
    space, unsolved = found.space, list(found.open)
    families = clock.within(0.0, partial(_families, system, space), list[Law]()) if space else []
    clock.note("densities and fluxes")
    bare = [clock.within(0.0, partial(bare_law, system, v), _unproved(system, v)) for v in found.basis]
    # none takes the time of all others
    parts = (clock.part(1 / (1 + len(bare) - k)) for k in range(len(bare)))
    laws = [
        part.within(0.0, partial(with_flux, law, system, leading), None)
        for law, part in zip(bare, parts, strict=True)
    ]
    families = [clock.within(0.0, partial(_with_densities, law, system, leading), law) for law in families]
    kept = [told or law for told, law in zip(laws, bare, strict=True) if told is None or not _trivial(told)]
    acted = actions_on(system, [law.multiplier for law in kept], leading, clock) if actions and kept else None
    left_out = NO_ACTIONS if actions and kept and acted is None else ""
    if None in laws or (space is not None and len(families) < len(space.groups)):
        unsolved.append(f"{clock.told()} before all densities and fluxes were found")
    found_lagrangian = clock.within(0.0, lambda: lagrangian(system), None)
    if found_lagrangian is not None:
        kept = [noether(law, system) for law in kept]
    return Laws(
        system,
        tuple(kept),
        tuple(families),
        order,
        found.sought,
        found.general,
        found.certificate,
        tuple(unsolved),
        tuple(dict.fromkeys([*(space.assumed if space else ()), *_divisors([*kept, *families], system)])),
        found_lagrangian,
        time.perf_counter() - clock.started,
        acted,
        left_out,
    )


def _polynomials(system: System, order: int, clock: Clock) -> PolynomialSpace:
    return polynomial_multipliers(system, order, clock=clock)


def highest(system: System, order: int) -> int:
    """The order up to which multipliers are sought. Raises UsageError for first-order ODEs."""
    if len(system.jets.independent) > 1:
        return order
    top = system.jets.order(system.residuals)
    if top < 2:
        raise UsageError(
            f"{system.name}: first integrals of first-order ordinary differential equations are as hard to find as "
            "their solutions; there are infinitely many.",
            hint="`lieapp truth` looks for symmetries in stated classes, and tells an integral where one follows.",
        )
    return min(order, top - 1)


def law_of(system: System, multiplier: Sequence[sp.Expr], leading: Leading) -> Law:
    """The law of a multiplier, proved."""
    return with_flux(bare_law(system, multiplier), system, leading)


def bare_law(system: System, multiplier: Sequence[sp.Expr]) -> Law:
    """A law by its multiplier alone, proved by the Euler operator."""
    if next((e for e in multiplier if e != 0), sp.S.Zero).could_extract_minus_sign():
        multiplier = [-e for e in multiplier]
    law = _unproved(system, multiplier)
    product = _product(system, multiplier)
    found = (euler(product, system.jets, a) for a in range(len(system.jets.dependent)))
    return replace(law, proved=all(vanishes(e, system) for e in found))


def _unproved(system: System, multiplier: Sequence[sp.Expr]) -> Law:
    return Law(tuple(map(sp.powsimp, multiplier)), system.jets.order(multiplier), None, None, False)


def _product(system: System, multiplier: Sequence[sp.Expr]) -> sp.Expr:
    """Λ·Δ."""
    return sum((m * r for m, r in zip(multiplier, system.residuals, strict=True)), sp.S.Zero)


def with_flux(law: Law, system: System, leading: Leading) -> Law:
    """With density and flux, where they have a closed form; then their divergence is part of the proof."""
    jets, t = system.jets, time_variable(system)
    found = shortest(_product(system, law.multiplier), system, leading)
    if found is None:
        return law
    total = sum((jets.total_derivative(x, i) for i, x in enumerate(found)), sp.S.Zero)
    try:
        vanishing = vanishes(leading.reduce(total), system)
    except EquationError:
        # functions such as hypergeometric ones, that nothing can be proved of
        return law
    flux = {str(x): sp.powsimp(found[i]) for i, x in enumerate(jets.independent) if i != t}
    return replace(law, density=sp.powsimp(found[t]), flux=flux, proved=law.proved and vanishing)


def noether(law: Law, system: System) -> Law:
    """With the point symmetry ξ ∂x + φ ∂u whose characteristic φ - ξ u_x is ±Λ, if there is one."""
    jets = system.jets
    along = [raised(jets.zero, i) for i in range(len(jets.independent))]
    first = [[jets.symbol(a, J) for J in along] for a in range(len(jets.dependent))]
    slopes = [[-sp.diff(q, s) for s in row] for q, row in zip(law.multiplier, first, strict=True)]
    xi, allowed = slopes[0], set(jets.coordinates) | set(system.parameters)
    phi = [
        sp.expand(q + sp.Add(*(x * s for x, s in zip(xi, row, strict=True))))
        for q, row in zip(law.multiplier, first, strict=True)
    ]
    if any(sp.expand(x - y) != 0 for row in slopes for x, y in zip(row, xi, strict=True)):
        return law
    if not all(e.free_symbols <= allowed for e in (*xi, *phi)):
        return law
    values = [*map(sp.expand, xi), *phi]
    if next((e for e in values if e != 0), sp.S.Zero).could_extract_minus_sign():
        values = [-e for e in values]
    return replace(law, symmetry=Field(dict(zip(map(str, jets.coordinates), values, strict=True))))


def _divisors(laws: Sequence[Law], system: System) -> list[sp.Expr]:
    """The factors in parameters by which densities and fluxes divide."""
    values = [e for law in laws if law.density is not None for e in (law.density, *(law.flux or {}).values())]
    contents = dict.fromkeys(_content(sp.denom(sp.together(e)), system.parameters) for e in values)
    return list(dict.fromkeys(f for c in contents for f in factors_in(c, system.parameters)))


def _content(expression: sp.Expr, parameters: Sequence[sp.Symbol]) -> sp.Expr:
    """The common factor that is a polynomial in the parameters: (n + 1) of n uⁿ + uⁿ."""
    others = expression.free_symbols - set(parameters)
    parts: defaultdict[sp.Expr, sp.Expr] = defaultdict(lambda: sp.S.Zero)
    for term in sp.Add.make_args(sp.expand(expression)):
        c, rest = term.as_independent(*others, as_Add=False)
        parts[rest] += c
    plain = all(c.is_polynomial(*parameters) for c in parts.values())
    return sp.gcd_list(list(parts.values())) if plain else sp.S.One


def _trivial(law: Law) -> bool:
    return law.density == 0 and law.flux is not None and not any(law.flux.values())


def lagrangian(system: System) -> sp.Expr | None:
    """L with Eₐ(L) = Δᵃ, if the linearised equations are self-adjoint (Olver 1993, Thm 5.92); else None."""
    jets, q = system.jets, len(system.jets.dependent)
    if len(system.residuals) != q:
        return None
    wide = JetSpace(jets.independent, (*jets.dependent, *(f"v{a}" for a in range(q))))
    for r in system.residuals:
        for jet in jets.jets(r).values():
            wide.symbol(*jet)
    moved = [
        sum((sp.diff(r, s) * wide.symbol(q + a, J) for s, (a, J) in jets.jets(r).items()), sp.S.Zero)
        for r in system.residuals
    ]
    # Eᵤ of v·Δ is the adjoint of the linearised equations, applied to v
    product = sum((wide.symbol(q + a, wide.zero) * r for a, r in enumerate(system.residuals)), sp.S.Zero)
    outer = System(wide, system.residuals, system.parameters)
    if not all(vanishes(euler(product, wide, a) - moved[a], outer) for a in range(q)):
        return None
    inside = sum((u * r for u, r in zip(jets.unknowns, system.residuals, strict=True)), sp.S.Zero)
    try:
        found = over_scale(sp.expand(inside), jets)
    except NoPotentialError:
        return None
    parts = by_parts(found, jets)
    return tidied(sum((E for J, E in parts.items() if not any(J)), sp.S.Zero))


def _families(system: System, space: Space) -> list[Law]:
    taken = {str(s) for s in (*system.jets.coordinates, *system.parameters)} | set(system.functions)
    names = [n for n in (*NAMES, *(f"f{k}" for k in range(1, 40))) if n not in taken]
    return [_family(system, group, space.state, names) for group in space.groups]


def _family(system: System, group: Group, state: State, names: list[str]) -> Law:
    """The laws of a family of multipliers, which solve the determining equations modulo the conditions."""
    field, unknowns = state.field, state.unknowns
    # named in the order in which the components have them
    ordered = dict.fromkeys([*(f for form in group.values for f, _ in sorted(form)), *group.functions])
    functions = {
        f: sp.Function(name, real=True)(*(field.variables[v] for v in sorted(unknowns.arguments[f])))
        for f, name in zip(ordered, names, strict=False)
    }

    def written(form: Form) -> sp.Expr:
        terms = []
        for (f, K), c in sorted(form.items()):
            slope = reduce(sp.diff, (field.variables[v] for v in directions(K)), functions[f])
            terms.append(field.expression(field.lift(c)) * slope)
        return sp.Add(*terms)

    multiplier, conditions = (tuple(map(written, forms)) for forms in (group.values, group.conditions))
    order = system.jets.order(multiplier)
    return Law(multiplier, order, None, None, True, None, tuple(functions.values()), conditions)


def _with_densities(law: Law, system: System, leading: Leading) -> Law:
    """A family with density and flux, where its functions are of variables alone and these have a closed form.

    What is left of the divergence vanishes by the conditions.
    """
    if any(system.jets.jets(s) for f in law.functions for s in f.args):
        return law
    found = shortest(_product(system, law.multiplier), system, leading)
    if found is None:
        return law
    t = time_variable(system)
    flux = {str(x): found[i] for i, x in enumerate(system.jets.independent) if i != t}
    return replace(law, density=found[t], flux=flux)


def of_equations(given: Given, order: int, budget: float | None, actions: bool) -> Laws:
    """See `lieapp.derived.conservation_laws`."""
    clock = Clock(seconds(budget))
    check_order(order)
    system = given.system(clock)
    return conservation_laws(system, order, clock, actions)
