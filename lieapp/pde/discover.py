"""The pipeline behind `lieapp discover` of an equation: data, truth, discovery, comparison, result."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from pathlib import Path

from lieapp.api import PDE
from lieapp.augment.learned import FILE as LEARNED
from lieapp.augment.learned import Learned, content_of
from lieapp.compare.outcome import Outcome, compare
from lieapp.config import DiscoverConfig
from lieapp.data.own_trajectories import OwnData, own_data
from lieapp.domains.formulas import FixedFields
from lieapp.errors import GridError
from lieapp.methods.result import SIZE, Discovery, check_defects
from lieapp.methods.shipped import NOISY
from lieapp.methods.verdict import SMALL, gap_after, set_apart
from lieapp.numerics import ranks
from lieapp.pde import plan
from lieapp.pde.algebra import structure
from lieapp.pde.beside import Beside
from lieapp.pde.chunks import dataset_of
from lieapp.pde.closed_forms import Written, missing_words, proof_of, write_down, written_forms
from lieapp.pde.conditions import unmet
from lieapp.pde.document import sentence, write_csv
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.drawn import write_fields
from lieapp.pde.extend import extended
from lieapp.pde.file_chunks import room_of
from lieapp.pde.finite import finite_judgement, undecided
from lieapp.pde.fitted import reach, unproved
from lieapp.pde.gathering import CLEAN, Gathering
from lieapp.pde.identify.files import read_identified
from lieapp.pde.known import NOTHING, Derived, derived, deriving, scaled, tangent_words
from lieapp.pde.residual import Backend
from lieapp.pde.simpler import simpler
from lieapp.pde.stirred import separated, stirred
from lieapp.pde.superposition import superposition
from lieapp.results.discovery import (
    Convergence,
    CrossCheck,
    DerivedField,
    EquationResult,
    Slot,
    Spectrum,
    Subspace,
    Verdict,
)
from lieapp.results.truth import TruthResult
from lieapp.runs.store.files import CURRENT, write_atomic
from lieapp.runs.store.session import Session


def result_of(
    config: DiscoverConfig, run: Path, domain: PDEDomain, found: Discovery, check: Discovery | None, truth: Derived,
    written: Written, outcome: Outcome, warnings: list[str], missed: float | None,
) -> EquationResult:  # fmt: skip
    """Everything but the judgement at finite size and the seconds."""
    shown = domain.shown()
    decided = replace(outcome, exact=[n for n in outcome.exact if n not in written.undecided])
    result = EquationResult(
        run=str(run),
        plugin=config.plugin,
        title=domain.declaration.title,
        warnings=warnings,
        method=config.method,
        count=written.dimension(outcome),
        more=not written.undecided and bool(outcome.slots) and len(outcome.exact) == len(outcome.slots),
        generators=[_slot(found, outcome, n, n in written.undecided) for n in outcome.slots],
        spectrum=_spectrum(found, check, domain.fitted),
        truth=[
            DerivedField(name=name, field=field, cosine=cosine, shown=formula.formula())
            for name, field, cosine, formula in zip(
                truth.names, truth.fields, decided.cosines, truth.formulas, strict=True
            )
        ],
        subspace=Subspace(angle=decided.angle),
        cross_check=_cross_check(check, decided),
        equation_latex=",\\quad ".join(equation.latex for equation in shown),
        equation_shown=shown,
        coordinates=list(domain.components),
        inner=outcome.inner.tolist(),
        truth_eta=outcome.eta[outcome.true].tolist(),
        convergence=[
            Convergence(slot=n + 1, levels=[level.label for level in found.levels], eta=[*found.sequence(n)])
            for n in outcome.slots
        ],
        grows=found.grows,
        families=truth.families,
        formulas=written_forms(domain, written, outcome),
        formulas_check=proof_of(domain, written, outcome, truth),
        misfit=missed,
        unmet=written.unmet,
        fitted=domain.declaration.fitted,
    )
    result.sentence = sentence(result)
    return result


def _slot(found: Discovery, outcome: Outcome, n: int, undecided: bool) -> Slot:
    said: Verdict = outcome.verdicts[n]
    said = "approximate" if undecided and said == "exact" else said
    row = Slot(slot=n + 1, eta=found.levels[-1].eta[n], verdict=said, undecided=undecided)
    if outcome.confidence is not None:
        sure = outcome.confidence[n]
        row.eta_interval, row.confidence = (sure.low, sure.high), sure.share
    return row


def _spectrum(found: Discovery, check: Discovery | None, fitted: bool) -> Spectrum:
    """Of the fixed bases where they were solved: a network's features change from run to run.

    The gap of a learned equation is that which sets fields apart, however large one among these is.
    """
    shown = check if check is not None and check.method == "spectrum" else found
    after = set_apart(shown.spectrum) if fitted else gap_after(shown.spectrum)
    return Spectrum(method=shown.method, eta=[*shown.spectrum], gap_after=after)


def _cross_check(check: Discovery | None, outcome: Outcome) -> CrossCheck | None:
    if check is None:
        return None
    return CrossCheck(
        method=check.method,
        angle=outcome.cross_angle,
        count=len(outcome.others_exact),
        eta=[*check.levels[-1].eta],
    )


def execute(config: DiscoverConfig, declaration: PDE, session: Session) -> EquationResult:
    """Do or go on with a run; returns its result and writes the run's other files.

    Raises LieappError for what the declaration, the data or the settings don't allow.
    """
    result = _Job(config, declaration, session).run()
    result.identified = read_identified(session.directory.path)
    write_csv(result, session.directory.path / "generators.csv")
    return result


def follow(config: DiscoverConfig, declaration: PDE, session: Session) -> None:
    """What another process of torchrun does of a run: the data and the trainings.

    Raises LieappError for what the declaration, the data or the settings don't allow.
    """
    _Job(config, declaration, session).follow()


class _Job:
    def __init__(self, config: DiscoverConfig, declaration: PDE, session: Session) -> None:
        self.config, self.session = config, session
        self.directory, self.report = session.directory, session.report
        moving = config.moving
        options = (("extra", moving.weno_extra),) if moving.backend == "weno" else ()
        session.begin()
        self.own = session.timed("reading", lambda: self._read(declaration)) if config.data.files else None
        declaration = self.own.declaration if self.own else declaration
        self.domain = PDEDomain(declaration, Backend(moving.backend, options))
        self.gathering = Gathering(config, self.domain, session, self.own)
        plan.check_stages(config, self.domain)

    def _read(self, declaration: PDE) -> OwnData:
        return own_data(declaration, self.config.data, self.report, room_of(self.config, self.session))

    def run(self) -> EquationResult:
        """All stages in order; the derivation goes on beside the data, a check by the spectrum beside training."""
        with contextlib.ExitStack() as beside:
            return self._stages(beside)

    def follow(self) -> None:
        """The trainings of the first process, which alone knows whether there is a second go."""
        data = self._data()
        plan.discover(self.domain, data, self.session)
        if ranks.agreed(False):
            plan.discover(self.domain, data, self.session)

    def _stages(self, beside: contextlib.ExitStack) -> EquationResult:
        config, domain, session, timed = self.config, self.domain, self.session, self.session.timed
        begun = None if session.here or domain.fitted else self._deriving()
        beside.enter_context(begun or contextlib.nullcontext())
        data = timed("data", self._data)
        truth = timed("truth", lambda: self._truth(begun))
        # of a learned equation the spectrum alone is asked for besides the method
        cross_check = config.cross_check and (not domain.fitted or plan.checked_by(session) == "spectrum")
        checking = plan.crossing(domain, data, session) if cross_check else None
        beside.enter_context(checking or contextlib.nullcontext())
        found = timed("discovery", lambda: self._apart(data, plan.discover(domain, data, session)))
        check_defects(found.levels[-1].eta)
        check = None
        if cross_check:
            # after the method itself, so that a resumed run finds the training's own checkpoint
            cross = checking.result if checking else partial(plan.crossed, domain, data, session)
            check = timed("cross-check", lambda: self._apart(data, cross()))
        known, compared = timed("compare", lambda: self._compare(data, truth, found, check))
        written, outcome = timed("formulas", lambda: self._written(data, truth, found, compared))
        # what is proved counts, however far the training got
        how = plan.second_go(session) if len(outcome.exact) < len(outcome.others_exact) else ""
        if ranks.agreed(bool(how)):
            found = timed("discovery", lambda: self._again(data, outcome, how))
            known, compared = timed("compare", lambda: self._compare(data, truth, found, check))
            written, outcome = timed("formulas", lambda: self._written(data, truth, found, compared))
        result = self._summary(truth, found, check, written, outcome)
        if domain.fitted:
            self._halves(data, found, outcome, result)
        else:
            self._more(data, found, outcome, truth, result)
        if self.own is not None and config.data.extend:
            own = self.own
            result.extended = timed("extending", lambda: extended(config, domain, own, truth, session))
        if config.finite.samples:
            timed("finite", lambda: self._finite(data, found, outcome, result))
        timed("report", lambda: self._pictures(data, found, known, outcome))
        result.seconds = session.stopwatch.seconds()
        session.checkpoint.drop_data()
        return result

    def _written(
        self, data: PDEDataset, truth: Derived, found: Discovery, compared: Outcome
    ) -> tuple[Written, Outcome]:
        """Formulas, and which verdicts the data don't support."""
        written, outcome = write_down(self.config, self.domain, data, found, compared, self.report)
        if self.domain.fitted:
            return written, outcome
        lacking = unmet(self.domain, data, truth, len(found.spectrum), outcome, written.within)
        slots = sorted({*written.undecided, *lacking.slots})
        return replace(written, undecided=slots, unmet=list(lacking.reasons)), outcome

    def _deriving(self) -> Beside[TruthResult]:
        return deriving(self.domain, self.session.folders, self.config.budget, self.report)

    def _truth(self, begun: Beside[TruthResult] | None) -> Derived:
        return NOTHING if self.domain.fitted else derived(self.domain, self.config.budget, self.report, begun)

    def _more(
        self, data: PDEDataset, found: Discovery, outcome: Outcome, truth: Derived, result: EquationResult
    ) -> None:
        """What an equation that is known tells besides."""
        domain = self.domain
        if any(row.verdict != "exact" and row.eta is not None and row.eta < SMALL for row in result.generators):
            result.simpler = simpler(domain, data)
        result.superposition = superposition(self.config, domain, data)
        result.structure = structure(domain, data, found, outcome, truth)

    def _halves(self, data: PDEDataset, found: Discovery, outcome: Outcome, result: EquationResult) -> None:
        """How far the data determine a learned equation's fields."""
        for row in result.generators:
            row.confidence = None  # in a verdict that was exact or approximate
        known = read_identified(self.directory.path)
        if known is None or known.learned is None:
            return
        etas = reach(self.domain, data, found, known.learned, self.config.held_out_slices)
        for row, eta in zip(result.generators, etas, strict=True):
            row.eta_halves = eta
            row.undecided = row.verdict == "approximate" and not eta < SMALL
        result.sentence = sentence(result)

    def _again(self, data: PDEDataset, outcome: Outcome, how: str) -> Discovery:
        self.session.begin_again(len(outcome.slots))
        theirs, own = len(outcome.others_exact), len(outcome.exact)
        self.report.line(f"the spectrum has {theirs} exact candidates, the training {own}: {how}")
        return self._apart(data, plan.discover(self.domain, data, self.session))

    def _apart(self, data: PDEDataset, found: Discovery) -> Discovery:
        # slices that are no solutions lie where a learned equation isn't known
        return found if self.domain.fitted else separated(self.domain, data, found, self.config.held_out_slices)

    def _data(self) -> PDEDataset:
        config, domain = self.config, self.domain
        if self.own is not None:
            return self._from_files(self.own)
        if config.samples == 1:
            self.report.warn(
                "one trajectory: every field tangent to it passes for a symmetry (false kernel); "
                "use samples = 6 or more"
            )
        if (chunks := self.gathering.in_chunks()) is not None:
            return self._noted(self.gathering.chunked(chunks))
        return self._noted(domain.split(self.gathering.simulated(), config.samples, config.smoothing))

    def _from_files(self, own: OwnData) -> PDEDataset:
        level = self.gathering.check_files(own)
        periodic = all(axis.periodic for piece in own.pieces for axis in piece.grid.axes)
        noisy_level = level if level > CLEAN and not periodic else 0.0
        if (files := self.gathering.files) is not None:
            team = self.session.team
            return self._noted(dataset_of(files, files.measured(team, self.report), team, noisy_level))
        spoiled, device = self.gathering.spoiled, self.session.device
        whole = None if own.whole is None else spoiled(own.whole).to(device)
        train, held_out = ([spoiled(piece).to(device) for piece in part] for part in (own.train, own.held_out))
        if own.whole is not None:
            self.report.line("data: windows of so few trajectories aren't independent; only proved fields count")
        return self._noted(self.domain.prepared(train, held_out, self.config.smoothing, whole, noisy_level))

    def _noted(self, data: PDEDataset) -> PDEDataset:
        """The data; that modes are cut is said."""
        if data.noise and -1 not in data.held_out.kept:
            modes = ", ".join(map(str, data.held_out.kept))
            self.report.line(
                f"data: modes below {data.noise:.1e} of the largest are cut as noise; modes up to {modes} are kept"
            )
            self.directory.add_provenance(noise=data.noise, modes_kept=list(data.held_out.kept))
        return data

    def _compare(
        self, data: PDEDataset, truth: Derived, found: Discovery, check: Discovery | None
    ) -> tuple[FixedFields | None, Outcome]:
        known = scaled(self.domain, truth, data.scales) if truth.formulas else None
        batches = list(data.held_out.batches(self.config.held_out_slices, SIZE))
        derived_fields = (known, len(truth.formulas)) if known else None
        for text in found.warnings:
            self.report.warn(text)
        if self.own is not None and known is not None:
            words = tangent_words(truth, known, self.domain, batches)
            self.report.warn(words) if words else None
        elsewhere = () if self.domain.fitted else stirred(data)
        outcome = compare(self.domain, batches, found, check, derived_fields, elsewhere)
        outcome = unproved(outcome) if self.domain.fitted else outcome
        if count := len(outcome.special):
            fields = f"{count} field holds" if count == 1 else f"{count} fields hold"
            self.report.warn(
                f"{fields} on these data but not on other functions as smooth: symmetries of these data alone; "
                "more varied data have none"
            )
        return known, outcome

    def _summary(
        self, truth: Derived, found: Discovery, check: Discovery | None, written: Written, outcome: Outcome
    ) -> EquationResult:
        """What is known once formulas are proved."""
        alone = self.own is not None and self.own.whole is not None
        if check is not None and not alone and len(outcome.exact) != len(outcome.others_exact):
            own, others = len(outcome.exact), len(outcome.others_exact)
            hint = f"; --method {check.method} shows these" if own < others else ""
            self.report.warn(f"{self.config.method} finds {own} exact candidates, {check.method} {others}{hint}")
        for words in filter(None, (*written.unmet, missing_words(written, outcome))):
            self.report.warn(words)
        return result_of(
            self.config, self.directory.path, self.domain, found, check, truth, written, outcome,
            self.report.warnings, self.gathering.missed,
        )  # fmt: skip

    def _finite(self, data: PDEDataset, found: Discovery, outcome: Outcome, result: EquationResult) -> None:
        """Fields at finite size, into the result and into finite.safetensors."""
        if data.noise:
            self.report.warn(f"fields were not judged at finite size: {NOISY}")
            return
        try:
            judged = finite_judgement(self.config, self.domain, data, found, outcome, self.report)
        except GridError as error:
            self.report.warn(f"fields were not judged at finite size: {error.message}")
            return
        for row, entry in zip(result.generators, judged.rows(), strict=True):
            row.finite = entry
            if row.verdict != "none" and (words := undecided(entry)):
                self.report.warn(f"slot {row.slot} was not judged at finite size: {words}")
        judged.write(self.directory.path / "finite.safetensors")

    def _pictures(self, data: PDEDataset, found: Discovery, known: FixedFields | None, outcome: Outcome) -> None:
        batches = data.held_out.batches(self.config.held_out_slices, SIZE)
        norms = (outcome.true_squares / sum(batch.weight.numel() for batch in batches)).sqrt()
        learned = Learned(found.fields, self.domain.arguments.names, self.domain.components, data.scales)
        write_atomic(self.directory.path / LEARNED, content_of(learned))
        file = self.directory.path / "fields.safetensors"
        write_fields(file, self.domain, data.held_out, found.fields, len(outcome.slots), known, norms)
        (self.directory.path / CURRENT).unlink(missing_ok=True)
