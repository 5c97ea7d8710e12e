"""What is checked before conservation laws are sought in data. Free of torch."""

from __future__ import annotations

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.errors import ConfigError, GridError, UsageError
from lieapp.pde.laws.densities import ORDER, class_of
from lieapp.pde.laws.flux_terms import open_class_of


def check_laws(config: DiscoverConfig, pde: PDE) -> None:
    """What can be said before a run.

    Raises GridError for axes that aren't periodic where fluxes can't be sought, ConfigError for a class that is too
    large or one trajectory on periodic axes, UsageError for simulated trajectories beside files.
    """
    if config.data.extend:
        raise UsageError(
            "--extend adds trajectories to find symmetries; conservation laws are found in files alone.",
            hint="Leave --extend out.",
        )
    evolution, settings = evolution_form(read_pde(pde)), config.laws
    order = ORDER if settings.order is None else settings.order
    if opened := _opened(pde, evolution):
        _check_open(pde, evolution, opened)
        open_class_of(evolution, settings, order)
        return
    if not config.data.files and config.samples < 2:
        raise ConfigError(
            f"{pde.name}: samples = 1: on one trajectory a conserved total has one value, and what is the "
            "same on all data can't be judged.",
            hint="Set samples = 6 or more.",
        )
    class_of(evolution, settings, order)


def _opened(pde: PDE, evolution: Evolution) -> str:
    """The axes that aren't periodic."""
    axes = [evolution.jets.independent[i] for i in evolution.space]
    return ", ".join(str(axis) for axis in axes if axis not in pde.periodic)


def _check_open(pde: PDE, evolution: Evolution, opened: str) -> None:
    if len(evolution.space) > 1:
        raise GridError(
            f"{pde.name}: {opened} is not periodic. What flows through open ends is found for one axis of space "
            "only.",
            hint="Give data on a whole period of every axis.",
        )
    if not all(f.is_polynomial(*evolution.jets.jets(f)) for f in evolution.rhs):
        raise GridError(
            f"{pde.name}: {opened} is not periodic, and the equation isn't polynomial in the unknowns and their "
            "derivatives. What flows through open ends is sought among polynomials.",
            hint="Give data on a whole period.",
        )
