"""A derivation's result made by hand: two generators and a family, on a periodic x."""

from msgspec.structs import replace

from lieapp.document import Formula
from lieapp.results.truth import CertificateResult, FamilyResult, StructureResult, TruthResult

HEAT_FAMILY = FamilyResult(
    functions={"alpha": ["t", "x"]},
    conditions=["alpha_t - alpha_xx"],
    field={"t": "0", "x": "0", "u": "alpha"},
    functions_shown=[Formula("alpha(t, x)", r"\alpha(t, x)")],
    conditions_shown=[Formula("alpha_t - alpha_xx", r"\alpha_{t} - \alpha_{xx}")],
    shown=Formula("alpha ∂u", r"\alpha\,\partial_{u}"),
)


def truth_result(**changes: object) -> TruthResult:
    """The result with some of its keys changed."""
    result = TruthResult(
        sentence="2 symmetries modulo 1 family, 2 kept if periodic in x; certified",
        dimension=2,
        infinite=True,
        generators=[{"t": "2*t", "x": "x", "u": "0"}, {"t": "0", "x": "1", "u": "0"}],
        families=[HEAT_FAMILY],
        unsolved=[],
        assumed_nonzero=["nu"],
        assumed_independent=[],
        assumed_generic=[],
        certified=True,
        certificate=CertificateResult(bound=None, dimension=2, orders=[2, 2], known=[2, 2], reason=""),
        periodic=[{"t": "0", "x": "1", "u": "0"}, {"t": "1", "x": "x", "u": "0"}],
        periodic_families=[],
        structure=StructureResult(),
        seconds=1.2,
        periodic_in=["x"],
        equation_shown=[Formula("u_t - nu*u_xx = 0", r"u_{t} - \nu u_{xx} = 0")],
        generators_shown=[
            Formula("2*t ∂t + x ∂x", r"2 t\,\partial_{t} + x\,\partial_{x}"), Formula("∂x", r"\partial_{x}")
        ],
        periodic_shown=[Formula("∂x", r"\partial_{x}"), Formula("∂t + x ∂x", r"\partial_{t} + x\,\partial_{x}")],
        assumed_nonzero_shown=[Formula("nu", r"\nu")],
        assumed_independent_shown=[],
        assumed_generic_shown=[],
    )  # fmt: skip
    return replace(result, **changes)
