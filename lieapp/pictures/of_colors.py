"""Pictures whose colours are moved, for the pipeline of `discover.py`."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from lieapp.api import LabelledPictures
from lieapp.compare.subspace import cosines, largest_components, principal_angle
from lieapp.config_pictures import DiscoverColorsConfig
from lieapp.data.images.pictures import Pictures
from lieapp.domains.formulas import stack
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.by_flow import gram, small_flow
from lieapp.methods.fields import Joined, Slotted
from lieapp.methods.flow import Flow, Solver
from lieapp.pictures.color import ColorBatch, ColorData, ColorDomain, Palette, color_weight
from lieapp.pictures.color_space import check_colored, sample_colors
from lieapp.pictures.discover import Side, Split, discover
from lieapp.pictures.extractor import PictureFeatures
from lieapp.pictures.image_data import ImageData
from lieapp.pictures.networks import drawn, kept_weight
from lieapp.pictures.seen import Seen
from lieapp.results.pictures import Part, PictureDiscovery, Slot, SmallFlow
from lieapp.runs.store.session import Session

SHOWN = 7
"""Flow parameters that the palette is moved to, for figures."""

DEGREE, CHECKED = 2, 2
"""Of the fields of the cross-check, and batches of held-out pictures that it is made on."""


class OfColors(Side[ColorBatch]):
    """See `discover.Side`."""

    name = "colors"
    unit = 1.0
    centred = (False, False, False)
    span, are = "named", "nearly sums of named fields"
    config: DiscoverColorsConfig

    def check(self, pictures: Pictures) -> None:
        """Raises DataError for grey pictures."""
        check_colored(pictures.pixels, pictures.facts["source"])

    def split(
        self, learn: Pictures, judge: Pictures, features: PictureFeatures, flip: bool, device: str
    ) -> Split[ColorBatch]:
        """With colours sampled from the pictures to learn from, and their weight."""
        config = self.config
        generator = torch.Generator().manual_seed(config.seed)
        colors = sample_colors(learn.pixels, config.colors, generator).to(device)
        palette, said = Palette.of(colors, config.neighbours), ""
        if config.weighted:
            some = drawn(learn, config.weight_pictures, config.seed)
            settings = (config.colors, config.neighbours, config.weight_pictures, config.seed)
            plain = palette

            def measure() -> Tensor:
                return color_weight(features, some.pixels.to(device), plain, generator)

            weight, said = kept_weight("colours", learn, features, settings, measure)
            palette = palette.weighing(weight.to(device))
        return Split(
            ColorData(ImageData(learn, features, flip, device), palette),
            ColorData(ImageData(judge, features, False, device), palette),
            said,
        )

    def domain(self, features: PictureFeatures) -> ColorDomain:
        """The cube."""
        config = self.config
        return ColorDomain(config.plugin, features, config.interpolation, config.lattice, config.outside)

    def drawn(
        self, domain: Seen[ColorBatch], batch: ColorBatch, fields: Slotted, solver: Solver
    ) -> dict[str, Tensor]:
        """The sampled colours, and those moved by each slot."""
        slots, flow = self.config.slots, Flow(fields, solver)
        start = batch.points.expand(slots, *batch.points.shape)
        line = torch.linspace(-self.config.flow.sigma, self.config.flow.sigma, SHOWN)
        line[SHOWN // 2] = 0.0
        moved = [flow(start, torch.full((slots,), float(s)).to(start))[:, 0].clamp(0, 1) for s in line]
        return {"colors": batch.points[0], "palette/s": line, "palette/colors": torch.stack(moved, 1)}

    def place(self, slot: Slot, share: float) -> None:
        """The named fields have no other name."""
        slot.named = share

    def complete(
        self, result: PictureDiscovery, domain: Seen[ColorBatch], batches: list[ColorBatch], fields: Slotted,
        solver: Solver,
    ) -> None:  # fmt: skip
        """Shares of clipped pixels, and the cross-check for s -> 0."""
        result.clipped = list(self._clipped(domain, batches, fields, solver))
        result.cross_check = cross_check(domain, batches[:CHECKED], fields, self.config.slots)

    def _clipped(
        self, domain: Seen[ColorBatch], batches: list[ColorBatch], fields: Slotted, solver: Solver
    ) -> list[float]:
        """Share of held-out pixels that each slot takes out of the cube, mean over ±sigma."""
        slots, flow = self.config.slots, Flow(fields, solver)
        total, count = torch.zeros(slots), 0
        with torch.no_grad():
            for batch in batches:
                for end in (-self.config.flow.sigma, self.config.flow.sigma):
                    moved = domain.act(flow, batch, torch.full((slots,), end).to(batch.points))
                    assert moved.clipped is not None
                    total += moved.clipped.reshape(slots, -1).sum(1).cpu()
                    count += len(batch.pixels)
        return (total / max(count, 1)).tolist()


def cross_check(
    domain: Seen[ColorBatch], batches: list[ColorBatch], fields: Slotted, slots: int
) -> SmallFlow | None:
    """The eigenproblem for s -> 0 over quadratic fields; None where features have no forward derivative."""
    monomials = TensorBasis(replace(domain.arguments, dependent=(True,) * 3), Degrees(unknowns=DEGREE))
    try:
        found = small_flow(domain, monomials, batches, slots)
    except RuntimeError as error:
        # torch's words for operations, and for functions of a plugin, that have no forward derivative
        if not any(word in str(error) for word in ("forward AD", "forward mode AD", "jvp")):
            raise
        return None
    reference = domain.reference()
    products = gram(Joined(fields, found.fields, stack(reference)), batches)
    own, lowest = list(range(slots)), list(range(slots, 2 * slots))
    named = list(range(2 * slots, 2 * slots + len(reference)))
    parts = [largest_components(products, n, named) for n in lowest]
    return SmallFlow(
        degree=DEGREE,
        slopes=found.slopes[: 2 * slots].tolist(),
        components=[[Part(reference[n - named[0]].name, v) for n, v in part] for part in parts],
        cosines=list(cosines(products, lowest, own)),
        angle=principal_angle(products, own, lowest),
    )


def execute(config: DiscoverColorsConfig, declaration: LabelledPictures, session: Session) -> PictureDiscovery:
    """Do or go on with a run. Raises LieappError for what the declaration, pictures or settings don't allow."""
    return discover(OfColors(config), declaration, session)
