"""Derived generators as the comparison wants them: names, JSON fields and functions of scaled points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sympy as sp
import torch

from lieapp.config import TruthConfig
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import Scales, Slices
from lieapp.equations.parsing import parse_expression
from lieapp.errors import CancelledError, LieappError
from lieapp.lie.told import told
from lieapp.lie.vector_field import Field, name
from lieapp.methods.spectrum import DEPENDENT, TANGENT, factors
from lieapp.pde.beside import Beside
from lieapp.pde.derivation import derive_in_child
from lieapp.pde.domain import PDEDomain
from lieapp.progress import Reporter
from lieapp.results.truth import FamilyResult, TruthResult


@dataclass(frozen=True)
class Derived:
    """Generators of the periodic restriction, and the families, which are reported apart.

    Args:
        complete: whether it is certified that the equation has no others, and has no families.
    """

    names: list[str]
    fields: list[dict[str, str]]
    formulas: list[Field]
    families: list[FamilyResult]
    complete: bool = False


NOTHING = Derived([], [], [], [])


def deriving(domain: PDEDomain, folders: Sequence[Path], budget: float, report: Reporter) -> Beside[TruthResult]:
    """The derivation of a plugin's truth in a child process, begun; on files by the equation itself."""
    config = TruthConfig(plugin=domain.name, budget=budget)
    if domain.declaration.source is not None:
        jets = domain.system.jets
        config = TruthConfig(
            equation=[str(residual) for residual in domain.system.residuals],
            independent=[str(x) for x in jets.independent],
            dependent=list(jets.dependent),
            periodic=[str(x) for x in domain.declaration.periodic],
            budget=budget,
        )

    def work(own: Reporter) -> TruthResult:
        return derive_in_child(config, folders, watch=lambda: own.progress(0, None))

    return Beside(work, report)


def derived(
    domain: PDEDomain, budget: float, report: Reporter, begun: Beside[TruthResult] | None = None
) -> Derived:
    """The truth of a plugin; nothing, with a warning, if the derivation fails.

    Args:
        begun: None for what was declared in this process, which then derives it: no other one can load it.
    """
    try:
        if begun is None:
            result = told(domain.truth(budget), [str(x) for x in domain.declaration.periodic])
        else:
            result = begun.result()
    except CancelledError:
        raise
    except LieappError as error:
        report.warn(f"no derived generators to compare with: {error.message}")
        return NOTHING
    if result.unsolved:
        report.warn("the derivation left equations unsolved; more generators may exist")
    symbols = dict(zip(domain.arguments.names, domain.evolution.jets.coordinates, strict=True))
    formulas = [
        Field({c: parse_expression(text, symbols, integrals=True) for c, text in field.items()})
        for field in result.periodic
    ]
    independent = [str(x) for x in domain.evolution.jets.independent]
    return Derived(
        [name(f, independent) for f in formulas],
        result.periodic,
        formulas,
        result.periodic_families,
        complete=result.certificate.certified and not result.families,
    )


def tangent_words(truth: Derived, known: FixedFields, domain: PDEDomain, batches: Iterable[Slices]) -> str:
    """Which combinations of derived generators move the data along themselves; empty if none does.

    On a travelling wave u(x - c t) that is ∂t + c ∂x: such data can't tell ∂t from c ∂x.
    """
    found = factors(domain, known, batches)
    size, rotation = torch.linalg.svd(found.fields)[1:]
    whiten = rotation.T / size.clamp_min(DEPENDENT * size[0])
    _, moved, directions = torch.linalg.svd(found.characteristics @ whiten)
    rows = [(whiten @ c).tolist() for q, c in zip(moved, directions, strict=True) if q < TANGENT]
    if not rows:
        return ""
    echelon, _ = sp.Matrix(rows).rref(iszerofunc=lambda e: abs(e) < NEGLIGIBLE, simplify=False)
    texts = []
    for row in echelon.tolist():
        fields = zip(row, truth.formulas, strict=True)
        terms = [(round(float(c), 3), own.formula().text) for c, own in fields]
        texts.append(" + ".join(text if c == 1 else f"{c:g} ({text})" for c, text in terms if abs(c) > NEGLIGIBLE))
    return f"these data move along themselves under {' and under '.join(texts)}: they can't tell its parts apart"


NEGLIGIBLE = 1e-3
"""Coefficients below this are 0, beside one that is 1."""


def scaled(domain: PDEDomain, truth: Derived, scales: Scales) -> FixedFields:
    """The derived generators as one stack of fields in scaled coordinates."""
    functions = [domain.scaled_field(f.components, scales) for f in truth.formulas]
    return FixedFields(lambda points: torch.cat([f(points) for f in functions]))
