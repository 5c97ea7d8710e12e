"""The pipeline behind `lieapp discover --fields generalised`: data, null space, formulas, proofs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from itertools import islice

import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.compare.closed_form.numbers import Choices
from lieapp.config import DiscoverConfig
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import exact
from lieapp.equations.evolution import Evolution, degree
from lieapp.errors import ConfigError
from lieapp.lie.invariance import characteristic_defect
from lieapp.methods.loop import train as descend
from lieapp.methods.result import SIZE
from lieapp.numerics.spectral import bandwidth, low_pass
from lieapp.pde.beyond.pipeline import run_search
from lieapp.pde.beyond.quotient import Quotient, directions
from lieapp.pde.beyond.readings import Combination, rational_choices, readings, rounded, whole
from lieapp.pde.beyond.sparse import search
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import DRAFT_NOISE
from lieapp.pde.gathering import Gathering
from lieapp.pde.generalised.characteristics import Condition, Term, expressions, terms_for
from lieapp.pde.generalised.network import JetTraining, Learned, learned
from lieapp.pde.generalised.result import Found, Symmetry, result_of
from lieapp.pde.generalised.values import TermValues, quotient
from lieapp.pde.laws.slices import OnSlices
from lieapp.results.characteristics import GeneralisedFromData
from lieapp.runs.store.session import Session

READINGS, FEW = 200, 3
"""Ways to read one combination's coefficients that are put to the proof: of polynomial equations, and of others."""

FINER = (DRAFT_NOISE, 1e-3, 1e-6)
"""Modes below this share of the largest are cut, the first at which the terms are told apart.

An exact symmetry holds on any smooth slice, and high derivatives of few modes lose fewer digits.
"""


def execute(config: DiscoverConfig, declaration: PDE, session: Session) -> GeneralisedFromData:
    """Do a run. Raises LieappError for what the declaration, the data or the settings don't allow."""
    return run_search(config, declaration, session, lambda gathering: _Job(gathering).run())


class _Job:
    def __init__(self, gathering: Gathering) -> None:
        self.gathering, self.domain = gathering, gathering.domain
        self.config, self.session = gathering.config, gathering.session

    def run(self) -> GeneralisedFromData:
        """All stages in order."""
        timed, domain = self.session.timed, self.domain
        train, held_out = timed("data", self.gathering.parts)
        settings = self.config.generalised
        terms = terms_for(domain.evolution, settings)
        condition = Condition(domain.evolution, terms)
        learn, judge, kept = timed("discovery", lambda: self._quotients(train, held_out, terms))
        network = timed("training", lambda: self._learned(train, terms)) if settings.basis == "network" else None
        learn = learn if network is None else network.quotient
        choices = rational_choices(map(exact, domain.declaration.parameters.values()))
        found = timed("formulas", lambda: search(learn, lambda path: self._written(path, condition, choices)))
        derivable = condition.derivable and not domain.fitted
        known = timed("derivation", condition.symmetries) if derivable else None
        told = Found(domain, settings, terms, learn, judge, found, known, network)
        result = timed("report", lambda: result_of(told))
        result.kept = list(kept)
        symmetries = [symmetry for _, symmetry in found]
        move(result, symmetries, domain.evolution, held_out[0], self.gathering.noise(train))
        return result

    def _quotients(
        self, train: Sequence[Trajectories], held_out: Sequence[Trajectories], terms: Sequence[Term]
    ) -> tuple[Quotient, Quotient, tuple[int, ...]]:
        """On the data to learn from and on those to judge on; the highest modes that are kept.

        Raises ConfigError for an order at which the terms aren't independent on these data.
        """
        evolution, noise = self.domain.evolution, self.gathering.noise(train)
        scales = measure_scales(train, self.domain.arguments.names)
        values = TermValues(self.domain, terms, scales)
        products = max(term.monomial.degree for term in terms) + degree(evolution, evolution.rhs)
        counts = (self.config.slices, self.config.held_out_slices)
        for finer in FINER:
            cut = max(noise, finer) if self.config.smoothing is None else noise
            data = [SliceData(part, self.domain.linearisation, scales, products, cut) for part in (train, held_out)]
            with torch.no_grad():
                learn, judge = (
                    quotient(self.domain, values, part.batches(count, SIZE))
                    for part, count in zip(data, counts, strict=True)
                )
            if not directions(learn).nothing:
                return learn, judge, data[0].kept
        raise _unresolved(self.domain.name, learn, terms)

    def _learned(self, train: Sequence[Trajectories], terms: Sequence[Term]) -> Learned:
        """What a network learns on strongly smoothed slices. Raises DiscoveryError if its loss isn't finite."""
        config, session = self.config, self.session
        settings, evolution = config.generalised, self.domain.evolution
        scales = measure_scales(train, self.domain.arguments.names)
        values = TermValues(self.domain, terms, scales)
        products = settings.network_degree + degree(evolution, evolution.rhs)
        cut = max(self.gathering.noise(train), DRAFT_NOISE)
        data = SliceData(train, self.domain.linearisation, scales, products, cut)
        training = JetTraining(self.domain, values, settings, data, config.slots, config.floor, config.seed)
        levels = session.restored(training, settings.network_steps)
        # steps after the last one kept will be taken, and their metrics written, again
        session.directory.keep_metrics(training.done)
        descend(training, settings.network_steps, levels, None, session)
        with torch.no_grad():
            return learned(self.domain, training.features, values, lambda: data.batches(config.slices, SIZE))

    def _written(self, path: Sequence[Combination], condition: Condition, choices: Choices) -> Symmetry:
        """The first combination with a reading that is proved; else the one with the fewest terms, as measured."""
        terms = condition.terms
        for combination in () if self.domain.fitted else path:
            columns = combination.columns
            for values in islice(readings(combination, choices), READINGS if condition.derivable else FEW):
                if condition.derivable and not condition.holds(columns, values):
                    continue
                found = [(terms[k], c) for k, c in zip(columns, whole(values), strict=True)]
                if self._proves(expressions(found, self.domain.evolution)):
                    return Symmetry(tuple(found), True, combination)
        first = path[0]
        return Symmetry(tuple(zip((terms[k] for k in first.columns), rounded(first), strict=True)), False, first)

    def _proves(self, q: Sequence[sp.Expr]) -> bool:
        return all(left == 0 for left in characteristic_defect(self.domain.system, q))


MOVED = 0.1
"""By how much of its range a solution is moved in the figure."""


def move(
    result: GeneralisedFromData,
    symmetries: Sequence[Symmetry],
    evolution: Evolution,
    piece: Trajectories,
    noise: float,
) -> None:
    """Put u + s Q of proved symmetries beyond point ones into a result: the start of u_s = Q, for small s."""
    if len(piece.grid.axes) != 1 or not piece.grid.axes[0].periodic:
        return
    cut = bandwidth(piece.values[:1].flatten(0, 1), piece.grid, max(noise, DRAFT_NOISE))
    start = low_pass(piece.values[:1, 0], piece.grid, cut)
    u = start[0, 0]
    for row in result.generalised:
        one = next((v for v in symmetries if _written(v, evolution) == row.characteristic), None)
        if one is None or not row.proved or row.kind == "point":
            continue
        inside = OnSlices(expressions(one.terms, evolution)[:1], evolution.jets, evolution.time, piece.grid)
        q = inside.values(start, piece.time[:1])[0][0]
        row.s = float(MOVED * (u.max() - u.min()) / q.abs().max().clamp_min(1e-300))
        row.moved = (u + row.s * q).tolist()
        result.axis = piece.grid.axes[0].name
        result.place, result.solution = piece.grid.axes[0].coordinates().tolist(), u.tolist()


def _written(one: Symmetry, evolution: Evolution) -> dict[str, str]:
    q = expressions(one.terms, evolution)
    return {name: str(part) for name, part in zip(evolution.jets.dependent, q, strict=True)}


def _unresolved(name: str, found: Quotient, terms: Sequence[Term]) -> ConfigError:
    """Names the highest order at which the terms are independent on the data."""
    highest = max(term.monomial.order for term in terms)
    for order in itertools.count(highest - 1, -1):
        columns = [k for k, term in enumerate(terms) if term.monomial.order <= order]
        if order < 1 or not directions(found.of(columns)).nothing:
            break
    best = f"Take --order {order}" if order > 0 else "Use more varied data"
    return ConfigError(
        f"{name}: characteristics with derivatives up to order {highest} can't be told apart on these data; the "
        f"highest order that they resolve is {max(order, 0)}.",
        hint=f"{best}, or data with more modes.",
    )
