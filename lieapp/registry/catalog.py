"""The catalog: from the name typed after --plugin to a declaration and the file it came from."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from lieapp.errors import PluginError, UnknownPluginError, UsageError
from lieapp.extension import Kind, Method, Reader, ReadyNetwork, Work
from lieapp.keywords import check_title
from lieapp.registry.loader import HERE, SHIPPED, Loader, Plugin, variable_folders
from lieapp.registry.modules import PACKAGE, Broken, LoadError, guarded
from lieapp.settings import struct_of

RENAME = "Change name=… in one of them, or remove one of the files."

Offered = TypeVar("Offered", Kind, Method, Reader, ReadyNetwork)

NOUNS: Mapping[type, str] = {ReadyNetwork: "network"}
"""What items are called where that isn't the name of their class."""

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Registered(Generic[Offered]):
    """A kind, a method, a reader or a ready network, and the file or module that registered it."""

    item: Offered
    place: str
    source: str


@dataclass(frozen=True)
class Entry:
    """One domain: what a hook returned, what can be done with it, and where it was declared.

    `source` is shipped, ./plugins, --plugins, LIEAPP_PLUGINS or entry point. An installed package may have no file.
    """

    declaration: Any
    kind: Kind
    file: Path | None
    sha256: str
    source: str
    hooks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What is typed after --plugin."""
        return str(self.declaration.name)

    @property
    def title(self) -> str:
        """What tables and pages print."""
        return str(self.declaration.title)

    def works(self) -> list[Work]:
        """What can be done with it, the main thing first."""
        return [work for work in self.kind.works if not work.refused(self.declaration)]


class Catalog:
    """The domains that were found, and the files that couldn't be loaded.

    A name declared twice means the shipped domain of that name if there is one, else nothing; files that can't use
    their name are in `broken`.

    Args:
        found: every domain, in the order of loading; names may repeat.
        broken: files and hooks that can't be used.
        folders: folders outside the working folder, absolute; a run keeps them to find its plugin again.
        kinds, methods, readers, networks: those that are registered, by name.
    """

    def __init__(
        self, found: Sequence[Entry], broken: Sequence[Broken], folders: Sequence[Path] = (),
        kinds: Mapping[str, Registered[Kind]] = NOTHING, methods: Mapping[str, Registered[Method]] = NOTHING,
        readers: Mapping[str, Registered[Reader]] = NOTHING,
        networks: Mapping[str, Registered[ReadyNetwork]] = NOTHING,
    ) -> None:  # fmt: skip
        self.kinds, self.methods, self.readers = dict(kinds), dict(methods), dict(readers)
        self.networks = dict(networks)
        self._composed: dict[type[msgspec.Struct], type[msgspec.Struct]] = {}
        by_name: dict[str, list[Entry]] = {}
        for entry in found:
            by_name.setdefault(entry.name, []).append(entry)
        self._by_name = dict(sorted(by_name.items()))
        self._chosen = {name: _chosen(same) for name, same in self._by_name.items()}
        self.entries = [entry for entry in self._chosen.values() if entry is not None]
        self.folders = tuple(folders)
        self.broken = list(broken)
        for name, same in self._by_name.items():
            shipped = self._chosen[name]
            if shipped is None:
                self.broken.append(_unused(same[-1], f"{_duplicate(name, same)} {RENAME}"))
                continue
            text = f"the name {name!r} belongs to the shipped {shipped.file}, which is used; change name=…"
            self.broken += [
                _unused(entry, f"{text} in this file to use it.") for entry in same if entry is not shipped
            ]

    def get(self, name: str) -> Entry:
        """The domain of that name.

        Raises UnknownPluginError with the nearest name, PluginError if two files use the name and neither is
        shipped, or if the file called so is broken.
        """
        entry, same = self._chosen.get(name), self._by_name.get(name)
        if entry is not None:
            return entry
        if same:
            raise PluginError(_duplicate(name, same), hint=RENAME)
        meant = [b for b in self.broken if b.file is not None and _called(b.file) == name]
        if meant:
            raise PluginError(f"{name} could not be loaded: {meant[0]}", hint="Fix that file.")
        known = list(self._by_name)
        near = get_close_matches(name, known, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}."
        hint = "`lieapp plugins` lists what was found."
        hint += " Not loaded: " + "; ".join(map(str, self.broken)) if self.broken else ""
        raise UnknownPluginError(f"there is no plugin {name!r}; {advice}", hint=hint)

    def declared(self, declaration: object) -> Entry:
        """A declaration made in this process, which no plugin lists. Raises PluginError if it is of no kind."""
        kind = _kind_of(declaration, [known.item for known in self.kinds.values()])
        if kind is None:
            known = ", ".join(known.item.declaration.__name__ for known in self.kinds.values())
            raise PluginError(
                f"{_short(declaration)} isn't a declaration.", hint=f"Give the name of a plugin, or one of {known}."
            )
        return Entry(declaration, kind, None, "", HERE, ())

    def note(self, name: str) -> str:
        """What a user of that name should know: other files that declare it too; empty if there are none."""
        entry = self._chosen.get(name)
        others = [str(other.file or other.source) for other in self._by_name.get(name, ()) if other is not entry]
        if entry is None or not others:
            return ""
        files = " and ".join(dict.fromkeys(others))
        return (
            f"{name!r} is the shipped {entry.file}, not that of {files}; write another name=… there to use "
            f"{'it' if len(others) == 1 else 'them'}"
        )

    @property
    def equations(self) -> list[Entry]:
        """The entries that are equations; others have no truth and no simulated data."""
        return [entry for entry in self.entries if entry.kind.derivable]

    def work(self, entry: Entry, command: str) -> Work:
        """What a command does with a domain. Raises UsageError if it does nothing with it."""
        work = entry.kind.work(command)
        why = "" if work is None else work.refused(entry.declaration)
        if work is not None and not why:
            return work
        if not why:
            able = [known.item.words[1] for known in self.kinds.values() if known.item.work(command)]
            why = f"it is {entry.kind.words[0]}; `lieapp {command}` works on {' and '.join(able) or 'nothing'} only"
        usual = entry.works()[0].command if entry.works() else "check"
        raise UsageError(f"{entry.name}: {why}.", hint=f"Type `lieapp {usual} --plugin {entry.name}`.")

    def work_of_run(self, config: Mapping[str, Any]) -> Work | None:
        """What made a run, by the `kind` and `domain` of its config.json; None if that isn't registered here."""
        for known in self.kinds.values():
            work = known.item.work(str(config.get("kind")))
            if work is not None and work.domain == config.get("domain"):
                return work
        return None

    def settings(self, work: Work) -> type[msgspec.Struct]:
        """The settings of a work, with every registered method or ready network where they choose from these."""
        if work.settings not in self._composed:
            made = work.settings
            for name, offered in (("with_methods", self.methods), ("with_networks", self.networks)):
                if compose := getattr(made, name, None):
                    made = compose([known.item for known in offered.values()])
            self._composed[work.settings] = made
        return self._composed[work.settings]

    def all_settings(self) -> dict[str, type[msgspec.Struct]]:
        """The settings of every work, by the command and what it works on."""
        return {
            f"`lieapp {work.command}` of {known.item.words[1]}": self.settings(work)
            for known in self.kinds.values()
            for work in known.item.works
        }


def load_catalog(folders: Sequence[Path] = ()) -> Catalog:
    """Load all plugins; `folders` are those of --plugins.

    Raises UsageError if one of `folders` doesn't exist. Broken files don't raise: they are in `broken`.
    """
    loader = Loader()
    loader.load_all(folders)
    kinds = _registered(loader, "lieapp_kinds", Kind)
    methods = _registered(loader, "lieapp_methods", Method)
    readers = _registered(loader, "lieapp_readers", Reader)
    networks = _registered(loader, "lieapp_networks", ReadyNetwork)
    _drop_misnamed(loader, methods, [work for known in kinds.values() for work in known.item.works])
    declarable = [known.item for known in kinds.values()]
    made = [_entry(loader, plugin, item, declarable) for plugin, item in _offered(loader, "lieapp_domains")]
    found = [entry for entry in made if entry is not None]
    outside = [folder.resolve() for folder in (*folders, *variable_folders())]
    return Catalog(found, loader.broken, list(dict.fromkeys(outside)), kinds, methods, readers, networks)


def _offered(loader: Loader, hook: str) -> Iterator[tuple[Plugin, Any]]:
    """What each plugin lists in a hook; each is asked alone, so that an error in it stays its own."""
    for plugin in list(loader.plugins):
        if hook not in plugin.hooks:
            continue
        others = [other.module for other in loader.plugins if other is not plugin]
        caller = loader.manager.subset_hook_caller(hook, remove_plugins=others)
        try:
            with guarded(plugin.file):
                results = caller()
        except LoadError as error:
            loader.broken.append(plugin.broken(f"{hook}: {error.error}", error.line))
            continue
        if not results:
            loader.broken.append(plugin.broken(f"{hook} returned None; it must return a list."))
        for result in results:
            if isinstance(result, (list, tuple)):
                yield from ((plugin, item) for item in result)
            else:
                loader.broken.append(plugin.broken(f"{hook} returned {_short(result)}; it must return a list."))


def _entry(loader: Loader, plugin: Plugin, item: Any, kinds: Sequence[Kind]) -> Entry | None:
    """A declaration with its kind; one that is of none is a complaint."""
    kind = _kind_of(item, kinds)
    if kind is not None:
        try:
            check_title(item.name, item.title)
        except PluginError as error:
            loader.broken.append(plugin.broken(error.line))
            return None
        return Entry(item, kind, plugin.file, plugin.sha256, plugin.source, plugin.hooks)
    known = ", ".join(f"{kind.declaration.__name__} ({kind.name})" for kind in kinds)
    text = f"lieapp_domains lists {_short(item)}; an item must be a declaration of a registered kind: {known}."
    loader.broken.append(plugin.broken(text))
    return None


def _kind_of(item: object, kinds: Sequence[Kind]) -> Kind | None:
    """The kind of its own class before that of one it is made from."""
    able = [kind for kind in kinds if isinstance(item, kind.declaration)]
    own = [kind for kind in able if type(item) is kind.declaration] or able
    return own[0] if own else None


def _registered(loader: Loader, hook: str, cls: type[Offered]) -> dict[str, Registered[Offered]]:
    """The kinds, methods, readers or networks that plugins offer, by name; of two with one name the first."""
    found: dict[str, Registered[Offered]] = {}
    for plugin, item in _offered(loader, hook):
        what, noun = cls.__name__, NOUNS.get(cls, cls.__name__.lower())
        if not isinstance(item, cls):
            text = f"{hook} lists {_short(item)}; an item must be a {what} of lieapp.api."
        elif item.name in found:
            text = f"the {noun} {item.name!r} already exists in {found[item.name].place}; rename this one."
        elif (text := _clash(item, [known.item for known in found.values()])) == "":
            found[item.name] = Registered(item, str(plugin.file or plugin.name), plugin.source)
        if text:
            loader.broken.append(plugin.broken(text))
    return found


def _clash(item: Kind | Method | Reader | ReadyNetwork, others: Sequence[Any]) -> str:
    """Why a kind's runs couldn't be told from another one's; empty if they can."""
    if not isinstance(item, Kind):
        return ""
    taken = {(work.command, work.domain): kind.name for kind in others for work in kind.works}
    for work in item.works:
        if (work.command, work.domain) in taken and work not in [w for kind in others for w in kind.works]:
            return (
                f"kind {item.name}: settings of `lieapp {work.command}` need a field `domain`, a Literal with "
                f"{item.name!r} as default; without it runs can't be told from those of "
                f"{taken[work.command, work.domain]}."
            )
    return ""


def _drop_misnamed(loader: Loader, methods: dict[str, Registered[Method]], works: Sequence[Work]) -> None:
    """Methods whose settings would stand in the place of others, where methods are chosen from."""
    choosing = [work.settings for work in works if hasattr(work.settings, "with_methods")]
    taken = {field.name: struct_of(field.type) for cls in choosing for field in msgspec.structs.fields(cls)}
    for name, known in list(methods.items()):
        if name in taken and taken[name] is not known.item.settings:
            del methods[name]
            text = f"the method {name!r} has the name of a setting; choose another name."
            loader.broken.append(Broken(None, text, None, known.source, known.place))


def _called(file: Path) -> str:
    """The name of a plugin's file, or of the folder of a package."""
    return file.parent.name if file.name == PACKAGE else file.stem


def _short(value: Any) -> str:
    # reprlib: short, and safe for objects whose repr raises
    return f"{type(value).__name__} {reprlib.repr(value)}"


def _chosen(same: Sequence[Entry]) -> Entry | None:
    """The one that a name means: the only one, or the only shipped one, so that no file takes that away."""
    shipped = [entry for entry in same if entry.source == SHIPPED]
    found = same if len(same) == 1 else shipped
    return found[0] if len(found) == 1 else None


def _unused(entry: Entry, error: str) -> Broken:
    return Broken(entry.file, error, None, entry.source, str(entry.file or entry.source))


def _duplicate(name: str, same: Sequence[Entry]) -> str:
    files = " and ".join(dict.fromkeys(str(entry.file or entry.source) for entry in same))
    return f"the name {name!r} is declared {len(same)} times, in {files}."
