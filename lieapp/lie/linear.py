"""Linear differential forms Σ c_{f,K} ∂_K f in unknown functions, the light structure of the solver.

A form maps (function id, multi-index K over all coordinates) to a coefficient of the field. A linear
equation is a form that must vanish; a solved unknown is a form in the functions that are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from lieapp.equations.coefficients import CoefficientField, Element, common_denominator
from lieapp.equations.jets import MultiIndex, directions, raised
from lieapp.equations.quotients import divided

Key = tuple[int, MultiIndex]
Form = dict[Key, Element]
K = TypeVar("K")


class Unknowns:
    """The unknown functions: for each id the positions of the variables it depends on."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.arguments: dict[int, frozenset[int]] = {}

    @property
    def zero(self) -> MultiIndex:
        """The multi-index of the function itself."""
        return (0,) * self.size

    def new(self, arguments: Iterable[int]) -> int:
        """A new function of the given variables."""
        f = len(self.arguments)
        self.arguments[f] = frozenset(arguments)
        return f

    def copy(self, size: int | None = None) -> Unknowns:
        """The same functions, to add others to; over more variables if a size is given."""
        other = Unknowns(size or self.size)
        other.arguments = dict(self.arguments)
        return other

    def form(self, field: CoefficientField, f: int) -> Form:
        """The function f as a form."""
        return {(f, self.zero): field.one}


def add(form: dict[K, Any], key: K, value: Any) -> None:
    """Add a term in place, dropping what cancels."""
    if key in form:
        value = form[key] + value
        if not value:
            del form[key]
            return
    if value:
        form[key] = value


def combined(*parts: tuple[Element, Form]) -> Form:
    """Σ factor · form."""
    result: Form = {}
    for factor, form in parts:
        for key, c in form.items():
            add(result, key, factor * c)
    return result


def differentiated(form: Form, v: int, field: CoefficientField, unknowns: Unknowns) -> Form:
    """∂/∂v of a form."""
    result: Form = {}
    for (f, K), c in form.items():
        slope = field.diff(c, v)
        if slope:
            add(result, (f, K), slope)
        if v in unknowns.arguments[f]:
            add(result, (f, raised(K, v)), c)
    return result


def derivative(form: Form, K: MultiIndex, field: CoefficientField, unknowns: Unknowns) -> Form:
    """∂_K of a form."""
    for v in directions(K):
        form = differentiated(form, v, field, unknowns)
    return form


def substituted(form: Form, values: Mapping[int, Form], field: CoefficientField, unknowns: Unknowns) -> Form:
    """The form with functions replaced by their `values`, derivatives included."""
    if all(f not in values for f, _ in form):
        return form
    result = {key: c for key, c in form.items() if key[0] not in values}
    for (f, K), c in form.items():
        if f in values:
            for key, d in derivative(values[f], K, field, unknowns).items():
                add(result, key, c * d)
    return result


def reduced(form: Form, field: CoefficientField) -> Form:
    """The form with coefficients in normal form modulo the relations of the atoms, without those that vanish."""
    return {key: value for key, c in form.items() if (value := field.reduce(c))}


def lifted(form: Form, field: CoefficientField) -> Form:
    """The form in the field as it is now."""
    return {key: field.lift(c) for key, c in form.items()}


def primitive(form: Form, field: CoefficientField) -> tuple[Form, Any]:
    """The equation form = 0 with coprime polynomial coefficients, and the factor that was divided out."""
    form = reduced(form, field)
    if not form:
        return {}, field.field.ring.one
    denominator = common_denominator(form.values(), field.field.ring.one)
    numerators = {
        key: field.reduce_polynomial(c.numer if c.denom == denominator else c.numer * denominator.exquo(c.denom))
        for key, c in form.items()
    }
    numerators = {key: p for key, p in numerators.items() if p}
    content = None
    for p in sorted(numerators.values(), key=len):
        content = p if content is None else content.gcd(p)
        if content == 1:
            break
    if content is None:
        return {}, denominator
    first = min(numerators)
    if numerators[first].LC * content.LC < 0:
        content = -content
    one = content == 1
    return {key: field.field.raw_new(p if one else divided(p, content)) for key, p in numerators.items()}, content
