"""Hints on pages: commands as code, everything else as it was written."""

import pytest

from lieapp.ui.words import advice, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Type `lieapp plugins`.", "Type `lieapp plugins`\\."),
        ("`a_b` and `c*d`", "`a_b` and `c*d`"),
        ("no *code*", "no \\*code\\*"),
        ("one ` only, [x](y)", plain("one ` only, [x](y)")),
        ("two `` together", "two  together"),
        ("", ""),
    ],
)
def test_what_stands_between_backticks_is_code(text, shown):
    assert advice(text) == shown


def test_links_of_a_plugin_stay_text():
    assert "](" not in advice("[click](http://x) `y`").replace("\\]\\(", "")
