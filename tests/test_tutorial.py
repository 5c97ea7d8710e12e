"""The pages with Python sessions say what really comes out."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page.name for page in DOCS.glob("*.md") if ">>> " in page.read_text(encoding="utf-8"))


def test_there_are_such_pages():
    assert "symmetries.md" in PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_session_in_the_docs_runs_as_printed(page):
    failures, tried = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert tried and not failures
