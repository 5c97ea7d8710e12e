"""The weight ω of what is moved: in the cache by pictures, network and settings, or measured and put there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import cache_folder
from lieapp.domains.extractor import PictureFeatures
from lieapp.runs.files import write_atomic

WEIGHT_VERSION = 1
"""Of how a weight is measured; those of another one are not used."""


def kept_weight(
    kind: str, learn: Pictures, features: PictureFeatures, settings: tuple[Any, ...], measure: Callable[[], Tensor]
) -> tuple[Tensor, str]:
    """The weight, and words that say where it comes from.

    Only networks can be recognised: for a plugin's own function it is always measured.

    Args:
        kind: of what is moved.
        settings: what else it depends on.
        measure: makes it.
    """
    network = fingerprint(features)
    if network is None:
        return measure(), f"weight of {kind}: measured"
    key = repr((WEIGHT_VERSION, kind, learn.sha256, network, settings))
    file = cache_folder() / "weights" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.safetensors"
    found = _read(file)
    if found is not None:
        return found.to(learn.pixels.device), f"weight of {kind}: measured before, {file}"
    weight = measure()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, save({"weight": weight.cpu().contiguous()}))
    return weight, f"weight of {kind}: measured, kept as {file}"


def fingerprint(features: PictureFeatures) -> str | None:
    """Of a network, its kind and all its numbers; None for what isn't one."""
    network = features if isinstance(features, nn.Module) else getattr(features, "__self__", None)
    if not isinstance(network, nn.Module):
        return None
    digest = hashlib.sha256(repr(network).encode())
    for name, value in network.state_dict().items():
        digest.update(name.encode() + value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _read(file: Path) -> Tensor | None:
    """None if it isn't there or can't be used."""
    try:
        return load(file.read_bytes())["weight"]
    except (OSError, KeyError, SafetensorError):
        return None
