"""Terms as sums of derivatives, Σ ∂^J E, with derivatives in E of as low an order as parts allow.

h v^n D v with v a derivative and h of lower order is D(h v^(n+1)/(n+1)) - D(h) v^(n+1)/(n+1), again and again:
u u_xxx = D³(u²/2) - 3/2 D(u_x²). In weak form derivatives ∂^J are those of smooth functions; E alone takes some of
data.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from lieapp.equations.jets import JetSpace, MultiIndex, raised


def by_parts(
    term: sp.Expr, jets: JetSpace, variables: Sequence[int] | None = None
) -> dict[MultiIndex, sp.Expr]:
    """J and E of the sum that a polynomial in the jets is equal to; coefficients may depend on the variables.

    Parts are taken by all variables unless positions of some are given. What isn't a polynomial may stay as it is.
    """
    along = range(len(jets.independent)) if variables is None else variables
    found: dict[MultiIndex, sp.Expr] = {}
    left = [(jets.zero, part) for part in sp.Add.make_args(sp.expand(term))]
    while left:
        J, part = left.pop()
        lowered = _lowered(part, jets, along)
        if lowered is None:
            found[J] = found.get(J, sp.S.Zero) + part
            continue
        i, inside, rest = lowered
        left += [(raised(J, i), e) for e in sp.Add.make_args(sp.expand(inside)) if e != 0]
        left += [(J, e) for e in sp.Add.make_args(sp.expand(rest)) if e != 0]
    return {J: E for J, E in found.items() if E != 0}


def _lowered(
    part: sp.Expr, jets: JetSpace, along: Sequence[int]
) -> tuple[int, sp.Expr, sp.Expr] | None:
    """i, E and R with part = Dᵢ E + R, whose derivatives are lower; None where there are none."""
    inside = jets.jets(part)
    order = max((sum(J) for _, J in inside.values()), default=0)
    top = [(s, jet) for s, jet in inside.items() if sum(jet[1]) == order]
    if order == 0 or len(top) > 1:
        return None
    (s, (b, J)), = top
    rest = sp.cancel(part / s)
    if rest.has(s):
        return None
    for i in (i for i in along if J[i]):
        v = jets.symbol(b, raised(J, i, -1))
        if not rest.is_polynomial(v):
            continue
        h, n = (rest.coeff(v, m := sp.degree(rest, v)), m) if rest.has(v) else (rest, 0)
        if all(sum(K) < order - 1 for _, K in jets.jets(h).values()):
            power = v ** (n + 1) / (n + 1)
            return i, h * power, -jets.total_derivative(h, i) * power
    return None
