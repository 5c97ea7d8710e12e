"""What is registered, for tests that work with the settings of a discovery."""

from lieapp.registry.catalog import load_catalog

CATALOG = load_catalog()
METHODS = {name: known.item for name, known in CATALOG.methods.items()}


def settings_of(kind: str, command: str = "discover") -> type:
    """The settings of a work, composed with those of every method."""
    return CATALOG.settings(CATALOG.kinds[kind].item.work(command))


DISCOVER = settings_of("pde")
