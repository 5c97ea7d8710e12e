"""What a derivation found: the JSON of `lieapp truth`.

Fields and expressions are strings in SymPy's syntax; beside each stands how it is shown, `<key>_shown`. An equation
is an expression with `= 0` understood. Generators are counted from 1 where they are shown, V1, V2, …
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from lieapp.document import Formula, Text, joined
from lieapp.results.base import Result

Coefficient: TypeAlias = "int | str"
"""An integer, or an expression in the parameters."""

Vectors: TypeAlias = list[list[Coefficient]]
"""Vectors in the basis of the generators."""


def zero(expression: Formula) -> Formula:
    """`u_t - u_xx = 0`"""
    return Formula(f"{expression.text} = 0", f"{expression.latex} = 0")


class FamilyResult(msgspec.Struct, kw_only=True):
    """Generators with arbitrary functions.

    Args:
        functions: the arguments of each arbitrary function.
        conditions: what the functions must fulfil, in jet notation.
        field: the generator, a component for each coordinate.
    """

    functions: dict[str, list[str]]
    conditions: list[str]
    field: dict[str, str]
    functions_shown: list[Formula] = []
    conditions_shown: list[Formula] = []
    shown: Formula

    def line(self) -> Text:
        """In a line: "and the family alpha ∂u for every alpha(t, x) where … = 0"."""
        line = ["and the family ", self.shown, " for every ", *joined(self.functions_shown)]
        conditions = joined(map(zero, self.conditions_shown), "; ")
        return Text([*line, " where ", *conditions] if conditions else line)


class CertificateResult(msgspec.Struct, kw_only=True):
    """Upper and lower bounds of the algebra; certified if they meet at both points, else with the reason.

    The dimension is at most `bound`, None if it isn't bounded or there are families; `dimension` is the rank of
    the derived generators' jets at the point, modulo the families'. `orders` are the numbers of free Taylor
    coefficients of order at most 0, 1, … of the functions that components are made of, and `known` those that the
    derived symmetries account for.
    """

    bound: int | None = None
    dimension: int = 0
    orders: list[int] = []
    known: list[int] = []
    reason: str = "nothing was counted"

    @property
    def certified(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reason


class LeviResult(msgspec.Struct, kw_only=True):
    """A Levi factor and the radical, spanned by vectors in the generators; `type` names a known simple algebra."""

    factor: Vectors
    radical: Vectors | None
    type: str | None
    factor_shown: list[Formula] = []
    radical_shown: list[Formula] = []


class StructureResult(msgspec.Struct, kw_only=True):
    """Brackets and what follows from them; null for what can't be decided, everything null if time ran out.

    Both series begin with [g, g] and end with 0, written [], or with the first member that repeats. The zero
    algebra counts as neither semisimple nor perfect.

    Args:
        brackets: `[i, j, [c_1, …]]` for each [Vᵢ, Vⱼ] = Σ c_k V_k that isn't 0, counted from 0.
        brackets_shown: the sums of these brackets; `opposite_shown` those of [Vⱼ, Vᵢ].
        closed: whether the brackets stay in the span of generators and families.
        modulo_families: whether they do up to a member of a family only.
        ideal: whether the members of the families form one.
        assumed_nonzero: what was divided by: all this holds where none of it vanishes.
    """

    brackets: list[tuple[int, int, list[Coefficient]]] = []
    closed: bool | None = None
    modulo_families: bool | None = None
    ideal: bool | None = None
    abelian: bool | None = None
    nilpotent: bool | None = None
    solvable: bool | None = None
    semisimple: bool | None = None
    perfect: bool | None = None
    center: Vectors | None = None
    derived_series: list[Vectors] | None = None
    lower_central_series: list[Vectors] | None = None
    killing: Vectors | None = None
    killing_signature: list[int] | None = None
    radical: Vectors | None = None
    nilradical: Vectors | None = None
    levi: LeviResult | None = None
    assumed_nonzero: list[str] | None = None
    brackets_shown: list[Formula] = []
    opposite_shown: list[Formula] = []
    center_shown: list[Formula] = []
    derived_algebra_shown: list[Formula] = []
    nilradical_shown: list[Formula] = []
    assumed_nonzero_shown: list[Formula] = []


class FlowResult(msgspec.Struct, kw_only=True):
    """The finite transformation of a generator.

    Args:
        flow: where each coordinate goes; None without an answer.
        domain: what must be positive.
        reason: why there is no answer.
        flow_shown: those coordinates that move.
    """

    flow: dict[str, str] | None
    domain: list[str]
    reason: str
    flow_shown: list[Formula] = []
    domain_shown: list[Formula] = []


class InvariantsResult(msgspec.Struct, kw_only=True):
    """Independent functions that a generator leaves alone; the first `similarity` of the variables only."""

    invariants: list[str]
    similarity: int
    reason: str
    invariants_shown: list[Formula] = []


class ReductionResult(msgspec.Struct, kw_only=True):
    """A system reduced by a generator; see `lie.reduction.reduced.Reduction`.

    Args:
        variables_shown: those that aren't old ones.
    """

    kind: str
    variables: dict[str, str]
    functions: dict[str, list[str]]
    ansatz: dict[str, str]
    equations: list[str]
    assumed_nonzero: list[str]
    reason: str
    variables_shown: list[Formula] = []
    functions_shown: list[Formula] = []
    ansatz_shown: list[Formula] = []
    equations_shown: list[Formula] = []
    assumed_nonzero_shown: list[Formula] = []


class ReducedResult(msgspec.Struct, kw_only=True):
    """What a generator leaves alone, and the equation reduced by it."""

    invariants: InvariantsResult
    reduction: ReductionResult


class StepResult(msgspec.Struct, kw_only=True):
    """A step of the solver: an equation solved by a rule, the functions it brings in, the parts it falls into."""

    rule: str
    text: str
    latex: str
    new: list[str]
    parts: list[Formula]
    new_shown: list[Formula] = []

    @property
    def shown(self) -> Formula:
        """The step itself."""
        return Formula(self.text, self.latex)


class Explanation(msgspec.Struct, kw_only=True):
    """How the algebra was derived; see `lie.told`."""

    equations: list[Formula]
    jets: list[str]
    evolution: list[Formula]
    no_evolution: str
    leading: list[Formula]
    components: dict[str, list[str]]
    determining: list[Formula]
    steps: list[StepResult]
    solution: dict[str, Formula]
    conditions: list[Formula]
    moved: dict[str, Formula]
    left_out: list[str] = []
    jets_shown: list[Formula] = []
    components_shown: list[Formula] = []
    solution_shown: list[Formula] = []
    moved_shown: list[Formula] = []


class SoughtResult(msgspec.Struct, kw_only=True):
    """Of first-order ODEs, which have infinitely many symmetries, those of stated classes, and first integrals.

    The flows and reductions are those of these generators.
    """

    classes: list[str]
    generators: list[dict[str, str]]
    integrals: list[str]
    generators_shown: list[Formula] = []
    integrals_shown: list[Formula] = []


class OutputsResult(msgspec.Struct, kw_only=True):
    """What outputs of ordinary differential equations determine; see `lie.parameters.identifiable.Identified`.

    Args:
        outputs: what is measured.
        parameters: whether each is identifiable, null if that is undecided; `states` the same of initial values.
        generators: symmetries that keep the time and the outputs, components for each coordinate and parameter.
        sought: the class they were sought in; empty if there are none to be found.
        unseen: parameters and initial values that no output depends on; the fields are those of the rest.
        directions: how many there are, whatever their form; null if unknown.
        combinations: what the outputs determine of the parameters that aren't identifiable.
        missing: how many combinations aren't found; null unless all symmetries are.
        reason: what the time didn't suffice for, else empty.
    """

    outputs: list[str]
    parameters: dict[str, bool | None]
    states: dict[str, bool | None]
    generators: list[dict[str, str]]
    sought: str = msgspec.field(name="class")
    unseen: list[str]
    directions: int | None
    combinations: list[str]
    missing: int | None
    reason: str
    outputs_shown: list[Formula] = []
    parameters_shown: list[Formula] = []
    states_shown: list[Formula] = []
    generators_shown: list[Formula] = []
    combinations_shown: list[Formula] = []


class MovingResult(msgspec.Struct, kw_only=True):
    """Symmetries that move parameters, modulo those at fixed parameters; see `lie.parameters.moving.Moving`.

    Args:
        generators: components for each coordinate and parameter.
        sought: the class they were sought in; empty if the time sufficed for none.
        complete: whether there are no others, of whatever form, for generic parameters.
        groups: power products that all scalings leave alone, those of parameters alone first.
        identifiable: whether the outputs determine each parameter; null if undecided, empty without outputs.
        identification: what else the outputs determine.
        reason: what the time didn't suffice for, else empty.
    """

    parameters: list[str]
    sought: str = msgspec.field(name="class")
    generators: list[dict[str, str]]
    complete: bool
    groups: list[str]
    reason: str
    identifiable: dict[str, bool | None] = {}
    identification: OutputsResult | UnsetType = UNSET
    parameters_shown: list[Formula] = []
    generators_shown: list[Formula] = []
    groups_shown: list[Formula] = []


class GeneralisedResult(msgspec.Struct, kw_only=True):
    """A generalised symmetry; see `lie.beyond.hierarchy.Generalised`.

    Args:
        characteristic: Q for each unknown, on solutions.
        order: its differential order there.
        field: of a point symmetry, the generator.
    """

    characteristic: dict[str, str]
    order: int
    kind: Literal["point", "contact", "generalised"]
    proved: bool
    field: dict[str, str] | None = None
    characteristic_shown: list[Formula] = []
    field_shown: Formula | None = None


class BeyondResult(msgspec.Struct, kw_only=True):
    """What was sought beyond point symmetries, and whether it is complete; see `lie.beyond.hierarchy.Hierarchy`.

    Args:
        families: characteristics with arbitrary functions.
        brackets: i, j, counted from 0, and the coefficients of [Qᵢ, Qⱼ] where it doesn't vanish; null in place of
            them if it isn't in the span. Null if the time didn't suffice.
        unsolved: what is missing; there may be more symmetries then.
        general: whether characteristics were any functions, not polynomials alone.
        assumed_nonzero: where one of them vanishes there may be more symmetries.
    """

    order: int
    sought: str = msgspec.field(name="class")
    certified: bool
    certificate: CertificateResult
    families: list[FamilyResult]
    unsolved: list[str]
    seconds: float
    brackets: list[tuple[int, int, list[str] | None]] | None = None
    general: bool = True
    assumed_nonzero: list[str] = []
    assumed_nonzero_shown: list[Formula] = []


class TruthResult(Result, tag_field="result", tag="truth", kw_only=True):
    """The point symmetries of a system; see `lie.truth.Truth`. What wasn't asked for is left out.

    Args:
        dimension: number of generators, modulo the families.
        unsolved: conditions that weren't solved; the dimension is then a lower bound.
        periodic: generators that a domain periodic in `periodic_in` keeps.
        parameter: of the flows.
    """

    dimension: int
    infinite: bool
    generators: list[dict[str, str]]
    families: list[FamilyResult]
    unsolved: list[str]
    assumed_nonzero: list[str]
    assumed_independent: list[list[str]]
    assumed_generic: list[str]
    certified: bool
    certificate: CertificateResult
    periodic: list[dict[str, str]]
    periodic_families: list[FamilyResult]
    structure: StructureResult
    seconds: float
    periodic_in: list[str]
    sought: SoughtResult | UnsetType = UNSET
    parameter: str | UnsetType = UNSET
    flows: list[FlowResult] | UnsetType = UNSET
    reductions: list[ReducedResult] | UnsetType = UNSET
    explain: Explanation | UnsetType = UNSET
    latex: str | UnsetType = UNSET
    moving: MovingResult | UnsetType = UNSET
    generalised: list[GeneralisedResult] | UnsetType = UNSET
    beyond: BeyondResult | UnsetType = UNSET
    equation_shown: list[Formula]
    generators_shown: list[Formula]
    periodic_shown: list[Formula]
    assumed_nonzero_shown: list[Formula]
    assumed_independent_shown: list[list[Formula]]
    assumed_generic_shown: list[Formula]
    parameter_shown: Formula | None = None
