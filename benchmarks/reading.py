"""Does typing ever hang or end in a bug? Random texts read, and random equations derived, in one process.

    python benchmarks/reading.py [--texts 6000] [--equations 2000] [--first 0] [--out FOLDER]

Texts and equations are those of `typed_equations.py`. Each equation has a second for its derivation with flows,
reductions, the steps and LaTeX, as the app asks for. Seconds are those of the processor for reading, of the clock
for deriving: a budget is one of the clock.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec
from machine import heading
from typed_equations import Typed, deep, plain

from lieapp.config import TruthConfig
from lieapp.equations.parsing import parse_system
from lieapp.errors import LieappError
from lieapp.pde.derivation import Request, derive

HERE = Path(__file__).parent
BUDGET = 1.0
HEAD = ("", "tried", "outcomes", "bugs", "median s", "longest s", "longest answer, bytes")


@dataclass(frozen=True)
class Outcome:
    """How one text ended: its number, in a word, after how many seconds, with an answer of so many bytes."""

    number: int
    word: str
    seconds: float
    size: int = 0

    @property
    def bug(self) -> bool:
        """Whether nobody meant it to end so."""
        return self.word.startswith("bug")


def main() -> None:
    """Try all and write the table."""
    parser = argparse.ArgumentParser(description="Read and derive texts that are drawn at random.")
    parser.add_argument("--texts", type=int, default=6000)
    parser.add_argument("--equations", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first text and equation")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    asked = parser.parse_args()
    texts = range(asked.first, asked.first + asked.texts)
    equations = range(asked.first, asked.first + asked.equations)
    found = {"read": [read(n) for n in texts], f"derived, {BUDGET:g} s": [derived(n) for n in equations]}
    lines = [HEAD, ("---",) * len(HEAD), *(line(what, outcomes) for what, outcomes in found.items() if outcomes)]
    bugs = [f"{what} {one.number}: {one.word}" for what, many in found.items() for one in many if one.bug]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    text = "\n\n".join([heading("Texts typed at random"), table, *bugs]) + "\n"
    (asked.out / "reading.md").write_text(text, encoding="utf-8")
    print(text)


def read(number: int) -> Outcome:
    """A text that is read."""
    typed = deep(number)

    def work() -> tuple[str, int]:
        parse_system(typed.equations, typed.independent, typed.dependent, typed.parameters, typed.functions)
        return "accepted", 0

    return tried(number, work, time.process_time)


def derived(number: int) -> Outcome:
    """An equation that is derived."""
    request = Request(asked_of(plain(number)), [])

    def work() -> tuple[str, int]:
        result = derive(request)
        return "certified" if result.certified else "not certified", len(msgspec.json.encode(result))

    return tried(number, work, time.perf_counter)


def asked_of(typed: Typed) -> TruthConfig:
    """All that the app asks for."""
    return TruthConfig(
        equation=list(typed.equations), independent=list(typed.independent), dependent=list(typed.dependent),
        parameter=list(typed.parameters), function=list(typed.functions), budget=BUDGET, flows=True,
        reductions=True, explain=True, latex=True,
    )  # fmt: skip


def tried(number: int, work: Callable[[], tuple[str, int]], clock: Callable[[], float]) -> Outcome:
    """How some work ends."""
    start = clock()
    try:
        word, size = work()
    except LieappError as error:
        word, size = type(error).__name__, len(error.message)
    except Exception as error:
        # what the campaign looks for
        word, size = f"bug: {type(error).__name__}: {error}", 0
    return Outcome(number, word, clock() - start, size)


def line(what: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """One line of the table."""
    words = Counter("bug" if one.bug else one.word for one in outcomes)
    seconds, longest = [one.seconds for one in outcomes], max(outcomes, key=lambda one: one.seconds)
    largest = max(outcomes, key=lambda one: one.size)
    told = ", ".join(f"{count} {word}" for word, count in words.most_common())
    return (
        what, str(len(outcomes)), told, str(words["bug"]), f"{median(seconds):.3g}",
        f"{longest.seconds:.3g} (number {longest.number})", f"{largest.size} (number {largest.number})",
    )  # fmt: skip


if __name__ == "__main__":
    main()
