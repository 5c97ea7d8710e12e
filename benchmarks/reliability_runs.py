"""Runs of every kind, small enough to be repeated a hundred times, and how they are started and compared.

A run is a process made by fork from one that has imported everything: Python with torch takes seconds to start, a
fork milliseconds. It calls the command line's own entry with the arguments that a user types. What SymPy derives
still is a process of its own, started by lieapp.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file
from unchanged import VOLATILE, leaves, settings

SEEDS = ("--seed", "3", *settings("threads=1"))
OPERATOR = "history=5,validation=2,test=3,epochs=2,passes=3,renew=2,batch=4,width=6,modes=6,layers=2"
FEW = "steps=6,batch=4,trunk=16,head=8,held_out=8"
SHORT = "samples=4,held_out=2,slices=20,held_out_slices=8,finite_samples=0,cross_check=false"
LEARNED = (
    "generalised.basis=network,generalised.network_steps=30,generalised.network_width=8,"
    "generalised.network_features=12"
)
WARM = "u_t - u_xx + u*u_x"

CASES: dict[str, list[str]] = {
    "symmetries, spectrum": [
        "discover", "--plugin", "warm", "--method", "spectrum", "--set", "spectrum.degrees=[2,4]", *settings(SHORT),
    ],
    "symmetries, projection": [
        "discover", "--plugin", "warm", "--method", "projection",
        *settings(f"{SHORT},projection.steps=24,projection.width=12,projection.features=8"),
    ],
    "symmetries, gradient": [
        "discover", "--plugin", "warm", "--method", "gradient", "--slots", "2",
        *settings(f"{SHORT},gradient.batch=8,gradient.trunk=16,gradient.head=8"),
    ],
    "laws": ["discover", "--plugin", "warm", "--laws", *settings("samples=4,held_out=2")],
    "generalised, monomials": [
        "discover", "--plugin", "warm", "--fields", "generalised", "--order", "2",
        *settings("samples=4,held_out=2"),
    ],
    "generalised, network": [
        "discover", "--plugin", "warm", "--fields", "generalised", "--order", "2",
        *settings(f"samples=4,held_out=2,{LEARNED}"),
    ],
    "maps": ["discover", "--plugin", "norm"],
    "pictures": ["discover", "--plugin", "turned", "--slots", "2", *settings(f"{FEW},weight_rounds=1")],
    "colours": ["discover", "--plugin", "tinted", *settings(f"{FEW},colors=40,weight_pictures=10,lattice=5")],
    "training": ["train", "--plugin", "images", "--data", "set.npz", *settings("batch=16,base=4,epochs=2")],
    "augment, solutions": [
        "augment", "--plugin", "warm", "--with", "none,truth", "--samples", "4,8", "--seeds", "0,1",
        *settings(OPERATOR),
    ],
    "augment, pictures": [
        "augment", "--plugin", "turned", "--with", "none,affine", "--samples", "40", "--seeds", "0",
        *settings("epochs=2,base=4,batch=16,scales=[0.2]"),
    ],
    "truth": ["truth", "--equation", WARM, "--independent", "t,x", "--dependent", "u"],
    "laws, derived": ["laws", "--equation", WARM, "--independent", "t,x", "--dependent", "u", "--order", "1"],
    "classification": [
        "classify", "--equation", "u_t - u_xx + k*u", "--independent", "t,x", "--dependent", "u",
        "--parameter", "k",
    ],
    "check": ["check", "--plugin", "warm"],
}  # fmt: skip
"""One for each kind of run: each takes at most about five seconds."""

SEEDED = ("discover", "augment", "train")

PLUGINS = '''"""Small declarations."""
import sympy as sp
from lieapp.api import PDE, Colors, Images, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

def features(pixels):
    import torch
    return torch.stack([pixels.mean((1, 2, 3)), pixels.square().mean((1, 2, 3)), pixels[:, 0, :, 3].sum(1)], 1) + .1

@hookimpl
def lieapp_domains():
    warm = PDE(
        name="warm", title="Warm", equation=sp.Eq(u.diff(t), u.diff(x, 2) - u * u.diff(x)),
        region={t: (0, 4), x: (0, 6)}, points={t: 30, x: 32}, periodic=[x],
    )
    turned = Images(name="turned", title="Turned", data="PLACE", flip=False, features=features)
    tinted = Colors(name="tinted", title="Tinted", data="PLACE", features=features)
    return [warm, turned, tinted]
'''

TENSORS = ("fields", "learned", "finite", "predictions")

class Ended(NamedTuple):
    """How a process ended: its exit code (negative: the signal), what it printed, its seconds."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether it told a result, or one error of lieapp's own that isn't a bug."""
        try:
            told = json.loads(self.out)
        except ValueError:
            return False
        error = told.get("error")
        fine = error is None or (self.code != 0 and "bug in lieapp" not in f"{error['message']} {error['hint']}")
        return fine and "Traceback" not in self.err


def load_everything() -> None:
    """Import what runs need, without starting a thread, so that a fork is a process like any other."""
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    import matplotlib.figure  # noqa: F401
    import torch
    import torchvision  # noqa: F401
    import xarray  # noqa: F401

    import lieapp.cli.main
    import lieapp.cli.questions
    import lieapp.cli.short
    import lieapp.cli.working
    import lieapp.pde.discover
    import lieapp.pictures.discover  # noqa: F401

    torch.set_num_threads(1)
    gc.freeze()


def prepare(folder: Path, out: Path) -> None:
    """A working folder with plugins and pictures; caches are kept among the runs."""
    (folder / "plugins").mkdir(parents=True)
    place = folder.resolve() / "set.npz"
    (folder / "plugins" / "small.py").write_text(PLUGINS.replace("PLACE", str(place)), encoding="utf-8")
    pixels, labels = np.random.default_rng(0).integers(0, 256, (80, 8, 8, 3), dtype=np.uint8), np.arange(80) % 2
    np.savez(place, images=pixels, labels=labels)
    os.environ["LIEAPP_CACHE"] = str(out.resolve() / ".cache")


def command(case: str, folder: Path) -> list[str]:
    """The arguments of a case whose runs go into a folder."""
    words = CASES[case]
    seeds = SEEDS if words[0] in SEEDED else ()
    return [*words, *seeds, "--out", str(folder), "--json"]


def resumed(run: Path) -> list[str]:
    """The arguments that go on with a run."""
    kind = json.loads((run / "config.json").read_text(encoding="utf-8"))["kind"]
    return [kind, "--resume", str(run), "--json"]


class Forked:
    """A command line at work in a process of its own, the leader of a group.

    Args:
        arguments: what is typed after `lieapp`.
        folder: the working folder; stdout and stderr go to files of its own there.
        before: called in the new process, before the command line.
    """

    def __init__(self, arguments: list[str], folder: Path, before: Callable[[], None] = lambda: None) -> None:
        self._folder, self._began = folder, time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            self._work(arguments, before)

    def _work(self, arguments: list[str], before: Callable[[], None]) -> None:
        code = 70
        try:
            os.setsid()
            os.chdir(self._folder)
            for number, file in enumerate((Path("/dev/null"), *self._said(os.getpid()))):
                flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(file, flags, 0o644), number)
            sys.stdout, sys.stderr = (os.fdopen(os.dup(n), "w", encoding="utf-8") for n in (1, 2))
            import lieapp
            from lieapp.cli.main import run

            lieapp.STARTED = time.perf_counter()
            before()
            code = run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def kill(self) -> None:
        """kill -9, to the process alone: its children have to notice by themselves."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = 120.0) -> Ended:
        """Wait for the end, which is forced after so many seconds."""
        end = time.monotonic() + seconds
        while not (found := os.waitpid(self.pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                self.kill()
            time.sleep(0.005)
        seconds = time.monotonic() - self._began
        return Ended(os.waitstatus_to_exitcode(found[1]), *self.told(), seconds)

    def _said(self, pid: int) -> list[Path]:
        return [self._folder / f"{pid}.{name}" for name in ("stdout", "stderr")]

    def told(self) -> list[str]:
        """What it and its children have said on stdout and stderr by now; killed at once, it had no time for it."""
        return [file.read_text(errors="replace") if file.exists() else "" for file in self._said(self.pid)]

    def left(self, seconds: float = 10.0) -> int:
        """How many processes of the group are alive so many seconds after the end; they are then ended."""
        end = time.monotonic() + seconds
        while found := list(_of_group(self.pid)):
            if time.monotonic() > end:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)
                break
            time.sleep(0.1)
        return len(found)


def _of_group(group: int) -> Iterator[int]:
    """The processes of a group that still work."""
    told = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=False).stdout
    for line in told.splitlines():
        pid, own, state = line.split()
        if int(own) == group and state[0] not in "ZX":
            yield int(pid)


def runs_in(folder: Path) -> list[Path]:
    """The runs in a folder, without drafts."""
    return sorted(path for path in folder.glob("[0-9]*") if path.is_dir())


def differences(one: Path, other: Path) -> list[str]:
    """What in the results of two runs isn't equal bit for bit; run id and seconds apart."""
    found = []
    a, b = (dict(leaves(_document(run))) for run in (one, other))
    found += [f"summary {path}" for path in a.keys() | b.keys() if not _same(a.get(path), b.get(path))]
    for name in TENSORS:
        files = [run / f"{name}.safetensors" for run in (one, other)]
        if [file.exists() for file in files] == [True, True]:
            x, y = map(load_file, files)
            same = x.keys() == y.keys() and all(np.array_equal(x[k], y[k], equal_nan=True) for k in x)
            found += [] if same else [f"{name}.safetensors"]
        elif any(file.exists() for file in files):
            found.append(f"{name}.safetensors is missing")
    if _text(one / "generators.csv") != _text(other / "generators.csv"):
        found.append("generators.csv")
    if _rows(one) != _rows(other):
        found.append("metrics.jsonl")
    return found


def _document(run: Path) -> dict[str, object]:
    """A run's summary.json, in which it has no name of its own."""
    text = _text(run / "summary.json")
    found: dict[str, object] = json.loads(text)
    name = Path(str(found["run"])).name
    return {**json.loads(text.replace(name, "RUN")), "run": "RUN"}


def _same(x: object, y: object) -> bool:
    return x == y or (x != x and y != y)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _rows(run: Path) -> list[dict[str, object]]:
    """The lines of metrics.jsonl without what differs between two runs; a broken one is a row too."""
    rows = []
    for line in _text(run / "metrics.jsonl").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            rows.append({"broken": line})
    return [{key: value for key, value in row.items() if key not in VOLATILE} for row in rows]
