"""`lieapp train`: a network whose features tell whether moved pictures are still valid."""

from __future__ import annotations

from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.cli.working import done


@click.command("train")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
def command(settings: Common, **typed: Any) -> Outcome:
    """Train a network on labelled pictures; `lieapp discover` then uses its features.

    The network is kept in a cache and found there by pictures and settings.
    """
    return done(settings, "train", typed)
