"""The methods of a discovery in turn: what makes fields, what refines them, what checks them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from lieapp.config import DiscoverConfig
from lieapp.errors import ConfigError, DataError, DiscoveryError, GridError
from lieapp.extension import Method
from lieapp.methods.result import Discovery, histories
from lieapp.methods.verdict import more_slots
from lieapp.numerics import ranks
from lieapp.pde.beside import Beside
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.drawn import write_current
from lieapp.runs.store.files import CURRENT
from lieapp.runs.store.session import Session

AGAIN = "longer"
"""The folder within checkpoint/ of the second go of a training."""

MOST_TRAINED = 12
"""To how many slots trainings grow: each growth is a training of its own."""


SAME = 1e-6
"""Relative difference up to which processes have the same data: round-off grows in chaotic solutions."""


def check_stages(config: DiscoverConfig, domain: PDEDomain) -> None:
    """Raises ConfigError for a stage that lieapp ships and that makes no sense for the domain."""
    known = ("spectrum", "projection", "gradient", "flow")
    strange = [stage for stage in config.plan if stage in known and stage not in domain.stages]
    if strange:
        raise ConfigError(
            f"{domain.name}: the stage {strange[0]} isn't available for this domain.",
            hint=f"Its stages are {', '.join(domain.stages)}.",
        )


def discover(domain: PDEDomain, data: PDEDataset, session: Session) -> Discovery:
    """All stages of the plan, with metrics; of a run at its second go, those of that go."""
    config: DiscoverConfig = session.config
    _together(data, session)
    if session.again:
        session = session.part("", session.checkpoint.inside(AGAIN))
        session.config = replace(config, slots=max(config.slots, session.again_slots))

    def draw(fields: Any, stage: str, step: int) -> None:
        facts = {"stage": stage, "step": step}
        write_current(session.directory.path / CURRENT, domain, data.held_out, fields, facts)

    session.drawing(draw)
    return _in_turn(config.plan, domain, data, session, asked=bool(config.stages))


def _together(data: PDEDataset, session: Session) -> None:
    """All processes of torchrun are at the go of the training at which the first one is, with the same data.

    Raises DataError if this process has other data.
    """
    again = ranks.agreed(session.again_slots if session.again else None)
    if again is not None and not session.again:
        session.begin_again(again)
    own = float(data.train.source.values.double().square().mean())
    whole = ranks.agreed(own)
    if abs(own - whole) > SAME * whole:
        raise DataError(
            f"its data have the mean square {own:.9g}, those of the first process {whole:.9g}.",
            hint="Give all processes the same files, and the same versions of lieapp and torch.",
        )


def crossing(domain: PDEDomain, data: PDEDataset, session: Session) -> Beside[Discovery] | None:
    """The check of the chosen method, begun; None where it isn't done beside that.

    One that trains keeps its state where methods do. A second go asks SymPy for the same functions as the check,
    which threads can't do at once to the last bit; it comes after the check, but where a run is resumed in it.
    """
    if _checking(session).name != "spectrum" or session.again:
        return None
    return Beside(partial(crossed, domain, data, session), session.report)


def crossed(domain: PDEDomain, data: PDEDataset, session: Session, report: Any = None) -> Discovery:
    """What the method finds that checks the one that was chosen; without metrics."""
    checking, part = _checking(session), session.part("", aside=True)
    part.report = report or part.report
    with ranks.alone():
        return _in_turn(checking.parts or (checking.name,), domain, data, part, asked=False)


def _checking(session: Session) -> Method:
    return session.methods[session.methods[session.config.plan[0]].checked_by]


def checked_by(session: Session) -> str:
    """The method that checks the chosen one."""
    return _checking(session).name


def second_go(session: Session) -> str:
    """How the training would be made anew, in words; nothing if it was, or its method isn't of that kind."""
    first = session.methods[session.config.plan[0]]
    return "" if session.again or first.again is None else first.again(settings_of(first, session))


def settings_of(method: Method, session: Session) -> Any:
    """The method's own settings of a run."""
    return getattr(session.config, method.name, None) or method.settings()


def _in_turn(
    plan: Sequence[str], domain: PDEDomain, data: PDEDataset, session: Session, asked: bool
) -> Discovery:
    """Args:
        asked: whether the stages were named; else one that can't be done on these data is left out.
    """
    first, *rest = (session.methods[name] for name in plan)
    assert first.discover is not None
    parts = _parts(first, rest, session)
    found: Discovery = first.discover(domain, data, parts[0], settings_of(first, session))
    while more := ranks.agreed(more_slots(histories(found.levels), MOST_TRAINED)):
        session.report.line(f"every slot is exact: {more} in place of {session.config.slots} slots")
        session = session.part(session.stage, session.checkpoint.inside(f"slots{more}"))
        session.config = replace(session.config, slots=more)
        parts = _parts(first, rest, session)
        found = first.discover(domain, data, parts[0], settings_of(first, session))
    for place, method in enumerate(rest, 1):
        part = parts[place]
        part.before = sum(earlier.done for earlier in parts[:place])
        found = _refined(method, found, domain, data, part, asked)
    return found


def _parts(first: Method, rest: Sequence[Method], session: Session) -> list[Session]:
    """The session of each stage; metrics of steps that will be taken again are dropped."""
    parts = [session.part(first.name)]
    parts += [
        session.part(method.name, session.checkpoint.of(f"{method.name}{number}"))
        for number, method in enumerate(rest, 1)
    ]
    if not session.is_aside:
        kept = [part.checkpoint.training() for part in parts]
        session.directory.keep_metrics(sum(int(state[0]["done"]) for state in kept if state is not None))
    return parts


def _refined(
    method: Method, found: Discovery, domain: PDEDomain, data: PDEDataset, part: Session, asked: bool
) -> Discovery:
    settings = settings_of(method, part)
    assert method.refine is not None
    try:
        why = "" if asked else method.unfit(data, settings)
        if not why:
            refined: Discovery = method.refine(found, domain, data, part, settings)
            return refined
    except (GridError, DiscoveryError) as error:
        if asked:
            raise
        why = error.message
    part.report.warn(f"the {method.name} stage was skipped: {why}")
    return found
