r"""LaTeX of equations in the grammar's signs, where it has one meaning: `u_{xx}`, `\partial_t u`, `\frac{a}{b}`.

A text is LaTeX if it has a backslash, `_{` or `^{`. What stands side by side is multiplied; a name right before a
parenthesis is a function. Each sign that comes out has the place that it is from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
    "xi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "pi", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
)  # fmt: skip
VARIANTS = {f"var{name}": name for name in ("epsilon", "theta", "rho", "sigma", "phi", "kappa")}
FUNCTIONS = (
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "exp", "log", "ln", "arcsin",
    "arccos", "arctan",
)  # fmt: skip
SPACES = ("left", "right", "quad", "qquad", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", *",;:! ")
SIGNS = {"cdot": "*", "times": "*", "div": "/", "lbrace": "(", "rbrace": ")"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
DEPTH = 60
"""Groups and operands inside one another; a group in braces is both, and what stands in it another."""

TOKEN = re.compile(r"\\([A-Za-z]+|[,;:! {}])|([^\W\d_][^\W_]*)|(\d+(?:\.\d*)?|\.\d+)|(\S)")
PLAIN = "Write it in plain text, as u_xx, sqrt(u) or u**2."


class LatexError(Exception):
    """What can't be read, with its place, the problem and the next step."""

    def __init__(self, place: int, problem: str, hint: str = PLAIN) -> None:
        super().__init__(problem)
        self.place, self.problem, self.hint = place, problem, hint


def is_latex(text: str) -> bool:
    """Whether a text is LaTeX."""
    return bool(re.search(r"\\|_\{|\^\{", text))


def translated(text: str) -> tuple[str, list[int]]:
    """The text in the grammar's signs, and the place of each of them and of the end. Raises LatexError."""
    reader = _Latex(_tokens(text), len(text))
    reader.sequence("")
    parts = "".join(sign for sign, _ in reader.out)
    return parts, [*(place for sign, place in reader.out for _ in sign), len(text)]


@dataclass(frozen=True)
class Token:
    """A command, name, number or sign, and whether nothing separates it from what stands before."""

    kind: str
    text: str
    place: int
    close: bool


def _tokens(text: str) -> list[Token]:
    found, end = list[Token](), -1
    for match in TOKEN.finditer(text.replace("~", " ")):
        kind = ("command", "name", "number", "sign")[match.lastindex - 1 if match.lastindex else 3]
        value = match[match.lastindex or 0]
        if kind == "command" and value in SPACES:
            continue
        if kind == "command" and value in SIGNS:
            kind, value = "sign", SIGNS[value]
        found.append(Token(kind, value, match.start(), match.start() == end))
        end = match.end()
    return found


@dataclass
class _Latex:
    tokens: list[Token]
    length: int
    at: int = 0
    depth: int = 0
    out: list[tuple[str, int]] = field(default_factory=list)

    @property
    def next(self) -> Token:
        """The token to be read; an empty sign at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else Token("sign", "", self.length, False)

    def take(self) -> Token:
        """The token, which is read by that."""
        token = self.next
        self.at += 1
        return token

    def put(self, sign: str, token: Token) -> None:
        """Write a sign that a token is the reason of."""
        self.out.append((sign, token.place))

    def fail(self, token: Token, problem: str, hint: str = PLAIN) -> NoReturn:
        """Raise the LatexError."""
        raise LatexError(token.place, problem, hint)

    def sequence(self, stop: str) -> None:
        """Sums and products up to a closing sign, which is left."""
        self.deeper()
        operand = False
        while self.next.text != stop or self.next.kind != "sign":
            token = self.next
            if token.text == "" or token.text in ")]}" or (token.text in "&" and token.kind == "sign"):
                self.fail(token, "this can't be read")
            if token.kind == "sign" and token.text in "+-*/,":
                self.put(self.take().text, token)
                operand = False
            elif token.text == "^" and operand:
                self.take()
                self.put("**", token)
                self.exponent()
            else:
                if operand:
                    self.put("*", token)
                self.operand()
                operand = True
        self.depth -= 1

    def deeper(self) -> None:
        """One more group or operand inside others. Raises LatexError for one too many."""
        self.depth += 1
        if self.depth > DEPTH:
            self.fail(self.next, "this is nested too deeply")

    def exponent(self) -> None:
        """One sign, or a group."""
        token = self.next
        if token.kind == "number" and len(token.text) > 1:
            self.fail(token, "an exponent of several digits has braces in LaTeX", "Write u^{12}, or u**12.")
        self.operand(script=True)

    def operand(self, script: bool = False) -> None:
        """A name, number, group, fraction, root, function or derivative."""
        self.deeper()
        token = self.take()
        if token.kind == "sign" and token.text in CLOSING:
            self.group(token)
            if not script and self.next.text == "_":
                self.put(f"_{self.subscript()}", self.next)
        elif token.kind == "number":
            self.put(token.text, token)
        elif token.kind == "name" and token.text == "e" and self.next.text == "^" and not script:
            self.take()
            self.called("exp", token)
        elif token.kind == "name" or token.text in (*GREEK, *VARIANTS):
            self.put(VARIANTS.get(token.text, token.text), token)
            if not script:
                self.named(token)
        elif token.text == "partial":
            letters = self.subscript() if self.next.text == "_" else self.fail(token, "by which variable?")
            self.derivative("_".join([letters] * self.times()), token)
        elif token.text in ("frac", "dfrac", "tfrac"):
            self.fraction(token)
        elif token.text == "sqrt":
            self.root(token)
        elif token.text in FUNCTIONS:
            self.called(token.text, token)
        else:
            self.fail(token, f"{token.text or 'the end'} is not read here")
        self.depth -= 1

    def group(self, opening: Token) -> None:
        """What stands in parentheses or braces."""
        self.put("(", opening)
        self.sequence(CLOSING[opening.text])
        self.put(")", self.take())

    def named(self, token: Token) -> None:
        """What belongs to a name: its letters below, and arguments right behind."""
        if self.next.text == "_":
            place = self.next
            self.put(f"_{self.subscript()}", place)
        if self.next.text == "(" and self.next.close:
            self.group(self.take())
        if self.next.text in ("'", "’"):
            self.fail(self.next, "a prime is not read", "Write derivatives as u_x.")

    def subscript(self) -> str:
        """The names below, with _ between them."""
        self.take()
        first = self.take()
        if first.text != "{":
            return self.script(first)
        names = list[str]()
        while self.next.text != "}":
            token = self.take()
            if token.text != ",":
                names.append(self.script(token))
        self.take()
        return "_".join(names) or self.fail(first, "nothing stands below")

    def script(self, token: Token) -> str:
        """A name or number below."""
        if token.kind in ("name", "number") or token.text in (*GREEK, *VARIANTS):
            return VARIANTS.get(token.text, token.text)
        self.fail(token, "names and numbers can stand below, nothing else", "Write derivatives as u_{xx}.")

    def times(self) -> int:
        """How often, as a number above says; 1 without one."""
        if self.next.text != "^":
            return 1
        self.take()
        token = self.take()
        braces = token.text == "{"
        token = self.take() if braces else token
        if not re.fullmatch("[1-8]", token.text) or (braces and self.take().text != "}"):
            self.fail(token, "derivatives are taken 1 to 8 times")
        return int(token.text)

    def derivative(self, letters: str, token: Token) -> None:
        """Of the operand that follows."""
        self.put(f"D_{letters}(", token)
        self.operand()
        if self.next.text == "^":
            self.fail(self.next, "is the derivative raised to a power, or what it is of?", "Put parentheses.")
        self.put(")", token)

    def called(self, name: str, token: Token) -> None:
        """A function of a group or of one name or number."""
        if self.next.text in ("^", "_"):
            self.fail(self.next, f"a power of {name} is not read", f"Write ({name}(x))^2.")
        self.put(f"{name}(", token)
        self.alone(f"where does the argument of {name} end?")
        self.put(")", token)

    def alone(self, problem: str) -> None:
        """A group, or an operand with nothing beside it."""
        if self.next.text not in CLOSING:
            self.operand()
            if self.next.text == "^" or (self.next.text not in "+-*/,)]}" and self.next.text):
                self.fail(self.next, problem, "Put parentheses around it.")
        else:
            self.operand()
            if self.next.text == "^":
                self.fail(self.next, problem, "Put parentheses around what is raised to the power.")

    def root(self, token: Token) -> None:
        """A square root, or another with its degree in brackets."""
        degree = "2"
        if self.next.text == "[":
            self.take()
            degree = self.take().text
            if not re.fullmatch("[0-9]{1,2}", degree) or self.take().text != "]":
                self.fail(token, "the degree of a root is a number")
        self.put("(", token)
        self.operand(script=True)
        self.put(f")**(1/{degree})", token)

    def fraction(self, token: Token) -> None:
        r"""A quotient, or a derivative \frac{\partial^2 u}{\partial x \partial t}, \frac{du}{dx}."""
        above, below = self.braces(), self.braces()
        letters = self.below(below)
        if letters and above and self.is_d(above[0]):
            first = above[0]
            short = first.kind == "name" and first.text != "d"
            rest = [Token("name", first.text[1:], first.place + 1, True), *above[1:]] if short else above[1:]
            inner = _Latex(rest, token.place, depth=self.depth)
            count = 1 if short else inner.times()
            if count != len(letters):
                self.fail(token, f"the derivative is of order {count} above and {len(letters)} below")
            self.put(f"D_{'_'.join(letters)}(", token)
            if inner.at == len(rest):
                self.alone("where does what is differentiated end?")
            else:
                self.inner(rest[inner.at :], token)
            self.put(")", token)
            return
        self.put("((", token)
        self.inner(above, token)
        self.put(")/(", token)
        self.inner(below, token)
        self.put("))", token)

    def inner(self, tokens: list[Token], token: Token) -> None:
        """What other tokens say."""
        inner = _Latex(tokens, token.place, depth=self.depth)
        inner.sequence("")
        self.out += inner.out

    def braces(self) -> list[Token]:
        """The tokens in braces, or a single one."""
        first, open_, found = self.take(), 1, list[Token]()
        if first.text != "{":
            if first.kind in ("number", "name") and len(first.text) > 1:
                self.fail(first, "what is above and below stands in braces", r"Write \frac{1}{2}.")
            return [first]
        while open_:
            token = self.take()
            if token.text == "":
                self.fail(first, "this brace isn't closed")
            open_ += {"{": 1, "}": -1}.get(token.text, 0)
            found.append(token)
        return found[:-1]

    def below(self, tokens: list[Token]) -> list[str]:
        r"""The variables of `\partial x^2 \partial t` or `dx^2`, as often as they occur; [] for anything else."""
        inner, letters = _Latex(tokens, self.length), list[str]()
        while inner.at < len(tokens):
            token = inner.take()
            if not self.is_d(token):
                return []
            short = token.kind == "name" and token.text != "d"
            name = token.text[1:] if short else inner.take().text
            name = VARIANTS.get(name, name)
            if not name.isalnum():
                return []
            letters += [name] * inner.times()
        return letters

    @staticmethod
    def is_d(token: Token) -> bool:
        """Whether a token is the d of a derivative, or begins with one."""
        return token.text == "partial" or (token.kind == "name" and token.text.startswith("d"))
