"""Any text is read or refused, and any equation derived or left at its budget: texts drawn at random."""

import time

import pytest
from reading import derived
from typed_equations import deep, plain

from lieapp.equations.parsing import parse_system
from lieapp.errors import ParseError

LONGEST_ANSWER = 200_000
"""Bytes."""


def read(typed) -> bool:
    """Whether it is accepted; a refusal has a next step and is short."""
    try:
        parse_system(typed.equations, typed.independent, typed.dependent, typed.parameters, typed.functions)
    except ParseError as error:
        assert error.hint and len(error.message) < 20_000
        return False
    return True


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_any_text_is_read_or_refused_soon(first):
    accepted = 0
    for number in range(first, first + 100):
        start = time.process_time()
        accepted += read(deep(number))
        assert time.process_time() - start < 2, number
    assert 0 < accepted < 100


def test_what_is_drawn_to_be_derived_can_mostly_be_read():
    assert sum(read(plain(number)) for number in range(200)) > 150
    assert plain(7) == plain(7) != plain(8)


@pytest.mark.slow
def test_no_derivation_ends_in_a_bug_or_a_long_answer():
    outcomes = [derived(number) for number in range(100)]
    assert not [one for one in outcomes if one.bug]
    assert max(one.size for one in outcomes) < LONGEST_ANSWER
    assert sum(one.word == "certified" for one in outcomes) > 20
