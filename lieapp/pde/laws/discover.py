"""The pipeline behind `lieapp discover --laws`: data, totals of densities, sparse laws, proofs, drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import exact
from lieapp.errors import ConfigError, DataError
from lieapp.pde.beyond.pipeline import run_search
from lieapp.pde.beyond.readings import rational_choices
from lieapp.pde.beyond.sparse import search
from lieapp.pde.data import NOISE
from lieapp.pde.gathering import Gathering
from lieapp.pde.laws.densities import ORDER, Class, class_of
from lieapp.pde.laws.flux_terms import OpenClass, open_class_of
from lieapp.pde.laws.local import OnOpenAxis
from lieapp.pde.laws.measured import Measured
from lieapp.pde.laws.result import Found, result_of
from lieapp.pde.laws.totals import OnPeriods, totals
from lieapp.pde.laws.written import Proof, law_of
from lieapp.pde.resolution import resolved_order
from lieapp.pde.weak import independent_windows
from lieapp.results.conserved import LawsFromData
from lieapp.runs.store.session import Session


def execute(config: DiscoverConfig, declaration: PDE, session: Session) -> LawsFromData:
    """Do a run. Raises LieappError for what the declaration, the data or the settings don't allow."""
    return run_search(config, declaration, session, lambda gathering: _Job(gathering).run())


@dataclass(frozen=True)
class _Data:
    """Trajectories to find laws on and to judge them on; the latter are the same if there are too few.

    Args:
        noise: modes below this share of the largest are cut.
    """

    train: list[Trajectories]
    held_out: list[Trajectories]
    noise: float


def count(pieces: Sequence[Trajectories]) -> int:
    """How many trajectories there are."""
    return sum(piece.samples for piece in pieces)


class _Job:
    def __init__(self, gathering: Gathering) -> None:
        self.gathering, self.report = gathering, gathering.report
        self.config, self.session = gathering.config, gathering.session
        self.domain = domain = gathering.domain
        axes = (domain.evolution.jets.independent[i] for i in domain.evolution.space)
        self.open = any(axis not in domain.declaration.periodic for axis in axes)

    def run(self) -> LawsFromData:
        """All stages in order."""
        timed = self.session.timed
        data = timed("data", self._data)
        tried = timed("densities", lambda: self._class(data))
        measured = timed("totals", lambda: self._measured(data, tried))
        proof = Proof(tried.ring, tried.densities)
        choices = rational_choices(map(exact, self.domain.declaration.parameters.values()))
        found = measured.quotient
        laws = timed("laws", lambda: search(found, lambda path: law_of(path, tried.densities, proof, choices)))
        known = timed("derivation", proof.laws) if proof.derivable and not self.domain.fitted else None
        held_out = 0 if data.train is data.held_out else count(data.held_out)
        told = Found(self.domain, tried, measured, laws, proof, known)
        result = timed("report", lambda: result_of(told))
        result.trajectories, result.held_out = count(data.train), held_out
        return result

    def _data(self) -> _Data:
        """Whole trajectories: of a window of one only, totals are what they are in any other.

        Raises DataError if there is a single one on periodic axes.
        """
        own = self.gathering.own
        if own is not None and own.whole is not None:
            self.gathering.check_files(own)
            number = count(own.pieces)
            if number < 2 and not self.open:
                raise DataError(
                    f"{self.domain.name}: one trajectory: a conserved total has one value there, and what is the "
                    "same on all data can't be judged.",
                    hint="Give two or more trajectories that differ.",
                )
            told = "" if self.open else f", and at most {number - 1} laws can be told apart"
            few = "1 trajectory" if number == 1 else f"{number} trajectories"
            self.report.warn(f"{few}: none is held out{told}")
            train = [self.gathering.spoiled(piece).to(self.session.device) for piece in own.pieces]
            held_out = train
        else:
            train, held_out = self.gathering.parts()
        return _Data(train, held_out, max(self.gathering.noise(train), NOISE))

    def _class(self, data: _Data) -> Class:
        """Raises ConfigError for an order of derivatives that the data don't resolve."""
        settings, evolution = self.config.laws, self.domain.evolution
        wanted = ORDER if settings.order is None else settings.order
        resolved = resolved_order(data.train, data.noise, wanted)
        if resolved < wanted and settings.order is not None:
            best = f"laws.order = {resolved}" if resolved >= 0 else "more points or data with less noise"
            raise ConfigError(
                f"{self.domain.name}: laws.order = {wanted}, and the data resolve derivatives up to order "
                f"{max(resolved, 0)} only.",
                hint=f"Take {best}.",
            )
        if resolved < wanted:
            self.report.warn(f"derivatives up to order {max(resolved, 0)} are resolved: densities go no further")
        order = max(0, min(resolved, wanted))
        if self.open:
            found: Class = open_class_of(evolution, settings, order, independent_windows(data.train))
        else:
            found = class_of(evolution, settings, order)
        if (judged := resolved_order(data.held_out, data.noise, found.order)) < found.order:
            self.report.warn(
                f"held-out trajectories resolve derivatives up to order {max(judged, 0)}: totals of higher ones "
                "drift there by what they leave out"
            )
        with_fluxes = f", {len(found.fluxes)} terms of their fluxes" if isinstance(found, OpenClass) else ""
        self.report.line(
            f"densities: {len(found.densities)} of weight up to {found.weight}, each factor weighs "
            f"{found.unknown_weight}, derivatives up to order {found.order}{with_fluxes}"
        )
        return found

    def _measured(self, data: _Data, tried: Class) -> Measured:
        if isinstance(tried, OpenClass):
            return OnOpenAxis(tried, data.train, data.held_out)
        evolution, times = self.domain.evolution, self.config.laws.times
        learn, judge = (
            [totals(evolution, piece, tried.densities, data.noise, times) for piece in pieces]
            for pieces in (data.train, data.held_out)
        )
        return OnPeriods(tried.densities, learn, judge)
