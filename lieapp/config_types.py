"""Types of settings, and how each setting is told to people."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec.structs import replace

from lieapp.errors import UsageError


def told(text: str, title: str = "", group: str = "") -> msgspec.Meta:
    """What a setting means.

    Args:
        text: one or two sentences, for forms and docs/command-line.md.
        title: what a form calls it; the name of the setting, as words, unless given.
        group: under which heading a form folds it away, beside the headings of nested settings.
    """
    return msgspec.Meta(description=text, title=title or None, extra={"group": group} if group else None)


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Base of all settings."""


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


MACHINE = "Machine"
of_data, of_training, of_network, of_moves, of_checks, of_machine = (
    partial(told, group=heading) for heading in ("Data", "Training", "Network", "Moving data", "Checks", MACHINE)
)
"""What a setting under one of the headings of forms means."""

Plugin = Annotated[str, told("Name of the plugin.")]
RunKind = told("Kind of run; fixed.")
DomainKind = told("What is moved; fixed.")
Seed = Annotated[
    int, msgspec.Meta(ge=0, le=2**63 - 1),
    told("Random seed. A run is reproducible bit for bit on the same machine with the same number of threads."),
]  # fmt: skip
Device = Annotated[
    str,
    msgspec.Meta(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$"),
    of_machine("Device for tensors: `auto`, `cpu`, `cuda:0`."),
]
# torch crashes where the system has no more threads to give
MostThreads = msgspec.Meta(ge=1, le=1024)
FewThreads = Annotated[
    int,
    MostThreads,
    of_machine("CPU threads, at most 1024. Arrays are small, so more threads than free cores slow the run down."),
]
Threads = Annotated[int, MostThreads, of_machine("CPU threads; use no more than the number of free cores.")]
Place = Annotated[str, told("A file, a folder or the name of a data set; empty: the plugin's data.", "Data set")]
Preset = Annotated[
    Literal["quick", "paper"],
    told("Defaults of the other settings: `quick`, or `paper` for those of the paper's appendix."),
]
Several = msgspec.Meta(min_length=1)
Misfit = Annotated[
    Share,
    of_data(
        "Largest residual of data from elsewhere in the equation, relative to their change in time. Above it "
        "the run stops if other coefficients fit, and names the terms."
    ),
]


def real_path(file: str) -> str:
    """Absolute, without links; a name that no file can have stays as it is, and is refused when it is read."""
    return file if "\0" in file else os.path.realpath(file)


class FileData(Settings, kw_only=True, frozen=True):
    """Data of the user's own, in files."""

    files: Annotated[
        tuple[str, ...], told("Files with solutions of the equation; empty: data are simulated (data.md).")
    ] = ()
    map: Annotated[
        str, told("Which array of a file is what: `u=usol(x,t), x=x, t=tt`. Default: found by names and lengths.")
    ] = ""
    every: Annotated[str, told("Keep every n-th point of an axis: `t=4,x=2`.", "Every n-th point")] = ""
    window: Annotated[str, told("Keep a part of an axis: `t=0:10`.", "Part of an axis")] = ""
    samples: Annotated[
        Positive | None, told("Largest number of trajectories that are read; default: all.", "Trajectories")
    ] = None
    parameter: Annotated[
        tuple[str, ...], told("Values of the equation's parameters in these files: `nu:0.1`.", "Parameters")
    ] = ()
    drop_nan: Annotated[
        bool, told("Leave out times and trajectories that hold NaN; else such files are refused.", "Drop NaN")
    ] = False

    def check(self) -> None:
        """Raises UsageError for settings that say how files are read, where no file is given."""
        said = [option for key, option in FILE_OPTIONS.items() if getattr(self, key, None)]
        if said and not self.files:
            raise UsageError(
                f"--{said[0].replace('_', '-')} says how files are read; there are none.",
                hint="Give --data FILE too.",
            )

    def resolved(self) -> Self:
        """With absolute paths: a run may be resumed from another folder."""
        return replace(self, files=tuple(map(real_path, self.files)))


class DiscoverData(FileData, kw_only=True, frozen=True):
    """Data in files, and simulated ones beside them."""

    extend: Annotated[
        Count,
        told(
            "Simulate so many trajectories on the same periodic box; what they show is told apart from the data.",
            "More, simulated",
        ),
    ] = 0


FILE_OPTIONS = {
    "files": "data",
    **{key: key for key in ("map", "every", "window", "drop_nan", "parameter", "extend")},
}
"""Settings of data in files, and the options of the command line that set them."""


def file_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those options of the command line that are of files, as settings, and the others."""
    given = {key: options[option] for key, option in FILE_OPTIONS.items() if options.get(option)}
    rest = {key: value for key, value in options.items() if key not in FILE_OPTIONS.values()}
    if "files" in given:
        given["files"] = [*map(str, given["files"])]
    return given, rest


class RunSettings(Settings, kw_only=True, frozen=True):
    """What most runs have to set."""

    plugin: Plugin
    preset: Preset = "quick"
    seed: Seed = 0
    device: Device = "auto"
