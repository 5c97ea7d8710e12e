"""The app in headless Chromium: first paint of each page with many finished runs, and memory over page changes.

    python benchmarks/app.py [--runs 200] [--repeats 5] [--changes 50] [--like RUN] [--out FILE]

A folder is filled with hard-linked copies of one finished run (that of --like, else one that is made here), and a
server of its own shows it. First paint is the time from typing an address until the page's title is
there; complete is when its script has ended. Both depend on what else the machine does; the processor time that
the server and the page's process in the browser spend until then hardly does. The first visit of a page after the
start of the server, which loads what it needs, is told apart; the browser's cache is emptied before each. Memory is
the resident memory of the server, and the browser's JavaScript heap after a garbage collection, as one session goes
from page to page. Needs Chromium and its driver. The table goes to benchmarks/results/app.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from machine import heading

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.ui.browser import LEFT, RIGHT, Browser, browser, served, wait  # noqa: E402

MADE = ("discover", "--plugin", "ckdv", "--method", "spectrum", "--set", "cross_check=false", "--quiet")
"""What is run where no run is given."""

MOVED = 1
"""Place of the chart of the moved solution among those beside the slider."""

READY = "return document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state')"


def main() -> None:
    """Fill, serve, measure, print and write."""
    arguments = parse()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        last = fill(folder / "runs", arguments.runs, arguments.like)
        pages = addresses(last)
        with served(folder) as root, browser(folder) as one:
            first = {key: visit(one, root, key, path) for key, path in pages.items()}
            later = {
                key: [visit(one, root, key, path) for _ in range(arguments.repeats)] for key, path in pages.items()
            }
            memory = changes(one, root, list(pages.values()), arguments.changes)
            moves = slid(one, f"{root}/{pages['Run']}", arguments.repeats)
    text = told(arguments, first, later, memory, moves)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--like", type=Path)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "app.md")
    return parser.parse_args()


def addresses(run: str) -> dict[str, str]:
    """Each page with something on it."""
    return {
        "Home": "",
        "Explore": "explore",
        "Discover": "discover?plugin=ckdv",
        "Run": f"run?run={run}",
        "Runs": "runs",
        "Compare": "compare",
        "Plugins": "plugins?plugin=ckdv",
        "Help": "help",
    }


def fill(runs: Path, count: int, like: Path | None) -> str:
    """So many finished runs; the id of the newest."""
    if like is None:
        command = [sys.executable, "-m", "lieapp", *MADE, "--out", str(runs.parent / "made")]
        subprocess.run(command, check=True)
        (like,) = (runs.parent / "made").glob("2*")
    runs.mkdir()
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    for number in range(count):
        moment = start + datetime.timedelta(minutes=number)
        name = f"{moment:%Y%m%dT%H%M%SZ}-ckdv-{number:06x}"
        shutil.copytree(like, runs / name, copy_function=os.link)
    return name


class Visit(NamedTuple):
    """Seconds until the title, until the end, and of processor time of the server and the browser's page."""

    painted: float
    complete: float
    server: float
    page: float


def visit(one: Browser, root: str, key: str, path: str) -> Visit:
    """Open a page in a browser with an empty cache."""
    server = server_of(root)
    one.open("about:blank")
    one.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    one.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    begun, spent = time.perf_counter(), processor_seconds(server)
    one.open(f"{root}/{path}")
    wait(lambda: one.driver.find_elements("css selector", "h1"), 180, "the title")
    painted = time.perf_counter() - begun
    finish(one)
    complete = time.perf_counter() - begun
    metrics = one.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    page = next(entry["value"] for entry in metrics if entry["name"] == "TaskDuration")
    found = Visit(painted, complete, processor_seconds(server) - spent, page)
    print(f"{key}: " + ", ".join(f"{name} {value:.2f} s" for name, value in found._asdict().items()), flush=True)
    return found


def finish(one: Browser) -> None:
    """Wait until the script has ended."""
    wait(lambda: one.driver.execute_script(READY) == "notRunning", 180, "the end of the script")


def changes(one: Browser, root: str, paths: list[str], count: int) -> list[tuple[int, float, float]]:
    """After how many page changes the server has how many MB, and the browser's heap."""
    server = server_of(root)
    found = []
    one.open(root)
    finish(one)
    for number in range(count + 1):
        if number % 10 == 0:
            found.append((number, resident(server), heap(one)))
            print("after {} changes: {:.0f} and {:.0f} MB".format(*found[-1]), flush=True)
        change(one, root, paths[number % len(paths)])
    return found


def change(one: Browser, root: str, path: str) -> None:
    """Go to a page as a click in the menu does, within the same session."""
    key = path.partition("?")[0]
    if path != key or not one.driver.find_elements("css selector", f'a[href$="/{key}"]'):
        one.open(f"{root}/{path}")
    else:
        one.driver.find_element("css selector", f'a[href$="/{key}"]').click()
    wait(lambda: one.driver.find_elements("css selector", "h1"), 180, "the title")
    finish(one)
    # the session's queue: what it still sends
    time.sleep(0.3)


def slid(one: Browser, address: str, count: int) -> list[float]:
    """Seconds from a press of an arrow key on the slider of s until the moved solution is another picture."""
    one.open(f"{address}&view=Slots")
    one.sees("Flow parameter s")
    finish(one)
    found = []
    for number in range(2 * count):
        time.sleep(1)
        before = one.colours_of(MOVED)
        begun = time.perf_counter()
        one.press('[data-testid="stSlider"] input', RIGHT if number % 2 == 0 else LEFT)
        wait(lambda before=before: one.colours_of(MOVED) != before, 60, "the moved solution")
        found.append(time.perf_counter() - begun)
        print(f"slider: {found[-1]:.2f} s", flush=True)
    return found


def server_of(root: str) -> int:
    """The process that serves, a child of this one."""
    port = root.rpartition(":")[2]
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if "streamlit" in words and port in words:
            return int(place.parent.name)
    raise RuntimeError(f"no process serves {root}")


def resident(pid: int) -> float:
    """MB of memory that a process occupies."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def processor_seconds(pid: int) -> float:
    """Processor time that a process has spent."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def heap(one: Browser) -> float:
    """MB of JavaScript objects that are alive."""
    one.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    used = one.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
    return float(used) / 2**20


def told(
    arguments: argparse.Namespace,
    first: dict[str, Visit],
    later: dict[str, list[Visit]],
    memory: list[tuple[int, float, float]],
    moves: list[float],
) -> str:
    """The result as Markdown."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    lines = [
        heading(f"The app with {arguments.runs} finished runs"),
        f"Load of the machine at the end (1, 5, 15 minutes): {load}\n",
        f"Seconds; median and largest of {arguments.repeats} visits, each with an empty cache of the browser.\n",
        "| page | first paint | largest | complete | processor, server | processor, page | first visit of all |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, visits in later.items():
        middle = Visit(*(statistics.median(column) for column in zip(*visits, strict=True)))
        largest = max(one.painted for one in visits)
        cells = (middle.painted, largest, middle.complete, middle.server, middle.page, first[key].painted)
        lines.append(f"| {key} | " + " | ".join(f"{value:.2f}" for value in cells) + " |")
    lines.append(
        f"\nThe slider of s answers a key with another picture after {statistics.median(moves):.2f} s (median of "
        f"{len(moves)}, {min(moves):.2f} to {max(moves):.2f} s, looked at 20 times a second)."
    )
    lines += ["\n| page changes | server / MB | browser's heap / MB |", "|---|---|---|"]
    lines += [f"| {number} | {server:.0f} | {objects:.0f} |" for number, server, objects in memory]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
