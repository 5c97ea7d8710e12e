"""Load every plugin: files of folders in a fixed order, then installed packages; a broken one hides no other."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

import lieapp
from lieapp.errors import UsageError
from lieapp.registry import hookspecs
from lieapp.registry.modules import PACKAGE, Broken, LoadError, digest, folder_digest, guarded, load_module

MODULES = (
    "lieapp.pde.kind", "lieapp.pictures.kind", "lieapp.functions.kind", "lieapp.methods.shipped",
    "lieapp.data.readers.shipped",
)  # fmt: skip
"""Modules that offer hooks as a plugin's file does: the kinds, methods and readers that lieapp ships."""

SHIPPED = "shipped"
HERE = "this process"
"""A declaration that no plugin lists: made in a notebook."""

WORKING = "./plugins"
OPTION = "--plugins"
VARIABLE = "LIEAPP_PLUGINS"


@dataclass(frozen=True)
class Candidate:
    """A plugin file, of a package its `__init__.py`; or a folder of them that can't be read, and why."""

    file: Path
    source: str
    error: str = ""


def shipped_folder(name: str = "plugins") -> Path | None:
    """The plugins, or docs, that come with lieapp: in the wheel inside the package, in a checkout beside it."""
    package = Path(lieapp.__file__).parent
    inside, beside = package / f"_{name}", package.parent / name
    if inside.is_dir():
        return inside
    # without the check, site-packages/plugins of somebody else would be taken for ours
    return beside if beside.is_dir() and (package.parent / "pyproject.toml").is_file() else None


def variable_folders() -> list[Path]:
    """The folders named by the environment variable LIEAPP_PLUGINS."""
    return [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]


def candidates(folders: Sequence[Path]) -> Iterator[Candidate]:
    """Every plugin file, in the order in which files are loaded; `folders` are those of --plugins.

    Raises UsageError for a folder of --plugins that doesn't exist: it was typed a moment ago.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(
                f"--plugins {folder}: there is no such folder.",
                hint="Give a folder with plugin files, or one plugin file ending in .py.",
            )
    shipped = shipped_folder()
    if shipped is not None:
        yield from _files(shipped, SHIPPED)
    if Path("plugins").is_dir():
        yield from _files(Path("plugins"), WORKING)
    for folder in folders:
        yield from _files(folder, OPTION)
    for folder in variable_folders():
        yield from _files(folder, VARIABLE)


def _files(place: Path, source: str) -> Iterator[Candidate]:
    """The plugin files and packages of a folder, sorted; what starts with `_` or `.` are helpers and left alone."""
    if place.is_file():
        yield Candidate(place, source)
        return
    try:
        names = sorted(os.listdir(place))
    except OSError as error:
        yield Candidate(place, source, f"the folder can't be read: {error.strerror}")
        return
    for name in names:
        if name.startswith(("_", ".")):
            continue
        if name.endswith(".py"):
            yield Candidate(place / name, source)
        elif (place / name / PACKAGE).is_file():
            yield Candidate(place / name / PACKAGE, source)


PROJECT = "lieapp"
"""The name of the hooks' project and of the group of entry points."""


@dataclass(frozen=True)
class Plugin:
    """A file (or an installed module) that was loaded, with the hooks it offers."""

    module: Any
    file: Path | None
    sha256: str
    source: str
    name: str
    hooks: tuple[str, ...]

    def broken(self, error: str, line: int | None = None) -> Broken:
        """A complaint about this plugin."""
        return Broken(self.file, error, line, self.source, self.name)


class Loader:
    """Collects plugins in order; the same real path or the same content counts once.

    A misspelled hook is put in `broken` with the nearest name; the other hooks of that file still work.
    """

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self.plugins: list[Plugin] = []
        self.broken: list[Broken] = []
        self._paths: set[Path] = set()
        self._contents: set[str] = set()

    def load_all(self, folders: Sequence[Path]) -> None:
        """Load what lieapp ships, the files of every source, then the entry points.

        Raises UsageError if a folder of `folders` doesn't exist.
        """
        for name in MODULES:
            self._register(importlib.import_module(name), None, "", SHIPPED, name)
        for candidate in candidates(folders):
            self.load_file(candidate)
        for point in sorted(entry_points(group=PROJECT), key=lambda point: (point.name, point.value)):
            self.load_entry_point(point)

    def load_file(self, candidate: Candidate) -> None:
        """Load one file; whatever is wrong with it ends up in `broken`."""
        file, source = candidate.file, candidate.source
        with self._complaints(file, source, str(file)):
            if candidate.error:
                raise LoadError(candidate.error, None)
            try:
                content = file.read_bytes()
                sha256 = digest(content) if file.name != PACKAGE else folder_digest(file.parent)
            except OSError as error:
                raise LoadError(f"the file can't be read: {error.strerror}", None) from error
            if self._is_new(file, sha256):
                self._register(load_module(file, content, sha256), file, sha256, source, str(file))

    def load_entry_point(self, point: EntryPoint) -> None:
        """Load one installed plugin; whatever is wrong with it ends up in `broken`."""
        name = f"entry point {point.name} = {point.value}"
        with self._complaints(None, "entry point", name):
            with guarded(None):
                target = point.load()
            module = target if isinstance(target, ModuleType) else sys.modules.get(point.module)
            place = getattr(module, "__file__", None)
            file = Path(place) if place else None
            sha256 = digest(file.read_bytes()) if file and file.is_file() else ""
            if file is None or self._is_new(file, sha256):
                self._register(target, file, sha256, "entry point", name)

    @contextlib.contextmanager
    def _complaints(self, file: Path | None, source: str, name: str) -> Iterator[None]:
        try:
            yield
        except LoadError as error:
            self.broken.append(Broken(file, error.error, error.line, source, name))

    def _is_new(self, file: Path, sha256: str) -> bool:
        real = file.resolve()
        known = real in self._paths or sha256 in self._contents
        self._paths.add(real)
        self._contents.add(sha256)
        return not known

    def _register(self, module: Any, file: Path | None, sha256: str, source: str, name: str) -> None:
        """Hand a module to pluggy. Raises LoadError for a hook with other arguments than its specification."""
        try:
            self.manager.register(module, name=name)
        except (pluggy.PluginValidationError, ValueError) as error:
            with contextlib.suppress(AssertionError, ValueError):
                self.manager.unregister(module)
            raise LoadError(" ".join(str(error).split()), None) from error
        callers = self.manager.get_hookcallers(module) or []
        hooks = tuple(caller.name for caller in callers if caller.has_spec())
        plugin = Plugin(module, file, sha256, source, name, hooks)
        self.plugins.append(plugin)
        self.broken.extend(_pending(plugin, callers))
        if not callers:
            self.broken.append(plugin.broken(_without_hooks(module)))


def hook_names() -> list[str]:
    """The names of all hooks there are."""
    return sorted(name for name in vars(hookspecs) if name.startswith(f"{PROJECT}_"))


def _pending(plugin: Plugin, callers: Sequence[pluggy.HookCaller]) -> Iterator[Broken]:
    """Functions marked as hooks that no specification knows, unless they say they are optional."""
    for caller in callers:
        if caller.has_spec():
            continue
        for impl in caller.get_hookimpls():
            if impl.plugin is plugin.module and not impl.optionalhook:
                code = getattr(inspect.unwrap(impl.function), "__code__", None)
                yield plugin.broken(
                    f"there is no hook {caller.name}; {_nearest(caller.name)}",
                    code.co_firstlineno if code else None,
                )


def _nearest(name: str) -> str:
    near = get_close_matches(name, hook_names(), n=1)
    return f"did you mean {near[0]}?" if near else f"the hooks are {', '.join(hook_names())}."


def _without_hooks(module: Any) -> str:
    unmarked = [name for name in hook_names() if callable(getattr(module, name, None))]
    if unmarked:
        return f"{unmarked[0]} is not marked as a hook; write @hookimpl above it."
    return f"the file has no hook; it needs one of {', '.join(hook_names())}, marked with @hookimpl."
