"""What is written otherwise than the grammar reads it: Greek letters, `lambda`, `(k(u)*u_x)_x`, LaTeX.

Texts are rewritten sign by sign with the place that each one came from, so that errors still point into what was
typed.
"""

from __future__ import annotations

import re
import unicodedata

from lieapp.equations.latex import translated

WIDE = "lambd\N{FULLWIDTH LATIN SMALL LETTER A}"
"""`lambda` as Python's tokens don't know it; the syntax tree has the name in plain letters."""


def greek(name: str) -> str:
    """A name with Greek letters spelled out: ν_1 is nu_1."""
    return "".join(map(_letter, name)) if not name.isascii() else name


def _letter(sign: str) -> str:
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(sign, ""))
    if not found:
        return sign
    word = found[2].lower().replace("lamda", "lambda")
    return word.capitalize() if found[1] == "CAPITAL" else word


def readable(text: str, latex: bool = False) -> tuple[str, list[int]]:
    """The text as Python's parser reads it, and the place that each sign of it, and its end, has in the text.

    Raises LatexError.
    """
    text, origin = translated(text) if latex else (text, [*range(len(text) + 1)])
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for found in re.finditer(r"\blambda\b|\)_(?=[^\W\d_])", text):
        new = WIDE if found[0] == "lambda" else ")._"
        parts += [text[done : found.start()], new]
        places += [*range(done, found.start()), *(min(found.start() + n, found.end() - 1) for n in range(len(new)))]
        done = found.end()
    return "".join([*parts, text[done:]]), [origin[n] for n in (*places, *range(done, len(text) + 1))]
