"""The one bridge from SymPy to torch: expressions become a tape of tensor operations.

A tape rather than `lambdify(modules="torch")`, which fails on sqrt(2)*u, Max, Heaviside and sech and lets a
Piecewise of constants fall to float32. Shared subexpressions are computed once; constants become Python
floats, so dtype and device are those of the arguments. Antiderivatives that aren't elementary are integrals by
Gauss-Legendre quadrature. Tested against `evalf` on random expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import TypeAlias

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.errors import EquationError

NODES = 10
"""Of the rule on a panel."""

MOST = 4096
"""Panels."""

AGREEMENT = 1e-12
"""Relative change by panels of half the width at which a width is taken."""


class Antiderivative:
    """F(v) = ∫ f(w) dw from w = base to v, differentiable; any other antiderivative differs by a constant.

    The way from the base is cut into panels whose integrals are summed once for all points of a call; a point adds
    the part of its own panel.

    Args:
        function: f, elementwise on tensors.
        base: 0, or 1 where f isn't finite at 0.
    """

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        self.function = function
        finite = torch.isfinite(function(torch.zeros(1, dtype=torch.float64)))
        self.base = 0.0 if bool(finite.all()) else 1.0

    def __call__(self, v: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """F at v; NaN where v isn't finite, NaN or infinite where f is singular on the way to v."""
        finite = torch.isfinite(v)
        return torch.where(finite, self._at(v.where(finite, torch.full_like(v, self.base))), torch.nan)

    def _at(self, v: Tensor) -> Tensor:
        ends = [float(end) - self.base for end in torch.aminmax(v.detach())]
        low, high = min(*ends, 0.0), max(*ends, 0.0)
        width, sums = self._panels(low, high, v)
        first = int(low // width)
        panel = ((v.detach() - self.base) / width).floor()
        return sums[(panel - first).long()] + self._part(self.base + panel * width, v)

    def _panels(self, low: float, high: float, like: Tensor) -> tuple[float, Tensor]:
        """A width of panels that is narrow enough, and the integrals from the base to where each panel begins."""
        count, before = 4, None
        while True:
            width = max(high - low, 1e-300) / count
            places = torch.arange(int(low // width), int(high // width) + 2).to(like) * width
            parts = self._part(self.base + places[:-1], self.base + places[1:])
            sums = torch.cat([parts.new_zeros(1), parts.cumsum(0)])
            sums = sums - sums[int(-(low // width))]
            now = sums[[0, -2]]
            if before is not None:
                agree = ((before - now).abs() <= AGREEMENT * (1 + now.abs())).all()
                if count >= MOST or bool(agree):
                    return width, sums
            before, count = now, 2 * count

    def _part(self, start: Tensor, end: Tensor) -> Tensor:
        """The integral from start to end by one rule."""
        nodes, weights = (torch.as_tensor(part).to(end) for part in _rule())
        span = (end - start)[..., None]
        return ((span * weights) * self.function(start[..., None] + span * nodes)).sum(-1)


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


Value: TypeAlias = Tensor | float
Operation: TypeAlias = Callable[..., Value]


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, float) and exponent.is_integer() and 0 < abs(exponent) <= 8:
        result = base
        for _ in range(int(abs(exponent)) - 1):
            result = result * base
        return result if exponent > 0 else 1.0 / result
    if isinstance(base, Tensor) and isinstance(exponent, float) and exponent == 0.5:
        return torch.sqrt(base)
    return torch.pow(base, exponent)


def _unary(function: Callable[[Tensor], Tensor]) -> Operation:
    return lambda value: function(torch.as_tensor(value))


def _binary(function: Callable[[Tensor, Tensor], Tensor]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        like = left if isinstance(left, Tensor) else right
        dtype, device = (like.dtype, like.device) if isinstance(like, Tensor) else (torch.float64, None)
        return function(*(torch.as_tensor(v, dtype=dtype, device=device) for v in (left, right)))

    return apply


def _step(z: Value, at_zero: Value) -> Value:
    z = torch.as_tensor(z)
    return torch.where(z > 0, 1.0, torch.where(z < 0, 0.0, at_zero)).to(z.dtype)


_UNARY: dict[type, Callable[[Tensor], Tensor]] = {
    sp.exp: torch.exp, sp.log: torch.log, sp.Abs: torch.abs, sp.sign: torch.sign,
    sp.sin: torch.sin, sp.cos: torch.cos, sp.tan: torch.tan,
    sp.sinh: torch.sinh, sp.cosh: torch.cosh, sp.tanh: torch.tanh,
    sp.asin: torch.asin, sp.acos: torch.acos, sp.atan: torch.atan,
    sp.asinh: torch.asinh, sp.acosh: torch.acosh, sp.atanh: torch.atanh,
    sp.erf: torch.erf, sp.erfc: torch.erfc,
    sp.sec: lambda z: 1 / torch.cos(z), sp.csc: lambda z: 1 / torch.sin(z),
    sp.cot: lambda z: 1 / torch.tan(z),
    sp.sech: lambda z: 1 / torch.cosh(z), sp.csch: lambda z: 1 / torch.sinh(z),
    sp.coth: lambda z: 1 / torch.tanh(z),
}  # fmt: skip

_OPERATIONS: dict[type, Operation] = {
    **{head: _unary(function) for head, function in _UNARY.items()},
    sp.Add: lambda *terms: sum(terms[1:], start=terms[0]),
    sp.Mul: lambda *factors: reduce(lambda a, b: a * b, factors),
    sp.Pow: _power,
    sp.Max: lambda *values: reduce(_binary(torch.maximum), values),
    sp.Min: lambda *values: reduce(_binary(torch.minimum), values),
    sp.Heaviside: _step,
    sp.atan2: _binary(torch.atan2),
    sp.Eq: _binary(torch.eq),
    sp.Ne: _binary(torch.ne),
    sp.StrictGreaterThan: _binary(torch.gt),
    sp.GreaterThan: _binary(torch.ge),
    sp.StrictLessThan: _binary(torch.lt),
    sp.LessThan: _binary(torch.le),
    sp.And: lambda *values: reduce(_binary(torch.logical_and), values),
    sp.Or: lambda *values: reduce(_binary(torch.logical_or), values),
    sp.Not: _unary(torch.logical_not),
    sp.ITE: lambda condition, yes, no: _where(condition, yes, no),
}


class Tape:
    """Expressions in fixed symbols, ready to be evaluated on tensors of any broadcastable shapes.

    Args:
        expressions: what is computed, in order.
        symbols: the arguments of a call, in order.

    Raises EquationError for a function the bridge doesn't know or a symbol without a value.
    """

    def __init__(self, expressions: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]) -> None:
        self._count = len(symbols)
        # values of a call: the arguments, then one for each entry of the program, a constant or an operation
        self._program: list[float | tuple[Operation, tuple[int, ...]]] = []
        self._index: dict[sp.Basic, int] = {s: i for i, s in enumerate(symbols)}
        self._outputs = [self._compile(sp.sympify(e, strict=True)) for e in expressions]

    def _compile(self, node: sp.Basic) -> int:
        if node not in self._index:
            self._index[node] = self._entry(node)
        return self._index[node]

    def _entry(self, node: sp.Basic) -> int:
        if node in (sp.true, sp.false):
            return self._append(float(node is sp.true))
        if isinstance(node, sp.Symbol):
            raise EquationError(f"{node} has no value here.", hint="Give it a value in parameters={…}.")
        if isinstance(node, sp.Expr) and not node.free_symbols:
            value = complex(node.evalf(20))
            if value.imag:
                raise EquationError(
                    f"{node} is not real.", hint="Split a complex equation into real and imaginary part."
                )
            return self._append(value.real)
        if isinstance(node, sp.Piecewise):
            result = self._append(float("nan"))
            for choice, condition in reversed(node.args):
                result = self._append((_where, (self._compile(condition), self._compile(choice), result)))
            return result
        if isinstance(node, sp.Integral) and node.limits == (sp.Tuple(*node.free_symbols),):
            # ∫ f(v) dv of a function of v alone
            tape = Tape([node.function], list(node.limits[0]))
            found = Antiderivative(lambda v: tape(v)[0])
            return self._append((_unary(found), (self._compile(node.limits[0][0]),)))
        if node.func in _OPERATIONS:
            return self._append((_OPERATIONS[node.func], tuple(self._compile(a) for a in node.args)))
        raise EquationError(
            f"{node.func.__name__} can't be computed on tensors.",
            hint=f"Known: {', '.join(sorted(head.__name__ for head in _OPERATIONS))}, Piecewise and "
            "Integral in one variable.",
        )

    def _append(self, entry: float | tuple[Operation, tuple[int, ...]]) -> int:
        self._program.append(entry)
        return self._count + len(self._program) - 1

    def __call__(self, *arguments: Tensor) -> list[Tensor]:
        """Values of the expressions, each broadcast to the common shape of the arguments."""
        if len(arguments) != self._count:
            raise TypeError(f"the tape takes {self._count} arguments, not {len(arguments)}")
        shapes = {a.shape for a in arguments}
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        like = arguments[0]
        values: list[Value] = list(arguments)
        for entry in self._program:
            if isinstance(entry, float):
                values.append(entry)
            else:
                operation, references = entry
                values.append(operation(*(values[r] for r in references)))
        return [
            torch.as_tensor(values[i], dtype=like.dtype, device=like.device).expand(shape) for i in self._outputs
        ]


def scalar_functions(expressions: Sequence[sp.Expr], symbol: sp.Symbol) -> Callable[[float], list[float]]:
    """The expressions in one symbol as a function of a number: what a time stepper calls every stage."""
    return sp.lambdify([symbol], list(expressions), modules="math")


def _where(condition: Value, yes: Value, no: Value) -> Value:
    if not isinstance(condition, Tensor):
        return yes if condition else no
    like = next((v for v in (yes, no) if isinstance(v, Tensor)), None)
    dtype = like.dtype if like is not None else torch.float64
    choices = (torch.as_tensor(v, dtype=dtype, device=condition.device) for v in (yes, no))
    return torch.where(condition.bool(), *choices)
