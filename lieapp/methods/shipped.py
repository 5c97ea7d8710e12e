"""The methods that lieapp ships: how each is set up from settings. Libraries are loaded when one is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lieapp.api import hookimpl
from lieapp.config import Flow, Gradient, Projection, Spectrum
from lieapp.extension import Method

if TYPE_CHECKING:
    from lieapp.domains.solutions import SolutionDomain, Solutions
    from lieapp.methods.loop import RunSession
    from lieapp.methods.result import Discovery

NOISY = (
    "the data hold noise, and moved data are differentiated in time, where it isn't cut; the linear criterion "
    "needs single times only"
)
"""Why nothing is moved by a finite amount."""


def _spectrum(domain: SolutionDomain, data: Solutions, session: RunSession, settings: Spectrum) -> Discovery:
    from lieapp.methods.by_spectrum import by_spectrum

    config = session.config
    return by_spectrum(
        domain, data, settings.degrees, config.modes, settings.unknown_degree, config.slots, _slices(session),
        session, domain.coefficient_features(data, config.slices),
    )  # fmt: skip


def _projection(domain: SolutionDomain, data: Solutions, session: RunSession, settings: Projection) -> Discovery:
    from lieapp.methods.projection import Projection as Training
    from lieapp.methods.projection import by_projection, projection_settings

    config = session.config
    steps, further = settings.steps, None
    if session.again:
        steps, further = 2 * steps, domain.coefficient_features(data, config.slices)
    made = projection_settings(config, steps)
    training = Training(domain, data.draft, made, session.seed, session.device, further)
    levels = session.restored(training, steps)
    return by_projection(domain, data, training, levels, _slices(session), session)


def _longer(settings: Projection) -> str:
    return (
        f"training anew with {2 * settings.steps} steps, the functions of the equation's coefficients beside the "
        "network's features"
    )


def _descent(domain: SolutionDomain, data: Solutions, session: RunSession, settings: Gradient | Flow) -> Discovery:
    """From nothing."""
    import torch

    from lieapp.methods.by_descent import by_descent, descent
    from lieapp.methods.network import GeneratorNetwork

    config = session.config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(session.seed)
        network = GeneratorNetwork(
            domain.arguments, len(domain.components), config.slots, settings.trunk, settings.head, config.modes
        )
    training = descent(domain, data, network, settings, config, session.device, plain=True)
    levels = session.restored(training, training.plan.steps)
    return by_descent(domain, data, training, levels, _slices(session), session)


def _refined(
    found: Discovery, domain: SolutionDomain, data: Solutions, session: RunSession, settings: Gradient | Flow
) -> Discovery:
    """On the features of learned fields."""
    from lieapp.methods.by_descent import descent, patches, refinable, refined

    start = refinable(found)
    if start is None or settings.epochs == 0:
        return found
    if isinstance(settings, Flow):
        domain.check_patches(patches(data, settings, plain=False))
    training = descent(domain, data, start, settings, session.config, session.device, plain=False)
    session.restored(training, training.plan.steps)
    return refined(domain, data, found, training, _slices(session), session)


def _noisy(data: Solutions, settings: Flow) -> str:
    return NOISY if data.noise and settings.epochs else ""


def _slices(session: RunSession) -> tuple[int, int]:
    """How many slices fields are solved and judged on."""
    return session.config.slices, session.config.held_out_slices


METHODS = (
    Method(
        name="neural",
        title="A small network by variable projection, then a short flow stage.",
        parts=("projection", "flow"),
    ),
    Method(
        name="spectrum",
        title="A fixed basis, one eigenproblem.",
        settings=Spectrum,
        discover=_spectrum,
        checked_by="projection",
    ),
    Method(
        name="projection",
        title="A small network of features; the best fields in them by linear algebra.",
        settings=Projection,
        spreads=True,
        discover=_projection,
        refinable=True,
        family="neural",
        again=_longer,
    ),
    Method(
        name="gradient",
        title="A descent on the linear criterion, the limit of a small flow.",
        settings=Gradient,
        spreads=True,
        discover=_descent,
        refine=_refined,
        family="neural",
    ),
    Method(
        name="flow",
        title="The paper's: a descent on data moved by a finite flow.",
        settings=Flow,
        spreads=True,
        discover=_descent,
        refine=_refined,
        unfit=_noisy,
        family="neural",
    ),
)


@hookimpl
def lieapp_methods() -> list[Method]:
    """The default, what it is made of, and the others."""
    return list(METHODS)
