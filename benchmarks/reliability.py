"""What lieapp does when it is killed, when the disk is full, when files are damaged, and when many use its app.

    python benchmarks/reliability.py kill [--trials 100] [--seed 0]    # kill -9 at random moments, resume, compare
    python benchmarks/reliability.py disk [--trials 100]               # no space left from the n-th write on
    python benchmarks/reliability.py files [--trials 2000] [--seconds 40] [--seed 0]    # damaged files of each kind
    python benchmarks/reliability.py app [--trials 50] [--seconds 180] [--seed 0]       # sessions, then a soak
    python benchmarks/reliability.py hosts [--trials 10]               # two hosts on one folder

Each campaign keeps its counts in benchmarks/results/reliability.json and writes the table reliability.md anew.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from machine import heading

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from reliability_app import Sessions, Visit, sessions  # noqa: E402
from reliability_files import Read, mutants  # noqa: E402
from reliability_hosts import hosts  # noqa: E402
from reliability_resume import Tried, full_disks, kills  # noqa: E402

KEPT, TABLE = HERE / "results" / "reliability.json", HERE / "results" / "reliability.md"


class Campaign(msgspec.Struct):
    """One campaign: what was typed, when, how long it took, the machine's load at its end, and its rows."""

    command: str
    date: str
    seconds: float
    load: float
    header: list[str]
    rows: list[list[str]]
    faults: list[str]


TITLES = {
    "kill": "kill -9, then resume",
    "disk": "No space left on the device",
    "files": "Damaged files",
    "app": "Sessions with the app",
    "hosts": "Two hosts on one folder of runs",
}

TOLD = {
    "kill": (
        "Alternately at a moment drawn uniformly from the seconds of the undisturbed run, and inside a write drawn "
        "from its writes, of which half is done. Then `--resume`; where there was no run yet, the command again. "
        "Equal: summary, learned fields, tables and metrics are those of the undisturbed run bit for bit, run id "
        "and seconds apart. Left: processes still alive ten seconds later. A run is a fork of a process that has "
        "imported everything, so that 100 kills take minutes; it calls the entry of the command line."
    ),
    "disk": (
        "From the n-th write on, each one fails with ENOSPC, the first one when half of it is done; n goes through "
        "1, 2, 3, … and each time another kind of run is taken that writes so often. A write is one to a file, or "
        "a file or folder made. Good: one error that names the file and the reason, no draft left, and results "
        "equal to the undisturbed ones after `--resume` with space."
    ),
    "files": (
        "Bytes flipped, cut out, cut off, repeated and blanked; nodes of JSON swapped, dropped, repeated and "
        "replaced by extremes, those in headers too; half of the sealed files bear the right checksum again. Each "
        "file is read in a process with lieapp loaded. Read: a value comes out, or a list that says *unreadable*. "
        "Refused: one error of lieapp's own. A fault is anything else: another exception, a bug reported, no end "
        "after 5 s, more than 500 MB of memory in addition. A kind ends after its files, or its seconds."
    ),
    "app": (
        "A session is a websocket that asks for a page, as browsers do. First text: the first heading, paragraph "
        "or table. Pages in turn. In the soak, ten visitors come, look at some pages and leave, in the middle of "
        "one or not, for the seconds of the command, in place of a whole day."
    ),
    "hosts": (
        "Processes with another host name and network (namespaces) on one file system, once more where it has no "
        "locks. Disturbed: the other host meddled, or died. Equal: the result is that of the undisturbed run."
    ),
}


def main() -> None:
    """Run a campaign, keep its counts and write the table."""
    arguments = parse()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        header, rows, faults = CAMPAIGNS[arguments.campaign](Path(name) / "work", arguments)
    found = read()
    found[arguments.campaign] = Campaign(
        f"python benchmarks/reliability.py {' '.join(sys.argv[1:])}",
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}", round(time.monotonic() - began), os.getloadavg()[1],
        header, rows, faults,
    )  # fmt: skip
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    TABLE.write_text(table(found), encoding="utf-8")
    print(table(found))


def parse() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", choices=list(CAMPAIGNS))
    parser.add_argument("--trials", type=int, help="Default: that of the examples above.")
    parser.add_argument("--seconds", type=float, help="As well.")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def read() -> dict[str, Campaign]:
    """The campaigns so far."""
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Campaign]) if KEPT.exists() else {}


Table = tuple[list[str], list[list[str]], list[str]]
"""Header, rows and faults."""


def resumes(found: dict[str, Tried]) -> Table:
    """A row for each kind of run, and their sum."""
    header = ["kind of run", "trials", "disturbed", "before there was a run", "equal", "processes left"]
    rows = [[case, *numbers(row)] for case, row in found.items()]
    total = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(header))]
    faults = [f"{case}, {fault}" for case, row in found.items() for fault in row.faults]
    return header, [*rows, ["all", *total]], faults


def numbers(row: Tried) -> list[str]:
    """The counts of a row."""
    return [str(count) for count in (row.trials, row.disturbed, row.early, row.equal, row.left)]


def files(found: dict[str, Read]) -> Table:
    """A row for each kind of file."""
    header = ["kind of file", "files", "read", "refused", "faults", "longest / s", "most memory / MB"]
    rows = [
        [
            name, str(row.trials), str(row.read), str(row.refused), str(len(row.faults)), f"{row.seconds:.2f}",
            f"{row.memory:.0f}",
        ] for name, row in found.items()
    ]  # fmt: skip
    total = [str(sum(int(row[column]) for row in rows)) for column in range(1, 5)]
    largest = [f"{max(row.seconds for row in found.values()):.2f}", f"{max(r.memory for r in found.values()):.0f}"]
    return header, [*rows, ["all", *total, *largest]], [f"{n}, {f}" for n, row in found.items() for f in row.faults]


def visits(found: Sessions) -> Table:
    """A row for each way to open sessions, then the server at each moment."""
    header = [
        "", "visits", "first text / s, median", "95 %", "complete / s, median", "95 %", "exceptions, or no text",
    ]  # fmt: skip
    parts = {
        "opened one after the other": found.alone, "opened at once": found.together, "in the soak": found.soak,
    }  # fmt: skip
    rows = [[name, *_seconds(part)] for name, part in parts.items()]
    rows += [["**the server**", "**memory / MB**", "**threads**", "**processes**", "", "", ""]]
    rows += [[m.when, f"{m.memory:.0f}", str(m.threads), str(m.processes), "", "", ""] for m in found.moments]
    return header, rows, []


def _seconds(part: list[Visit]) -> list[str]:
    columns = [sorted(times) for times in ([v.first for v in part], [v.whole for v in part])]
    told = [f"{times[int(share * (len(times) - 1))]:.2f}" for times in columns for share in (0.5, 0.95)]
    return [str(len(part)), *told, str(sum(visit.broken for visit in part))]


def table(found: dict[str, Campaign]) -> str:
    """All campaigns as Markdown."""
    lines = [heading("Reliability")]
    for name, campaign in sorted(found.items(), key=lambda item: list(TITLES).index(item[0])):
        lines += [f"## {TITLES[name]}", "", TOLD[name], ""]
        lines += [
            f"Command: `{campaign.command}`; {campaign.date}, {campaign.seconds:.0f} s, load of the machine "
            f"{campaign.load:.1f}", "",
        ]  # fmt: skip
        lines += [f"| {' | '.join(row)} |" for row in (campaign.header, ["---"] * len(campaign.header))]
        lines += [f"| {' | '.join(row)} |" for row in campaign.rows]
        faults = [f"- {' '.join(fault.replace('|', '/').split())}" for fault in campaign.faults]
        lines += ["", *(["Faults:", "", *faults] if faults else ["No faults."]), ""]
    return "\n".join(lines)


CAMPAIGNS: dict[str, Callable[[Path, argparse.Namespace], Table]] = {
    "kill": lambda folder, typed: resumes(kills(folder, typed.trials or 100, typed.seed)),
    "disk": lambda folder, typed: resumes(full_disks(folder, typed.trials or 100)),
    "files": lambda folder, typed: files(mutants(folder, typed.trials or 2000, typed.seconds or 40, typed.seed)),
    "app": lambda folder, typed: visits(sessions(folder, typed.trials or 50, typed.seconds or 180, typed.seed)),
    "hosts": lambda folder, typed: resumes(hosts(folder, typed.trials or 10)),
}


if __name__ == "__main__":
    main()
