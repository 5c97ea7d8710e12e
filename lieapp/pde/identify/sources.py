"""Sources: whether a change is explained by candidates and an unknown function of the places alone, s(x).

At the same place s adds the same to every window, whatever the time and the trajectory. So windows count by what
they differ from the mean over those at their place (the within estimator; Wooldridge 2010, ch. 10).
"""

from __future__ import annotations

from lieapp.pde.identify.elimination import Fit, chosen
from lieapp.pde.identify.part import BETTER, LONGEST, MISSES, Part


def beside_source(part: Part) -> str:
    """What explains the change of an unknown up to a source, in words; empty if that is nothing short."""
    measured, windows = part.measured, part.measured.windows
    target = windows.within_places(measured.targets[:, part.unknowns])[:, 0]
    fit = Fit(windows.within_places(measured.columns), target, windows.folds)
    step = chosen(fit.path())
    if not 0 < len(step.kept) <= LONGEST or step.error > min(MISSES, BETTER * part.step.error):
        return ""
    terms = zip(fit.coefficients(step.kept), step.kept, strict=True)
    right = " + ".join(f"{c:.4g}*{measured.names[k]}" for c, k in terms).replace("+ -", "- ")
    places = ", ".join(str(x) for x in windows.jets.independent[1:])
    return (
        f"{part.left} = {right} + s({places}) leaves {step.error:.1g} of what changes in time, with a source s "
        f"that depends on {places} alone and isn't among the candidates; if you know it, write it into --equation"
    )
