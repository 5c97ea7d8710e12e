"""Help: the terms, the pages of docs/, and addresses that lead nowhere."""

import re

import pytest

from lieapp.ui import help as documents


def test_terms_and_pages(open_page, words):
    text = words(open_page("help"))
    assert "η, the defect" in text and "Levi factor" in text


def test_looking_for_a_term(open_page, words):
    app = open_page("help")
    app.text_input(key="wanted").set_value("levi").run()
    assert "Levi factor" in words(app) and "η, the defect" not in words(app)
    app.text_input(key="wanted").set_value("xyzzy").run()
    assert "No match." in words(app)


@pytest.mark.parametrize("name", ["index", "command-line"])
def test_a_page_of_docs(open_page, words, name):
    app = open_page("help", doc=name)
    assert app.title[0].value == documents.title(name)
    assert not app.warning


@pytest.mark.parametrize("name", ["../README", "/etc/passwd", "concepts.md", "", "x" * 500], ids=range(5))
def test_a_page_that_is_not_there(name):
    assert documents.text(name) == ""


def test_an_address_of_no_page(open_page, words):
    assert "There is no page" in words(open_page("help", doc="../README"))


@pytest.mark.parametrize("name", documents.names())
def test_links_stay_inside_or_lead_to_pages_that_exist(name):
    for target in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", documents.text(name)):
        if not target.startswith("https://"):
            assert target.removeprefix("help?doc=") in documents.names(), target
