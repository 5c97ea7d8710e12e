"""A small network of the jets for the right side of u_t = F, trained by Levenberg-Marquardt.

F = c·(1, z) + Σ_j (w_j·(1, y)) tanh(a_j·(1, x)) with y the highest derivatives among the jets z and x the others:
any F that is linear in the highest derivatives, with coefficients that a network of the lower ones is. An F that
isn't so is one of an order more, in which the highest derivatives don't occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

RIDGE = 1e-12
"""Of all parameters, relative to the sum of squares of the target."""

DAMPING, LEAST, MOST = 1e-3, 1e-14, 1e8
"""Marquardt's factor at first, and its bounds."""

SHIFT = 2.0
"""Neurons begin with shifts up to this, where jets have size 1."""

STILL, WAIT = 1e-3, 12
"""Training ends when the error falls by less than this share in so many steps."""


@dataclass(frozen=True)
class Network:
    """The right side of one unknown, in jets divided by `sizes` and u_t by `size`.

    Args:
        linear: (1 + jet); outer: (neuron, 1 + highest); inner: (neuron, 1 + other).
    """

    sizes: np.ndarray
    size: float
    linear: np.ndarray
    outer: np.ndarray
    inner: np.ndarray

    def __call__(self, jets: np.ndarray) -> np.ndarray:
        """u_t of jets (node, jet), the highest derivatives last."""
        z, x, y = self._parts(jets)
        neurons = np.tanh(x @ self.inner.T)
        found: np.ndarray = self.size * (z @ self.linear + (neurons * (y @ self.outer.T)).sum(1))
        return found

    def expression(self, jets: Sequence[sp.Symbol]) -> sp.Expr:
        """The same as a formula in the jets' symbols."""
        highest = self.outer.shape[1] - 1
        scaled = [1 / size for size in self.sizes]
        z = [sp.S.One, *jets]
        x, y = [sp.S.One, *jets[: len(jets) - highest]], [sp.S.One, *jets[len(jets) - highest :]]
        factors = np.array([1.0, *scaled])
        own = np.array([1.0, *scaled[: len(jets) - highest]])
        top = np.array([1.0, *scaled[len(jets) - highest :]])
        terms = [_combined(self.size * self.linear * factors, z)]
        for w, a in zip(self.outer, self.inner, strict=True):
            terms.append(_combined(self.size * w * top, y) * sp.tanh(_combined(a * own, x)))
        return sp.Add(*terms)

    def _parts(self, jets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The jets, the lower ones and the highest, each with a column of ones first."""
        one, scaled = np.ones((len(jets), 1)), jets / self.sizes
        lower = scaled.shape[1] - (self.outer.shape[1] - 1)
        parts = (scaled, scaled[:, :lower], scaled[:, lower:])
        z, x, y = (np.concatenate([one, part], 1) for part in parts)
        return z, x, y

    def _jacobian(self, jets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values over `size`, and their derivatives by linear, outer and inner."""
        z, x, y = self._parts(jets)
        h = np.tanh(x @ self.inner.T)
        factor = y @ self.outer.T
        outer = (h[:, :, None] * y[:, None, :]).reshape(len(z), -1)
        inner = ((factor * (1 - h * h))[:, :, None] * x[:, None, :]).reshape(len(z), -1)
        return z @ self.linear + (h * factor).sum(1), np.concatenate([z, outer, inner], 1)

    @property
    def parameters(self) -> np.ndarray:
        """All in one row."""
        return np.concatenate([self.linear, self.outer.ravel(), self.inner.ravel()])

    def moved(self, step: np.ndarray) -> Network:
        """With a step added to the parameters."""
        n, m = len(self.linear), self.outer.size
        parts = step[:n], step[n : n + m].reshape(self.outer.shape), step[n + m :].reshape(self.inner.shape)
        return replace(
            self, linear=self.linear + parts[0], outer=self.outer + parts[1], inner=self.inner + parts[2]
        )  # fmt: skip


def _combined(coefficients: np.ndarray, symbols: Sequence[sp.Expr]) -> sp.Expr:
    return sp.Add(*(sp.Float(float(c)) * s for c, s in zip(coefficients, symbols, strict=True)))


def begun(jets: np.ndarray, rates: np.ndarray, highest: int, neurons: int, seed: int) -> Network:
    """Random neurons with the best coefficients.

    Args:
        jets: (node, jet), the highest derivatives last, so many; rates: u_t, (node).
    """
    rng = np.random.default_rng(seed)
    sizes = np.sqrt((jets**2).mean(0))
    sizes[sizes == 0] = 1.0
    size = float(np.sqrt((rates**2).mean())) or 1.0
    count = jets.shape[1]
    inner = rng.normal(size=(neurons, 1 + count - highest))
    inner[:, 0] = rng.uniform(-SHIFT, SHIFT, neurons)
    network = Network(sizes, size, np.zeros(1 + count), np.zeros((neurons, 1 + highest)), inner)
    linear = network._jacobian(jets)[1][:, : 1 + count + network.outer.size]
    best = np.linalg.lstsq(linear, rates / size, rcond=1e-8)[0]
    return network.moved(np.concatenate([best, np.zeros(inner.size)]))


def trained(network: Network, jets: np.ndarray, rates: np.ndarray, steps: int) -> Network:
    """So many steps of Levenberg-Marquardt (Marquardt 1963) at most."""
    target, ridge = rates / network.size, RIDGE * float((rates**2).sum()) / network.size**2
    damping, errors = DAMPING, list[float]()
    for _ in range(steps):
        values, jacobian = network._jacobian(jets)
        rest = target - values
        error = float(rest @ rest) + ridge * float(network.parameters @ network.parameters)
        errors.append(error)
        if len(errors) > WAIT and errors[-1 - WAIT] - error < STILL * error:
            break
        normal = jacobian.T @ jacobian
        slope = jacobian.T @ rest - ridge * network.parameters
        found = _step(network, jets, target, (normal, slope), error, damping, ridge)
        if found is None:
            break
        network, damping = found
    return network


def _step(
    network: Network, jets: np.ndarray, target: np.ndarray, system: tuple[np.ndarray, np.ndarray], error: float,
    damping: float, ridge: float,
) -> tuple[Network, float] | None:  # fmt: skip
    """A step that lowers the error, and the next damping; None if there is none."""
    normal, slope = system
    size = np.diag(normal) + ridge
    while damping <= MOST:
        try:
            step = np.linalg.solve(normal + np.diag(damping * size + ridge), slope)
        except np.linalg.LinAlgError:
            damping *= 4
            continue
        tried = network.moved(step)
        rest = target - tried(jets) / tried.size
        if float(rest @ rest) + ridge * float(tried.parameters @ tried.parameters) < error:
            return tried, max(damping / 3, LEAST)
        damping *= 4
    return None
