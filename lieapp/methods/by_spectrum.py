"""The spectrum method: one eigenproblem for each of a growing sequence of fixed bases."""

from __future__ import annotations

from collections.abc import Sequence

from lieapp.domains.base import Domain, EvolvingT
from lieapp.domains.spread import Features, Homogeneous
from lieapp.errors import DiscoveryError
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import extended
from lieapp.methods.loop import Session
from lieapp.methods.result import SIZE, Dataset, Discovery, Level, best, histories, notes, solve
from lieapp.methods.spectrum import Spectrum
from lieapp.methods.verdict import more_slots
from lieapp.results.discovery import FLOOR


def by_spectrum(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], degrees: Sequence[int], modes: int, unknowns: int,
    slots: int, slices: tuple[int, int], session: Session, further: Features | None = None,
) -> Discovery:  # fmt: skip
    """The lowest fields of Fourier x Chebyshev x monomial bases; of linear homogeneous equations those of degree 0.

    On several axes of space, where bases are large, a level that finds no further field at round-off is the last.
    Where every slot is an exact candidate, there are more.

    Args:
        degrees: Chebyshev degree in the arguments that aren't periodic, one for each level, ascending.
        modes, unknowns: highest Fourier mode; total degree in the unknowns.
        slots: how many fields at first.
        slices: how many slices to solve and to judge on.
        further: functions to take into every basis, those of the equation's coefficients.

    Raises DiscoveryError if no direction moves the data.
    """
    levels: list[Level] = []
    solved: list[tuple[int, Features, Spectrum]] = []
    linear = domain.homogeneous
    for i, degree in enumerate(degrees):
        session.report.progress(i, len(degrees), f"degree {degree}")
        plain = TensorBasis(domain.arguments, Degrees(modes, degree, 0 if linear else unknowns))
        basis = extended(plain, further, plain.up_to(degrees[0]), data.train.batches(slices[0], SIZE))
        basis = Homogeneous(basis, domain.arguments.unknowns) if linear else basis
        fields, found, level = solve(domain, data, basis, slots, *slices, label=degree)
        if not level.eta:
            raise DiscoveryError(
                "every field of the basis moves the data along themselves; nothing can be learned from them.",
                hint="Use more and more varied trajectories.",
            )
        levels.append(level)
        solved.append((degree, basis, found))
        session.show(fields, i + 1)
        session.metrics({"step": i + 1, "total": len(degrees), "eta": level.eta})
        exact = [sum(eta <= FLOOR for eta in known.eta) for known in levels[-2:]]
        if domain.arguments.dependent.count(False) > 2 and len(exact) == 2 and 0 < exact[1] <= exact[0]:
            break
    while more := more_slots(histories(levels)):
        again = [best(domain, data, basis, found, more, slices[1], degree) for degree, basis, found in solved]
        fields, levels = again[-1][0], [level for _, level in again]
        if len(levels[-1].eta) < more:
            break
    session.report.progress(len(degrees), len(degrees))
    return Discovery("spectrum", fields, levels, "degree in t", sorted(found.eta.tolist()), notes(found))
