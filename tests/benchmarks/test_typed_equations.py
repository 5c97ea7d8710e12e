"""Any text is read or refused, and any equation derived or left at its budget: texts drawn at random."""

import time

import pytest
from typed_equations import deep, plain

from lieapp.equations.parsing import parse_system
from lieapp.errors import ParseError


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
