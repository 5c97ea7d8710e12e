"""The data of a discovery of an equation: simulated or read from files, checked, and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from lieapp.config import DiscoverConfig
from lieapp.data.axes import along
from lieapp.data.own_trajectories import OwnData
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Extent, Trajectories, noisy, over_all, thin
from lieapp.numerics.spectral import noise_floor
from lieapp.pde.chunks import InChunks, Made, Simulated, dataset_of
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.file_chunks import OfFiles
from lieapp.pde.own_checks import check_misfit, check_offsets, check_unchanged, noise_in
from lieapp.pde.resolution import unresolved_words
from lieapp.runs.store.checkpoint import DATA
from lieapp.runs.store.session import Session

CLEAN = 1e-4
"""Noise below this share of the data's spread is none."""


class Gathering:
    """Trajectories for one run.

    Args:
        own: those of files; None if they are simulated.

    `missed` is what data from elsewhere leave of the equation, relative to their change in time; None if unknown.
    """

    def __init__(self, config: DiscoverConfig, domain: PDEDomain, session: Session, own: OwnData | None) -> None:
        self.config, self.domain, self.session, self.own = config, domain, session, own
        self.directory, self.report = session.directory, session.report
        self.missed: float | None = None

    def parts(self) -> tuple[list[Trajectories], list[Trajectories]]:
        """Those to learn from and those to judge on: simulated, or of files, which are checked.

        Raises what `simulated` and `check_files` raise.
        """
        if self.own is None and (chunks := self.in_chunks()) is not None:
            self._gathered(chunks)
            train, held_out = chunks.chunks.pieces()
            device = self.session.device
            return [piece.to(device) for piece in train], [piece.to(device) for piece in held_out]
        if self.own is None:
            everything, samples = self.simulated(), self.config.samples
            everything.check_varying(self.domain.name)
            return [everything.select(slice(0, samples))], [everything.select(slice(samples, None))]
        self.check_files(self.own)
        device = self.session.device
        if self.files is not None:
            self.files.measured(self.session.team, self.report)
            train, held_out = self.files.pieces()
            return [piece.to(device) for piece in train], [piece.to(device) for piece in held_out]
        parts = (self.own.train, self.own.held_out)
        train, held_out = ([self.spoiled(piece).to(device) for piece in part] for part in parts)
        return train, held_out

    @cached_property
    def files(self) -> OfFiles | None:
        """The chunks of files that hold more than one chunk; None of others, and of simulated data."""
        session, own = self.session, self.own
        if own is not None and own.stretches is not None:
            return OfFiles(self.config, self.domain, own.stretches, session.checkpoint, session.device)
        if own is not None and session.team is not None:
            count = sum(piece.samples for piece in own.pieces)
            self._unhelped(f"all {count} trajectories are read at once", "; set chunk to fewer")
        return None

    def _unhelped(self, why: str, hint: str) -> None:
        self.report.warn(f"{why}: there is nothing to do for several processes{hint}")

    def in_chunks(self) -> InChunks | None:
        """Who gathers simulated trajectories that are too many for one chunk; None if there is one."""
        chunks = Simulated(self.config, self.domain, self.session.checkpoint, self.session.device)
        if len(chunks.rows) > 1:
            return InChunks(chunks, self.session.team, self.report)
        if self.session.team is not None:
            why = f"all {len(chunks.rows[0])} trajectories fit into one chunk", "; set chunk to fewer"
            if self.domain.declaration.source is not None:
                why = "the plugin's source gives all trajectories at once", ""
            self._unhelped(*why)
        return None

    def chunked(self, gatherer: InChunks) -> PDEDataset:
        """The data of the run in chunks.

        Raises what `InChunks.gathered` raises, DataError for what doesn't vary.
        """
        return dataset_of(gatherer.chunks, self._gathered(gatherer), gatherer.team)

    def _gathered(self, gatherer: InChunks) -> Made:
        made, rows = gatherer.gathered(), gatherer.chunks.rows
        assert made.train is not None and made.held_out is not None  # at least one trajectory each
        self._note(made.facts, made.error)
        self.report.line(f"data: {rows[-1].stop} trajectories in {len(rows)} chunks of {len(rows[0])}")
        first = gatherer.chunks.pieces()[0][0]
        made.train.extent.joined(made.held_out.extent).check(first, self.domain.name)
        return made

    def noise(self, pieces: Sequence[Trajectories]) -> float:
        """The share of the largest Fourier mode below which modes are noise; 0 without noise or with open axes."""
        if self.config.smoothing is not None:
            return self.config.smoothing
        closed = [piece for piece in pieces if all(axis.periodic for axis in piece.grid.axes)]
        return max((noise_floor(piece.values.flatten(0, 1), piece.grid) for piece in closed), default=0.0)

    def simulated(self) -> Trajectories:
        """Those to learn from and those to judge on, one after the other, as the settings want them."""
        config, domain, session = self.config, self.domain, self.session
        kept = session.checkpoint.data()
        if kept is None:
            kept = domain.trajectories(
                config.samples + config.held_out, config.seed, session.device, Tolerance(config.tolerance),
                self.report.progress,
            )  # fmt: skip
            session.checkpoint.save_data(kept)
        elif kept.samples != config.samples + config.held_out:
            raise session.checkpoint.strange(f"it has {kept.samples} trajectories", DATA)
        self._note(kept.facts, kept.error)
        if domain.declaration.source is not None:
            self._check_misfit([kept])
        return self.spoiled(kept).to(session.device)

    def check_files(self, own: OwnData) -> float:
        """Check and tell what is in files; the level of their noise, relative to the spread.

        Raises DataError for data from which nothing can be learned, or that don't solve the equation.
        """
        for words in own.words:
            self.report.line(f"data: {words}")
        pieces = own.pieces
        check_unchanged(pieces, self.directory)
        self.directory.add_provenance(data=pieces[0].facts, data_notes=own.words)
        over = over_all(pieces) if self.files is None else self.files.over(self.session.team, self.report)
        extent = over(Extent.of, Extent.joined)
        extent.check(pieces[0], self.domain.name, "Read other files, or another part of these.")
        check_offsets(pieces[0].unknowns, extent, self.report)
        level, how = over(noise_in, max)
        about = "about" if level > CLEAN else "below"
        how = along(how, [pieces[0].time_name, *(axis.name for axis in pieces[0].grid.axes)])
        told = f"noise is {about} {level:.1g} of their standard deviation" if level else "no noise can be seen"
        self.report.line(f"data: {told}, by {how}")
        self.directory.add_provenance(noise_level=level)
        for words in unresolved_words(self.domain.evolution, pieces, level, over):
            self.report.warn(f"data: {words}")
        self._check_misfit(pieces)
        return level

    def spoiled(self, data: Trajectories) -> Trajectories:
        """The data as the settings want them: thinner, with noise."""
        config = self.config
        thinned = thin(data, config.every_point, config.every_time)
        return noisy(thinned, config.noise, config.seed) if config.noise else thinned

    def _check_misfit(self, data: Sequence[Trajectories]) -> None:
        if self.domain.fitted:
            return  # the learned equation is theirs
        name, units = self.domain.name, self.own.units if self.own else ()
        self.missed = check_misfit(self.domain.evolution, data, name, self.config.misfit, self.report, units)
        if self.missed is not None:
            self.directory.add_provenance(misfit=self.missed)

    def _note(self, facts: Mapping[str, float | int | str], error: float) -> None:
        self.directory.add_provenance(data={**facts, "error": error})
        if error == error:
            self.report.line(f"data: estimated relative error {error:.1e}")
