"""Exact fields written down as formulas, put to the proof, and as a module over functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
import torch
from torch import Tensor

from lieapp.compare.closed_form.numbers import factors, numbers
from lieapp.functions.declaration import Function
from lieapp.functions.spans import EXACT, Coefficients, Span, defects, find
from lieapp.functions.values import Values
from lieapp.lie.vector_field import Field
from lieapp.numerics.interpolation import monomials

SPREADS = (1e-11, 1e-8)
"""Relative uncertainties with which coefficients are read as exact numbers, in turn."""

FACTORS = factors(())
"""What a rational may be multiplied by: roots and π."""

SIMPLE = 1000
"""Largest numerator or denominator that is believed without a proof."""

ZERO = 1e-8
"""Coefficients below this, relative to the largest of a row, are 0."""


@dataclass(frozen=True)
class WrittenField:
    """A field as a formula.

    Args:
        field: None where its coefficients aren't recognised.
        proved: whether it fulfils the condition exactly.
        eta: of the formula.
        matrix: A of ∇f·V = A f, for an equivariant field of a map that has formulas.
    """

    field: Field | None
    proved: bool
    eta: float
    matrix: sp.Matrix | None = None


def write_down(declaration: Function, span: Span, judge: Values, sought: str) -> list[WrittenField]:
    """A basis of the exact fields, each as simple as the row echelon form makes it."""
    echelon = row_echelon(span.coefficients[: span.count])
    return [_written(declaration, span.terms, row, judge, sought) for row in echelon]


def row_echelon(rows: Coefficients) -> Coefficients:
    """The reduced row echelon form, pivots in order of terms: monomials of low degree first."""
    table = rows.flatten(1).clone()
    if not len(table):
        return rows
    table = table / table.abs().max()
    done = 0
    for column in range(table.shape[1]):
        if done == len(table):
            break
        place = done + int(table[done:, column].abs().argmax())
        if float(table[place, column].abs()) < ZERO:
            continue
        table[[done, place]] = table[[place, done]]
        table[done] = table[done] / table[done, column]
        others = torch.arange(len(table)) != done
        table[others] -= table[others, column, None] * table[done]
        done += 1
    return table.unflatten(1, rows.shape[1:])


def _written(
    declaration: Function, terms: list[tuple[int, ...]], row: Tensor, judge: Values, sought: str
) -> WrittenField:
    """The reading of a row that is proved; without a proof the first that is exact to round-off, else none."""
    read = None
    for spread in SPREADS:
        exact = [_recognised(column, spread, float(row.abs().max())) for column in row.T]
        parts = [_polynomial(declaration.symbols, terms, column) for column in exact if column is not None]
        if len(parts) < len(exact):
            continue
        known = torch.tensor([[float(c) for c in column] for column in exact if column], dtype=row.dtype).T
        eta = float(defects(judge, terms, known[None], sought)[0])
        field = Field({str(s): part for s, part in zip(declaration.symbols, parts, strict=True)})
        proved, matrix = _proved(declaration, parts, judge, sought)
        if proved:
            return WrittenField(field, True, eta, matrix)
        # where a proof was possible and failed, the reading is wrong
        if read is None and eta <= EXACT and not declaration.expressions and _is_simple(parts):
            read = WrittenField(field, False, eta)
    return read or WrittenField(None, False, float(defects(judge, terms, row[None], sought)[0]))


def _is_simple(parts: Sequence[sp.Expr]) -> bool:
    """Whether all numbers are small: a large fraction is as near to any other number as to the one measured."""
    rationals = [number for part in parts for number in part.atoms(sp.Rational)]
    return all(max(abs(number.p), number.q) <= SIMPLE for number in rationals)


def _recognised(values: Tensor, spread: float, largest: float) -> list[sp.Expr] | None:
    """Exact numbers behind measured ones; None where one of them can't be read."""
    found = []
    for value in values.tolist():
        read = [sp.S.Zero] if abs(value) < ZERO * largest else numbers(value, spread, FACTORS, most=1)
        if not read:
            return None
        found.append(read[0])
    return found


def _polynomial(
    symbols: Sequence[sp.Symbol], terms: list[tuple[int, ...]], coefficients: Sequence[sp.Expr]
) -> sp.Expr:
    known = [(c, term) for c, term in zip(coefficients, terms, strict=True) if c]
    return sp.Add(*(c * sp.prod(s**k for s, k in zip(symbols, term, strict=True) if k) for c, term in known))


def _proved(
    declaration: Function, parts: Sequence[sp.Expr], judge: Values, sought: str
) -> tuple[bool, sp.Matrix | None]:
    """Whether V·∇f, or ∇f·V - A f with A measured and recognised, is 0 exactly."""
    outputs = declaration.expressions
    if not outputs:
        return False, None
    rates = [sp.Add(*(v * y.diff(s) for v, s in zip(parts, declaration.symbols, strict=True))) for y in outputs]
    if sought == "invariance":
        return all(map(_vanishes, rates)), None
    measured = sp.lambdify(declaration.symbols, rates, "numpy", cse=True)
    moved = torch.stack([torch.as_tensor(part).expand(len(judge.x)) for part in measured(*judge.x.T.numpy())], 1)
    known = torch.linalg.lstsq(judge.y, moved.to(judge.y), driver="gelsd").solution.T
    exact = [_recognised(row, SPREADS[-1], max(float(known.abs().max()), 1.0)) for row in known]
    if any(row is None for row in exact):
        return False, None
    matrix = sp.Matrix(exact)
    rest = sp.Matrix(rates) - matrix * sp.Matrix(outputs)
    return all(map(_vanishes, rest)), matrix


def _vanishes(expression: sp.Expr) -> bool:
    """Whether an expression is 0 identically, by expansion or simplification."""
    return bool(sp.expand(expression) == 0 or sp.simplify(expression) == 0)


def module_generators(span: Span, judge: Values, learn: Values, degree: int, sought: str) -> Coefficients | None:
    """Fields of which all the others are multiples by polynomials; None where every field is needed.

    With V every g V leaves f invariant, whatever the function g. Those that are sums of products of fields of lower
    degree and monomials are left out.
    """
    if sought != "invariance" or not span.count:
        return None
    found: list[Tensor] = []
    for low in range(degree + 1):
        own = find(learn, judge, low, sought)
        exact = own.coefficients[: own.count]
        rest = exact.new_zeros(len(exact), len(span.terms) - exact.shape[1], exact.shape[2])
        held = [field for row in found for field in _multiples(row, span.terms, low)]
        for row in row_echelon(torch.cat([exact, rest], 1)):
            if not _within(row, held):
                found.append(row)
                held += _multiples(row, span.terms, low)
    return torch.stack(found) if len(found) < span.count else None


def _within(field: Tensor, others: Sequence[Tensor]) -> bool:
    """Whether a field lies in the span of others."""
    if not others:
        return False
    columns = torch.stack([other.flatten() / other.norm() for other in others], 1)
    wanted = field.flatten()[:, None] / field.norm()
    made = columns @ torch.linalg.lstsq(columns, wanted, rcond=ZERO, driver="gelsd").solution
    return float((wanted - made).norm()) < ZERO


def _multiples(row: Tensor, terms: list[tuple[int, ...]], degree: int) -> list[Tensor]:
    """A field times every monomial that keeps it within a degree."""
    places = {term: k for k, term in enumerate(terms)}
    own = [(term, part) for term, part in zip(terms, row, strict=True) if float(part.abs().max()) > ZERO]
    found: list[Tensor] = []
    for factor in monomials(len(terms[0]), degree - max(sum(term) for term, _ in own)):
        field = torch.zeros_like(row)
        for term, part in own:
            field[places[tuple(a + b for a, b in zip(term, factor, strict=True))]] = part
        found.append(field)
    return found
