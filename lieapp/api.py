"""What a plugin file imports: declarations, without torch, and the hook marker.

import sympy as sp
from lieapp.api import PDE, hookimpl
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pluggy
import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.arrays import Array, Contents
from lieapp.derived import classify, conservation_laws, holds, symmetries
from lieapp.errors import EquationError, GridError, PluginError
from lieapp.extension import Check, Kind, Method, Reader, ReadyNetwork, Work
from lieapp.keywords import check_rules, check_title, spelled
from lieapp.results.base import Result

__all__ = [
    "PDE", "Array", "ChangeOfVariables", "Check", "Colors", "Contents", "Images", "Kind", "Method", "Reader",
    "ReadyNetwork", "Result", "SumOfSines", "Work", "classify", "conservation_laws", "holds", "hookimpl",
    "symmetries",
]  # fmt: skip

hookimpl = pluggy.HookimplMarker("lieapp")
"""Marks a function of a plugin file as a hook; docs/hooks.md lists the hooks."""

RESERVED = ("all",)
"""Names that have another meaning after --plugin."""

MIN_POINTS = 8
"""Smallest number of grid points along an axis for meaningful derivatives."""


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class SumOfSines:
    """Random periodic initial state s(x) = Σₚ Aₚ sin(2π lₚ x/L + φₚ) (Brandstetter 2022, eq. 12).

    Aₚ is uniform in [-amplitude, amplitude], φₚ in [0, 2π), lₚ in `wavenumbers`. `rescale=(a, b)` maps each
    sample's range to [a, b]; `shape` then sends s to the state, e.g. `lambda s: sp.exp(10*(2*s - 1))`.
    """

    terms: int = 10
    amplitude: float = 0.5
    wavenumbers: Sequence[int] = (1, 2)
    rescale: tuple[float, float] | None = None
    shape: Callable[[sp.Symbol], sp.Expr] | None = None

    def __post_init__(self) -> None:
        rules = {
            "terms": (_whole(self.terms) and self.terms >= 1, "a whole number, at least 1"),
            "amplitude": (_finite(self.amplitude) and self.amplitude > 0, "a finite number above 0"),
            "wavenumbers": (
                isinstance(self.wavenumbers, Sequence)
                and all(map(_whole, self.wavenumbers))
                and any(self.wavenumbers),
                "whole numbers, not all of them 0",
            ),
            "rescale": (
                self.rescale is None or _ascending(self.rescale),
                "a pair (a, b) of finite numbers with a < b",
            ),
            "shape": (self.shape is None or callable(self.shape), "a function of a symbol"),
        }
        check_rules("SumOfSines", self, rules)


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class ChangeOfVariables:
    """Data from another equation: solve `equation`, then evaluate `unknowns`, as for Cole-Hopf.

    `unknowns` maps each unknown of the plugin's equation to an expression in the other equation's unknown and
    its derivatives. `lieapp check` checks exactly that it maps solutions to solutions.
    """

    equation: Any
    unknowns: Mapping[Any, sp.Expr]


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class PDE:
    """A partial differential equation or system, with its domain and the source of its data.

    Args:
        name: the name to type after `--plugin`; lower-case letters, digits, `_` and `-`.
        title: the title shown in tables and pages.
        equation: one SymPy equation, or a list of them for a system.
        region: `{t: (0, 100), x: (0, 128)}`, one interval for each independent variable.
        points: number of grid points for each variable (periodic axes omit the right end).
        periodic: the variables in which solutions are periodic over the region.
        keep_last: number of last time samples to keep; None keeps all.
        parameters: a number for each symbol of the equation that is neither a variable nor an unknown.
        initial: the random initial state; `SumOfSines()` by default; a mapping gives one per unknown.
        transform: a change of variables that produces the data, such as Cole-Hopf.
        fitted: of an equation whose right side was learned from data, the relative error that it leaves on held-out
            trajectories: nothing is derived from it or proved of it.
        source: your own data: `source(samples, seed)` returns a mapping from the name of each variable to its
            grid and from each unknown's name to an array of shape (samples, t, x).
    """

    name: str
    title: str
    equation: Any
    region: Mapping[Any, tuple[float, float]]
    points: Mapping[Any, int]
    periodic: Sequence[Any] = ()
    keep_last: int | None = None
    parameters: Mapping[Any, float] = field(default_factory=dict)
    initial: Any = field(default_factory=SumOfSines)
    transform: ChangeOfVariables | None = None
    fitted: float | None = None
    source: Callable[[int, int], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        check_plugin_name(self.name)
        check_title(self.name, self.title)
        _check_equation(self)
        _check_fitted(self)
        _check_region(self)
        _check_parameters(self)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledPictures:
    """Common keywords of `Images` and `Colors`.

    Args:
        name: the name to type after `--plugin`; lower-case letters, digits, `_` and `-`.
        title: the title shown in tables and pages.
        data: a file, a folder or the name of a data set, as for `--data`.
        flip: whether mirror images are equally valid.
        features: your own extractor instead of a trained network: a differentiable function from a torch tensor
            (picture, channel, row, column) with values in [0, 1] to a tensor (picture, feature).
    """

    name: str
    title: str
    data: str
    flip: bool = True
    features: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        check_plugin_name(self.name)
        check_title(self.name, self.title)
        rules = {
            "data": (isinstance(self.data, str) and bool(self.data), "a file, a folder or the name of a data set"),
            "flip": (isinstance(self.flip, bool), "True or False"),
            "features": (self.features is None or callable(self.features), "a function of a batch of pictures"),
        }
        check_rules(self.name, self, rules)


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class Images(LabelledPictures):
    """Labelled pictures, for symmetries in the plane: fields that leave a network's features unchanged.

    Keywords as for `LabelledPictures`. The default `data` is `offline`: Fashion-MNIST if installed, else
    scikit-learn's digits.
    """

    data: str = "offline"


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class Colors(LabelledPictures):
    """Labelled colour pictures, for symmetries of colours: fields in the cube of red, green and blue.

    Keywords as for `LabelledPictures`. The default `data` is `photographs`: crops of ten photographs.
    """

    data: str = "photographs"


def _whole(value: Any) -> bool:
    return isinstance(value, (int, sp.Integer)) and not isinstance(value, bool)


def _finite(value: Any) -> bool:
    try:
        return abs(float(value)) < float("inf")
    except (TypeError, ValueError):
        return False


def _ascending(pair: Any) -> bool:
    return isinstance(pair, Sequence) and len(pair) == 2 and all(map(_finite, pair)) and bool(pair[0] < pair[1])


def check_plugin_name(name: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9_-]+", name):
        raise PluginError(
            f"name={name!r}: a plugin's name consists of lower-case letters, digits, '_' and '-'.",
            hint="Choose the name to type after --plugin.",
        )
    if name in RESERVED:
        raise PluginError(
            f"name={name!r}: this name is taken, `lieapp check --plugin {name}` checks every plugin.",
            hint="Choose another name.",
        )


def _check_equation(pde: PDE) -> None:
    equations = pde.equation if isinstance(pde.equation, (list, tuple)) else [pde.equation]
    if not equations:
        raise EquationError(f"{pde.name}: equation is an empty list.", hint="Give at least one sp.Eq(…, 0).")
    for equation in equations:
        if not isinstance(equation, (sp.Eq, sp.Expr)):
            raise EquationError(
                f"{pde.name}: equation={equation!r} is a {type(equation).__name__}, not a SymPy equation.",
                hint="Write sp.Eq(u.diff(t) + u*u.diff(x), 0) with u = sp.Function('u')(t, x).",
            )


def _check_fitted(pde: PDE) -> None:
    if pde.fitted is not None and not (_finite(pde.fitted) and pde.fitted >= 0):
        raise EquationError(
            f"{pde.name}: fitted={pde.fitted!r} isn't a relative error.", hint="Give a number such as 0.001."
        )


def _check_parameters(pde: PDE) -> None:
    equations = pde.equation if isinstance(pde.equation, (list, tuple)) else [pde.equation]
    unknowns = {f.func.__name__ for equation in equations for f in equation.atoms(AppliedUndef)}
    for symbol, value in pde.parameters.items():
        for names, what in (({str(x) for x in pde.region}, "a variable"), (unknowns, "an unknown")):
            if str(symbol) in names:
                raise PluginError(
                    f"{pde.name}: parameters has {symbol}, which is {what} of the equation.",
                    hint="Give the parameter another name.",
                )
        try:
            number = value if isinstance(value, sp.Expr) else sp.Rational(str(value))
        except (TypeError, ValueError):
            number = sp.nan
        if not number.is_number or not number.is_real or not number.is_finite:
            raise PluginError(
                f"{pde.name}: parameters gives {symbol} the value {value!r}; it must be a finite real number.",
                hint=f"Write parameters={{{symbol}: 0.01}}, or sp.Rational(1, 100) for an exact fraction.",
            )


def _check_region(pde: PDE) -> None:
    for symbol, interval in pde.region.items():
        try:
            left, right = (float(end) for end in interval)
        except (TypeError, ValueError):
            raise GridError(
                f"{pde.name}: region of {symbol} is {interval!r}; an interval is a pair of numbers.",
                hint=f"Write region={{{symbol}: (0, 1)}}.",
            ) from None
        if not left < right or abs(left) == float("inf") or abs(right) == float("inf"):
            raise GridError(
                f"{pde.name}: region of {symbol} is ({left:g}, {right:g}); the left end must lie below the "
                "right one and both must be finite.",
                hint="Give the interval on which solutions are simulated.",
            )
        count = pde.points.get(symbol)
        if not isinstance(count, int) or count < MIN_POINTS:
            raise GridError(
                f"{pde.name}: points of {symbol} is {count!r}; an axis needs at least {MIN_POINTS} points.",
                hint=f"Write points={{{symbol}: 256}}.",
            )
    missing = list(dict.fromkeys(str(s) for s in (*pde.points, *pde.periodic) if s not in pde.region))
    if missing:
        verbs = ("is", "has") if len(missing) == 1 else ("are", "have")
        raise GridError(
            f"{pde.name}: {', '.join(missing)} {verbs[0]} in points or periodic but {verbs[1]} no interval in "
            "region.",
            hint="Give every independent variable an interval in region.",
        )
