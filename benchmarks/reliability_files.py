"""Damaged files of each kind that lieapp reads, opened by what reads them: a value, or one error of lieapp's own.

Files are read in a process made by fork, which ends itself where a file takes too long; another one then goes on
with the next. Each file comes from the seed, its kind and its number, so that it can be made again.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import msgspec
import numpy as np
from reliability_mutants import Mutate, archived, damaged, either, resealed, tensors
from reliability_runs import Forked, command, load_everything, prepare, runs_in

if TYPE_CHECKING:
    from lieapp.extension import Reader

SLOW = 5.0
"""Seconds of a file that hangs."""

MOST = 500.0
"""MB that a file may take in addition."""

HUNG = 3
"""Exit code of a process that ended itself in a file that hangs."""

MOST_EVER = 2**31
"""Bytes of addresses that the process may take in addition: beyond, it has no memory."""


class Kind(NamedTuple):
    """A kind of file.

    Args:
        file: its name in the working folder, in a run or not.
        seeds: whole files.
        mutate: what damages one.
        use: what reads it; raises LieappError for one that is refused.
    """

    file: Path
    seeds: list[bytes]
    mutate: Mutate
    use: Callable[[Path], None]


class Read(msgspec.Struct):
    """What came of the files of one kind; seconds and MB are the largest of all."""

    trials: int = 0
    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    memory: float = 0.0
    faults: list[str] = []


class Outcome(msgspec.Struct):
    """What came of one file; `fault` is empty where nothing is wrong."""

    number: int
    refused: bool = False
    fault: str = ""
    seconds: float = 0.0
    memory: float = 0.0


class FaultError(Exception):
    """A command line answered as it mustn't."""


def said(*arguments: str) -> None:
    """Run a command line. Raises LieappError where it ended with an error of lieapp's own, else FaultError."""
    from lieapp.cli.main import run
    from lieapp.errors import LieappError

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    text = f"{out.getvalue()}\n{err.getvalue()}"
    if "bug in lieapp" in text or "Traceback" in text:
        raise FaultError(f"lieapp {arguments[0]}: {text[-400:]}")
    if "--json" in arguments:
        told = json.loads(out.getvalue())
        if "error" in told and code:
            raise LieappError(told["error"]["message"])
    if code:
        raise LieappError(text)


def of_result(file: Path) -> None:
    """summary.json: the list of runs, which never fails, and what a run found."""
    run = file.parent
    said("runs", "list", "--out", str(run.parent), "--json")
    said("runs", "show", run.name, "--out", str(run.parent))


def of_settings(file: Path) -> None:
    """config.json: the list, and a resume up to its work."""
    import lieapp.cli.working as working
    from lieapp.errors import LieappError
    from lieapp.runs.store.directory import RunDirectory
    from lieapp.runs.store.sealed import check_sealed

    run = file.parent
    said("runs", "list", "--out", str(run.parent), "--json")
    reached: list[str] = []

    def stop(at: RunDirectory, *_: object, **__: object) -> NoReturn:
        check_sealed(at.path)
        reached.append(at.id)
        raise LieappError("enough")

    real = working.work_on
    working.work_on = stop
    try:
        said("discover", "--resume", str(run), "--json")
    except LieappError:
        if not reached:
            raise
    finally:
        working.work_on = real


def of_checkpoint(file: Path) -> None:
    """Files of checkpoint/: their checksums, then what they hold."""
    from lieapp.runs.store.checkpoint import Checkpoint
    from lieapp.runs.store.sealed import check_sealed
    from lieapp.runs.store.session import Stopwatch

    check_sealed(file.parents[1])
    checkpoint = Checkpoint(file.parent)
    checkpoint.data()
    kept = checkpoint.training()
    assert kept is None or int(kept[0]["done"]) >= 0  # as those who go on read it
    Stopwatch(file.parent / "seconds.json", time.perf_counter()).seconds()


def of_data(file: Path) -> None:
    """A file with solutions: what `lieapp inspect` says of it, then its values."""
    from lieapp.data.files import read
    from lieapp.data.inspection import inspect, inspection_document

    inspection_document(inspect(file, readers=_readers()))
    read([file], readers=_readers())


@cache
def _readers() -> list[Reader]:
    """Those of all files: looking for plugins takes longer than a small file."""
    from lieapp.data.opening import all_readers

    return all_readers()


def of_pictures(file: Path) -> None:
    """A file with pictures, or with their labels."""
    from lieapp.data.images.files import read_idx
    from lieapp.data.images.sources import read_pictures

    if "idx" in file.name:
        read_idx(file)
    read_pictures(str(file))


def of_drawn(file: Path) -> None:
    """fields.safetensors: what pages and reports draw."""
    from lieapp.figures.material import parts_of, read_fields
    from lieapp.runs.store.directory import RunDirectory

    read_fields(file)
    parts_of(file, 0, ("learned",))
    RunDirectory(file.parent).metrics()


def of_learned(file: Path) -> None:
    """learned.safetensors: fields as functions."""
    from lieapp.augment.learned import read_learned

    read_learned(file)


def of_plugin(file: Path) -> None:
    """The source of a plugin: the list of plugins, which never fails."""
    said("plugins", "--plugins", str(file.parent), "--json")


def kinds(folder: Path) -> dict[str, Kind]:
    """Each kind, with whole files made in a folder."""
    done, half = _runs(folder)
    files = folder / "files"
    files.mkdir()
    _data(files)
    mat = [(files / name).read_bytes() for name in ("five.mat", "seven.mat")]

    def seed(file: Path) -> list[bytes]:
        return [file.read_bytes()]

    def beside(run: Path, name: str, mutate: Mutate, use: Callable[[Path], None]) -> Kind:
        return Kind(run / name, seed(run / name), mutate, use)

    kept = half / "checkpoint"
    plugin = folder / "others" / "mine.py"
    plugin.parent.mkdir()
    sources = sorted((Path(__file__).parents[1] / "plugins").glob("*.py"))
    return {
        "summary.json": beside(done, "summary.json", either, of_result),
        "status.json": beside(done, "status.json", either, of_result),
        "config.json": beside(half, "config.json", resealed(either), of_settings),
        "provenance.json": beside(half, "provenance.json", resealed(either), of_settings),
        "checkpoint/data.safetensors": beside(kept, "data.safetensors", resealed(tensors), of_checkpoint),
        "checkpoint/training.safetensors": beside(kept, "training.safetensors", resealed(tensors), of_checkpoint),
        "checkpoint/seconds.json": beside(kept, "seconds.json", resealed(either), of_checkpoint),
        "fields.safetensors": beside(done, "fields.safetensors", tensors, of_drawn),
        "learned.safetensors": beside(done, "learned.safetensors", tensors, of_learned),
        "metrics.jsonl": beside(done, "metrics.jsonl", damaged, of_drawn),
        "netCDF": Kind(files / "made.nc", seed(files / "made.nc"), damaged, of_data),
        "mat": Kind(files / "made.mat", mat, damaged, of_data),
        "npz": Kind(files / "made.npz", seed(files / "made.npz"), archived, of_data),
        "npz, pictures": Kind(files / "set.npz", seed(folder / "set.npz"), archived, of_pictures),
        "idx": Kind(
            files / "train-images-idx3-ubyte", seed(files / "train-images-idx3-ubyte"), damaged, of_pictures
        ),
        "plugin source": Kind(plugin, [file.read_bytes() for file in sources], damaged, of_plugin),
    }


def _runs(folder: Path) -> tuple[Path, Path]:
    """A run that is done, and one killed in its training, which has a checkpoint."""
    found = []
    for name in ("done", "half"):
        one = Forked(command("symmetries, projection", folder / name), folder)
        while name == "half" and not list((folder / name).glob("*/checkpoint/training.safetensors")):
            time.sleep(0.01)
        if name == "half":
            one.kill()
        one.wait()
        found += runs_in(folder / name)
    return found[0], found[1]


def _data(files: Path) -> None:
    """Solutions of the heat equation as netCDF, .mat and .npz, and pictures as idx."""
    import h5py
    import xarray as xr
    from scipy.io import savemat

    t, x = np.linspace(0, 1, 24), np.arange(32) * 2 * np.pi / 32
    u = np.exp(-t)[:, None] * np.sin(x) + np.exp(-4 * t)[:, None] * np.cos(2 * x)
    xr.Dataset({"u": (("t", "x"), u)}, {"t": t, "x": x}).to_netcdf(files / "made.nc", engine="h5netcdf")
    np.savez(files / "made.npz", u=u, t=t, x=x)
    savemat(files / "five.mat", {"u": u, "t": t, "x": x})
    with h5py.File(files / "seven.mat", "w", userblock_size=512) as file:
        for name, values in (("u", u.T), ("t", t[:, None]), ("x", x[:, None])):
            file.create_dataset(name, data=values).attrs["MATLAB_class"] = np.bytes_("double")
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\x00\x02IM"
    with (files / "seven.mat").open("r+b") as stream:
        stream.write(head)
    pixels = np.random.default_rng(0).integers(0, 256, (40, 8, 8), dtype=np.uint8)
    (files / "train-images-idx3-ubyte").write_bytes(
        bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in pixels.shape) + pixels.tobytes()
    )
    labels = (np.arange(40) % 2).astype(np.uint8)
    (files / "train-labels-idx1-ubyte").write_bytes(
        bytes([0, 0, 8, 1]) + len(labels).to_bytes(4, "big") + labels.tobytes()
    )


def mutants(folder: Path, trials: int, seconds: float, seed: int) -> dict[str, Read]:
    """Damaged files of each kind, read: so many, or as many as so many seconds allow."""
    prepare(folder, folder / "none")
    load_everything()
    os.chdir(folder)
    found = {}
    for name, kind in kinds(folder).items():
        found[name] = read_all(name, kind, trials, seconds, seed)
        print(name, msgspec.to_builtins(found[name]), flush=True)
    return found


def read_all(name: str, kind: Kind, trials: int, seconds: float, seed: int) -> Read:
    """Read the damaged files of a kind, whose whole one is put back at the end."""
    row, told, number, end = Read(), kind.file.with_name(".told"), 0, time.monotonic() + seconds
    while number < trials and time.monotonic() < end:
        told.write_bytes(b"")
        pid = os.fork()
        if pid == 0:
            _read_from(name, kind, range(number, trials), end, seed, told)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        outcomes = [msgspec.json.decode(line, type=Outcome) for line in told.read_bytes().splitlines()]
        for one in outcomes:
            row.read += not one.refused and not one.fault
            row.refused += one.refused
            row.seconds, row.memory = max(row.seconds, one.seconds), max(row.memory, one.memory)
            row.faults += [f"file {one.number}: {one.fault}"] if one.fault else []
        number += len(outcomes)
        if code not in (0, HUNG):
            row.faults.append(f"file {number}: the process ended with {code}")
            number += 1
    told.unlink()
    kind.file.write_bytes(kind.seeds[0])
    row.trials = number
    return row


def _read_from(name: str, kind: Kind, numbers: range, end: float, seed: int, told: Path) -> NoReturn:
    """In a process of its own: read one file after the other, until one hangs."""
    code = 1
    try:
        sys.stdout.flush()
        with told.open("ab", buffering=0) as stream:
            for number in numbers:
                if time.monotonic() > end:
                    break
                before = _peak()
                chance = random.Random(f"{seed} {name} {number}")
                content = kind.mutate(chance.choice(kind.seeds), chance)
                shutil.rmtree(kind.file) if kind.file.is_dir() else kind.file.unlink(missing_ok=True)
                kind.file.write_bytes(content)
                outcome = _outcome(kind, number, lambda one: stream.write(msgspec.json.encode(one) + b"\n"))
                outcome.memory = max(0.0, _peak() - before)
                if outcome.memory > MOST:
                    outcome.fault = f"{outcome.memory:.0f} MB"
                stream.write(msgspec.json.encode(outcome) + b"\n")
        code = 0
    finally:
        os._exit(code)


def _outcome(kind: Kind, number: int, tell: Callable[[Outcome], object]) -> Outcome:
    """What reading a file gives; where it hangs, that is told and the process ends."""
    from lieapp.errors import LieappError

    def hang(*_: object) -> NoReturn:
        tell(Outcome(number, fault=f"no end after {SLOW:g} s", seconds=SLOW))
        os._exit(HUNG)

    ignored: list[str] = []
    sys.unraisablehook = lambda told: ignored.append(f"{told.exc_type.__name__} ignored: {told.exc_value}")
    signal.signal(signal.SIGALRM, hang)
    began, outcome = time.perf_counter(), Outcome(number)
    signal.setitimer(signal.ITIMER_REAL, SLOW)
    try:
        with _bounded():
            kind.use(kind.file)
    except LieappError:
        outcome.refused = True
    except BaseException as error:
        outcome.fault = f"{type(error).__name__}: {error}{_where(error)}"[:400]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    gc.collect(1)
    outcome.fault = outcome.fault or "; ".join(ignored)
    outcome.seconds = round(time.perf_counter() - began, 3)
    return outcome


def _where(error: BaseException) -> str:
    """The last place of lieapp in a traceback."""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "/lieapp/" in file:
            place = f" ({file.rpartition('/lieapp/')[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """With a bound on the addresses of this process, so that a file that takes all memory takes none of others."""
    words = Path("/proc/self/statm").read_text(encoding="ascii").split()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(words[0]) * os.sysconf("SC_PAGE_SIZE") + MOST_EVER, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _peak() -> float:
    """MB: the most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
