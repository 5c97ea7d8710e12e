"""The right side of u_t = F learned from many trajectories, where no short equation is made of the candidates.

First a dense combination of all candidates; where that leaves too much, a small network of the jets. Trajectories
are apart from the first: some choose between forms, the held-out ones only judge.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp
import torch

from lieapp.data.own import HELD_OUT
from lieapp.data.own_trajectories import divided
from lieapp.data.trajectories import Trajectories
from lieapp.document import percent
from lieapp.equations.jets import JetSpace
from lieapp.errors import DataError
from lieapp.numerics.codegen import Tape
from lieapp.pde.identify.elimination import ABSENT
from lieapp.pde.identify.network import Network, begun, trained
from lieapp.pde.identify.samples import Samples, jets_up_to, samples
from lieapp.progress import Reporter
from lieapp.results.identification import Learned, LearnedSide

TRAJECTORIES = 8
"""Fewest from which a right side is learned: what it makes of others must be seen."""

ENOUGH = 0.02
"""Largest error on held-out trajectories of a right side that is taken."""

DENSE = 1e-3
"""Error of a dense combination below which no network is tried."""

CLEARLY = 0.5
"""What isn't simpler must leave less than this share: a network of the combination, a higher order of a lower."""

ORDERS = (1, 2, 3, 4)
"""Numbers of derivatives in space that are tried."""

NODES = 8_000
"""Of the trajectories to learn from."""

CUTS = (1e-13, 1e-10, 1e-8, 1e-6, 1e-4)
"""Singular values below such a share of the largest are cut; which share the choosing trajectories say."""

FEWEST, FIRST = 12, 40
"""Neurons with which the order is found; steps of each first try."""

NEURONS, STARTS = (12, 24, 32), 2
"""Sizes of the network, and random starts of each."""

BEST, STEPS = 2, 250
"""Tries that are trained on, and steps at most."""

Right = Callable[[Samples], np.ndarray]


@dataclass(frozen=True)
class _Side:
    """What was learned of one unknown.

    Args:
        rule: u_t at nodes; `formula` the same in jets.
        error: on the trajectories that choose.
    """

    form: str
    rule: Right
    formula: Callable[[], sp.Expr]
    error: float
    again: Callable[[Samples], _Side]


class Learning:
    """Trajectories divided into those to learn from, to choose by and to judge on.

    Args:
        candidates: of the dense combination.

    Raises DataError for too few trajectories.
    """

    def __init__(
        self, pieces: Sequence[Trajectories], jets: JetSpace, candidates: Sequence[sp.Expr], seed: int = 0
    ) -> None:
        count = sum(piece.samples for piece in pieces)
        if count < TRAJECTORIES:
            raise DataError(
                f"a right side is learned from {TRAJECTORIES} trajectories or more, and there "
                f"{'is one' if count == 1 else f'are {count}'}.",
                hint="Give more trajectories, from other initial states.",
            )
        self.jets, self.candidates, self.seed, self.count = jets, list(candidates), seed, count
        train, held_out, _ = divided(pieces)
        self.trajectories = sum(piece.samples for piece in train)
        self.every = samples(train, ORDERS[-1], NODES, seed)
        choosing = self.every.owner % HELD_OUT == HELD_OUT // 2
        self.own, self.choice = self.every.at(~choosing), self.every.at(choosing)
        self.held_out = samples(held_out, ORDERS[-1], NODES // HELD_OUT, seed + 1)

    def learned(self, report: Reporter) -> Learned:
        """The right side of each unknown. Raises DataError if they leave more than ENOUGH of u_t."""
        report.stage("learning the equation")
        found = [self._side(a, report) for a in range(len(self.jets.dependent))]
        final = [side.again(self.every) for side in found]
        told = [self._told(a, side) for a, side in enumerate(final)]
        worst = max(told, key=lambda side: side.error)
        if worst.error > ENOUGH:
            raise DataError(
                f"a right side learned from {self.trajectories} trajectories leaves {percent(worst.error)} of "
                f"{worst.left} on {self.count - self.trajectories} others.",
                hint="Give more trajectories, at more times and points, or without noise.",
            )
        half = self.every.owner % 2 == 0
        halves = [[side.again(self.every.at(rows)) for side in final] for rows in (half, ~half)]
        return Learned(
            sides=told, trajectories=self.trajectories, held_out=self.count - self.trajectories,
            halves=[[self._text(a, side) for a, side in enumerate(both)] for both in halves],
            explained=self._explained([side.rule for side in final]),
        )  # fmt: skip

    def _side(self, a: int, report: Reporter) -> _Side:
        dense = self._dense(a, self.own)
        report.line(f"learning: all candidates together leave {dense.error:.2g} of {self._left(a)}")
        if dense.error <= DENSE:
            return dense
        network = self._network(a, report)
        report.line(f"learning: {network.form} leaves {network.error:.2g}")
        return network if network.error < CLEARLY * dense.error else dense

    def _dense(self, a: int, rows: Samples, cut: float | None = None) -> _Side:
        columns, target = self._columns(rows), rows.rates[:, a]
        norms = np.linalg.norm(columns, axis=0)
        used = [k for k, n in enumerate(norms) if np.isfinite(n) and n > 0]
        u, s, v = np.linalg.svd(columns[:, used] / norms[used], full_matrices=False)
        tried = []
        for share in CUTS if cut is None else (cut,):
            kept = s > share * s[0]
            c = (v[kept].T @ ((u[:, kept].T @ target) / s[kept])) / norms[used]
            rule = _combination(c, used, self._columns)
            tried.append((_error(rule, self.choice, a), share, c, rule))
        error, share, c, rule = min(tried, key=lambda one: one[0])
        terms = [self.candidates[k] for k in used]
        return _Side(
            f"a combination of {len(terms)} terms", rule,
            lambda: sp.Add(*(sp.Float(float(n)) * term for n, term in zip(c, terms, strict=True))),
            error, lambda again: self._dense(a, again, share),
        )  # fmt: skip

    def _columns(self, rows: Samples) -> np.ndarray:
        """The candidates at nodes."""
        symbols = [self.jets.symbol(b, (0, *J)) for b, J in rows.jets]
        values = self._tape(*(torch.as_tensor(z) for z in rows.values.T)) if symbols else []
        return np.stack([z.expand(len(rows.values)).numpy() for z in values], 1)

    @cached_property
    def _tape(self) -> Tape:
        jets = jets_up_to(len(self.jets.dependent), len(self.jets.independent) - 1, ORDERS[-1])
        return Tape(self.candidates, [self.jets.symbol(b, (0, *J)) for b, J in jets])

    def _network(self, a: int, report: Reporter) -> _Side:
        """The smallest order that no other is clearly better than, up to what is absent; the best of some tries."""
        steps = len(ORDERS) + len(NEURONS) * STARTS + BEST
        orders = {}
        for n, order in enumerate(ORDERS):
            report.progress(n, steps, f"order {order}")
            orders[order] = self._tried(a, order, FEWEST, self.seed).error
        least = min(orders.values())
        order = next(n for n in ORDERS if CLEARLY**2 * (orders[n] ** 2 - ABSENT**2) <= least**2)
        tried: list[_Side] = []
        for neurons, start in itertools.product(NEURONS, range(STARTS)):
            report.progress(len(ORDERS) + len(tried), steps, f"{neurons} neurons")
            tried.append(self._tried(a, order, neurons, self.seed + start))
        best = sorted(tried, key=lambda side: side.error)[:BEST]
        report.progress(steps - BEST, steps)
        return min((side.again(self.own) for side in best), key=lambda side: side.error)

    def _tried(self, a: int, order: int, neurons: int, seed: int) -> _Side:
        columns, highest = self.own.columns(order), self.own.highest(order)
        network = begun(self.own.values[:, columns], self.own.rates[:, a], highest, neurons, seed)
        return self._taught(a, network, self.own, columns, FIRST)

    def _taught(self, a: int, network: Network, rows: Samples, columns: list[int], steps: int) -> _Side:
        found = trained(network, rows.values[:, columns], rows.rates[:, a], steps)
        symbols = [self.jets.symbol(b, (0, *J)) for b, J in (rows.jets[k] for k in columns)]

        def rule(own: Samples) -> np.ndarray:
            return found(own.values[:, columns])

        return _Side(
            f"a network of {len(found.inner)} neurons", rule, lambda: found.expression(symbols),
            _error(rule, self.choice, a), lambda again: self._taught(a, found, again, columns, STEPS),
        )  # fmt: skip

    def _told(self, a: int, side: _Side) -> LearnedSide:
        formula = side.formula()
        used = ", ".join(map(str, self.jets.jets(formula)))
        name = "F" if len(self.jets.dependent) == 1 else f"F_{a + 1}"
        return LearnedSide(
            unknown=self.jets.dependent[a], left=self._left(a), form=side.form,
            shown=f"{self._left(a)} = {name}({used})", text=self._text(a, side),
            error=_error(side.rule, self.held_out, a),
        )  # fmt: skip

    def _left(self, a: int) -> str:
        return str(self.jets.symbol(a, self.jets.raised(self.jets.zero, 0)))

    def _text(self, a: int, side: _Side) -> str:
        return f"{self._left(a)} - ({side.formula()})"

    def _explained(self, rules: Sequence[Right]) -> float:
        """What share of what is left on held-out trajectories t and the variables of space explain.

        Their multiples of the jets are fitted to what is left on the trajectories to learn from.
        """
        before = after = 0.0
        for a, rule in enumerate(rules):
            rest, there = self.every.rates[:, a] - rule(self.every), self.held_out.rates[:, a] - rule(self.held_out)
            own, other = self._explicit(self.every), self._explicit(self.held_out)
            norms = np.linalg.norm(own, axis=0)
            norms[norms == 0] = 1.0
            c = np.linalg.lstsq(own / norms, rest, rcond=1e-8)[0] / norms
            size = float((self.held_out.rates[:, a] ** 2).sum())
            before += float(there @ there) / size
            after += float(((there - other @ c) ** 2).sum()) / size
        return float(max(0.0, 1 - np.sqrt(after / before))) if before else 0.0

    def _explicit(self, rows: Samples) -> np.ndarray:
        """Variables, between 0 and 1, as waves of one period and as such, times 1 and the jets."""
        low, high = self.every.places.min(0), self.every.places.max(0)
        s = (rows.places - low) / (high - low)
        factors = [s - 0.5, (s - 0.5) ** 2, np.cos(2 * np.pi * s), np.sin(2 * np.pi * s)]
        every = np.concatenate([np.ones((len(s), 1)), rows.values], 1)
        return np.concatenate([f[:, :, None] * every[:, None, :] for f in factors], 1).reshape(len(s), -1)


def _combination(c: np.ndarray, used: list[int], columns: Callable[[Samples], np.ndarray]) -> Right:
    return lambda rows: columns(rows)[:, used] @ c


def _error(rule: Right, rows: Samples, a: int) -> float:
    """What a right side leaves of u_t, relative."""
    rates = rows.rates[:, a]
    return float(np.linalg.norm(rates - rule(rows)) / np.linalg.norm(rates))
