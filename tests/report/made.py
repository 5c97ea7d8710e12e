"""Valid results of pictures, of trainings and of trainings on moved data, for tests of what is said of them."""

from __future__ import annotations

import numpy as np

from lieapp.document import Caption, Formula
from lieapp.results.augment import Classifiers, Operators, Row, label
from lieapp.results.discovery import Subspace
from lieapp.results.pictures import Basis, NamedField, Nearest, Part, PictureDiscovery, Slot, SmallFlow
from lieapp.results.training import Network, Origin, Training


def slot(number: int, angles: list[float], near: Nearest, parts: list[Part], **share: float) -> Slot:
    """A learned field; `share` is `affine` or `named`."""
    angle = float(np.mean(angles))
    return Slot(slot=number, angle=angle, angles=angles, nearest=near, components=parts, **share)


def pictures() -> PictureDiscovery:
    """A discovery on the plane of pictures: the first of two slots is a rotation."""
    shown, near = Formula("-y ∂x + x ∂y", r"-y\,\partial_{x} + x\,\partial_{y}"), Nearest("rotation", 0.9991)
    parts = [Part("rotation", 0.9991)]
    return PictureDiscovery(
        domain="images",
        span="affine",
        figures=[
            Caption("fields", "Fields in the plane", "Its side reaches from −1 to 1."),
            Caption("weight", "Weight of pixels"),
            Caption("strip2", "Pictures moved along slot 2"),
        ],
        sentence="1 of 2 slots are affine",
        warnings=["few pictures"],
        coordinates=["x", "y"],
        s=[-0.4, -0.2, 0.2, 0.4],
        generators=[
            slot(1, [0.09, 0.05, 0.04, 0.084], near, parts, affine=0.999),
            slot(2, [0.4, 0.2, 0.2, 0.4], Nearest("rotation", 0.1), [], affine=0.2),
        ],
        reference=[NamedField("rotation", {"x": "-y", "y": "x"}, shown, True, 0.07, [0.07] * 4, 0.999)],
        inner=[[0.9991], [0.1]],
        basis=Basis(["rotation"], [[0.9991], [0.1]]),
        subspace=Subspace(angle=0.05),
        network=Network(
            network="net", accuracy=0.878, classes=["a", "b"], input=[9, 8],
            origin=Origin(title="A net.", source="net-model 1.2", accuracy=0.751, published="ImageNet; a paper"),
        ),
    )


def colors() -> PictureDiscovery:
    """A discovery of colours with its cross-check: one slot, a brightness."""
    shown, near = Formula("r ∂r + g ∂g + b ∂b", r"r\,\partial_{r}"), Nearest("brightness", 0.98)
    parts = [Part("brightness", -0.98)]
    return PictureDiscovery(
        domain="colors",
        span="named",
        figures=[Caption("palette", "Moved palettes")],
        sentence="1 of 1 slots are nearly made of named fields",
        coordinates=["r", "g", "b"],
        s=[-0.2, 0.2],
        generators=[slot(1, [0.05, 0.05], near, parts, named=0.99)],
        reference=[NamedField("brightness", {c: c for c in "rgb"}, shown, True, 0.04, [0.04] * 2, 0.98)],
        inner=[[-0.98]],
        basis=Basis(["brightness"], [[-0.98]]),
        subspace=Subspace(angle=None),
        clipped=[0.125],
        cross_check=SmallFlow(degree=2, slopes=[0.2, 0.4], components=[parts], cosines=[0.97], angle=0.25),
    )


def training(**more: object) -> Training:
    """A network of the cache."""
    facts = {
        "plugin": "ckdv", "sentence": "93.0 % are told right", "network": "small", "accuracy": 0.93, "loss": 0.25,
        "learned_from": 900, "judged_on": 100, "classes": ["a", "b"], "parameters": 24058, "cached": True,
        "file": "network.safetensors", "seconds": {"total": 3.0}, "source": "set.npz", "pictures": 1000,
        "shape": [1, 9, 8], "device": "cpu", "settings": {"epochs": 6, "augment": ""},
    }  # fmt: skip
    return Training(**{**facts, **more})


def entry(variant: str, samples: int, values: list[float], **more: object) -> Row:
    """A row of the table of trainings on moved data."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    facts = {"mean": float(np.mean(values)), "spread": spread, "scale": None, "seconds": 12.3}
    return Row(
        variant=variant, label=label(variant), samples=samples, values=values, valid=0.5, steps=100,
        **{**facts, **more},
    )  # fmt: skip


def operators() -> Operators:
    """Two numbers of data, unmoved and moved along derived generators."""
    frames = {"frames": [0.1, 0.2, 0.4]}
    rows = [
        entry("none", 32, [4.0, 6.0], one_step=0.02, **frames),
        entry("truth", 32, [1.0, 1.5], one_step=0.01, moved=0.93, **frames),
        entry("none", 64, [2.0, 2.5], one_step=0.02, **frames),
        entry("truth", 64, [1.0, 1.0], one_step=0.01, moved=0.9, **frames),
    ]
    return Operators(
        run="runs/r", title="KdV", model="fno", task="rollout", frames=20, predicted=100, gap=20, seeds=(0, 1),
        variants=rows, seconds={"total": 3.0},
    )  # fmt: skip


def classifiers() -> Classifiers:
    """Pictures as they are and moved along affine fields."""
    rows = [entry("none", 500, [0.8, 0.82]), entry("affine", 500, [0.83, 0.85], scale=0.2)]
    return Classifiers(
        run="runs/r", title="Pictures", model="small", judged_on=1000, learned_from={"500": 450}, seeds=(0, 1),
        classes=["a", "b"], variants=rows,
    )  # fmt: skip
