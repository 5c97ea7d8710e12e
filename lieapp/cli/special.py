"""`lieapp holds`: a given field tested."""

from __future__ import annotations

from typing import Any

import click

from lieapp.cli.options import Common, Outcome, common, print_document, typed_equation
from lieapp.config_symbolic import HoldsConfig
from lieapp.pde.derivation import check_request
from lieapp.pde.special import holds_in_child
from lieapp.report.special_document import holds_document


@click.command("holds")
@common("plugin", "plugins", "config", "sets")
@typed_equation
@click.option("--field", metavar="FIELD", help="The field: 'x: a*t, u: 1', or 'a*t*d_x + d_u'.")
def holds(settings: Common, budget: float | None, field: str | None, **typed: Any) -> Outcome:
    """Test whether a given field is a symmetry, and for which values of its unknown constants and functions.

    Names in the field that are neither coordinates nor of the equation are unknown constants; f(t) is an unknown
    function. What is found is proved by substitution.
    """
    wanted: dict[str, Any] = {key: list(given) for key, given in typed.items() if given}
    config = settings.load(HoldsConfig, **{"budget": budget, "field": field, **wanted})
    check_equation_of(settings, config)
    result = holds_in_child(config, settings.plugins)
    return Outcome(result, lambda: print_document(holds_document(result)))


def check_equation_of(settings: Common, config: HoldsConfig) -> None:
    """Raises UsageError unless one equation is given; here too, so that a mistyped name is answered at once."""
    check_request(config)
    if config.plugin is not None:
        from lieapp.data.declared import check_equation

        entry = settings.entry(config.plugin)
        check_equation(entry.declaration, config.kind, entry.kind.words)
