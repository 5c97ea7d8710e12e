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
from lieapp.registry.loaded import module_of
from lieapp.registry.modules import PACKAGE, Broken, LoadError, digest, folder_digest, guarded

MODULES = (
    "lieapp.pde.kind", "lieapp.pictures.kind", "lieapp.functions.kind", "lieapp.methods.shipped",
    "lieapp.data.readers.shipped", "lieapp.pictures.offered",
)  # fmt: skip
"""Modules that offer hooks as a plugin's file does: the kinds, methods, readers and networks that lieapp ships."""

SHIPPED = "shipped"
HERE = "this process"
"""A declaration that no plugin lists: made in a notebook."""

WORKING = "./plugins"
OPTION = "--plugins"
VARIABLE = "LIEAPP_PLUGINS"


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


def places(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Every folder of plugin files, or one file, and its source, in the order of loading.

    `folders` are those of --plugins. Raises UsageError for one that doesn't exist: it was typed a moment ago.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(
                f"--plugins {folder}: there is no such folder.",
                hint="Give a folder with plugin files, or one plugin file ending in .py.",
            )
    shipped = shipped_folder()
    if shipped is not None:
        yield shipped, SHIPPED
    if Path("plugins").is_dir():
        yield Path("plugins"), WORKING
    yield from ((folder, OPTION) for folder in folders)
    yield from ((folder, VARIABLE) for folder in variable_folders())


def _files(place: Path) -> list[Path]:
    """The plugin files of a folder, of a package its `__init__.py`, sorted; `_` and `.` begin names of helpers.

    Raises LoadError for a folder that can't be read.
    """
    if place.is_file():
        return [place]
    try:
        names = sorted(name for name in os.listdir(place) if not name.startswith(("_", ".")))
    except OSError as error:
        raise LoadError(f"the folder can't be read: {error.strerror}", None) from error
    files = [place / name if name.endswith(".py") else place / name / PACKAGE for name in names]
    return [file for file in files if file.name != PACKAGE or file.is_file()]


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
        for place, source in places(folders):
            with self._complaints(place, source, str(place)):
                for file in _files(place):
                    self.load_file(file, source)
        for point in sorted(entry_points(group=PROJECT), key=lambda point: (point.name, point.value)):
            self.load_entry_point(point)

    def load_file(self, file: Path, source: str) -> None:
        """Load one file; whatever is wrong with it ends up in `broken`."""
        with self._complaints(file, source, str(file)):
            try:
                content = file.read_bytes()
                sha256 = digest(content) if file.name != PACKAGE else folder_digest(file.parent)
            except OSError as error:
                raise LoadError(f"the file can't be read: {error.strerror}", None) from error
            if self._is_new(file, sha256):
                self._register(module_of(file, content, sha256), file, sha256, source, str(file))

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
