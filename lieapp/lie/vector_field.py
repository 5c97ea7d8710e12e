"""A vector field in physical coordinates, as formulas: V = Σ components[c] ∂_c; how it is typed and called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from lieapp.document import Formula
from lieapp.equations.factors import spelled
from lieapp.equations.jets import JetSpace
from lieapp.equations.parsing import parse_expression
from lieapp.errors import ParseError, UsageError


@dataclass(frozen=True, eq=True, repr=False)
class Field:
    """A generator: an expression for each coordinate name, independent variables first."""

    components: dict[str, sp.Expr]

    def as_json(self) -> dict[str, str]:
        """`{"t": "0", "x": "2*sqrt(t+1)", …}`, SymPy syntax."""
        return {name: str(value) for name, value in self.components.items()}

    def text(self) -> str:
        """One line: `2*sqrt(t + 1) d_x + 1/sqrt(t + 1) d_u`."""
        return _sum(self.components, str, "d_{}", " ")

    def latex(self) -> str:
        r"""`2 \sqrt{t + 1}\,\partial_{x} + …`"""
        return _sum(self.components, sp.latex, r"\partial_{{{}}}", r"\,")

    def formula(self) -> Formula:
        """Both forms, as results carry them: on a terminal `2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u`."""
        return Formula(_sum(self.components, str, "∂{}", " "), self.latex())

    __repr__ = text

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


BESIDE = re.compile(r"(?<=[\w)])\s+(?=d_)")
"""Between a component and its ∂x, where a product is meant."""


def typed_field(
    text: str,
    jets: JetSpace,
    option: str,
    names: Mapping[str, sp.Expr] | None = None,
    functions: Mapping[str, sp.Expr] | None = None,
) -> Field:
    """A field as it is typed or printed: `t*d_x + d_u`, `t ∂x + ∂u`; `option` is what errors call the place.

    `names` and `functions` are what else may stand in components. Raises UsageError for what is no field on these
    coordinates.
    """
    coordinates = {str(c): c for c in jets.coordinates}
    basis = {f"d_{name}": sp.Dummy(f"d_{name}") for name in coordinates}
    plain = BESIDE.sub("*", text.replace("∂", "d_"))
    example = f"For example {option} d_{next(iter(coordinates))}, a translation."
    try:
        found = sp.expand(parse_expression(plain, {**(names or {}), **coordinates, **basis}, functions, typed=True))
    except ParseError as error:
        raise UsageError(f"{option}: {error.message}", hint=example) from None
    components = {name: sp.diff(found, d) for name, d in zip(coordinates, basis.values(), strict=True)}
    whole = sp.Add(*(e * d for e, d in zip(components.values(), basis.values(), strict=True)))
    if found == 0 or sp.expand(found - whole) != 0 or any(e.has(*basis.values()) for e in components.values()):
        raise UsageError(
            f"{option} {text}: it isn't a sum of components times {', '.join(basis)}.",
            hint=example,
        )
    return Field(components)


def formula_of(expression: sp.Expr) -> Formula:
    """An expression in both forms, with k and k_u for an arbitrary k(u) and its derivative."""
    written = spelled(expression)
    return Formula(str(written), sp.latex(written))


def combination(coefficients: Sequence[sp.Expr]) -> Formula:
    """A sum of generators: `2 V1 - nu V3`."""
    numbered = {str(k): c for k, c in enumerate(coefficients, start=1)}
    return Formula(_sum(numbered, str, "V{}", " "), _sum(numbered, sp.latex, "V_{{{}}}", r"\,"))


def _sum(components: dict[str, sp.Expr], write: type | object, basis: str, space: str) -> str:
    parts: list[str] = []
    in_latex = write is sp.latex
    for name, value in components.items():
        if value == 0:
            continue
        negative = bool(value.could_extract_minus_sign())
        size = spelled(-value if negative else value)
        written = "" if size == 1 else write(size)  # type: ignore[operator]
        if written and size.is_Add:
            written = rf"\left({written}\right)" if in_latex else f"({written})"
        sign = (" - " if negative else " + ") if parts else ("-" if negative else "")
        called = sp.latex(sp.Symbol(name)) if in_latex else name
        parts.append(sign + written + (space if written else "") + basis.format(called))
    return "".join(parts) or "0"


def name(field: Field, independent: Sequence[str]) -> str:
    """ "space translation", "time translation", "Galilean boost", "scaling", …; else the formula."""
    variables = [n for n in field.components if n in independent]
    nonzero = {n: sp.expand(e) for n, e in field.components.items() if e != 0}
    rules = (_translation, _scaling, _rotation, _boost, _projective, _superposition)
    return next((found for rule in rules if (found := rule(nonzero, variables))), field.text())


def _symbols(parts: dict[str, sp.Expr]) -> dict[str, sp.Symbol]:
    return {s.name: s for e in parts.values() for s in e.free_symbols}


def _depends(expression: sp.Expr, names: Sequence[str]) -> bool:
    return any(s.name in names for s in expression.free_symbols)


def _translation(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    if len(parts) != 1:
        return ""
    ((coordinate, value),) = parts.items()
    if _depends(value, [*variables, coordinate]):
        return ""
    if coordinate not in variables:
        return f"shift of {coordinate}"
    if coordinate == "t":
        return "time translation"
    spaces = [v for v in variables if v != "t"]
    return "space translation" if len(spaces) == 1 else f"{coordinate} translation"


def _scaling(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """Every component is constant times its own coordinate, up to a shift of the origin."""
    symbols, names = _symbols(parts), [*variables, *parts]
    for coordinate, value in parts.items():
        if coordinate not in symbols:
            return ""
        slope = sp.diff(value, symbols[coordinate])
        rest = sp.expand(value - slope * symbols[coordinate])
        if slope == 0 or _depends(slope, names) or _depends(rest, names):
            return ""
    return "scaling" if len(parts) > 1 else f"scaling of {next(iter(parts))}"


def _rotation(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """v d_u - u d_v, or with the same signs a Lorentz boost."""
    if len(parts) != 2:
        return ""
    (a, first), (b, second) = parts.items()
    symbols = _symbols(parts)
    if a not in symbols or b not in symbols:
        return ""
    one, two = sp.cancel(first / symbols[b]), sp.cancel(second / symbols[a])
    if _depends(one, [*variables, a, b]) or _depends(two, [*variables, a, b]):
        return ""
    if sp.cancel(one + two) == 0:
        return f"rotation of {a}, {b}"
    return f"Lorentz boost in {a}, {b}" if {a, b} <= set(variables) and (one * two).is_positive else ""


def _boost(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """A shift of one space variable growing with time, with a change of the unknowns."""
    moved = [n for n in parts if n in variables]
    if len(moved) != 1 or moved[0] == "t" or len(parts) < 2 or "t" not in variables:
        return ""
    value = parts[moved[0]]
    symbols = _symbols({"": value})
    if "t" not in symbols or _depends(value, [n for n in (*variables, *parts) if n != "t"]):
        return ""
    linear = sp.diff(value, symbols["t"], 2) == 0
    return "Galilean boost" if linear else "generalised Galilean boost"


def _projective(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """t² d_t + t x d_x + …"""
    if "t" not in parts or len([n for n in parts if n in variables]) < 2:
        return ""
    symbols = _symbols(parts)
    if "t" not in symbols or not parts["t"].is_polynomial(symbols["t"]):
        return ""
    return "projective transformation" if sp.degree(parts["t"], symbols["t"]) == 2 else ""


def _superposition(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """Only unknowns move, by a function of the variables."""
    if any(n in variables for n in parts) or any(_depends(e, list(parts)) for e in parts.values()):
        return ""
    return "addition of " + ", ".join(f"{e} to {n}" for n, e in parts.items())
