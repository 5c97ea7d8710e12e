"""The pipeline behind `lieapp discover`: data, truth, discovery, comparison, report."""

from __future__ import annotations

import math
from typing import Any

import lieapp
from lieapp.augment.learned import FILE as LEARNED
from lieapp.augment.learned import Learned, content_of
from lieapp.compare.outcome import Outcome, compare
from lieapp.config import DiscoverConfig
from lieapp.data.spoil import noisy, thin
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.discovery.result import SIZE, Discovery
from lieapp.domains.formulas import FixedFields
from lieapp.domains.misfit import misfit
from lieapp.domains.pde import PDEDataset, PDEDomain
from lieapp.domains.residual import Backend
from lieapp.errors import DataError, GridError
from lieapp.numerics.processor import use_processor
from lieapp.registry.catalog import Catalog
from lieapp.report.html import write_report
from lieapp.report.tables import write_csv
from lieapp.runs.checkpoint import Checkpoint
from lieapp.runs.devices import find_device
from lieapp.runs.directory import RunDirectory
from lieapp.runs.files import naming, write_atomic
from lieapp.runs.finite import finite_judgement, undecided
from lieapp.runs.formulas import Written, formulas_json, missing_words, write_down
from lieapp.runs.pictures import CURRENT, write_fields
from lieapp.runs.reporter import RunReporter
from lieapp.runs.stages import NOISY, Stages
from lieapp.runs.stopwatch import Stopwatch
from lieapp.runs.summary import summary_of
from lieapp.runs.truth import Derived, derived, scaled

MISSED = 0.05
"""Misfit of data that is warned of."""


def execute(config: DiscoverConfig, run: RunDirectory, catalog: Catalog, report: RunReporter) -> dict[str, Any]:
    """Do or go on with a run; returns the summary of the JSON contract and writes the run's other files.

    Raises LieappError for what the declaration, the data or the settings don't allow.
    """
    job = _Job(config, run, catalog, report)
    summary = job.run()
    with naming(run.path / "generators.csv"):
        write_csv(summary, run.path / "generators.csv")
    return summary


class _Job:
    def __init__(self, config: DiscoverConfig, run: RunDirectory, catalog: Catalog, report: RunReporter) -> None:
        self.config, self.directory, self.catalog, self.report = config, run, catalog, report
        use_processor(config.threads)
        self.device = find_device(config.device)
        folder = run.path / "checkpoint"
        self.watch = Stopwatch(folder / "seconds.json", lieapp.STARTED)
        self.checkpoint = Checkpoint(folder, self._kept)
        backend = Backend(config.backend, (("extra", config.weno_extra),) if config.backend == "weno" else ())
        self.domain = PDEDomain(catalog.get(config.plugin).declaration, backend)
        self.stages = Stages(config, self.domain, self.device, self.checkpoint, run, report)

    def run(self) -> dict[str, Any]:
        """All stages in order."""
        config, domain = self.config, self.domain
        self.directory.add_provenance(device_used=self.device, threads=config.threads)
        data = self._timed("data", self._data)
        truth = self._timed("truth", lambda: derived(domain, self.catalog.folders, config.budget, self.report))
        found = self._timed("discovery", lambda: self._discover(data))
        check = None
        if config.cross_check:
            # after the method itself, so that a resumed run finds the training's own checkpoint
            check = self._timed("cross-check", lambda: self.stages.other(data))
        known, compared = self._timed("compare", lambda: self._compare(data, truth, found, check))
        if self._missed(compared):
            found = self._timed("discovery", lambda: self._longer(data, compared))
            known, compared = self._timed("compare", lambda: self._compare(data, truth, found, check))
        written, outcome = self._timed(
            "formulas", lambda: write_down(config, domain, data, found, compared, self.report)
        )
        summary = self._summary(truth, found, check, written, outcome)
        if config.finite_samples:
            self._timed("finite", lambda: self._finite(data, found, outcome, summary))
        self._timed("report", lambda: self._pictures(data, found, known, outcome))
        summary["seconds"] = self.watch.seconds()
        self.directory.write_summary(summary)
        write_report(self.directory.path)
        self.checkpoint.drop_data()
        return summary

    def _kept(self) -> None:
        """What is written whenever a training's state is."""
        self.watch.save()
        self.stages.show_current()

    def _timed(self, stage: str, work: Any) -> Any:
        self.report.stage(stage)
        with self.watch.stage(stage):
            return work()

    def _discover(self, data: PDEDataset) -> Discovery:
        """All stages; of a resumed run that was training for the second time, only those of that time."""
        longer = self.stages.longer()
        if longer.checkpoint.begun:
            self.stages = longer
        return self.stages.run(data)

    def _missed(self, outcome: Outcome) -> bool:
        """Whether the cross-check has more exact candidates than a training that could still be longer."""
        once = self.stages.config.steps == self.config.steps
        return once and self.config.plan[0] == "projection" and len(outcome.exact) < len(outcome.others_exact)

    def _longer(self, data: PDEDataset, outcome: Outcome) -> Discovery:
        self.stages = self.stages.longer()
        self.report.line(
            f"the spectrum has {len(outcome.others_exact)} exact candidates, the training {len(outcome.exact)}: "
            f"training anew with {self.stages.config.steps} steps, the functions of the equation's coefficients "
            "beside the network's features"
        )
        return self.stages.run(data)

    def _data(self) -> PDEDataset:
        config, domain = self.config, self.domain
        if config.samples == 1:
            self.report.warn(
                "one trajectory: every field tangent to it passes for a symmetry (false kernel); "
                "use samples = 6 or more"
            )
        kept = self.checkpoint.data()
        if kept is None:
            kept = domain.trajectories(
                config.samples + config.held_out, config.seed, self.device, Tolerance(config.tolerance),
                self.report.progress,
            )  # fmt: skip
            self.checkpoint.save_data(kept)
        self._note_accuracy(kept)
        if domain.declaration.source is not None:
            self._check_misfit(kept)
        data = domain.split(self._spoiled(kept).to(self.device), config.samples, config.smoothing)
        if data.noise:
            modes = ", ".join(map(str, data.held_out.kept))
            self.report.line(
                f"data: modes below {data.noise:.1e} of the largest are cut as noise; modes up to {modes} are kept"
            )
            self.directory.add_provenance(noise=data.noise, modes_kept=list(data.held_out.kept))
        return data

    def _check_misfit(self, data: Trajectories) -> None:
        """Raises DataError if data from elsewhere don't solve the equation: what is found would not be theirs."""
        found = misfit(self.domain.evolution, data)
        if found is None:
            self.report.line("data: too few times, or too far apart, to tell whether they solve the equation")
            return
        self.directory.add_provenance(misfit=found.relative)
        if found.relative > self.config.misfit:
            beyond = math.ceil(found.relative + 1)
            raise DataError(
                f"{self.domain.name}: the data don't solve the equation: {found.words()}.",
                hint=f"Correct the equation or the data; --set misfit={beyond} goes on all the same, with the "
                "equation's symmetries, not the data's.",
            )
        if found.relative > MISSED:
            self.report.warn(f"data: {found.words()}")

    def _spoiled(self, data: Trajectories) -> Trajectories:
        """The data as the settings want them: thinner, with noise."""
        config = self.config
        thinned = thin(data, config.every_point, config.every_time)
        return noisy(thinned, config.noise, config.seed) if config.noise else thinned

    def _note_accuracy(self, data: Trajectories) -> None:
        self.directory.add_provenance(data={**data.facts, "error": data.error})
        if data.error == data.error:
            self.report.line(f"data: estimated relative error {data.error:.1e}")

    def _compare(
        self, data: PDEDataset, truth: Derived, found: Discovery, check: Discovery | None
    ) -> tuple[FixedFields | None, Outcome]:
        known = scaled(self.domain, truth, data.scales) if truth.formulas else None
        batches = data.held_out.batches(self.config.held_out_slices, SIZE)
        derived_fields = (known, len(truth.formulas)) if known else None
        for text in found.warnings:
            self.report.warn(text)
        return known, compare(self.domain, batches, found, check, derived_fields)

    def _summary(
        self, truth: Derived, found: Discovery, check: Discovery | None, written: Written, outcome: Outcome
    ) -> dict[str, Any]:
        """What is known once formulas are proved."""
        if check is not None and len(outcome.exact) != len(outcome.others_exact):
            self.report.warn(
                f"{self.config.method} finds {len(outcome.exact)} exact candidates, {check.method} "
                f"{len(outcome.others_exact)}"
            )
        if words := missing_words(written, outcome):
            self.report.warn(words)
        return {
            "run": str(self.directory.path),
            "plugin": self.config.plugin,
            "method": self.config.method,
            "seconds": {},
            **summary_of(self.domain, found, check, truth, outcome),
            **formulas_json(self.domain, written, outcome, truth),
            "warnings": self.report.warnings,
        }

    def _finite(self, data: PDEDataset, found: Discovery, outcome: Outcome, summary: dict[str, Any]) -> None:
        """Fields at finite size, into the summary and into finite.safetensors."""
        if data.noise:
            self.report.warn(f"fields were not judged at finite size: {NOISY}")
            return
        try:
            judged = finite_judgement(self.config, self.domain, data, found, outcome, self.report)
        except GridError as error:
            self.report.warn(f"fields were not judged at finite size: {error.message}")
            return
        for row, entry in zip(summary["generators"], judged.rows(), strict=True):
            row["finite"] = entry
            if words := undecided(entry):
                self.report.warn(f"slot {row['slot']} was not judged at finite size: {words}")
        judged.write(self.directory.path / "finite.safetensors")

    def _pictures(self, data: PDEDataset, found: Discovery, known: FixedFields | None, outcome: Outcome) -> None:
        batches = data.held_out.batches(self.config.held_out_slices, SIZE)
        norms = (outcome.true_squares / sum(batch.weight.numel() for batch in batches)).sqrt()
        learned = Learned(found.fields, self.domain.arguments.names, self.domain.components, data.scales)
        write_atomic(self.directory.path / LEARNED, content_of(learned))
        file = self.directory.path / "fields.safetensors"
        write_fields(file, self.domain, data.held_out, found.fields, len(outcome.slots), known, norms)
        (self.directory.path / CURRENT).unlink(missing_ok=True)
