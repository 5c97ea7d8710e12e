"""Short consequences of linear equations: those of one term say which derivatives of a function vanish.

They are derivatives of the equations in which many terms vanish, and equations split by variables that nothing in
them depends on. An expansion to a high order has all of these in it too; in many variables it would be too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.equations.jets import divides, raised
from lieapp.lie.certificate.counting import Vanishing, without_vanishing
from lieapp.lie.linear import Form, Key, Unknowns, add, differentiated, primitive

MAX_REWRITTEN = 20
"""Rounds of replacements by equations of two terms."""

MAX_DERIVED = 400
"""Equations beyond which no more derivatives of them are taken."""


def with_short_derivatives(
    equations: Iterable[Form], field: CoefficientField, unknowns: Unknowns
) -> tuple[list[Form], Vanishing]:
    """`without_vanishing` of the equations and of their short consequences."""
    rest, vanishing = without_vanishing(equations)
    seen = {frozenset(e.items()) for e in rest}
    before = -1
    while before != (before := len(seen) + sum(map(len, vanishing.least.values()))) and len(seen) < MAX_DERIVED:
        found: list[Form] = []
        for equation in rest:
            parts = _parts(equation, field, unknowns, vanishing)
            found += parts if len(parts) > 1 else [equation]
            if len(parts) == 1:
                found += _short_derivatives(equation, field, unknowns, vanishing)
        single = [{(f, K): field.one} for f, Ks in vanishing.least.items() for K in Ks]
        rest, vanishing = without_vanishing([*_rewritten(found), *single])
        distinct = {frozenset(e.items()): e for e in (primitive(e, field)[0] for e in rest)}
        seen |= distinct.keys()
        rest = list(distinct.values())
    return rest, vanishing


def _rewritten(equations: Sequence[Form]) -> list[Form]:
    """The equations with derivatives replaced by what those of two terms with constant coefficients say of them."""
    rules: dict[Key, tuple[Key, Element]] = {}
    kept: list[Form] = []
    for equation in sorted(equations, key=len):
        equation = _by(rules, equation)
        if len(equation) == 2:
            low, high = sorted(equation, key=lambda key: (sum(key[1]), key[1], key[0]))
            ratio = -equation[low] / equation[high]
            if ratio.numer.is_ground and ratio.denom.is_ground:
                rules[high] = low, ratio
                kept.append(equation)
                continue
        if equation:
            kept.append(equation)
    return kept


def _by(rules: Mapping[Key, tuple[Key, Element]], equation: Form) -> Form:
    for _ in range(MAX_REWRITTEN):
        found: Form = {}
        changed = False
        for (f, K), c in equation.items():
            rule = next((rule for rule in rules.items() if rule[0][0] == f and divides(rule[0][1], K)), None)
            if rule is None:
                add(found, (f, K), c)
                continue
            (_, high), ((g, low), ratio) = rule
            add(found, (g, tuple(k - h + n for k, h, n in zip(K, high, low, strict=True))), ratio * c)
            changed = True
        equation = found
        if not changed:
            break
    return equation


def _short_derivatives(
    equation: Form, field: CoefficientField, unknowns: Unknowns, vanishing: Vanishing
) -> Iterator[Form]:
    """The derivatives by single variables with at most half as many terms."""
    for v in range(unknowns.size):
        raising = (v in unknowns.arguments[f] and not vanishing.has(f, raised(K, v)) for f, K in equation)
        if 2 * (sum(raising) + sum(field.involves(c, v) for c in equation.values())) > len(equation):
            continue
        found = differentiated(equation, v, field, unknowns)
        found = {key: c for key, c in found.items() if not vanishing.has(*key)}
        if found:
            yield primitive(found, field)[0]


def _parts(equation: Form, field: CoefficientField, unknowns: Unknowns, vanishing: Vanishing) -> list[Form]:
    """What stands with each function of the variables that nothing in an equation depends on."""
    own = [
        v for v in range(unknowns.size)
        if all(v not in unknowns.arguments[f] or vanishing.has(f, raised(K, v)) for f, K in equation)
    ]  # fmt: skip
    movers = field.movers(*own)
    if not any(m[n] for c in equation.values() for m in c.numer for n in movers):
        return [equation]
    found: dict[tuple[int, ...], Form] = {}
    for key, c in primitive(equation, field)[0].items():
        for on, rest in parted(c.numer, movers).items():
            found.setdefault(on, {})[key] = field.field.raw_new(rest)
    return [primitive(part, field)[0] for part in found.values()]
