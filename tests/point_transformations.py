"""Point transformations of systems and of their fields, by total derivatives, for any invertible change.

The old coordinates are given as functions of the new ones, which keep the old names: x = φ(x', u'), u = ψ(x', u').
Then ∂u/∂xʲ = Σᵢ (J⁻¹)ⱼᵢ D'ᵢ ψ with Jᵢⱼ = D'ᵢ φʲ (Olver 1993, ch. 2.2), again and again for higher derivatives; and
a field V has the new components (∂(φ, ψ)/∂(x', u'))⁻¹ V.
"""

import sympy as sp

from lieapp.equations.equation import System


def transformed(system, old):
    """The system in new coordinates, denominators cleared.

    Args:
        system: equations.
        old: for some names of coordinates what they are in the new ones.
    """
    jets = system.jets
    inner = _values(jets, old)
    n = len(jets.independent)
    jacobian = sp.Matrix(n, n, lambda i, j: jets.total_derivative(inner[jets.independent[j]], i))
    inverse = jacobian.inv().applyfunc(sp.cancel)
    known = {(a, jets.zero): inner[u] for a, u in enumerate(jets.unknowns)}

    def derivative(a, J):
        if (a, J) not in known:
            j = next(k for k, count in enumerate(J) if count)
            below = derivative(a, (*J[:j], J[j] - 1, *J[j + 1 :]))
            slopes = [jets.total_derivative(below, i) for i in range(n)]
            known[(a, J)] = sp.together(sum(inverse[j, i] * slopes[i] for i in range(n)))
        return known[(a, J)]

    residuals = []
    for residual in system.residuals:
        values = {s: derivative(*jet) for s, jet in jets.jets(residual).items()}
        new = residual.subs({**inner, **values}, simultaneous=True)
        residuals.append(sp.factor_terms(sp.expand(sp.numer(sp.together(new)))))
    return System(jets, tuple(residuals), system.parameters, system.name, system.functions, system.nonzero)


def pushed(system, old, components):
    """The components of a field in new coordinates."""
    coordinates = system.jets.coordinates
    inner = _values(system.jets, old)
    slopes = sp.Matrix([[sp.diff(inner[c], d) for d in coordinates] for c in coordinates])
    moved = sp.Matrix([sp.sympify(components[str(c)]).subs(inner, simultaneous=True) for c in coordinates])
    found = slopes.inv() * moved
    return {str(c): sp.cancel(sp.together(e)) for c, e in zip(coordinates, found, strict=True)}


def _values(jets, old):
    return {c: sp.sympify(old.get(str(c), c)) for c in jets.coordinates}
