"""What a derivation found, as one document: the same on a terminal, in a report and in the app."""

import io

import pytest
from rich.console import Console
from truth_results import HEAT_FAMILY, truth_result

from lieapp.document import Formula, Notice, Table, Text, plain_text, section, sections
from lieapp.report.page import page
from lieapp.report.terminal import rendered
from lieapp.report.truth_document import MOST_BRACKETS, document
from lieapp.results.truth import (
    BeyondResult,
    CertificateResult,
    InvariantsResult,
    ReducedResult,
    ReductionResult,
    StructureResult,
)


def lines(result, *keys):
    return [plain_text(block.words) for block in section(document(result), *keys) if isinstance(block, Text)]


def rows(result, key):
    (table,) = (block for block in section(document(result), key) if isinstance(block, Table))
    return [[plain_text(cell) for cell in row] for row in table.rows]


def test_the_algebra_and_what_a_periodic_domain_keeps():
    result = truth_result()
    titles = [head.text for head, _ in sections(document(result))]
    assert titles[0] == "" and "Symmetries, dimension 2 modulo the families" in titles
    assert rows(result, "symmetries") == [["V1", "2*t ∂t + x ∂x"], ["V2", "∂x"]]
    assert rows(result, "periodic") == [["V2", "∂x"], ["W1", "∂t + x ∂x"]]
    said = "and the family alpha ∂u for every alpha(t, x) where alpha_t - alpha_xx = 0"
    assert lines(result, "symmetries") == [said]
    assert lines(result, "periodic") == []
    stays = lines(truth_result(periodic_families=[HEAT_FAMILY]), "periodic")
    assert stays == ["The families remain, restricted to periodic members."]
    assert section(document(truth_result(periodic_in=[])), "periodic") == []


def test_nothing_found_beyond_point_symmetries_is_said_without_a_table():
    beyond = BeyondResult(
        order=1, sought="characteristics of differential order up to 1", certified=True,
        certificate=CertificateResult(reason=""), families=[], unsolved=[], seconds=0.1,
    )  # fmt: skip
    result = truth_result(generalised=[], beyond=beyond)
    assert lines(result, "beyond") == [
        "Sought: characteristics of differential order up to 1; certified: there are none."
    ]
    assert not any(isinstance(block, Table) for block in section(document(result), "beyond"))


def test_nothing_found():
    empty = {"dimension": 0, "generators": [], "generators_shown": [], "periodic": [], "periodic_shown": []}
    result = truth_result(**empty, families=[], infinite=False, structure=StructureResult(closed=True))
    assert lines(result, "symmetries") == ["There are no point symmetries."]
    assert lines(result, "periodic") == ["None."]
    assert lines(result, "completeness")[-1].startswith("Certified: there are no others")
    assert lines(truth_result(**empty), "symmetries")[0] == "Families only."


def test_open_ends_are_told():
    result = truth_result(
        certified=False,
        unsolved=["a*u_x", "the budget of 1 s ran out"],
        assumed_generic=["k"],
        assumed_generic_shown=[Formula("k", "k")],
        assumed_independent_shown=[[Formula("1", "1"), Formula("f", "f")]],
    )
    result.certificate.reason = "some conditions are left"
    unsolved, late, nonzero, independent, generic, certificate = lines(result, "completeness")
    assert (unsolved, late) == ("left unsolved: a*u_x", "left unsolved: the budget of 1 s ran out")
    assert nonzero == "assumed not to vanish: nu" and independent == "assumed linearly independent: 1, f"
    assert generic.startswith("assumed generic: k (solutions were counted at random values")
    reason = "that there are no others isn't certified independently (some conditions are left)"
    assert certificate == f"Each one is proved; {reason}. 1.2 s"
    assert any(isinstance(block, Notice) for block in section(document(result), "completeness"))


def test_of_very_many_brackets_the_first_are_listed():
    one, count = Formula("V1", "V_{1}"), MOST_BRACKETS + 3
    many = {"brackets": [(0, k, [1]) for k in range(1, count + 1)], "brackets_shown": [one] * count}
    said = lines(truth_result(structure=StructureResult(closed=True, **many)), "brackets")
    assert said[0] == "[V1, V2] = V1" and said[-1] == "and 3 more brackets, in the JSON"
    assert len(said) == MOST_BRACKETS + 1


def test_without_a_reduction_its_reason_stands_there():
    empty = {"variables": {}, "functions": {}, "ansatz": {}, "equations": [], "assumed_nonzero": []}
    invariants = InvariantsResult(invariants=[], similarity=0, reason="late too")
    found = ReducedResult(invariants=invariants, reduction=ReductionResult(kind="", reason="late", **empty))
    said = lines(truth_result(reductions=[found]), "reductions")
    assert said == ["V1: invariants none, late too; no reduction: late"]


@pytest.mark.parametrize("width", [40, 80])
def test_terminal_and_report_say_the_same(width):
    result = truth_result()
    console = Console(file=io.StringIO(), width=width)
    for item in rendered(document(result)):
        console.print(item)
    text, html = console.file.getvalue(), page("Heat", "derived", document(result))
    for head, _ in sections(document(result)):
        assert head.text in html and " ".join(head.text.split()) in " ".join(text.split())
    assert html.count("<math") >= 8 and "<code>" not in html
