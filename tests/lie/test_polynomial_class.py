"""Polynomial generalised symmetries and multipliers: known hierarchies, and agreement with the solver's."""

from random import Random

import pytest
import sympy as sp
from registered import CATALOG
from sympy.polys.matrices import DomainMatrix

from lieapp.api import PDE
from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_system
from lieapp.equations.variational import euler
from lieapp.errors import BudgetError, EquationError
from lieapp.lie.beyond.generalised import generalised_equations, solved_leading
from lieapp.lie.beyond.multipliers import multiplier_equations
from lieapp.lie.beyond.polynomial import polynomial_characteristics, polynomial_multipliers
from lieapp.lie.deadline import Clock
from lieapp.lie.invariance import characteristic_defect
from lieapp.lie.normal_form import expression_of
from lieapp.lie.solving import solve

KINDS = {
    "symmetries": (polynomial_characteristics, generalised_equations),
    "laws": (polynomial_multipliers, multiplier_equations),
}


def read(*equations, variables="t,x", unknowns="u", parameters=()):
    return parse_system(list(equations), variables.split(","), unknowns.split(","), list(parameters))


def holds(kind, system, components):
    """Whether the defining identity is satisfied."""
    if kind == "symmetries":
        return not any(characteristic_defect(system, components, solved_leading(system)))
    product = sum(c * r for c, r in zip(components, system.residuals, strict=True))
    return not any(sp.simplify(euler(product, system.jets, a)) for a in range(len(system.jets.dependent)))


def coordinates(components):
    """(component, term) -> number, terms products that are linearly independent."""
    return {
        (a, term): c
        for a, e in enumerate(components)
        for term, c in sp.expand(e).as_coefficients_dict().items() if c
    }  # fmt: skip


def rank(vectors):
    terms = {term: n for n, term in enumerate(dict.fromkeys(t for v in vectors for t in v))}
    rows = {k: {terms[t]: sp.QQ.from_sympy(c) for t, c in v.items()} for k, v in enumerate(vectors) if v}
    return DomainMatrix(rows, (len(vectors), len(terms)), sp.QQ).rank() if terms else 0


def in_class(jets, term, degree, explicit):
    """Whether a term is of the class."""
    found = jets.jets(term)
    if not term.is_polynomial(*found, *jets.independent):
        return False
    within = sp.Poly(term, *jets.independent).total_degree() <= explicit
    return within and (not found or sp.Poly(term, *found).total_degree() <= degree)


def general(kind, system, order):
    """The coordinates of the solver's basis, and whether it has families."""
    state = KINDS[kind][1](system, order).state()
    state.counting = False
    solution = solve(state, Clock(60))
    assert solution.exhausted
    field = solution.state.field
    values = [[expression_of(field.lift(c), field) for c in v] for v in solution.vectors()]
    return [coordinates(v) for v in values], bool(solution.groups)


def compare(kind, system, order, degree, explicit, outside=lambda components: True):
    """The class's part of what the solver finds has the same span; of families only what is `outside` them."""
    jets = system.jets
    found = KINDS[kind][0](system, order, degree, explicit).basis
    assert all(holds(kind, system, components) for components in found)
    given, families = general(kind, system, order)
    own = [coordinates(components) for components in found if outside(components)]
    assert not families or len(own) < len(found)
    others = [{key: c for key, c in v.items() if not in_class(jets, key[1], degree, explicit)} for v in given]
    assert rank(own) == len(own) == rank(given) - rank(others)
    assert rank(given + own) == rank(given)


EQUATIONS = [entry.name for entry in CATALOG.entries if isinstance(entry.declaration, PDE)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in EQUATIONS if name != "nkdv"])
def test_shipped_equations(name, kind):
    system = read_pde(CATALOG.get(name).declaration)
    # the family of heat: solutions of the equation, and of the adjoint one as multipliers, are free of derivatives
    compare(
        kind, system, 2 if len(system.jets.independent) == 2 else 1, 3, 2,
        lambda components: name != "heat" or bool(system.jets.jets(sum(components))),
    )  # fmt: skip


def random_system(seed):
    """A polynomial equation in one unknown or two; half of the seeds give conservation laws."""
    random = Random(seed)
    lead = ["u_t", "u_t", "u_tt", "u_tx", "u_t - u_txx"][seed % 5]
    unknowns = ["u", "v"] if lead == "u_t" and seed % 2 else ["u"]
    equations = []
    for name in unknowns:
        top = random.choice(["xx", "xxx"]) if lead == "u_t" else "xx"
        linear = f"{random.choice([-2, -1, 1, 3])}*{unknowns[-1] if name == 'u' else 'u'}_{top}"
        terms = []
        for _ in range(random.randint(1, 2)):
            size = random.choice([2, 2, 3])
            factors = [random.choice(unknowns) + random.choice(["", "", "_x"]) for _ in range(size)]
            terms.append(f"{random.choice([-3, -1, 1, 2])}*{'*'.join(factors)}")
        right = f"D_x({' + '.join(terms)})" if seed % 4 < 2 else " + ".join(terms)
        if lead in ("u_t", "u_tt"):
            right = f"{linear} + {right}"
        equations.append(f"{lead.replace('u', name)} - ({right})")
    return parse_system(equations, ["t", "x"], unknowns)


