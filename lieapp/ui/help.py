"""Short explanations of symbols and scores, each with its formula: what pages show under a `?` and in popovers.

`tip("eta")` is the text for a widget's `help=`; `popover("eta", "cosine")` a button that opens several.
The long form stands in docs/concepts.md and its neighbours, which the Help page shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Term:
    """One symbol or score.

    Args:
        name: how it is written on pages.
        text: what it means, Markdown with LaTeX in dollars.
        doc: the page of docs/ that says more.
    """

    name: str
    text: str
    doc: str = "concepts"


TERMS = {
    "generator": Term(
        "Generator V",
        r"A vector field on the graph of a solution, $V = \xi^i\,\partial_{x^i} + \varphi^a\,\partial_{u^a}$. "
        "It is a symmetry if its flow sends every solution to a solution.",
    ),
    "flow": Term(
        "Finite flow",
        "The transformation $e^{sV}$ that one gets by following the generator, $dz/ds = V(z)$, for the "
        "parameter $s$. Formulas are checked by substitution.",
        "symmetries",
    ),
    "s": Term(
        "s",
        r"Flow parameter: how far along the generator, $e^{sV}$; $s = 0$ moves nothing.",
    ),
    "slot": Term(
        "Slot",
        "A place for one learned field. A run learns as many fields as it has slots, ordered by η.",
    ),
    "eta": Term(
        "η, the defect",
        r"$\eta(V) = T\,\frac{\mathrm{rms}(M)}{\mathrm{rms}(Q)}$: the relative error that a moved solution "
        "accumulates over the time window $T$. $Q$ is the characteristic, $M$ the linearised residual along "
        "it. 0 for a symmetry; measured on held-out trajectories.",
    ),
    "eta_interval": Term(
        "90 % of draws",
        "The held-out trajectories are drawn anew 400 times, with repetition; 90 % of the resulting η lie in this "
        "interval.",
    ),
    "characteristic": Term(
        "Q, the characteristic",
        r"What a generator does to a solution at a fixed place: $Q^a = \varphi^a - \xi^i\,u^a_{x^i}$.",
    ),
    "residual": Term(
        "Residual",
        r"What the equation $\Delta(x, u, u_x, \dots) = 0$ leaves when data are put into it; for an evolution "
        "equation $u_t - F[u]$. 0 for a solution.",
    ),
    "finite_defect": Term(
        "Defect at finite size",
        r"$\eta(V, s) = \frac{\mathrm{rms}(R_s - R_0)}{|s|\,\mathrm{rms}(Q)}$, with $R_s$ the residual of "
        "held-out data moved to $s$. A field holds if this stays below .1 at every $s$ with enough nodes "
        "left; undecided is a larger one where the moved grid is partly folded, or that unmoved data have as well.",
    ),
    "verdict": Term(
        "Verdict",
        "*exact*: η is at round-off, or small and still falling as the ansatz grows. *approximate*: η is "
        "below .1 and stays. *none*: anything else. Exact ones are called candidates until a formula is "
        "proved.",
    ),
    "confidence": Term(
        "Confidence",
        "The share of 400 draws of the held-out trajectories that give the same verdict.",
    ),
    "proved": Term(
        "Proved",
        r"The formula fulfils the exact invariance condition $\mathrm{pr}\,V[\Delta] = 0$ wherever $\Delta = "
        "0$, by algebra, not by numbers.",
        "method",
    ),
    "leftover": Term(
        "Leftover",
        r"What the formula leaves in $\mathrm{pr}\,V[\Delta]$ on solutions; 0 for a symmetry.",
        "method",
    ),
    "cosine": Term(
        "Cosine",
        r"$\lVert P V \rVert / \lVert V \rVert$, with $P$ the projection on the span of the exact slots: 1 if this "
        "derived generator was found, whatever basis the slots have.",
    ),
    "inner": Term(
        "Inner product",
        r"$\langle V, W\rangle = \sum_{\text{points}} \omega \sum_c V^c W^c$ on held-out data in scaled "
        "coordinates; the heat map shows these cosines, slot against derived generator.",
    ),
    "angle": Term(
        "Angle",
        "The largest principal angle between the span of the exact slots and the derived one, in radians: 0 if the "
        "smaller lies in the larger, π/2 if a direction is missed.",
    ),
    "rank": Term(
        "Rank",
        "The dimension of a span; of a spectrum the number of η before the gap.",
    ),
    "spectrum": Term(
        "Spectrum and gap",
        "The η of all fields of the ansatz in ascending order. Symmetries lie before the gap, the largest "
        "jump on a logarithmic axis.",
        "method",
    ),
    "cross_check": Term(
        "Cross-check",
        "A second method, which shares nothing but the data, finds its own span; printed is the largest "
        "principal angle between the two.",
        "method",
    ),
    "convergence": Term(
        "Convergence",
        "η of each slot as the ansatz grows. An exact symmetry falls to the floor of round-off or of the data, an "
        "approximate one stays.",
    ),
    "sigma": Term(
        "σ",
        r"While training, data are moved to flow parameters $s \in [-\sigma, \sigma]$, in scaled coordinates.",
        "method",
    ),
    "tau": Term(
        "τ",
        "The Lipschitz constant of a field, in scaled coordinates, above which it costs: wild fields would "
        "fold the data.",
        "method",
    ),
    "weight": Term(
        "ω, the weight",
        "How much a point counts in inner products: 1 for equations; for pictures, how much the features depend on "
        "that pixel.",
        "images",
    ),
    "loss": Term(
        "Loss",
        "Training minimises a weighted sum: validity of moved data, orthonormality of the fields, Lipschitz "
        "and Sobolev terms for smoothness.",
        "method",
    ),
    "affine": Term(
        "Affine part",
        "The norm of a field's projection on the affine fields of the plane (translations, rotation, "
        "scalings, shears): 1 for an affine field.",
        "images",
    ),
    "periodic": Term(
        "Kept by a periodic domain",
        "The combinations of generators with $V(x + L) = V(x)$: only these act on data in a periodic box. "
        "Scalings, which stretch the box, drop out.",
    ),
    "jets": Term(
        "Jet notation",
        "Derivatives are variables of their own: `u_t`, `u_xx`, `u_tx`. An equation is an expression in them, "
        "`= 0` understood.",
        "command-line",
    ),
    "evolution": Term(
        "Evolution form",
        r"The system solved for its first time derivatives, $u_t = F[u]$: what data can be simulated from.",
    ),
    "determining": Term(
        "Determining equations",
        r"$\mathrm{pr}\,V[\Delta] = 0$ on $\Delta = 0$, split by the derivatives of u: linear equations for "
        r"the components $\xi$ and $\varphi$ of a generator.",
        "symmetries",
    ),
    "certified": Term(
        "Certified",
        "An independent count of Taylor coefficients, modulo two large primes, leaves room for these "
        "symmetries and no others: complete for generic parameters, up to a negligible probability.",
        "command-line",
    ),
    "families": Term(
        "Families",
        "Generators with arbitrary functions, as α(t, x) ∂u for every solution α of a linear equation. The "
        "dimension counts the others, modulo these.",
        "symmetries",
    ),
    "assumed": Term(
        "Assumed",
        "Special parameters or functions for which this fails may have more symmetries.",
        "command-line",
    ),
    "bracket": Term(
        "Bracket",
        r"$[V_i, V_j] = V_i V_j - V_j V_i = \sum_k c_{ij}^k V_k$: again a symmetry. The table of the $c_{ij}^k$ "
        "determines the group near the identity.",
        "symmetries",
    ),
    "structure": Term(
        "Structure",
        "*Abelian*: all brackets vanish. *Nilpotent*, *solvable*: repeated brackets end at 0. *Centre*: what "
        "commutes with all. *Radical*: the largest solvable ideal; what is left is the semisimple *Levi "
        "factor*. *Nilradical*: the largest nilpotent ideal.",
        "symmetries",
    ),
    "invariants": Term(
        "Invariants",
        r"Functions with $V(I) = 0$: constant along the flow. Functions of them are all there are.",
        "symmetries",
    ),
    "reduction": Term(
        "Reduction",
        "Solutions that a generator leaves unchanged obey an equation with one variable fewer; an ODE loses "
        "one order. Checked by substitution.",
        "symmetries",
    ),
    "budget": Term(
        "Budget",
        "Seconds after which the derivation ends by itself. What was found until then is shown, with what is "
        "left open.",
        "command-line",
    ),
    "variant": Term(
        "Variant",
        "What data are moved along before a network learns from them: nothing (*none*), derived generators "
        "(*truth*), or the fields of a run. There is a network for each, and for each seed.",
        "augmentation",
    ),
    "rollout": Term(
        "Rollout",
        "A network predicts the next frames of a solution from the last ones, then the next from those, to the "
        "end. Errors of each step enter the following. The other task, *single*, predicts one later state.",
        "augmentation",
    ),
    "nmse": Term(
        "NMSE",
        r"Normalised mean square error, $\lVert\hat u - u\rVert^2 / \lVert u\rVert^2$ of each predicted frame, "
        "summed over frames, mean over test solutions: of a rollout it may be above 1. 0 is perfect.",
        "augmentation",
    ),
    "renew": Term(
        "Renew",
        "How many passes through the data use the same moved ones before they are moved anew. Moving takes longer "
        "than the steps of a small network.",
        "augmentation",
    ),
    "pool": Term(
        "Pool",
        "Rounds of moved data that are kept and used again, by all seeds; with 0 each round and seed has new ones.",
        "augmentation",
    ),
    "self_check": Term(
        "Self-check",
        "The plugin verifies itself: its equation, derived symmetries, evolution form, tensors against exact "
        "evaluation, short data, and the derived generators on them.",
        "command-line",
    ),
    "sha256": Term(
        "sha256",
        "A fingerprint of the plugin's file. Runs keep it, so that a result can be traced to the very equation.",
        "hooks",
    ),
}
"""All terms by key, in the order of the Help page."""


def tip(key: str) -> str:
    """The text of a term for `help=`, with a link to the docs."""
    term = TERMS[key]
    return f"**{term.name}.** {term.text} [More]({address(term.doc)})"


def address(doc: str) -> str:
    """Where the Help page shows a page of docs/; relative, so that it holds below any base path."""
    return f"help?doc={doc}"


def popover(*keys: str, label: str = "Symbols") -> None:
    """A button that opens the explanations of several terms."""
    with st.popover(label, icon=":material/help:", type="tertiary"):
        for key in keys:
            st.markdown(tip(key))
