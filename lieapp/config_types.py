"""Types of settings, and how each setting is told to people."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec


def told(text: str, title: str = "", group: str = "") -> msgspec.Meta:
    """What a setting means.

    Args:
        text: one or two sentences, for forms and docs/command-line.md.
        title: what a form calls it; the name of the setting, as words, unless given.
        group: under which heading a form folds it away, beside the headings of nested settings.
    """
    return msgspec.Meta(description=text, title=title or None, extra={"group": group} if group else None)


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What all structs of settings are."""


Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(gt=0)]
Weight = Annotated[float, msgspec.Meta(ge=0)]
OrthoWeight = Annotated[Weight, told("Weight of the orthonormality loss.", "Weight of orthonormality")]
LipschitzWeight = Annotated[Weight, told("Weight of the Lipschitz loss.", "Weight of Lipschitz loss")]
Fraction = Annotated[float, msgspec.Meta(gt=0, lt=1)]

MOST_STEPS = 200
"""Steps of one flow: data have size 1, so nothing sensible needs more."""


def check_steps(sigma: float, solver_step: float, sizes: str) -> None:
    """Raises ValueError for a flow of more than `MOST_STEPS` steps; `sizes` are those of what is moved."""
    if sigma > MOST_STEPS * solver_step:
        raise ValueError(
            f"sigma = {sigma:g} and solver_step = {solver_step:g}: a flow would take more than {MOST_STEPS} steps; "
            f"lower sigma ({sizes}) or raise solver_step"
        )


DATA, TRAINING, NETWORK, MOVES, CHECKS, MACHINE = (
    "Data", "Training", "Network", "Moving data", "Checks", "Machine"
)  # fmt: skip
"""Headings of forms."""

Plugin = Annotated[str, told("Name of the plugin.")]
RunKind = told("What the run is; can't be changed.")
DomainKind = told("What is moved; can't be changed.")
Seed = Annotated[
    int, msgspec.Meta(ge=0, le=2**63 - 1),
    told("Seed of everything random. It repeats a run bit for bit on one machine with the same threads."),
]  # fmt: skip
Device = Annotated[
    str, msgspec.Meta(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$"),
    told("Where tensors live: `auto`, `cpu`, `cuda:0`.", group=MACHINE),
]  # fmt: skip
# torch crashes where the system has no more threads to give
MostThreads = msgspec.Meta(ge=1, le=1024)
FewThreads = Annotated[
    int, MostThreads,
    told(
        "Threads on a CPU, at most 1024. Arrays are small here: more threads than free cores cost far more than "
        "they give.", group=MACHINE,
    ),
]  # fmt: skip
Threads = Annotated[int, MostThreads, told("Threads on a CPU, at most as many as cores are free.", group=MACHINE)]
Place = Annotated[str, told("A file, a folder or a set with a name; empty: that of the plugin.", "Data set")]
Preset = Annotated[
    Literal["quick", "paper"], told("Defaults of the other settings: quick, or those of the paper's appendix.")
]
Several = msgspec.Meta(min_length=1)


class RunSettings(Settings, kw_only=True, frozen=True):
    """What most runs have to set."""

    plugin: Plugin
    preset: Preset = "quick"
    seed: Seed = 0
    device: Device = "auto"
