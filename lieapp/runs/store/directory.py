"""The run directory: the only thing through which commands, the app, workers and reports speak."""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import itertools
import os
import platform
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import lieapp
import lieapp.results.sweep  # no plugin loads it, and summaries of sweeps are read too
from lieapp.errors import CancelledError, RunError, UnknownRunError, refused
from lieapp.reading import UnreadableError, reason
from lieapp.registry.catalog import Entry, load_catalog
from lieapp.results.base import Result, read_result
from lieapp.runs.store.files import append_line, encode, plain, process_lock, write_atomic
from lieapp.runs.store.identity import Provenance, Settings, known, read_common
from lieapp.runs.store.sealed import sealed
from lieapp.runs.store.status import Status, read_status

PACKAGES = ("torch", "sympy", "numpy", "scipy")


def provenance(entry: Entry | None, folders: Sequence[Path], device: str) -> dict[str, Any]:
    """Everything about this moment that a result may depend on.

    `folders` are the plugin folders outside the working folder; a later process needs them to load the
    plugin again. Versions are read from package metadata: nothing heavy is imported.
    """
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "plugin": entry
        and {
            "name": entry.name,
            "title": entry.title,
            "file": entry.file.resolve() if entry.file else None,
            "sha256": entry.sha256,
            "source": entry.source,
        },
        "device": device,
        "platform": platform.platform(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "folder": os.getcwd(),
        "plugins": [str(folder) for folder in folders],
    }


def versions() -> dict[str, str]:
    """Versions of Python, lieapp and the libraries that numbers depend on."""
    found = {"python": platform.python_version(), "lieapp": lieapp.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


Config = TypeVar("Config")
Rows = list[dict[str, Any]]  # inside the class, `list` is its own method
Runs = list["RunDirectory"]

ROOT = Path("runs")
"""The folder of run directories, unless --out names another."""

WRITE_EVERY = 0.5
"""Seconds between two writes of mere progress."""


class RunDirectory:
    """One run's folder: `runs/<utc>-<name>-<hash6>/`, the files of docs/architecture.md inside.

    Reading works on half-written folders; `status()` then says `unreadable`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._status: Status | None = None
        self._written = 0.0
        self._mutex = threading.RLock()

    def __repr__(self) -> str:
        return f"RunDirectory({str(self.path)!r})"

    @property
    def id(self) -> str:
        """The folder's name; what is typed after --resume."""
        return self.path.name

    @classmethod
    def create(
        cls,
        root: Path,
        config: msgspec.Struct,
        name: str,
        *,
        entry: Entry | None = None,
        folders: Sequence[Path] = (),
        state: str = "starting",
        run_id: str | None = None,
    ) -> RunDirectory:
        """Make a run directory with config, provenance and status; it appears whole or not at all.

        `run_id` is its name, if that is given already. Raises RunError if `root` can't be written, or has that run.
        """
        now = time.time()
        content = sealed(config)
        origin = provenance(entry, folders, getattr(config, "device", "cpu"))
        files = {
            "config.json": content,
            "provenance.json": sealed(origin),
            "status.json": encode(Status(state=state, created=now, heartbeat=now)),
        }
        what, hint = f"{root}: a run directory can't be created here", "Give --out a folder that you can write to."
        names = _names(name, content, now) if run_id is None else iter([run_id])
        with refused(RunError, what, hint):
            return cls(_publish(root, files, names))

    @classmethod
    def find(cls, root: Path, text: str) -> RunDirectory:
        """The run meant by a whole id, the beginning of one, or a path.

        Raises UnknownRunError if there is none or if several begin so.
        """
        if text and _is_run(Path(text)):
            return cls(Path(text))
        runs = cls.list(root)
        exact = [run for run in runs if run.id == text]
        found = exact or [run for run in runs if text and run.id.startswith(text)]
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(run.id for run in found)
            many = f"{text!r} matches {len(found)} runs: {ids}."
            raise UnknownRunError(many, hint="Type more of the id.")
        hint = f"The last one is {runs[-1].id}." if runs else "That folder has no runs yet."
        raise UnknownRunError(f"there is no run {text!r} in {root}.", hint=f"{hint} `lieapp runs list` shows all.")

    def config(self) -> dict[str, Any]:
        """The fully resolved configuration, in which `Settings` have their types. Raises RunError without one."""
        what = f"{self.id}: config.json can't be read"
        hint = f"Ask the owner of {self.path} for permission to read it."
        try:
            with refused(RunError, what, hint, PermissionError):
                return read_common(self.path / "config.json", Settings)[0]
        except (OSError, UnreadableError) as error:
            raise RunError(f"{what}: {reason(error)}.", hint="The folder isn't a complete run.") from None

    def known_config(self) -> dict[str, Any]:
        """The same; empty if it can't be read."""
        return known(self.path / "config.json", Settings)[0]

    def config_as(self, cls: type[Config]) -> Config:
        """The configuration as a struct. Raises RunError if it is of another kind or version."""
        try:
            return msgspec.convert(self.config(), cls)
        except msgspec.ValidationError as error:
            raise RunError(
                f"{self.id}: config.json isn't a valid {cls.__name__}: {error}.",
                hint="It belongs to another command or version; start a new run.",
            ) from None

    def provenance(self) -> dict[str, Any]:
        """Versions, plugin, device and command; empty if the file can't be read."""
        return known(self.path / "provenance.json", Provenance)[0]

    def origin(self) -> Provenance:
        """What of it later processes need, with types."""
        return known(self.path / "provenance.json", Provenance)[1]

    def add_provenance(self, **facts: Any) -> None:
        """Add facts that are known only once the run works, such as the device that was found."""
        write_atomic(self.path / "provenance.json", sealed({**self.provenance(), **facts}))

    def summary(self) -> Result | None:
        """The result, None while there is none. Raises RunError if it can't be read.

        Plugins are loaded where its class isn't known yet.
        """
        found = read_result(self.path)
        if type(found) is Result:
            load_catalog(self.plugin_folders())
            found = read_result(self.path)
        return found

    def plugin_folders(self) -> list[Path]:
        """The plugin folders the run was started with, those that still exist."""
        return [Path(folder) for folder in self.origin().plugins if Path(folder).exists()]

    def write_summary(self, summary: Result) -> None:
        """Store the result, which is the JSON of the command with --json."""
        write_atomic(self.path / "summary.json", encode(summary))

    def status(self) -> Status:
        """What is on disk now, with `lost` where the process is gone."""
        return read_status(self.path / "status.json")

    @property
    def state(self) -> str:
        """The state of `status()`."""
        return self.status().state

    def update(self, **changes: Any) -> None:
        """Change status.json as the process that works on this run; its heartbeat is set to now."""
        with self._mutex:
            status = self._status or self.status()
            self._status = msgspec.structs.replace(status, **{"heartbeat": time.time(), **changes})
            self._written = time.monotonic()
            write_atomic(self.path / "status.json", encode(self._status))

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Note how far the stage is; cheap enough to call every step."""
        with self._mutex:
            if self._status is not None:
                self._status.step, self._status.total, self._status.text = step, total, text
            if time.monotonic() - self._written > WRITE_EVERY:
                self.update(step=step, total=total, text=text)

    def metric(self, **values: Any) -> None:
        """Append one line to metrics.jsonl; NaN becomes null."""
        append_line(self.path / "metrics.jsonl", msgspec.json.encode(values, enc_hook=plain))

    def metrics(self) -> Rows:
        """All whole lines of metrics.jsonl."""
        # NumPy takes a tenth of a second to load
        from lieapp.figures.material import read_lines

        return read_lines(self.path / "metrics.jsonl")

    def keep_metrics(self, last: int) -> None:
        """Drop the lines after step `last`: a resumed run writes them again."""
        from lieapp.figures.material import finite

        kept = [line for line in self.metrics() if (finite(line.get("step")) or 0) <= last]
        lines = b"".join(msgspec.json.encode(line) + b"\n" for line in kept)
        write_atomic(self.path / "metrics.jsonl", lines)

    def log(self, text: str) -> None:
        """Append to log.txt, with the time."""
        moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
        append_line(self.path / "log.txt", f"{moment} {text}".encode())

    def request_cancel(self) -> None:
        """Ask the process that works on this run to stop. Raises RunError if the folder can't be written."""
        with refused(RunError, f"{self.id}: can't be cancelled", f"Ask who may write {self.path} to stop it."):
            (self.path / "cancel").touch()

    @property
    def cancel_requested(self) -> bool:
        """Whether somebody asked this run to stop."""
        return (self.path / "cancel").exists()

    def check_cancel(self) -> None:
        """For loops: raises CancelledError if somebody asked this run to stop, RunError if its folder is gone."""
        if not self.path.exists():
            raise removed(self.path)
        if self.cancel_requested:
            raise CancelledError(f"{self.id}: asked to stop.", hint=f"Continue with --resume {self.path}.")

    def locked(self) -> contextlib.AbstractContextManager[bool]:
        """Hold the run's lock for the block; False if another process holds it.

        Raises RunError if the folder can't be written.
        """
        return process_lock(self.path / ".lock")

    @classmethod
    def list(cls, root: Path) -> Runs:
        """All runs in a folder, oldest first; folders of something else are passed over.

        One that can't be looked into is among them.
        """
        try:
            folders = sorted(folder for folder in root.iterdir() if not folder.name.startswith("."))
        except OSError:
            return []
        return [cls(folder) for folder in folders if _is_run(folder)]


def removed(folder: Path) -> RunError:
    """What is raised where a run's folder, or one in it, is removed while the run works."""
    return RunError(
        f"{folder}: somebody removed this folder while the run worked in it; the run ended.",
        hint="Start the run again, and leave its folder alone until it is done.",
    )


def check_readable(root: Path) -> None:
    """Raises RunError if there is a folder of runs, but nobody lets it be read."""
    hint = "Ask its owner for permission to read it, or give --out another folder."
    what = f"{root}: the folder of runs can't be read"
    with contextlib.suppress(OSError), refused(RunError, what, hint, PermissionError):
        next(root.iterdir(), None)


def _is_run(folder: Path) -> bool:
    """Whether a folder holds a run, or might: one that can't be looked into shows up as unreadable."""
    try:
        return (folder / "config.json").is_file()
    except PermissionError:
        return folder.is_dir()


def _publish(root: Path, files: Mapping[str, bytes], names: Iterator[str]) -> Path:
    """Write the files into a draft folder and rename it, so that nobody sees a run half made."""
    root.mkdir(parents=True, exist_ok=True)
    draft = root / f".draft-{os.getpid()}-{time.time_ns()}"
    draft.mkdir()
    try:
        for file, content in files.items():
            (draft / file).write_bytes(content)
        for name in names:
            target = root / name
            try:
                if not target.exists():
                    return draft.rename(target)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise
        raise RunError(f"{target} exists already.", hint="Continue that run with --resume.")
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def new_id(name: str, content: bytes) -> str:
    """A name for a run that is created later, `content` being what tells it from others of this moment."""
    return next(_names(name, content, time.time()))


def _names(name: str, content: bytes, now: float) -> Iterator[str]:
    """Names for a run, each with another hash, for the case that two start at the same moment."""
    stamp = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    for attempt in itertools.count():
        seed = content + f"{now!r} {os.getpid()} {attempt}".encode()
        yield f"{stamp}-{name}-{hashlib.sha256(seed).hexdigest()[:6]}"
