"""What people type, or paste from a paper, in place of the grammar's own signs, and what to write instead."""

from __future__ import annotations

PLAIN = "Write plain text: derivatives as u_x, Greek letters as nu."

SIGNS = {
    "^": ("'^' is not a power", "Write ** for powers."),
    **dict.fromkeys("−–—", ("this sign is no minus of the keyboard", "Write - for minus.")),
    **dict.fromkeys("×·⋅∙", ("this sign is not read", "Write * for products.")),
    **dict.fromkeys("÷∕", ("this sign is not read", "Write / for quotients.")),
    **dict.fromkeys("²³⁴⁵⁶⁷⁸⁹", ("this sign is not read", "Write ** for powers, as u**2.")),
    "\\": ("LaTeX is not read", PLAIN),
    "√": ("this sign is not read", "Write sqrt(u)."),
    "∂": ("this sign is not read", "Write derivatives as u_x."),
    "$": ("this sign is not read", PLAIN),
    "≠": ("this sign is not read", "Write !=, and only with parameters: 'g, g != 3'."),
}
"""The problem and the next step for each sign."""

OPERATORS = "+-*/"


def misspelt(character: str) -> tuple[str, str] | None:
    """What is wrong with a character and what to write; None if nothing is."""
    return SIGNS.get(character)


def unfinished(text: str) -> bool:
    """Whether the text stops where something must follow."""
    return text.rstrip().endswith((*OPERATORS, "("))


def hint_of(text: str, column: int) -> str:
    """The next step for a text that breaks off being readable at a column."""
    if "'" in text or "’" in text:
        return "Write derivatives as u_x, not with a prime."
    if "{" in text:
        return "Write derivatives as u_x and indices of names as u_1, without braces."
    # the sign before, or the one at the column, shows what was meant
    if any(c in OPERATORS for c in text[column : column + 1]) and text[:column].rstrip()[-1:] in OPERATORS:
        return "Two operators follow each other; is a name missing between them?"
    return "Did you forget a '*' or a ')'?"
