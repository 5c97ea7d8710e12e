"""Runs that are killed or meet a full disk, then gone on with: do results equal those of undisturbed runs?"""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from reliability_runs import CASES, Ended, Forked, command, differences, load_everything, prepare, resumed, runs_in
from reliability_writes import Action, Writes

KEPT = (".lock", ".cache")
"""Hidden files and folders that are no drafts."""


class Tried(msgspec.Struct):
    """What came of the trials of one kind of run.

    Args:
        disturbed: trials in which the process was disturbed, `early` of them before there was a run to go on with.
        equal: trials whose results, after all, equal those of the undisturbed run.
        left: processes alive ten seconds after the one that started them.
        faults: what didn't go well.
    """

    trials: int = 0
    disturbed: int = 0
    early: int = 0
    equal: int = 0
    left: int = 0
    faults: list[str] = []


class Whole(NamedTuple):
    """An undisturbed run, its seconds and its writes."""

    run: Path
    seconds: float
    writes: int


class Laboratory:
    """Undisturbed runs of each case, made once, and trials beside them.

    Args:
        folder: the working folder; made here.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "runs"
        prepare(folder, self.out)
        load_everything()
        self.whole = {case: self._undisturbed(case) for case in CASES}

    def _undisturbed(self, case: str) -> Whole:
        ended = self.begin(case, "count", 0).wait()
        if ended.code or len(runs_in(self.out)) != 1:
            raise SystemExit(f"{case}: exit code {ended.code}\n{ended.out}\n{ended.err}")
        kept = runs_in(self.out)[0].rename(self.folder / f"whole{len(list(self.folder.glob('whole*')))}")
        found = Whole(kept, ended.seconds, (self.folder / "told").stat().st_size)
        print(f"{case}: {found.seconds:.1f} s, {found.writes} writes", flush=True)
        return found

    def begin(self, case: str, action: Action, at: int) -> Forked:
        """A new run in an empty folder, whose writes there are counted and disturbed."""
        shutil.rmtree(self.out, ignore_errors=True)
        writes = Writes(self.out, action, at, self.folder / "told")
        return Forked(command(case, self.out), self.folder, writes.install)

    def killed(self, case: str, at: float, *, inside: bool) -> Iterator[str]:
        """Kill a run after `at` seconds, or `inside` its write of that number; see `_gone_on`."""
        one = self.begin(case, "kill" if inside else "count", int(at) if inside else 0)
        if not inside:
            time.sleep(at)
            one.kill()
        ended = one.wait()
        yield from self._gone_on(case, one, ended, disturbed=ended.code == -9)

    def filled(self, case: str, at: int) -> Iterator[str]:
        """Let the disk be full from a write on; one error has to say so."""
        out, one = self.out, self.begin(case, "full", at)
        ended = one.wait()
        if ended.code == 1 and not (ended.clean and "pace" in ended.out and "error" in ended.out):
            yield f"no clear error: {ended.out[-300:]} {ended.err[-300:]}"
        if ended.code not in (0, 1):
            yield f"exit code {ended.code}: {ended.err[-300:]}"
        hidden = list(out.rglob(".*")) if out.exists() else []
        drafts = [path.name for path in hidden if path.name not in KEPT]
        if drafts:
            yield f"left behind: {', '.join(drafts)}"
        yield from self._gone_on(case, one, ended, disturbed=ended.code != 0)

    def _gone_on(self, case: str, one: Forked, ended: Ended, *, disturbed: bool) -> Iterator[str]:
        """Go on with what is left, and compare; yields each fault, and the words of `Tried` that are true."""
        if disturbed:
            yield "disturbed"
        begun, out = runs_in(self.out), self.out
        if len(begun) > 1:
            yield f"{len(begun)} runs where one was started"
        if not begun:
            yield "early"
        listed = Forked(["runs", "list", "--out", str(out), "--json"], self.folder).wait()
        if listed.code or not listed.clean:
            yield f"runs list: {listed.out[-300:]}"
        again = Forked(resumed(begun[0]) if begun else command(case, out), self.folder).wait()
        if again.code or not again.clean:
            yield f"resume: exit code {again.code}: {again.out[-300:]} {again.err[-300:]}"
        else:
            unequal = differences(self.whole[case].run, runs_in(out)[0])
            yield "equal" if not unequal else f"unequal: {', '.join(unequal[:5])}"
        yield from ["left"] * one.left()
        if "Traceback" in (said := one.told()[1]):
            yield f"said at its end: {said[-300:]}"


WORDS = ("disturbed", "early", "equal", "left")


def count(found: dict[str, Tried], case: str, moment: str, said: Iterator[str]) -> None:
    """Add what a trial said to the sums of its case."""
    row, words = found.setdefault(case, Tried()), list(said)
    counts = Counter(word for word in words if word in WORDS)
    row.trials += 1
    for word in WORDS:
        setattr(row, word, getattr(row, word) + counts[word])
    faults = [word for word in words if word not in WORDS]
    row.faults += [f"{moment}: {fault}" for fault in faults]
    print(f"{case}, {moment}: {', '.join(words)}", flush=True)


def kills(folder: Path, trials: int, seed: int) -> dict[str, Tried]:
    """Kill runs of each case in turn, at a random moment and inside a random write, alternately."""
    laboratory, chance, found = Laboratory(folder), random.Random(seed), dict[str, Tried]()
    for number in range(trials):
        case = list(CASES)[number % len(CASES)]
        whole, inside = laboratory.whole[case], (number // len(CASES)) % 2 == 1
        at = chance.randint(1, whole.writes) if inside else chance.uniform(0, whole.seconds)
        moment = f"inside write {at}" if inside else f"after {at:.2f} s"
        count(found, case, moment, laboratory.killed(case, at, inside=inside))
    return found


def full_disks(folder: Path, trials: int) -> dict[str, Tried]:
    """Let the disk be full from write 1, 2, 3, … on, in the cases in turn that write so often."""
    laboratory, found = Laboratory(folder), dict[str, Tried]()
    for at in range(1, trials + 1):
        able = [case for case, whole in laboratory.whole.items() if whole.writes >= at]
        case = able[at % len(able)]
        count(found, case, f"write {at}", laboratory.filled(case, at))
    return found
