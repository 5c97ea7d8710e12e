"""`lieapp train`: a network whose features tell whether moved pictures are still valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.cli.working import resume, work
from lieapp.errors import UsageError

if TYPE_CHECKING:
    from lieapp.config import TrainConfig
    from lieapp.registry.catalog import Catalog
    from lieapp.results.training import Training
    from lieapp.runs.directory import RunDirectory
    from lieapp.runs.reporter import RunReporter


@click.command("train")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
def command(settings: Common, data: str | None, preset: str | None) -> Outcome:
    """Train a network on labelled pictures; `lieapp discover` then uses its features.

    The network is kept in a cache and found there by pictures and settings.
    """
    from lieapp.cli.tables import print_result
    from lieapp.config import TrainConfig

    if settings.resume is not None:
        given = settings.given(TrainConfig, data=data, preset=preset)
        found = resume(settings, settings.resume, "train", TrainConfig, given, _execute)
    else:
        found = _started(settings, data, preset)
    return Outcome(found, lambda: print_result(found))


def _started(settings: Common, data: str | None, preset: str | None) -> Training:
    """A new run. Everything that was typed is checked before its folder is made."""
    from lieapp.config import TrainConfig
    from lieapp.data.images.places import check_place
    from lieapp.runs.devices import check_device
    from lieapp.runs.directory import RunDirectory

    config = settings.load(TrainConfig, data=data, preset=preset)
    catalog = settings.catalog()
    entry = catalog.get(config.plugin)
    _check(entry.declaration)
    check_place(config.data or entry.declaration.data)
    _check_network(config)
    check_device(config.device)
    run = RunDirectory.create(settings.out, config, config.plugin, entry=entry, folders=catalog.folders)
    return work(settings, run, config, catalog, _execute)


def _execute(config: TrainConfig, run: RunDirectory, catalog: Catalog, report: RunReporter) -> Training:
    """torch and the training: more than a second to load, so only once everything typed is known to be right."""
    from lieapp.runs.train import execute

    return execute(config, run, catalog, report)


def _check(declaration: Any) -> None:
    """Raises UsageError for what needs no network."""
    from lieapp.api import LabelledPictures

    if not isinstance(declaration, LabelledPictures):
        raise UsageError(
            f"{declaration.name}: an equation needs no network.",
            hint=f"Type `lieapp discover --plugin {declaration.name}`.",
        )
    if declaration.features is not None:
        raise UsageError(
            f"{declaration.name}: this plugin brings its own features; nothing is to be trained.",
            hint=f"Type `lieapp discover --plugin {declaration.name}`.",
        )


def _check_network(config: TrainConfig) -> None:
    """Raises ConfigError or UsageError for a network that isn't known or weights that aren't there."""
    from lieapp.config import OWN_NETWORKS
    from lieapp.data.images.places import check_weights

    if config.weights:
        check_weights(config.weights)
    if config.network not in OWN_NETWORKS:
        from lieapp.domains.torchvision_networks import check_name

        check_name(config.network)
