"""Labelled pictures f: [-1, 1]² -> [0, 1]^c as one tensor, checked when they are made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.errors import DataError

LARGEST = 255
"""Of bytes; every whole-number format here is one of bytes."""

CHANNELS = (1, 3)
"""Grey and RGB."""

SMALLEST = 4
"""Pixels along a side; below that nothing can be moved."""

Pixels = Float[Tensor, "batch channel height width"]

Around = Float[Tensor, "batch channel rows columns"]
"""Pixels of larger pictures."""


@dataclass(frozen=True)
class Pictures:
    """Pictures of one size, grey or RGB.

    Args:
        pixels: in [0, 1], rows from top to bottom.
        labels: the class of each picture, an index into `names`.
        facts: where they come from and what was done to them, for provenance.
        photograph: of crops, the photograph that each is cut from, an index into `files`; None for whole pictures.
        files: the photographs.
        around: of crops, the same with a margin: what comes into view where they are moved; None without.
    """

    pixels: Pixels
    labels: Int[Tensor, " batch"]
    names: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    photograph: Int[Tensor, " batch"] | None = None
    files: tuple[str, ...] = ()
    around: Around | None = None

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width."""
        channels, height, width = self.pixels.shape[1:]
        return channels, height, width

    @property
    def sha256(self) -> str:
        """Of sizes, pixels, labels and photographs: what a cached network is found by."""
        digest = hashlib.sha256(repr((tuple(self.pixels.shape), self.names)).encode())
        optional = [own for own in (self.photograph, self.around) if own is not None]
        for tensor in (self.pixels, self.labels, *optional):
            digest.update(tensor.cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def take(self, which: Int[Tensor, " chosen"]) -> Pictures:
        """Some of the pictures, by their numbers."""
        own, around = (None if part is None else part[which] for part in (self.photograph, self.around))
        return replace(
            self, pixels=self.pixels[which], labels=self.labels[which], photograph=own, around=around
        )

    def unlike(self, others: Pictures) -> Pictures:
        """Without those that are copies of one of the others, pixel by pixel."""
        known = set(map(_digest, others.pixels))
        return self.take(torch.tensor([n for n, own in enumerate(self.pixels) if _digest(own) not in known]).long())

    def split(self, share: float, seed: int, labelled: bool = True) -> tuple[Pictures, Pictures]:
        """A part to learn from and a part to judge on, `share` of each class, drawn by seed.

        Of crops, whole photographs are held out, `share` of those of a class; crops only where it has one
        photograph.

        Args:
            labelled: whether both parts need every class. If not, crops are parted by photographs of whatever
                class.

        Raises DataError if there is only one picture of what is parted, or if `share` isn't between 0 and 1.
        """
        if not 0 < share < 1:
            raise DataError(
                f"validation = {share:g}: the share of held-out pictures lies between 0 and 1.",
                hint="Set validation = 0.1.",
            )
        generator = torch.Generator().manual_seed(seed)
        learn, judge = [], []
        for name, own in self._parted(labelled):
            if len(own) == 1:
                raise DataError(
                    f"{name} has one picture; at least one for training and one for validation are needed.",
                    hint="Add pictures, or cut more crops from them." if self.files or not labelled
                    else "Add pictures to that class or remove it.",
                )  # fmt: skip
            units = self._units(own)
            number = int(units.max()) + 1
            count = min(max(1, round(share * number)), number - 1)
            held = torch.isin(units, torch.randperm(number, generator=generator)[:count])
            judge.append(own[held])
            learn.append(own[~held])
        return self.take(torch.cat(learn).sort()[0]), self.take(torch.cat(judge).sort()[0])

    def overlap(self, labelled: bool = True) -> str:
        """A warning where `split` holds out crops of photographs that are learned from too; else nothing."""
        if self.photograph is None:
            return ""
        parted = list(self._parted(labelled))
        mixed = [name for name, own in parted if len(self.photograph[own].unique()) == 1]
        if not mixed:
            return ""
        where = f"{len(mixed)} of {len(parted)} classes have one photograph each" if labelled else "one photograph"
        return (
            f"{where}: crops for validation may overlap those for training, so what is measured on them says "
            "little about other photographs"
        )

    def photographs(self) -> list[str]:
        """The files that these crops are from."""
        return [] if self.photograph is None else [self.files[n] for n in self.photograph.unique().tolist()]

    def _parted(self, labelled: bool) -> Iterator[tuple[str, Int[Tensor, " some"]]]:
        """What `split` parts, each by itself: classes, or all pictures together."""
        sizes = torch.bincount(self.labels, minlength=len(self.names))
        if not labelled and (self.photograph is not None or 1 in sizes):
            yield str(self.facts.get("source", "the set")), torch.arange(len(self))
            return
        for number, name in enumerate(self.names):
            if sizes[number]:  # sets of fixed classes may lack some
                yield f"class {name!r}", torch.nonzero(self.labels == number)[:, 0]

    def _units(self, own: Int[Tensor, " some"]) -> Int[Tensor, " some"]:
        """What stays together: numbers of photographs, or of pictures where there is one photograph or none."""
        if self.photograph is not None:
            found, units = self.photograph[own].unique(return_inverse=True)
            if len(found) > 1:
                return units
        return torch.arange(len(own))


def _digest(pixels: Tensor) -> bytes:
    return hashlib.sha256(pixels.cpu().contiguous().numpy().tobytes()).digest()


def check_classes(pictures: Pictures) -> None:
    """Raises DataError for pictures of one class, which no classifier can be trained on."""
    if len(pictures.labels.unique()) < 2:
        raise DataError(
            f"{pictures.facts['source']}: all {len(pictures)} pictures are of one class; a classifier needs at "
            "least two.",
            hint="Add a folder with pictures of another class. `lieapp discover` with a ready network "
            "(`--set network=efficientnet-lite0`, `--set trained=FILE`) needs one only.",
        )


def flipped(pixels: Pixels, generator: torch.Generator) -> Pixels:
    """Each picture mirrored left to right with probability 1/2, the paper's only discrete symmetry."""
    turned = torch.rand(len(pixels), generator=generator) < 0.5
    return torch.where(turned.to(pixels.device)[:, None, None, None], pixels.flip(-1), pixels)


def make_pictures(
    pixels: np.ndarray, labels: np.ndarray, names: Sequence[str] | None, source: str, **facts: Any
) -> Pictures:
    """Pictures from arrays as files hold them; bytes are divided by 255.

    Args:
        pixels: (picture, height, width) or (picture, channel, height, width), bytes or floats in [0, 1].
        names: of the classes; the numbers themselves if None.
        source: what errors name, a file or a folder.

    Raises DataError for what can't be a labelled set of pictures.
    """
    values = _checked_pixels(pixels, source)
    labels = _checked_labels(labels, len(values), names, source)
    if names is None:
        found = np.unique(labels)
        names = [str(number) for number in found]
        labels = np.searchsorted(found, labels)
    facts = {"source": source, "pictures": len(values), "shape": list(values.shape[1:]), **facts}
    return Pictures(torch.from_numpy(values), torch.from_numpy(labels.astype(np.int64)), tuple(names), facts)


def _checked_pixels(pixels: np.ndarray, source: str) -> np.ndarray:
    """As float32 in [0, 1] with a channel axis."""
    pixels = pixels[:, None] if pixels.ndim == 3 else pixels
    if pixels.ndim != 4 or pixels.shape[1] not in CHANNELS:
        raise DataError(
            f"{source}: pictures of shape {list(pixels.shape)}; an array (picture, height, width), or one with "
            "1 or 3 channels, is expected.",
            hint="Reshape the array; a picture is grey or RGB.",
        )
    if not len(pixels):
        raise DataError(f"{source}: there are no pictures.", hint="Give a file or folder with pictures.")
    if min(pixels.shape[2:]) < SMALLEST:
        raise DataError(
            f"{source}: pictures of {pixels.shape[2]} x {pixels.shape[3]} pixels; at least {SMALLEST} x {SMALLEST} "
            "are needed.",
            hint="Use larger pictures.",
        )
    if pixels.dtype == np.uint8:
        return pixels.astype(np.float32) / LARGEST
    if pixels.dtype.kind != "f":
        raise DataError(
            f"{source}: pixels are of type {pixels.dtype}; bytes (uint8, 0 to 255) or floats in [0, 1] are "
            "expected.",
            hint="Convert them, e.g. with images.astype('uint8').",
        )
    bad = ~np.isfinite(pixels)
    if bad.any():
        where = int(np.nonzero(bad.reshape(len(bad), -1).any(1))[0][0])
        raise DataError(
            f"{source}: {int(bad.sum())} pixels are NaN or infinite, the first in picture {where}.",
            hint="Remove those pictures or replace those values.",
        )
    low, high = float(pixels.min()), float(pixels.max())
    if low < 0 or high > 1:
        raise DataError(
            f"{source}: pixels lie in [{low:g}, {high:g}]; floats must lie in [0, 1].",
            hint="Scale them to [0, 1] without subtracting a mean, or store bytes from 0 to 255.",
        )
    return pixels.astype(np.float32)


def _checked_labels(labels: np.ndarray, count: int, names: Sequence[str] | None, source: str) -> np.ndarray:
    if labels.shape != (count,):
        raise DataError(
            f"{source}: {count} pictures, but labels of shape {list(labels.shape)}; one for each is expected.",
            hint="Make sure that pictures and labels belong together.",
        )
    if labels.dtype.kind not in "iu":
        raise DataError(
            f"{source}: labels are of type {labels.dtype}; whole numbers are expected.",
            hint="Number the classes from 0.",
        )
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or (names is not None and high >= len(names)):
        rule = "be 0 or more" if names is None else f"lie between 0 and {len(names) - 1}, the last class"
        raise DataError(
            f"{source}: labels lie between {low} and {high}; they must {rule}.",
            hint="Number the classes from 0.",
        )
    return labels
