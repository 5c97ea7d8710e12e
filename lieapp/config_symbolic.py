"""Settings of what is derived from an equation by itself: its base, of `lieapp truth`, `holds`,
`classify` and `laws`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lieapp.config_types import Count, FileData, Misfit, RunKind, Share, told


class EquationConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A plugin's equation or a typed one, and for how long it is worked on."""

    plugin: Annotated[str | None, told("Name of the plugin; give either this or `equation`.")] = None
    kind: str
    equation: Annotated[list[str], told("Equations in jet notation, `= 0` understood: `u_t + u*u_x + u_xxx`.")] = []
    independent: Annotated[list[str], told("The independent variables of typed equations.")] = []
    dependent: Annotated[list[str], told("The unknowns of typed equations.")] = []
    parameter: Annotated[
        list[str], told("Constants of typed equations, with assumptions: `nu:positive`, `g:positive, g != 3`.")
    ] = []
    function: Annotated[
        list[str], told("Arbitrary functions of typed equations, with their arguments: `k:u`.")
    ] = []
    budget: Annotated[
        Share,
        told("Time limit in seconds; at the limit it reports what was found and what is left."),
    ] = 60.0


class HoldsConfig(EquationConfig, kw_only=True, frozen=True):
    """`lieapp holds`: is a given field a symmetry, and for which values of its unknowns."""

    kind: Annotated[Literal["holds"], RunKind] = "holds"
    field: Annotated[str, told("The field: `x: a*t, u: 1`, or `a*t*d_x + d_u`.")] = ""


class ClassifyConfig(EquationConfig, kw_only=True, frozen=True):
    """`lieapp classify`: for which parameters and functions an equation has more symmetries."""

    kind: Annotated[Literal["classify"], RunKind] = "classify"


class LawsConfig(EquationConfig, kw_only=True, frozen=True):
    """`lieapp laws`: the conservation laws of an equation."""

    kind: Annotated[Literal["laws"], RunKind] = "laws"
    order: Annotated[Count, told("Highest order of the derivatives that multipliers depend on.")] = 2
    actions: Annotated[
        bool, told("Tell what symmetries make of the laws, of evolution systems, and which laws generate all.")
    ] = False
    data: FileData = FileData()
    misfit: Misfit = 0.1
