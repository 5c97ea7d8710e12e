"""One document in three renderings: nothing is lost, nothing that it says can act."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from lieapp.document import (
    Column,
    Figure,
    Formula,
    Heading,
    Notice,
    Table,
    Text,
    cosines,
    plain_text,
    section,
    sections,
    table,
)
from lieapp.errors import RunError
from lieapp.figures.charts import spectrum
from lieapp.report.page import page
from lieapp.report.terminal import rendered
from lieapp.results.base import Result, decode

FIELD = Formula("2*x ∂x", r"2 x\,\partial_{x}")
DOCUMENT = [
    Notice("one of one", "success"),
    Heading("Slots", "slots"),
    Text(["the field ", FIELD, " is exact"]),
    table(["field", Column("η", number=True), "never"], [[FIELD, "3e-6", None], [None, "0.1", ""]]),
    Heading("Pictures", "pictures"),
    Figure("spectrum", "Spectrum", "every field", spectrum([1e-9, 0.1], 1, "Spectrum")),
    Heading("Provenance", "provenance", pages_only=True),
    Text("sha256 abc"),
]


def printed(document):
    console = Console(file=io.StringIO(), width=100)
    for item in rendered(document):
        console.print(item)
    return console.file.getvalue()


def test_a_table_drops_the_columns_in_which_nothing_stands():
    found = DOCUMENT[3]
    assert isinstance(found, Table) and [column.head for column in found.columns] == ["field", "η"]
    assert found.rows == [[FIELD, "3e-6"], [None, "0.1"]]


def test_sections_begin_with_their_headings():
    assert [head.key for head, _ in sections(DOCUMENT)] == ["", "slots", "pictures", "provenance"]
    assert section(DOCUMENT, "provenance") == DOCUMENT[-2:]


def test_a_terminal_shows_formulas_as_text_and_leaves_figures_to_the_report():
    text = printed(DOCUMENT)
    assert "the field 2*x ∂x is exact\n" in text
    assert "Pictures" not in text and "sha256" not in text and "–" in text


def test_a_page_has_every_section_and_its_formulas_as_mathml():
    html = page("Heat", "symmetries", DOCUMENT)
    assert html.count("<section>") == 3 and 'href="#slots"' in html and "<svg" in html
    assert html.count("<math") == 2 and "&#x02202;" in html


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text):
    document = [Heading("h", "k"), Text(text), Table([Column(text)], [[text]]), Notice(text, "warning")]
    html = page(text, text, document)
    assert "<script" not in html.lower().replace("&lt;script", "")
    assert html.count("<td") == 1 and html.count("<p class") == 2
    printed([Text(text)])


@given(st.text(max_size=40))
def test_any_latex_gives_a_page(latex):
    html = page("t", "k", [Formula("text", latex)])
    assert "<script" not in html


def test_what_is_to_be_typed_is_set_as_code():
    html = page("t", "k", [Text("type `lieapp runs <b>` or ` alone")])
    assert "type <code>lieapp runs &lt;b&gt;</code> or ` alone" in html


def test_latex_that_cannot_be_read_is_shown_as_text():
    assert "<code>a &lt; b</code>" in page("t", "k", [Text([Formula("a < b", r"\left( \frac{a}")])])
    assert plain_text(["x: ", Formula("a < b", "")]) == "x: a < b"


class Found(Result, tag_field="result", tag="test-found", kw_only=True):
    """A result of a plugin's."""

    value: float


def test_a_result_is_read_as_what_it_is_and_of_an_unknown_kind_as_what_all_share():
    import msgspec

    content = msgspec.json.encode(Found(run="r", value=0.1))
    assert b'"result":"test-found"' in content and b'"schema":1' in content
    assert decode(content) == Found(run="r", value=0.1)
    other = decode(b'{"result": "elsewhere", "run": "r", "sentence": "done", "more": 3}')
    assert type(other) is Result and other.sentence == "done"
    with pytest.raises(RunError, match=r"value.*again|\$\.value"):
        decode(b'{"result": "test-found", "value": "three"}', "summary.json")
    with pytest.raises(RunError, match=r"summary\.json can't be read"):
        decode(b'{"result": ', "summary.json")


@pytest.mark.parametrize("value", [1e300, -1e300, 5.0, float("inf"), float("nan"), None])
def test_what_is_no_cosine_is_a_dash(value):
    assert cosines([value, 0.5], 3) == ["–", "0.500"]
    assert cosines([1.0000000001, -1.0], 3) == ["1.000", "−1.000"]
