"""Maps y = f(x) as a kind of declaration. Torch is loaded when work begins."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

from lieapp.api import Check, Kind, Work, hookimpl
from lieapp.config_types import Count, DomainKind, FewThreads, Plugin, Positive, RunKind, Seed, Settings, told
from lieapp.errors import ConfigError, LieappError
from lieapp.extension import failed, lazily
from lieapp.functions.declaration import Function
from lieapp.functions.result import document, draw
from lieapp.progress import Reporter


class DiscoverFunctionsConfig(Settings, kw_only=True, frozen=True):
    """`lieapp discover` of a map: fields under which it is invariant or equivariant, from one eigenproblem."""

    plugin: Plugin
    kind: Annotated[Literal["discover"], RunKind] = "discover"
    domain: Annotated[Literal["functions"], DomainKind] = "functions"
    sought: Annotated[
        Literal["", "invariance", "equivariance"],
        told(
            "Condition on the fields: `invariance`, V·∇f = 0, or `equivariance`, ∇f·V = A f; empty: the plugin's"
            " choice."
        ),
    ] = ""
    degree: Annotated[Count, told("Degree of the fields' components: 0 for constant, 1 for affine fields.")] = 1
    samples: Annotated[
        Positive, told("Number of points used to find fields, and of as many held-out points; more if needed.")
    ] = 200
    seed: Seed = 0
    threads: FewThreads = 2
    device: Annotated[
        str, msgspec.Meta(pattern=r"^(auto|cpu)$"), told("Device for tensors: `cpu`, as the problem is small.")
    ] = "cpu"


MOST = 1000
"""Unknown coefficients at most: the eigenproblem and the formulas then take a minute."""


def coefficients(declaration: Function, degree: int) -> int:
    """How many a field of a degree has."""
    variables = len(declaration.variables)
    return variables * math.comb(variables + degree, degree)


def check_size(config: DiscoverFunctionsConfig, declaration: Function) -> None:
    """Raises ConfigError for more coefficients than can be solved for."""
    unknowns = coefficients(declaration, config.degree)
    if unknowns > MOST:
        raise ConfigError(
            f"{declaration.name}: fields of degree {config.degree} have {unknowns} coefficients; at most {MOST}.",
            hint="Lower degree.",
        )


@hookimpl
def lieapp_kinds() -> list[Kind]:
    return [FUNCTIONS]


def check(declaration: Function, report: Reporter) -> list[Check]:
    """Whether the map can be evaluated, and its derivatives agree with differences."""
    from lieapp.functions.values import differences, values_of

    try:
        found = values_of(declaration, 64, 0)
    except LieappError as error:
        return [failed("values", error)]
    shape = f"{found.x.shape[1]} variables, {found.y.shape[1]} outputs"
    off = differences(declaration, found)
    told = "given by the samples" if off is None else f"relative difference from central differences {off:.1e}"
    return [Check("values", True, shape), Check("derivatives", off is None or off < 1e-5, told)]


FUNCTIONS = Kind(
    name="functions",
    declaration=Function,
    words=("a map", "maps"),
    check=check,
    shown=lambda declaration: "; ".join(map(str, declaration.expressions)) or None,
    works=(
        Work(
            command="discover",
            words="Find symmetries",
            settings=DiscoverFunctionsConfig,
            execute=lazily("lieapp.functions.discover:execute"),
            check=check_size,
            document=document,
            draw=draw,
            about=lambda result: f"Symmetries of a map · {result.sought}",
        ),
    ),
)
