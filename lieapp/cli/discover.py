"""`lieapp discover`: the main job."""

from __future__ import annotations

from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common, installed_names
from lieapp.cli.working import done

SHIPPED = ("neural", "spectrum", "projection", "gradient", "flow")
"""Methods that --help names without loading any; `lieapp plugins` lists those of plugins too."""


@click.command("discover")
@common("plugin", "plugins", "config", "sets", "seed", "device", "out", "resume")
@click.option(
    "--method", metavar="NAME",
    help=f"How symmetries are found: {', '.join(SHIPPED)}, or a plugin's{installed_names()}; see `lieapp plugins`.",
)
@click.option("--preset", metavar="quick|paper", help="Defaults of the settings: fast ones or the paper's.")
@click.option("--data", metavar="PLACE", help="Pictures: a file, a folder, or a set with a name.")
@click.option("--slots", type=int, metavar="N", help="How many fields are learned at most.")
def command(settings: Common, **typed: Any) -> Outcome:
    """Find the symmetries in data of a plugin and compare them with the derived ones.

    In pictures, fields are sought that keep what a network sees of them, and compared with the affine ones. Makes
    a run directory with data, learned fields and tables.
    """
    return done(settings, "discover", typed)
