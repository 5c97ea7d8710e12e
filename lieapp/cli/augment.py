"""`lieapp augment`: networks trained on data moved along symmetries, compared with those that weren't."""

from __future__ import annotations

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.cli.working import done
from lieapp.errors import ConfigError


@click.command("augment")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--with", "variants", metavar="WAY[,WAY…]", help="How data are moved; none, truth, a run, …")
@click.option("--samples", metavar="N[,N…]", help="Data to learn from; several numbers make a curve.")
@click.option("--seeds", metavar="N[,N…]", help="Seeds of networks and moves.")
@click.option("--model", metavar="fno|small|resnet", help="The network; fno of equations, the others of pictures.")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
def command(
    settings: Common, variants: str | None, samples: str | None, seeds: str | None, **typed: str | None
) -> Outcome:
    """Train networks on data moved along symmetries, and compare them with those trained on the data as they are.

    A network for each way, number of data and seed; makes a run directory with table, curves and predictions.
    """
    ways = None if variants is None else _parts(variants)
    several = {"variants": ways, "samples": _whole("samples", samples), "seeds": _whole("seeds", seeds)}
    return done(settings, "augment", {**several, **typed})


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _whole(option: str, text: str | None) -> list[int] | None:
    """Whole numbers. Raises ConfigError for anything else."""
    if text is None:
        return None
    numbers = []
    for part in _parts(text):
        try:
            numbers.append(int(part))
        except ValueError:
            raise ConfigError(
                f"--{option}: {part!r} isn't a whole number.", hint=f"For example --{option} 0,1,2."
            ) from None
    return numbers
