"""Run one plugin file as a module, whatever is in it, and say what went wrong and where."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lieapp.errors import LieappError

PACKAGE = "__init__.py"


@dataclass(frozen=True)
class Broken:
    """A plugin file, or a part of one, that can't be used: what is wrong and what to do, in one line.

    Its name is the file's path or the entry point; the file of an installed package may be unknown.
    """

    file: Path | None
    error: str
    line: int | None
    source: str
    name: str

    def __str__(self) -> str:
        place = f"{self.name}, line {self.line}" if self.line else self.name
        return f"{place}: {self.error}"


class LoadError(Exception):
    """A file that can't be loaded; for the loader, which turns it into `Broken`."""

    def __init__(self, error: str, line: int | None) -> None:
        super().__init__(error)
        self.error = error
        self.line = line


def digest(content: bytes) -> str:
    """The sha256 by which a file is known in provenance."""
    return hashlib.sha256(content).hexdigest()


def folder_digest(folder: Path) -> str:
    """The same of a package: of the names and contents of its Python files, sorted. Raises OSError."""
    found = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        found.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()


def load_module(file: Path, content: bytes, sha256: str) -> ModuleType:
    """The module made by running `content`, which was read from `file`; of a package's `__init__.py` the package.

    Raises LoadError with the line, for a syntax error as for anything the file raises, SystemExit too.
    """
    # a name of its own for each content: two files called heat.py must not replace each other
    package = file.parent if file.name == PACKAGE else None
    name = f"lieapp_plugin_{(package or file).stem}_{sha256[:12]}"
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=None if package is None else [str(package.absolute())]
    )
    assert spec is not None  # only for names that don't end in .py
    module = importlib.util.module_from_spec(spec)
    # dataclasses and pickling look a class's module up here
    sys.modules[name] = module
    try:
        with guarded(file):
            exec(compile(content, str(file), "exec"), module.__dict__)
    except LoadError:
        for loaded in [key for key in list(sys.modules) if key == name or key.startswith(f"{name}.")]:
            sys.modules.pop(loaded, None)
        raise
    return module


@contextlib.contextmanager
def guarded(file: Path | None) -> Iterator[None]:
    """Turn whatever a plugin's code raises into LoadError; what it prints goes to stderr.

    Ctrl-C passes: that is the user, not the file.
    """
    with _noticed() as delivered:
        try:
            # stdout belongs to the one JSON document
            with stdout_to_stderr():
                yield
        except BaseException as error:
            if delivered:
                raise
            raise LoadError(_describe(error) + _inside(error, file), _line(error, file)) from error


_stdout = threading.RLock()
"""Stdout is one for all threads: what one of them sends elsewhere must be back before another does so."""


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send to stderr what is printed, also what is written to file descriptor 1 or to `sys.__stdout__`."""
    with _stdout:
        yield from _redirected()


def _redirected() -> Iterator[None]:
    streams = (sys.stdout, sys.__stdout__)
    _flush(streams)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            kept = os.dup(1)
        except OSError:  # closed: nothing can be written there either
            yield
            return
        try:
            with contextlib.suppress(OSError):
                os.dup2(2, 1)
            yield
        finally:
            _flush(streams)
            os.dup2(kept, 1)
            os.close(kept)


def _flush(streams: Sequence[Any]) -> None:
    for stream in streams:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


@contextlib.contextmanager
def _noticed() -> Iterator[list[int]]:
    """The signals that came meanwhile, of those that raise KeyboardInterrupt; a file can raise that by itself."""
    delivered: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield delivered
        return
    before = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        handler = signal.getsignal(number) if number is not None else None
        if number is not None and callable(handler):
            before[number] = handler

    def notice(number: int, frame: Any) -> None:
        delivered.append(number)
        before[number](number, frame)

    for number in before:
        signal.signal(number, notice)
    try:
        yield delivered
    finally:
        for number, handler in before.items():
            # the file may have put its own there
            if signal.getsignal(number) is notice:
                signal.signal(number, handler)


def _describe(error: BaseException) -> str:
    if isinstance(error, LieappError):
        return error.line
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {_syntax(error.msg)}"
    if isinstance(error, KeyboardInterrupt):
        return "the file raises KeyboardInterrupt, which is for Ctrl-C. A plugin file should only declare things."
    if isinstance(error, SystemExit):
        return f"the file ends the program: SystemExit({error.code!r}). A plugin file should only declare things."
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


CODEC = re.compile(r"\(unicode error\) '(?P<codec>[\w-]+)' codec can't decode (?P<what>[^:]*).*")
"""What Python says of text in a file that isn't UTF-8, and of escapes in a string."""


def _syntax(message: str) -> str:
    """The reason of a SyntaxError; of text that can't be decoded, without the names of Python's decoders."""
    found = CODEC.fullmatch(message)
    if found is None:
        return message
    if found["codec"] == "unicodeescape":
        return r"a string has a backslash with no whole escape after it; write r'...' or a double backslash"
    return f"the file isn't text in UTF-8: {found['what']}"


def _inside(error: BaseException, file: Path | None) -> str:
    """Of a package, the module and line that an error comes from, where that isn't its `__init__.py`."""
    if file is None or file.name != PACKAGE:
        return ""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    folder = file.parent.absolute()
    inside = [(Path(name), line) for name, line in places if folder in Path(name).absolute().parents]
    if not inside or inside[-1][0].absolute() == file.absolute():
        return ""
    return f" ({inside[-1][0].absolute().relative_to(folder)}, line {inside[-1][1]})"


def _line(error: BaseException, file: Path | None) -> int | None:
    """The innermost line of `file` that the error passed through."""
    if file is None:
        return None
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    return lines[-1] if lines else None
