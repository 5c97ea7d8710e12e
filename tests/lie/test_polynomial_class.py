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


def in_class(system, degree, explicit, a_term):
    """Whether a term is of the class."""
    _, term = a_term
    jets = list(system.jets.jets(term))
    if not term.is_polynomial(*jets, *system.jets.independent):
        return False
    within = sp.Poly(term, *system.jets.independent).total_degree() <= explicit
    return within and (not jets or sp.Poly(term, *jets).total_degree() <= degree)
