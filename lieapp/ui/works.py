"""What can be started on a plugin: the command, its settings, and what is checked before there is a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lieapp.config import DiscoverConfig, TrainConfig
from lieapp.errors import UsageError
from lieapp.runs.augment_kinds import AugmentKind, augment_kind
from lieapp.runs.kinds import kind_of


@dataclass(frozen=True)
class Work:
    """One thing to start.

    Args:
        command: the command of lieapp, which is also the `kind` of its runs.
        words: what it does.
        config: its settings.
        check: raises LieappError for a configuration and a declaration that don't fit.
        completed: a configuration with what it names in the folder of runs made whole; raises LieappError too.
    """

    command: str
    words: str
    config: type[msgspec.Struct]
    check: Callable[[Any, Any], None]
    completed: Callable[[Any, Path], Any] = lambda config, root: config

    @property
    def prefix(self) -> str:
        """In front of a setting's name in the address: two forms have other defaults under the same names."""
        own = self.config.__name__.removesuffix("Config").lower()
        return "" if self.config is DiscoverConfig else f"{own}-"

    @property
    def presets(self) -> list[str]:
        """Names of the presets, the usual one first; none where there are none."""
        return list(getattr(self.config, "presets", {}))


def works(declaration: Any) -> list[Work]:
    """What can be done with a declaration, the main thing first."""
    kind = kind_of(declaration)
    found = [Work("discover", "Find symmetries", kind.config, kind.check)]
    # features of its own need no network; an equation has none to tell
    if getattr(declaration, "features", False) is None:
        found.append(Work("train", "Train a network only", TrainConfig, _check_pictures))
    with contextlib.suppress(UsageError):
        found.append(_augment(augment_kind(declaration)))
    return found


def _augment(kind: AugmentKind) -> Work:
    """The variants name runs."""

    def completed(config: Any, root: Path) -> Any:
        return msgspec.structs.replace(config, variants=kind.along(config.variants, config.plugin, root))

    return Work("augment", "Train on moved data", kind.config, kind.check, completed)


def _check_pictures(config: Any, declaration: Any) -> None:
    from lieapp.data.images.places import check_place

    check_place(config.data or declaration.data)
