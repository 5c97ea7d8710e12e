"""Prolongation of a point field V = ξⁱ ∂ᵢ + φᵃ ∂_{uᵃ} to derivatives (Olver 1993, Thm 2.36).

With the characteristic Qᵃ = φᵃ - ξⁱ uᵃᵢ the coefficient of ∂/∂uᵃ_J in pr V is φᵃ_J = D_J Qᵃ + ξⁱ uᵃ_{J+i}.
`GeneralProlongation` has them for unknown ξ(x, u), φ(x, u), as linear forms with integer polynomials in the jets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import sympy as sp
from sympy import ZZ
from sympy.polys.rings import PolyRing

from lieapp.equations.jets import JetSpace, MultiIndex
from lieapp.lie.linear import add


def characteristic(jets: JetSpace, components: Mapping[str, sp.Expr]) -> tuple[sp.Expr, ...]:
    """Qᵃ = φᵃ - ξⁱ uᵃᵢ of a field given by its components, one entry for each coordinate name."""
    zero = jets.zero
    result = []
    for a, u in enumerate(jets.dependent):
        Q = components.get(u, sp.S.Zero)
        for i, x in enumerate(jets.independent):
            Q -= components.get(str(x), sp.S.Zero) * jets.symbol(a, jets.raised(zero, i))
        result.append(Q)
    return tuple(result)


JetForm = dict[tuple[int, MultiIndex], Any]
"""(number of the component, multi-index over all coordinates) -> polynomial in the jets over ℤ."""


class GeneralProlongation:
    """φᵃ_J for unknown components, numbered as the coordinates: ξ¹ … ξᵖ, φ¹ … φ^q.

    Args:
        jets: the jet space.
        order: highest |J| that will be asked for.
        asked: the J that will be asked for; all up to the order by default.
    """

    def __init__(self, jets: JetSpace, order: int, asked: Collection[MultiIndex] | None = None) -> None:
        self.jets = jets
        self.p, self.q = len(jets.independent), len(jets.dependent)
        self.indices = [J for n in range(1, order + 1) for J in multi_indices(self.p, n) if _occurs(J, asked)]
        self.symbols = [jets.symbol(a, J) for a in range(self.q) for J in self.indices]
        self.ring = PolyRing(self.symbols, ZZ, sp.polys.orderings.grevlex)
        self.position = {(a, J): n for n, (a, J) in enumerate((a, J) for a in range(self.q) for J in self.indices)}
        self._known: dict[tuple[int, MultiIndex], JetForm] = {}

    def jet(self, a: int, J: MultiIndex) -> Any:
        """The ring generator of uᵃ_J, |J| ≥ 1."""
        return self.ring.gens[self.position[(a, J)]]

    def coefficient(self, a: int, J: MultiIndex) -> JetForm:
        """φᵃ_J by the recursion φᵃ_{J+i} = Dᵢ φᵃ_J - Σₖ Dᵢξᵏ uᵃ_{J+k} (Olver 1993, eq. 2.44)."""
        if (a, J) not in self._known:
            if not any(J):
                self._known[(a, J)] = {(self.p + a, (0,) * (self.p + self.q)): self.ring.one}
            else:
                i = max(k for k, n in enumerate(J) if n)
                lower = self.jets.raised(J, i, -1)
                result = self.total(self.coefficient(a, lower), i)
                for k in range(self.p):
                    factor = self.jet(a, self.jets.raised(lower, k))
                    for key, c in self.total({(k, (0,) * (self.p + self.q)): self.ring.one}, i).items():
                        add(result, key, -c * factor)
                self._known[(a, J)] = result
        return self._known[(a, J)]

    def total(self, form: JetForm, i: int) -> JetForm:
        """Dᵢ of a form: ∂ᵢ + Σ uᵃᵢ ∂_{uᵃ} on the components, and on the jets in the coefficients."""
        result: JetForm = {}
        first = self.jets.raised(self.jets.zero, i)
        for (f, K), c in form.items():
            add(result, (f, K), self._total_of_jets(c, i))
            add(result, (f, self.jets.raised(K, i)), c)
            for a in range(self.q):
                add(result, (f, self.jets.raised(K, self.p + a)), c * self.jet(a, first))
        return result

    def _total_of_jets(self, polynomial: Any, i: int) -> Any:
        result = self.ring.zero
        used = {n for m in polynomial for n, e in enumerate(m) if e}
        for n in used:
            a, J = divmod(n, len(self.indices))
            slope = polynomial.diff(self.ring.gens[n])
            result += slope * self.jet(a, self.jets.raised(self.indices[J], i))
        return result


def multi_indices(size: int, order: int) -> list[MultiIndex]:
    """All multi-indices of a given order."""
    if size == 1:
        return [(order,)]
    return [(k, *rest) for k in range(order, -1, -1) for rest in multi_indices(size - 1, order - k)]


def _occurs(K: MultiIndex, asked: Collection[MultiIndex] | None) -> bool:
    """Whether uᵃ_K stands in some φᵃ_J: K is at most as high as J, and beyond J by one derivative at most."""
    return asked is None or any(
        sum(K) <= sum(J) and sum(max(k - j, 0) for k, j in zip(K, J, strict=True)) <= 1 for J in asked
    )
