"""Explanations: every term is short, points at a page of docs/ that exists, and holds formulas that can be read."""

import re
from pathlib import Path

import pytest

from lieapp.ui.help import TERMS, tip

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("key", TERMS)
def test_a_term_is_short_and_its_page_exists(key):
    text, _, link = tip(key).rpartition(" [More](help?doc=")
    assert text.startswith("**") and len(text) < 440
    assert (DOCS / f"{link.removesuffix(')')}.md").is_file()


@pytest.mark.parametrize("key", TERMS)
def test_dollars_and_braces_of_formulas_are_paired(key):
    text = TERMS[key]
    assert text.count("$") % 2 == 0
    for formula in re.findall(r"\$(.+?)\$", text):
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\left") == formula.count(r"\right")
