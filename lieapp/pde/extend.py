"""More trajectories of the equation and box of a user's data, simulated: what they show is told apart."""

from __future__ import annotations

from dataclasses import replace

import torch

from lieapp.api import PDE, SumOfSines
from lieapp.compare.outcome import compare
from lieapp.config import DiscoverConfig
from lieapp.data.declared import check_data
from lieapp.data.own import HELD_OUT
from lieapp.data.own_trajectories import OwnData
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.methods.result import SIZE
from lieapp.pde.closed_forms import write_down
from lieapp.pde.domain import PDEDomain
from lieapp.pde.known import Derived, scaled
from lieapp.pde.stirred import separated, stirred
from lieapp.results.discovery import Extended
from lieapp.runs.store.session import Session

LOUD = 0.1
"""Share of the largest Fourier mode from which on the first slices of the data have a mode."""

TERMS = 10


def declared_for(own: OwnData) -> PDE:
    """The equation on the data's box, with random initial states of the data's size and wavenumbers.

    Raises GridError if an axis isn't periodic.
    """
    first, pde = own.pieces[0], own.declaration
    initial = {name: _like(first, a) for a, name in enumerate(first.unknowns)}
    made = replace(pde, source=None, initial=initial)
    check_data(made)
    return made


def _like(data: Trajectories, a: int) -> SumOfSines:
    """A sum of sines with the spread, the mean and the loudest modes of an unknown at the first time."""
    values = data.values[:, 0, a]
    modes = torch.fft.rfft(values - values.mean(), dim=-1).abs().flatten(0, -2).amax(0)
    loud = torch.nonzero(modes[1:] > LOUD * modes[1:].max()).flatten() + 1
    spread, mean = float(values.std()), float(values.mean())
    # a sum of n sines with amplitudes uniform in [-A, A] has the variance n A²/6
    return SumOfSines(
        terms=TERMS, amplitude=spread * (6 / TERMS) ** 0.5 or 1.0, wavenumbers=tuple(loud.tolist()) or (1,),
        shape=lambda s: s + mean,
    )  # fmt: skip


def extended(
    config: DiscoverConfig, domain: PDEDomain, own: OwnData, truth: Derived, session: Session
) -> Extended:
    """What the spectrum finds in the data and `config.data.extend` simulated trajectories together.

    Raises GridError if an axis isn't periodic, SimulationError if the solutions can't be had.
    """
    count, report = config.data.extend, session.report
    report.stage("extending")
    generator = torch.Generator().manual_seed(config.seed)
    more = simulate(
        declared_for(own), count, generator, session.device, Tolerance(config.tolerance), report.progress
    )
    held = list(range(HELD_OUT - 1, count, HELD_OUT)) or [count - 1]
    train = [*own.train, more.select([k for k in range(count) if k not in held])] if count > 1 else own.train
    data = domain.prepared(train, [more.select(held)], config.smoothing)
    method = session.methods["spectrum"]
    part = session.part("", aside=True)
    assert method.discover is not None
    found = separated(domain, data, method.discover(domain, data, part, config.spectrum), config.held_out_slices)
    known = (scaled(domain, truth, data.scales), len(truth.formulas)) if truth.formulas else None
    batches = list(data.held_out.batches(config.held_out_slices, SIZE))
    outcome = compare(domain, batches, found, None, known, stirred(data))
    written, outcome = write_down(config, domain, data, found, outcome, report)
    return Extended(
        trajectories=count,
        count=len(outcome.exact),
        proved=[form.field.formula() for form in written.proved],
        angle=outcome.angle,
    )

