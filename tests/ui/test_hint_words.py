"""Hints on pages: commands as code, everything else as it was written."""

import pytest

from lieapp.runs.store.status import Status
from lieapp.ui.words import advice, plain, step_of


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "step 2 of 12"),
        ("chunks of trajectories", "2 of 12 chunks of trajectories"),
        ("loss -26.4", "step 2 of 12, loss -26.4"),
        ("1.5 of 9.0 MiB read", "1.5 of 9.0 MiB read"),
    ],
)
def test_a_step_says_what_is_counted(text, shown):
    assert step_of(Status(state="running", step=2, total=12, text=text)) == shown
    assert step_of(Status(state="running", step=2)) == "step 2"


def test_links_of_a_plugin_stay_text():
    assert "](" not in advice("[click](http://x) `y`").replace("\\]\\(", "")
