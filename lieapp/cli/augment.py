"""`lieapp augment`: networks trained on data moved along symmetries, compared with those that weren't."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.cli.working import resume, work
from lieapp.errors import ConfigError, RunError

if TYPE_CHECKING:
    from lieapp.results.augment import Augment
    from lieapp.runs.augment_kinds import AugmentKind


@click.command("augment")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--with", "variants", metavar="WAY[,WAY…]", help="How data are moved; none, truth, a run, …")
@click.option("--samples", metavar="N[,N…]", help="Data to learn from; several numbers make a curve.")
@click.option("--seeds", metavar="N[,N…]", help="Seeds of networks and moves.")
@click.option("--model", metavar="fno|small|resnet", help="The network; fno of equations, the others of pictures.")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
def command(settings: Common, **typed: str | None) -> Outcome:
    """Train networks on data moved along symmetries, and compare them with those trained on the data as they are.

    A network for each way, number of data and seed; makes a run directory with table, curves and predictions.
    """
    from lieapp.cli.tables import print_result

    resumed = settings.resume is not None
    found = _resumed(settings, str(settings.resume), typed) if resumed else _started(settings, typed)
    return Outcome(found, lambda: print_result(found))


def _started(settings: Common, typed: dict[str, str | None]) -> Augment:
    """A new run. Everything that was typed is checked before its folder is made."""
    from lieapp.config_augment import AugmentConfig
    from lieapp.runs.augment_kinds import augment_kind, check_model
    from lieapp.runs.devices import check_device
    from lieapp.runs.directory import RunDirectory

    name = settings.typed("plugin")
    if not isinstance(name, str):
        settings.load(AugmentConfig)  # raises: the plugin is missing
    catalog = settings.catalog()
    entry = catalog.get(str(name))
    kind = augment_kind(entry.declaration)
    check_model(kind, entry.name, typed["model"])
    config = _along(settings.load(kind.config, **_options(kind, typed)), kind, settings)
    check_device(config.device)
    kind.check(config, entry.declaration)
    run = RunDirectory.create(settings.out, config, config.plugin, entry=entry, folders=catalog.folders)
    return work(settings, run, config, catalog, kind.execute)


def _along(config: Any, kind: AugmentKind, settings: Common) -> Any:
    """The configuration with the paths of the runs it names."""
    import msgspec

    return msgspec.structs.replace(config, variants=kind.along(config.variants, config.plugin, settings.out))


def _options(kind: AugmentKind, typed: dict[str, str | None]) -> dict[str, Any]:
    """What was typed, as settings. Raises ConfigError for a number that is none, or an option of the other kind."""
    amount = "pictures" if kind.domain else "samples"
    found: dict[str, Any] = {"preset": typed["preset"], "model": typed["model"]}
    for key, option in (("variants", "variants"), (amount, "samples"), ("seeds", "seeds")):
        text = typed[option]
        if text is not None:
            parts = [part.strip() for part in text.split(",")]
            found[key] = parts if key == "variants" else [_whole(option, part) for part in parts]
    if typed["data"] is not None:
        if not kind.domain:
            raise ConfigError("--data: an equation has trajectories of its own.", hint="Leave --data out.")
        found["data"] = typed["data"]
    return found


def _whole(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConfigError(
            f"--{option}: {text!r} isn't a whole number.", hint=f"For example --{option} 0,1,2."
        ) from None


def _resumed(settings: Common, text: str, typed: dict[str, str | None]) -> Augment:
    """An earlier run, with its own settings; a finished one gives its result again."""
    from lieapp.runs.augment_kinds import augment_kind_of_run
    from lieapp.runs.directory import RunDirectory

    try:
        document = RunDirectory.find(settings.out, text).config()
    except RunError:
        document = {}  # that there is none is said below
    kind = augment_kind_of_run(document)
    given = settings.given(kind.config, **_options(kind, typed))
    if "variants" in given and "plugin" in document:
        given["variants"] = list(kind.along(given["variants"], document["plugin"], settings.out))
    return resume(settings, text, "augment", kind.config, given, kind.execute)
