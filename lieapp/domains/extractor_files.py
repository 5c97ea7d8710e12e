"""A trained extractor as one safetensors file with JSON in its header; no pickle."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import msgspec
from safetensors import SafetensorError
from safetensors.torch import load, save

from lieapp.domains.extractor import Extractor, Shape
from lieapp.errors import DataError, LieappError
from lieapp.results.training import Network

VERSION = 2
"""Of the layout and of the networks; files of another one are not used."""


def extractor_bytes(extractor: Extractor, facts: Network) -> bytes:
    """The file's content; `facts` travel in its header."""
    header = {
        "version": VERSION, "kind": extractor.kind, "base": extractor.base, "side": extractor.side,
        "published": extractor.published, "shape": asdict(extractor.shape), "facts": msgspec.to_builtins(facts),
    }  # fmt: skip
    tensors = {name: value.detach().cpu().contiguous() for name, value in extractor.state_dict().items()}
    return save(tensors, metadata={"extractor": json.dumps(header)})


def read_extractor(file: Path) -> tuple[Extractor, Network]:
    """The extractor, ready for use, and what is known of it.

    Raises DataError if the file isn't one of this version.
    """
    try:
        content = file.read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["extractor"])
        if header["version"] != VERSION:
            raise ValueError(f"it is of version {header['version']}, not {VERSION}")
        extractor = Extractor(
            header["kind"], Shape(**header["shape"]), header["base"], header["side"], header["published"]
        )
        extractor.load_state_dict(load(content))
        facts = msgspec.convert(header["facts"], Network)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError, LieappError) as error:
        raise DataError(
            f"{file}: not a trained network of this version of lieapp: {error}.",
            hint="Train one with `lieapp train`.",
        ) from None
    return extractor.eval().requires_grad_(False), facts
