"""Values and derivatives of a map at random points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.errors import DataError, EquationError, LieappError
from lieapp.functions.declaration import Function
from lieapp.numerics.codegen import Tape
from lieapp.numerics.interpolation import monomials

SAMPLES = "A mapping is expected: x (sample, variable), y (sample, output), jacobian (sample, output, variable)."

HIGHEST = 8
"""Degree up to which a polynomial is fitted to samples without derivatives."""

FITS = 1e-10
"""Relative error on samples kept aside below which such a polynomial is the map itself."""


@dataclass(frozen=True)
class Values:
    """A map at points.

    Args:
        x: the points. y: the map there. jacobian: its derivative.
    """

    x: Float[Tensor, "sample variable"]
    y: Float[Tensor, "sample output"]
    jacobian: Float[Tensor, "sample output variable"]


def values_of(declaration: Function, count: int, seed: int) -> Values:
    """The map at `count` points, uniform in its box or as its samples have them.

    Raises DataError for values that aren't finite, of the wrong shape or without derivatives.
    """
    if declaration.samples is not None:
        try:
            found = _of_samples(declaration, declaration.samples(count, seed))
        except LieappError:
            raise
        except Exception as error:  # a plugin's own code may raise anything, and return anything
            raise DataError(
                f"{declaration.name}: its samples can't be used: {type(error).__name__}: {error}", hint=SAMPLES
            ) from error
    else:
        low, high = torch.tensor(declaration.box, dtype=torch.float64).T
        generator = torch.Generator().manual_seed(seed)
        x = low + (high - low) * torch.rand(count, len(low), dtype=torch.float64, generator=generator)
        found = _of_formulas(declaration, x) if declaration.module is None else _of_module(declaration, x)
    for name, tensor in (("values", found.y), ("derivatives", found.jacobian)):
        if not bool(torch.isfinite(tensor).all()):
            bad = int((~torch.isfinite(tensor.flatten(1))).any(1).nonzero()[0])
            raise DataError(
                f"{declaration.name}: its {name} aren't finite at {found.x[bad].tolist()}.",
                hint="Choose a region without singular points.",
            )
    if not float(found.jacobian.abs().max()) > 0:
        raise DataError(
            f"{declaration.name}: the map is constant on its samples.", hint="Every field leaves it invariant."
        )
    return found


def _of_formulas(declaration: Function, x: Tensor) -> Values:
    symbols, parts = declaration.symbols, declaration.expressions
    try:
        tape = Tape([*parts, *(part.diff(s) for part in parts for s in symbols)], symbols)
    except EquationError as error:
        told = f"{declaration.name}: its expression can't be used: {error.message}"
        raise DataError(told, hint=error.hint) from None
    columns = [column.expand(len(x)) for column in tape(*x.T)]
    y, jacobian = columns[: len(parts)], columns[len(parts) :]
    return Values(x, torch.stack(y, 1), torch.stack(jacobian, 1).unflatten(1, (len(parts), len(symbols))))


def _of_module(declaration: Function, x: Tensor) -> Values:
    assert declaration.module is not None
    x = x.clone().requires_grad_()
    try:
        y = declaration.module(x)
        if not isinstance(y, Tensor):
            raise TypeError(f"it returned {type(y).__name__}, no tensor")
        shape, kind = y.shape, y.dtype
    except Exception as error:  # a plugin's own code may raise anything
        raise DataError(
            f"{declaration.name}: its module can't be evaluated: {type(error).__name__}: {error}",
            hint="It gets a float64 tensor (sample, variable); convert the module with .double().",
        ) from error
    y = y[:, None] if len(shape) == 1 else y
    if y.ndim != 2 or len(y) != len(x) or not y.requires_grad:
        raise DataError(
            f"{declaration.name}: its module returns shape {list(shape)} for {len(x)} samples"
            f"{'' if y.requires_grad else ', without a gradient'}.",
            hint="It must return (sample, output), differentiably.",
        )
    if kind != torch.float64:
        raise DataError(
            f"{declaration.name}: its module computes in {str(kind).removeprefix('torch.')}; exact fields can't "
            "be told from approximate ones.",
            hint="Convert it with .double().",
        )
    # an output that doesn't depend on x has the derivative 0
    options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
    rows = [torch.autograd.grad(part.sum(), x, **options)[0] for part in y.T]
    return Values(x.detach(), y.detach(), torch.stack(rows, 1))


def _of_samples(declaration: Function, given: Mapping[str, Any]) -> Values:
    name, d = declaration.name, len(declaration.variables)
    missing = [key for key in ("x", "y") if key not in given]
    if missing:
        raise DataError(f"{name}: samples lack {missing[0]!r}.", hint="They are a mapping with x, y and jacobian.")
    if any(np.iscomplexobj(value) for value in given.values()):
        raise DataError(f"{name}: samples are complex.", hint="Give real and imaginary parts as two outputs.")
    x, y = (torch.as_tensor(np.asarray(given[key], dtype=float)) for key in ("x", "y"))
    y = y[:, None] if y.ndim == 1 else y
    if x.ndim != 2 or x.shape[1] != d or y.ndim != 2 or len(y) != len(x):
        raise DataError(
            f"{name}: samples have x of shape {list(x.shape)} and y of shape {list(y.shape)}.",
            hint=f"x must be (sample, {d}) and y (sample, output).",
        )
    if not bool(torch.isfinite(x).all() and torch.isfinite(y).all()):
        raise DataError(f"{name}: samples hold numbers that aren't finite.", hint="Leave those samples out.")
    if given.get("jacobian") is None:
        return Values(x, y, _fitted(name, x, y))
    jacobian = torch.as_tensor(np.asarray(given["jacobian"], dtype=float)).reshape(len(x), -1, d)
    if jacobian.shape[1] != y.shape[1]:
        raise DataError(
            f"{name}: the jacobian of samples has {jacobian.shape[1]} outputs, y has {y.shape[1]}.",
            hint="Its shape must be (sample, output, variable).",
        )
    return Values(x, y, jacobian)


def _fitted(name: str, x: Tensor, y: Tensor) -> Float[Tensor, "sample output variable"]:
    """Derivatives of the polynomial of lowest degree that is the map on samples kept aside."""
    learn = torch.arange(len(x)) % 4 != 0
    error = float("inf")
    for degree in range(1, HIGHEST + 1):
        terms = monomials(x.shape[1], degree)
        if len(terms) > int(learn.sum()) // 2:
            break
        basis = evaluated(x, terms)
        fit = torch.linalg.lstsq(basis[learn], y[learn], driver="gelsd").solution
        error = float((basis[~learn] @ fit - y[~learn]).norm() / y[~learn].norm().clamp_min(1e-300))
        if error < FITS:
            return torch.einsum("nkd,km->nmd", slopes(x, terms), fit)
    raise DataError(
        f"{name}: samples have no jacobian, and no polynomial fits them exactly (relative error {error:.1e}).",
        hint="Give the derivatives as jacobian (sample, output, variable), or more samples.",
    )


def evaluated(x: Float[Tensor, "sample variable"], terms: list[tuple[int, ...]]) -> Float[Tensor, "sample term"]:
    """Monomials at points."""
    return (x[:, None] ** torch.tensor(terms, dtype=x.dtype)).prod(2)


def slopes(
    x: Float[Tensor, "sample variable"], terms: list[tuple[int, ...]]
) -> Float[Tensor, "sample term variable"]:  # fmt: skip
    """Derivatives of monomials at points."""
    powers = torch.tensor(terms, dtype=x.dtype)
    lowered = powers[:, None] - torch.eye(x.shape[1], dtype=x.dtype)
    return powers * (x[:, None, None] ** lowered.clamp_min(0)).prod(3)


def differences(declaration: Function, found: Values, step: float = 1e-4) -> float | None:
    """Relative difference of the derivatives from central ones; None of samples, which are taken as they are."""
    if declaration.samples is not None:
        return None
    at = _of_formulas if declaration.module is None else _of_module
    worst = 0.0
    for k in range(found.x.shape[1]):
        shift = torch.zeros(found.x.shape[1], dtype=found.x.dtype)
        shift[k] = step
        sides = [at(declaration, found.x + sign * shift).y for sign in (1, -1)]
        rate = (sides[0] - sides[1]) / (2 * step)
        worst = max(worst, float((rate - found.jacobian[:, :, k]).norm() / found.jacobian.norm()))
    return worst
