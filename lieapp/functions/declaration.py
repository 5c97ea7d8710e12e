"""A map y = f(x) whose symmetries are sought: formulas, a torch module, or samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from lieapp.api import check_plugin_name
from lieapp.errors import PluginError
from lieapp.keywords import spelled

HINT = "docs/functions.md has examples."

SOUGHT = ("invariance", "equivariance")


@spelled
@dataclass(frozen=True, kw_only=True, eq=False)
class Function:
    """A map y = f(x) from R^d to R^m. One of `expression`, `module` and `samples` says what it is.

    Args:
        name: what is typed after `--plugin`; lower-case letters, digits, `_` and `-`.
        title: what tables and pages print.
        variables: the coordinates of x, SymPy symbols or names.
        expression: y as a SymPy expression in the variables, or a list of them. Formulas are proved with it.
        module: a function from a float64 torch tensor (sample, variable) to (sample, output), or to (sample,);
            each sample by itself and differentiable.
        samples: `samples(count, seed)` returns a mapping: `x` (count, variable), `y` (count, output), and
            `jacobian` (count, output, variable). Without `jacobian` a polynomial that fits exactly gives it.
        region: `{x: (0, 1)}`, where points are drawn; (-1, 1) for variables that aren't named.
        sought: `invariance`, fields V with V·∇f = 0, or `equivariance`, with ∇f·V = A f for some matrix A.
    """

    name: str
    title: str
    variables: Sequence[Any]
    expression: Any = None
    module: Callable[[Any], Any] | None = None
    samples: Callable[[int, int], Mapping[str, Any]] | None = None
    region: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    sought: str = "invariance"

    def __post_init__(self) -> None:
        check_plugin_name(self.name)
        for key, kind in (("variables", Sequence), ("region", Mapping)):
            if not isinstance(getattr(self, key), kind):
                told = f"{self.name}: {key} is {getattr(self, key)!r}; it must be a {kind.__name__.lower()}."
                raise PluginError(told, hint=HINT)
        names = [str(v).strip() for v in self.variables]
        given = [key for key in ("expression", "module", "samples") if getattr(self, key) is not None]
        free = {str(s) for e in self.expressions for s in e.free_symbols} - set(names)
        ends = [pair for pair in self.region.values() if not _is_interval(pair)]
        strange = [str(v) for v in self.region if str(v) not in names]
        rules = {
            f"variables are {names}": (
                all(names) and 0 < len(set(names)) == len(names), "distinct names, at least one",
            ),
            f"it has {' and '.join(given) or 'no map'}": (len(given) == 1, "one of expression, module, samples"),
            f"expression has {', '.join(sorted(free))}": (not free, "an expression in the variables alone"),
            f"region has {', '.join(strange)}": (not strange, "intervals of the variables"),
            f"region has the interval {ends[:1]}": (not ends, "pairs (a, b) of finite numbers with a < b"),
            f"sought is {self.sought!r}": (self.sought in SOUGHT, " or ".join(SOUGHT)),
        }
        for told, (holds, rule) in rules.items():
            if not holds:
                raise PluginError(
                    f"{self.name}: {told}; it must be {rule}.", hint=HINT
                )

    @property
    def symbols(self) -> list[sp.Symbol]:
        """The variables as SymPy's."""
        return [v if isinstance(v, sp.Symbol) else sp.Symbol(str(v).strip(), real=True) for v in self.variables]

    @property
    def expressions(self) -> list[sp.Expr]:
        """y as formulas; none where only numbers are known."""
        given = self.expression
        parts = [] if given is None else list(given) if isinstance(given, (list, tuple, sp.MatrixBase)) else [given]
        if (given is not None and not parts) or not all(isinstance(part, (sp.Expr, int, float)) for part in parts):
            raise PluginError(
                f"{self.name}: expression is {given!r}; it must be a SymPy expression or a list of them.", hint=HINT
            )
        # a variable is meant by its name, whatever else is assumed of it
        named = {symbol.name: symbol for symbol in self.symbols}
        found = [sp.sympify(part, strict=True) for part in parts]
        return [e.xreplace({s: named[s.name] for s in e.free_symbols if s.name in named}) for e in found]

    @property
    def box(self) -> list[tuple[float, float]]:
        """The interval of each variable."""
        named = {str(key): pair for key, pair in self.region.items()}
        return [(float(a), float(b)) for a, b in (named.get(str(v), (-1.0, 1.0)) for v in self.variables)]


def _is_interval(pair: Any) -> bool:
    try:
        low, high = (float(end) for end in pair)
    except (TypeError, ValueError):
        return False
    return -float("inf") < low < high < float("inf")
