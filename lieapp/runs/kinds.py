"""What `lieapp discover` does with each kind of declaration: its settings, its checks, its pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lieapp.api import PDE, Colors, Images
from lieapp.config import DiscoverConfig, DiscoverImagesConfig
from lieapp.config_colors import DiscoverColorsConfig
from lieapp.data.images.packaged import check_efficientnet
from lieapp.data.images.places import check_file, check_place
from lieapp.results.base import Result

if TYPE_CHECKING:
    from lieapp.registry.catalog import Catalog
    from lieapp.results.base import Result
    from lieapp.results.discovery import EquationResult
    from lieapp.results.pictures import PictureDiscovery
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.reporter import RunReporter


@dataclass(frozen=True)
class Kind:
    """One kind of declaration.

    Args:
        declaration: its class in `lieapp.api`.
        domain: what config.json says is moved; None of equations, which don't say it.
        config: the settings of a discovery.
        check: raises, before there is a run folder, for what can't be learned from.
        warnings: about settings that would take long, of a configuration and a declaration.
        execute: does or goes on with a run and returns its result; loads torch.
    """

    declaration: type[Any]
    domain: str | None
    config: type[Any]
    check: Callable[[Any, Any], None]
    warnings: Callable[[Any, Any], Sequence[str]]
    execute: Callable[[Any, RunDirectory, Catalog, RunReporter], Result]


def kind_of(declaration: Any) -> Kind:
    """How a declaration is discovered."""
    return next(kind for kind in KINDS if isinstance(declaration, kind.declaration))


def kind_of_run(document: Mapping[str, Any]) -> Kind:
    """The kind of a run, from its config.json; an equation's where nothing is said."""
    return next((kind for kind in KINDS if kind.domain == document.get("domain")), KINDS[0])


# torch and the engine: more than a second to load, so only once everything typed is known to be right


def _check_equation(config: Any, declaration: Any) -> None:
    from lieapp.data.declared import check_discovery
    from lieapp.data.sizes import check_sizes
    from lieapp.runs.cost import check_memory

    check_discovery(declaration)
    check_sizes(config, declaration)
    check_memory(config, declaration)


def _cost(config: Any, declaration: Any) -> Sequence[str]:
    from lieapp.runs.cost import warnings

    return warnings(config, declaration)


def _equation(config: Any, run: RunDirectory, catalog: Catalog, report: RunReporter) -> EquationResult:
    from lieapp.runs.discover import execute

    return execute(config, run, catalog, report)


def _check_pictures(config: Any, declaration: Any) -> None:
    check_place(config.data or declaration.data)
    if config.trained:
        check_file(config.trained)
    elif config.network != "trained":
        check_efficientnet()


def _images(config: Any, run: RunDirectory, catalog: Catalog, report: RunReporter) -> PictureDiscovery:
    from lieapp.runs.discover_pictures import execute
    from lieapp.runs.of_plane import OfPlane

    return execute(OfPlane(config), run, catalog, report)


def _colors(config: Any, run: RunDirectory, catalog: Catalog, report: RunReporter) -> PictureDiscovery:
    from lieapp.runs.discover_pictures import execute
    from lieapp.runs.of_colors import OfColors

    return execute(OfColors(config), run, catalog, report)


KINDS = (
    Kind(PDE, None, DiscoverConfig, _check_equation, _cost, _equation),
    Kind(Images, "images", DiscoverImagesConfig, _check_pictures, lambda *_: (), _images),
    Kind(Colors, "colors", DiscoverColorsConfig, _check_pictures, lambda *_: (), _colors),
)
