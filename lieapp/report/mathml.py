"""The LaTeX that SymPy and lieapp write, turned into MathML, which browsers draw without any script."""

from __future__ import annotations

import re
from html import escape

from lieapp.report.formula import GREEK

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_LETTERS = {**GREEK, "varphi": "φ", "varepsilon": "ε", "infty": "∞", "ell": "ℓ"}
_SIGNS = {
    "cdot": "⋅", "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "to": "→", "in": "∈", "int": "∫", "ldots": "…", "cdots": "⋯", "dots": "…", "quad": " ", "lvert": "|",
    "rvert": "|",
}  # fmt: skip
_FUNCTIONS = "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan asin acos atan exp log ln max min"
_NAMES = frozenset(_FUNCTIONS.split())
_WORDS = frozenset({"text", "mathrm", "operatorname", "mathtt", "mathit", "mathbf", "textrm"})
_SPACE = '<mspace width="0.17em"/>'
_END = ""


def latex_to_mathml(latex: str, *, block: bool = False) -> str:
    """One `<math>` element; commands outside the subset appear by name instead of failing."""
    try:
        body = _Reader(latex).row(frozenset())
    except RecursionError:
        body = f"<mtext>{escape(latex)}</mtext>"
    # fractions in a table row at full size too: indices within them would else be too small to read
    display = ' display="block"' if block else ' displaystyle="true"'
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}>{body}</math>'


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, latex: str) -> None:
        self.tokens = [t for t in _TOKEN.findall(latex) if not t.isspace()]
        self.words = _TOKEN.findall(latex)
        self.place = 0
        # where each kept token stands among all, so that text keeps its blanks
        self.origin = [k for k, t in enumerate(self.words) if not t.isspace()]

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else _END

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def row(self, stops: frozenset[str]) -> str:
        """Atoms up to a stop (left in place), a closing brace that has no opening one being dropped."""
        parts: list[str] = []
        while self.peek() != _END and self.peek() not in stops:
            if self.peek() == "}":
                self.take()
                continue
            parts.append(self.scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """An atom with what stands above and below."""
        base = self.atom()
        scripts: dict[str, str] = {}
        while self.peek() in {"^", "_"} and self.peek() not in scripts:
            sign = self.take()
            scripts[sign] = self.atom()
        match (scripts.get("_"), scripts.get("^")):
            case (None, None):
                return base
            case (below, None):
                return f"<msub>{base}{below}</msub>"
            case (None, above):
                return f"<msup>{base}{above}</msup>"
            case (below, above):
                return f"<msubsup>{base}{below}{above}</msubsup>"

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            inner = self.row(frozenset({"}"}))
            self.take()
            return inner
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[:1].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        if token in {_END, "&"}:
            return "<mrow></mrow>"
        return f"<mo>{escape({'-': '−', '*': '⋅'}.get(token, token))}</mo>"

    def command(self, name: str) -> str:
        if name in {"frac", "dfrac", "tfrac"}:
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "sqrt":
            return self.root()
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.table()
        if name in _WORDS:
            return self.text("mi" if name != "text" else "mtext")
        if name == "partial":
            return "<mi>∂</mi>"
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _NAMES:
            return f"<mi>{name}</mi>"
        if name in _SIGNS:
            return f"<mo>{_SIGNS[name]}</mo>"
        if name in {",", ";", ":", "!", " ", "\\", "displaystyle", "limits"}:
            return _SPACE
        return f"<mo>{escape(name)}</mo>" if name in {"{", "}", "|", "_", "%"} else f"<mtext>{escape(name)}</mtext>"

    def root(self) -> str:
        if self.peek() != "[":
            return f"<msqrt>{self.atom()}</msqrt>"
        self.take()
        degree = self.row(frozenset({"]"}))
        self.take()
        return f"<mroot>{self.atom()}{degree}</mroot>"

    def fenced(self) -> str:
        left = self.take().lstrip("\\")
        inner = self.row(frozenset({"\\right"}))
        self.take()
        right = self.take().lstrip("\\")
        ends = ["" if end in {".", _END} else f'<mo fence="true">{escape(end)}</mo>' for end in (left, right)]
        return f"<mrow>{ends[0]}{inner}{ends[1]}</mrow>"

    def text(self, tag: str) -> str:
        """The words of `\\text{…}`, blanks kept."""
        if self.peek() != "{":
            return self.atom()
        self.take()
        first = self.origin[self.place] if self.place < len(self.origin) else len(self.words)
        while self.peek() not in {"}", _END}:
            self.take()
        last = self.origin[self.place] if self.place < len(self.origin) else len(self.words)
        self.take()
        words = "".join(self.words[first:last]).replace("\\", "")
        return f'<{tag} mathvariant="normal">{escape(words)}</{tag}>'

    def table(self) -> str:
        """`\\begin{…} a & b \\\\ c \\end{…}`: systems of equations."""
        self.text("mtext")
        rows: list[list[str]] = [[]]
        stops = frozenset({"&", "\\\\", "\\end"})
        while self.peek() != _END:
            rows[-1].append(self.row(stops))
            separator = self.take()
            if separator == "\\end":
                self.text("mtext")
                break
            if separator == "\\\\":
                rows.append([])
        cells = ["".join(f"<mtd>{cell}</mtd>" for cell in row) for row in rows if row]
        return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in cells)}</mtable>"
