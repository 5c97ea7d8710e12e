"""A discovery on an equation on the terminal and in generators.csv, and its numbers in words."""

import csv
import math

import pytest
from rich.console import Console

from lieapp.api import symmetries
from lieapp.document import Formula, Heading, cosine, cosines, number
from lieapp.extension import outcome
from lieapp.lie.told import told
from lieapp.pde.algebra_document import MEMBERS
from lieapp.pde.document import document, sentence, write_csv
from lieapp.report.terminal import rendered
from lieapp.results.base import decode
from lieapp.results.discovery import ClosedForm, CrossCheck, EquationResult, FormulasCheck, Simpler, Slot
from lieapp.results.truth import FamilyResult
from lieapp.runs.store.files import encode


def _printed(result, width=300):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for part in rendered(document(result)):
        console.print(part)
    return console.export_text()


def test_what_a_terminal_shows(synthetic):
    text = _printed(synthetic.summary())
    lines = text.splitlines()
    assert lines[0].strip() == "u_t + u*u_x + u_xxx + u/(2*(t + 1)) = 0"
    assert lines[1] == "2 candidates exact of 4 slots; 2 derived; worst cosine 0.99998"
    assert "candidate: falls to the floor" in text
    assert "2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u" in text
    assert "The spectrum method finds the same span within 0.0011 rad." in text
    assert lines[-1] == "start 1.9, data 3.2, truth 0.8, discovery 6.7, total 12.9"


def test_slots_are_called_exact_once_their_whole_span_is_proved(synthetic):
    content = synthetic.summary()
    content.formulas_check = FormulasCheck(dimension=2, proved=2, derived=2, same_span=True)
    content.formulas = [
        ClosedForm(field={}, verdict="exact", proved=True, eta=0.0, shown=row.shown) for row in content.truth
    ]
    content.sentence = sentence(content)
    text = _printed(content)
    assert "exact: in the proved span" in text and "candidate" not in text
    fields = ", ".join(row.shown.text for row in content.truth)
    assert f"Found all 2 symmetries of the equation, each proved: {fields}" in text
    for check, words in (
        (FormulasCheck(dimension=2, proved=2, derived=0), "Found 2 symmetries, each proved: "),
        (FormulasCheck(dimension=2, proved=2, derived=3), "; 2 were derived"),
        (
            FormulasCheck(dimension=2, proved=2, derived=2, holds_derived=True),
            "and members of its families, 2 fields",
        ),
    ):
        content.formulas_check = check
        assert words in sentence(
            content
            if check.derived
            else EquationResult(formulas=content.formulas, formulas_check=check, generators=content.generators)
        )
    content.formulas_check = FormulasCheck(dimension=2, proved=2, derived=2, same_span=True)
    content.formulas_check.proved = 1
    assert "candidate: falls to the floor" in _printed(content)


def test_a_result_with_nothing_in_it_says_so(synthetic):
    text = _printed(EquationResult(sentence="nothing"))
    for words in (
        "no learned fields",
        "no closed forms",
        "No generators were derived",
        "No cross-check",
        "No times",
    ):
        assert words in text


def test_a_result_is_the_same_once_it_was_written_and_read(synthetic):
    content = synthetic.judged(synthetic.summary())
    assert decode(encode(content)) == content


def test_formulas_with_what_they_leave(synthetic):
    content = synthetic.summary()
    one, rest = Formula("∂t", r"\partial_{t}"), [Formula("u*v", "u v"), Formula("0", "0")]
    content.formulas = [
        ClosedForm(field={"t": "1"}, verdict="exact", proved=True, eta=1e-9, shown=one),
        ClosedForm(field={"t": "1"}, verdict="none", proved=False, eta=0.2, shown=one, leftover_shown=rest),
        ClosedForm(field={"t": "1"}, verdict="approximate", proved=False, eta=0.06, slot=3, shown=one),
        ClosedForm(field=None, verdict="approximate", proved=False, eta=None, slot=4),
    ]
    content.formulas_check = FormulasCheck(dimension=2, proved=1, derived=2, holds_derived=True)
    text = _printed(content)
    assert (
        "1 of 2 exact candidates written as proved formulas; they contain the 2 derived generators" in text
    )
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]
    assert rows[4:8] == [
        ["∂t", "1e-9", "proved", "–"],
        ["∂t", "0.2", "refuted: not a symmetry exactly", "u*v, 0"],
        ["∂t", "0.06", "slot 3, approximate", "–"],
        ["–", "–", "slot 4: no formula fits", "–"],
    ]


def test_intervals_and_shares_of_draws(synthetic):
    content = synthetic.summary()
    assert "90 % of draws" not in _printed(content)
    content.generators[0].eta_interval, content.generators[0].confidence = (2.8e-6, 3.2e-6), 1.0
    content.generators[3].eta_interval, content.generators[3].confidence = (0.02, 0.41), 0.66
    text = _printed(content)
    assert "2.8e-6 – 3.2e-6" in text and "none: not a symmetry (in 66 % of draws)" in text


def test_an_algebra_that_is_a_family_is_no_missing_one():
    """As of u_t + u u_x = 0, whose solutions may be moved along characteristics in any way."""
    derived = told(symmetries("u_t + u*u_x", "t,x", "u"), [])
    assert derived.dimension == 0 and derived.infinite and derived.families
    slots = [Slot(slot=n + 1, eta=1e-12, verdict="exact") for n in range(3)]
    result = EquationResult(families=derived.families, generators=slots, count=3, more=True)
    result.sentence = sentence(result)
    assert "infinitely many symmetries, all of them with arbitrary functions" in result.sentence
    assert "take more slots" not in result.sentence and "no derived" not in result.sentence
    text = " ".join(_printed(result).split())
    assert "Equations of first order are of this kind" in text and "and the family alpha ∂t" in text
    assert "No generators were derived" not in text and "cosines can be lower" not in text


def test_families_stand_beside_what_was_derived(synthetic):
    content = synthetic.summary()
    assert "family" not in _printed(content)
    alpha, beta, gamma = (Formula(f, f) for f in ("alpha(t, x)", "beta(t)", "gamma(x)"))
    content.families = [
        FamilyResult(
            functions={"alpha": ["t", "x"]}, conditions=["alpha_t - alpha_xx"],
            field={"t": "0", "x": "0", "u": "alpha"}, functions_shown=[alpha],
            conditions_shown=[Formula("alpha_t - alpha_xx", "")], shown=Formula("alpha ∂u", ""),
        ),
        FamilyResult(
            functions={"beta": ["t"], "gamma": ["x"]}, conditions=[], field={"t": "beta", "x": "gamma", "u": "0"},
            functions_shown=[beta, gamma], shown=Formula("beta ∂t + gamma ∂x", ""),
        ),
    ]  # fmt: skip
    lines = _printed(content).splitlines()
    (place,) = (k for k, line in enumerate(lines) if line.startswith("and the family alpha ∂u"))
    assert lines[place] == "and the family alpha ∂u for every alpha(t, x) where alpha_t - alpha_xx = 0"
    assert lines[place + 1].startswith("and the family beta ∂t + gamma ∂x for every beta(t), gamma(x)")
    assert lines[place + 2] == MEMBERS and "more slots" in MEMBERS


def test_csv_has_every_slot_and_generator(synthetic, tmp_path):
    content = synthetic.summary()
    field = {"t": "0", "x": "1", "u": "0"}
    content.formulas = [ClosedForm(field=field, verdict="exact", proved=True, eta=1e-9)]
    path = tmp_path / "generators.csv"
    write_csv(content, path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["learned"] * 4 + ["formula"] + ["derived"] * 2
    assert float(rows[1]["eta"]) == 2.1e-4
    assert rows[-1]["x"] == "2*sqrt(t + 1)" and float(rows[-1]["cosine"]) == 0.99998


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3e-6, "3e-6"),
        (2.1e-4, "0.00021"),
        (290.4, "290"),
        (-0.25, "−0.25"),
        (None, "–"),
        (0.0, "0"),
        (math.inf, "–"),
    ],
)
def test_numbers(value, words):
    assert number(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.999999, "0.999999"),
        (1.0000001, "1.00000"),
        (1.0, "1.00000"),
        (0.99998, "0.99998"),
        (0.6, "0.60000"),
        (0.912349, "0.91234"),
        # 1 - cos 7e-5 = 2.45e-9
        (math.cos(7e-5), "0.9999999975"),
        (1 - 2**-53, "0.9999999999"),
        (0.0, "0.00000"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_cosines_are_never_rounded_up(value, words):
    assert cosine(value) == words


def test_cosines_of_a_column_have_the_same_number_of_decimals():
    assert cosines([1.0, 0.9999999976, 0.6, None]) == ["1.0000000000", "0.9999999976", "0.6000000000", "–"]
    assert cosines([]) == [] and cosines([1.0, 0.99998]) == ["1.00000", "0.99998"]


def test_an_eigenproblem_has_no_curves_of_a_training(synthetic):
    content = synthetic.summary()
    keys = {block.key for block in document(content) if isinstance(block, Heading)}
    assert {"convergence", "loss", "training"} <= keys
    content.method = "spectrum"
    keys -= {block.key for block in document(content) if isinstance(block, Heading)}
    assert keys == {"loss", "training"}


def test_nothing_found_is_no_success(synthetic):
    content = synthetic.summary()
    assert content.level == "success"
    content.count = 0
    assert outcome(content)[0].level == "info"


@pytest.mark.parametrize(("value", "words"), [(0.99996, "0.99996"), (0.9991, "0.9991"), (0.12345, "0.1234")])
def test_fewer_decimals_are_not_rounded_up_either(value, words):
    assert cosine(value, 4) == words


@pytest.mark.parametrize(
    ("angle", "mine", "theirs", "said"),
    [
        (1.5, 2, 6, "finds 6 exact candidates, this one 2, and the spans differ: the largest principal angle is"),
        (1e-3, 3, 1, "finds 1 exact candidate, this one 3; the smaller span lies in the larger one within 0.001"),
        (None, 2, 0, "finds no exact candidates, this one 2."),
        (None, 0, 3, "finds 3 exact candidates, this one none."),
    ],
)
def test_spans_that_differ_are_not_called_the_same(synthetic, angle, mine, theirs, said):
    content = synthetic.summary()
    content.count = mine
    content.cross_check = CrossCheck(method="neural", angle=angle, count=theirs, eta=[])
    assert f"The neural method {said}" in _printed(content)


def test_what_holds_on_few_windows_is_undecided(synthetic):
    content = synthetic.summary()
    content.generators[2].verdict, content.generators[2].undecided = "approximate", True
    text = _printed(content)
    assert "undecided: falls, but unproved" in text and "approximate: η is" not in text


def test_a_slow_field_that_nothing_sets_apart_is_no_symmetry(synthetic):
    content = synthetic.summary()
    content.generators[2].verdict = "none"
    left, out = Formula("u_t + u*u_x = 0", "u_t + u u_x = 0"), Formula("u_xx/9", "u_{xx}/9")
    content.simpler = Simpler(equation=[left], left_out=[out], share=0.03)
    text = _printed(content)
    assert "none: slow, not set apart" in text and "none: not a symmetry" in text
    assert "nearly those of u_t + u*u_x = 0: u_xx/9 changes them by 0.03" in " ".join(text.split())
    content.generators[2].eta, content.simpler = 0.2, None
    assert "slow" not in _printed(content) and "nearly" not in _printed(content)
