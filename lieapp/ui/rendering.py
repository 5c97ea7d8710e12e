"""What several pages draw: documents, tables, formulas, figures, a run's state and log; and the app's style."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import streamlit as st

from lieapp import document as doc
from lieapp.errors import LieappError
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.help import TERMS, tip
from lieapp.ui.navigation import file_of
from lieapp.ui.plots import show_drawing
from lieapp.ui.words import advice, enclosed, plain, sign, unbroken

LAST_BYTES = 6000
"""How much of the end of a log is shown."""

ICONS = {"success": "verified", "info": "info", "warning": "warning", "error": "error"}


def show(document: doc.Document) -> None:
    """Every block below the one before it."""
    for block in document:
        show_block(block)


def show_block(block: doc.Block) -> None:
    """One block. Text that isn't lieapp's own can't act: Markdown shows it as it is."""
    match block:
        case doc.Heading():
            tips = [tip(term) for term in block.term.split() if term in TERMS]
            st.subheader(plain(block.text), help="\n\n".join(tips) or None)
        case doc.Text():
            (st.caption if block.small else st.markdown)(markdown(block.words))
        case doc.Formula():
            st.latex(enclosed(block.latex))
        case doc.Notice():
            kinds = {"success": st.success, "info": st.info, "warning": st.warning, "error": st.error}
            kinds[block.level](markdown(block.words), icon=f":material/{ICONS[block.level]}:")
        case doc.Table():
            _table(block)
        case doc.Figure():
            _figure(block)


def markdown(words: doc.Words, write: Callable[[str], str] = advice) -> str:
    """A line as Markdown, its formulas between dollars, what is to be typed as code."""
    return "".join(write(part) if isinstance(part, str) else formula(part.latex) for part in doc.inline(words))


def _figure(shown: doc.Figure) -> None:
    """A figure, or the sentence in its place."""
    if shown.drawing:
        show_drawing(shown.drawing, shown.key)
        if shown.caption:
            st.caption(plain(shown.caption))
    else:
        st.caption(plain(shown.note))


def _table(block: doc.Table) -> None:
    rows = [[_cell(column, cell) for column, cell in zip(block.columns, row, strict=True)] for row in block.rows]
    rule = ["--:" if column.number else "---" for column in block.columns]
    table([markdown(column.head) for column in block.columns], rows, rule)


def _cell(column: doc.Column, cell: doc.Cell) -> str:
    if cell in (None, ""):
        return "–"
    return unbroken(cell) if column.number and isinstance(cell, str) else markdown(cell, plain)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: Sequence[str] = ()) -> None:
    """A table of Markdown cells; text from files has to be `plain` already. `rule` says how columns are aligned."""
    lines = [head, rule or ["---"] * len(head), *rows]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def facts_block(facts: Sequence[tuple[str, str]]) -> None:
    """Names and values, to copy; long ones such as a sha256 wrap where a table would be cut off."""
    width = max((len(name) for name, _ in facts), default=0)
    text = "\n".join(f"{name:{width}}  {value}" for name, value in facts)
    st.code(text or "nothing was recorded", language="text", wrap_lines=True)


def formula(latex: str) -> str:
    """A formula inside a line or a table's cell."""
    return f"${enclosed(latex)}$"


def show_formulas(lines: Iterable[str]) -> None:
    """Formulas in LaTeX, each on a line of its own."""
    for latex in lines:
        st.markdown(formula(rf"\displaystyle {latex}"))


def state_badge(state: str) -> None:
    """The state as a word with an icon; its meaning under the pointer."""
    shown = sign(state)
    st.badge(shown.word, icon=shown.icon, color=shown.colour, help=shown.meaning or None)


def log_tail(run: RunDirectory) -> None:
    """The last lines of log.txt."""
    text, file = "", file_of(run, "log.txt")
    with contextlib.suppress(OSError):
        if file is not None:
            with file.open("rb") as stream:
                stream.seek(max(file.stat().st_size - LAST_BYTES, 0))
                text = stream.read().decode("utf-8", errors="replace")
    if text.strip():
        st.code(text, language="text", wrap_lines=True, height=260 if text.count("\n") > 9 else "content")
    else:
        st.caption("Nothing was logged yet.")


def show_error(error: LieappError, where: str = "") -> None:
    """An error; where it points into a text, the text with the caret under the column."""
    first, *pointed = error.message.split("\n")
    st.error(plain(where + first), icon=":material/error:")
    if pointed:
        st.code("\n".join(line.removeprefix("  ") for line in pointed), language="text")
    if error.hint:
        st.caption(advice(error.hint))


@contextlib.contextmanager
def errors_shown() -> Iterator[None]:
    """Show an error in place of what is left of the block."""
    try:
        yield
    except LieappError as error:
        show_error(error)


CAPTION = 0.76
"""Opacity of captions; Streamlit's .6 leaves less than 4.5 of contrast on white."""

TOKENS = {
    "comment, prolog, doctype, cdata, punctuation": ("#5c6066", "#b8bcc6"),
    "keyword, tag, function, class-name, selector": ("#0b5cad", "#7cb7ff"),
    "attr-name, property, variable": ("#00647a", "#63d2ee"),
    "boolean, constant, symbol": ("#176b33", "#5fd38a"),
    "number, regex": ("#0b665a", "#58d1bd"),
    "string, char, attr-value": ("#17692c", "#6fd68c"),
    "operator, entity, decorator, atrule": ("#8f4700", "#ffb072"),
}
"""Colours of the words of a code block in the light and in the dark theme."""

ON_PRIMARY = ("#ffffff", "#171614")
"""Text on primary buttons and chosen names in both themes: the dark primary colour is light, to be read as text."""


def _token(names: str, light: str, dark: str) -> str:
    places = ", ".join(f'[data-testid="stCode"] code .token.{name}' for name in names.split(", "))
    return f"{places} {{ color: light-dark({light}, {dark}) !important; }}"


CSS = f"""<style>
[data-testid="stMarkdownContainer"] table {{
  display: block; overflow-x: auto; width: fit-content; max-width: 100%; }}
[data-testid="stImageContainer"] img {{ max-width: 100%; height: auto; }}
[data-testid="stCaptionContainer"] {{ opacity: {CAPTION} !important; }}
[data-testid="stBaseButton-primary"]:enabled, [data-testid="stMultiSelect"] [data-tag] * {{
  color: light-dark({", ".join(ON_PRIMARY)}) !important; }}
{chr(10).join(_token(names, *colours) for names, colours in TOKENS.items())}
</style>"""
