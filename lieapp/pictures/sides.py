"""Pictures whose plane is moved, and pictures whose colours are, for the pipeline of `discover.py`.

A plugin of either verifies itself: its pictures can be read, and their features suit a descent.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from lieapp.api import Colors, LabelledPictures
from lieapp.compare.subspace import cosines, largest_components, principal_angle
from lieapp.config_pictures import DiscoverColorsConfig, DiscoverImagesConfig, DiscoverPictures
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.sources import read_pictures
from lieapp.domains.formulas import stack
from lieapp.errors import DataError, LieappError
from lieapp.extension import Check, failed
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.by_flow import gram, small_flow
from lieapp.methods.fields import Joined, Slotted
from lieapp.methods.flow import Flow
from lieapp.pictures.color import ColorDomain, Palette, check_colored, color_weight, colored, sample_colors
from lieapp.pictures.discover import Side, Split
from lieapp.pictures.extractor import Extractor, PictureFeatures, Shape
from lieapp.pictures.image import ImageData, ImageDomain, PictureBatch, Seen, pixel_weight
from lieapp.pictures.networks import drawn, kept_weight
from lieapp.progress import Reporter
from lieapp.results.pictures import Part, PictureDiscovery, SmallFlow
from lieapp.runs.store.session import Session

SHOWN = 7
"""Flow parameters that the palette is moved to, for figures."""

DEGREE, CHECKED = 2, 2
"""Of the fields of the cross-check, and batches of held-out pictures that it is made on."""


class OfPlane(Side):
    """See `discover.Side`. Coordinates of pictures have twice the size of the network's usual ones."""

    name = "images"
    unit = 0.5
    centred = (True, True)
    span = are = "affine"
    config: DiscoverImagesConfig

    def split(self, learn: Pictures, judge: Pictures, features: PictureFeatures) -> Split:
        config, device, weight = self.config, self.session.device, None
        if config.weighted:

            def measure() -> Tensor:
                generator = torch.Generator().manual_seed(config.seed)
                some = drawn(learn, config.weight_pictures, config.seed)
                return pixel_weight(features, some.pixels.to(device), generator)

            settings = (config.weight_pictures, config.seed)
            weight, said = kept_weight("pixels", learn, features, settings, measure)
            self.report.line(said)
        return Split(
            ImageData(learn, features, self.declaration.flip, device, weight),
            ImageData(judge, features, False, device, weight),
        )

    def domain(self, features: PictureFeatures) -> ImageDomain:
        config = self.config
        return ImageDomain(config.plugin, features, config.padding, config.interpolation, config.nodes)

    def drawn(self, batch: PictureBatch, fields: Slotted) -> dict[str, Tensor]:
        return {"grid/x": batch.points[0, 0, 0], "grid/y": batch.points[0, 1, :, 0]}


class OfColors(Side):
    name = "colors"
    unit = 1.0
    centred = (False, False, False)
    span, are = "named", "nearly made of named fields"
    config: DiscoverColorsConfig

    def check(self, pictures: Pictures) -> None:
        check_colored(pictures.pixels, pictures.facts["source"])

    def split(self, learn: Pictures, judge: Pictures, features: PictureFeatures) -> Split:
        """With colours sampled from the pictures to learn from, and their weight."""
        config, device = self.config, self.session.device
        generator = torch.Generator().manual_seed(config.seed)
        colors = sample_colors(learn.pixels, config.colors, generator).to(device)
        palette = plain = Palette.of(colors, config.neighbours)
        if config.weighted:
            some = drawn(learn, config.weight_pictures, config.seed)
            settings = (config.colors, config.neighbours, config.weight_pictures, config.seed)

            def measure() -> Tensor:
                return color_weight(features, some.pixels.to(device), plain, generator)

            weight, said = kept_weight("colours", learn, features, settings, measure)
            self.report.line(said)
            palette = replace(plain, weight=weight[None].to(plain.points))
        return Split(
            colored(ImageData(learn, features, self.declaration.flip, device), palette),
            colored(ImageData(judge, features, False, device), palette),
        )

    def domain(self, features: PictureFeatures) -> ColorDomain:
        config = self.config
        return ColorDomain(config.plugin, features, config.interpolation, config.lattice, config.outside)

    def drawn(self, batch: PictureBatch, fields: Slotted) -> dict[str, Tensor]:
        """The sampled colours, and those moved by each slot."""
        slots, flow = self.config.slots, Flow(fields, self.solver)
        start = batch.points.expand(slots, *batch.points.shape)
        line = torch.linspace(-self.config.flow.sigma, self.config.flow.sigma, SHOWN)
        line[SHOWN // 2] = 0.0
        moved = [flow(start, torch.full((slots,), float(s)).to(start))[:, 0].clamp(0, 1) for s in line]
        return {"colors": batch.points[0], "palette/s": line, "palette/colors": torch.stack(moved, 1)}

    def complete(
        self, result: PictureDiscovery, domain: Seen, batches: list[PictureBatch], fields: Slotted
    ) -> None:
        """The share of held-out pixels that each slot takes out of the cube, mean over ±sigma; the cross-check."""
        slots, flow, sigma = self.config.slots, Flow(fields, self.solver), self.config.flow.sigma
        total, count = torch.zeros(slots), 0
        with torch.no_grad():
            for batch in batches:
                for end in (-sigma, sigma):
                    moved = domain.act(flow, batch, torch.full((slots,), end).to(batch.points))
                    assert moved.clipped is not None
                    total += moved.clipped.reshape(slots, -1).sum(1).cpu()
                    count += len(batch.pixels)
        result.clipped = (total / max(count, 1)).tolist()
        result.cross_check = cross_check(domain, batches[:CHECKED], fields, slots)


def cross_check(domain: Seen, batches: list[PictureBatch], fields: Slotted, slots: int) -> SmallFlow | None:
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


def execute(config: DiscoverPictures, declaration: LabelledPictures, session: Session) -> PictureDiscovery:
    side = OfColors if isinstance(config, DiscoverColorsConfig) else OfPlane
    return side(config, declaration, session).run()


SOME = 8
"""Pictures that an extractor is tried on."""

UNMOVED = 1e-2
"""Largest angle in radians between features of one picture taken twice; round-off in float32 reaches 1e-3."""


FEW, NEIGHBOURS = 64, 6
"""Colours that are sampled for the trial, and their neighbours."""


def check_pictures(declaration: LabelledPictures, report: Reporter) -> list[Check]:
    """Whether the pictures can be read, and whether their features are finite, repeatable and differentiable.

    Where colours are moved, also whether the pictures have any.
    """
    try:
        pictures = read_pictures(declaration.data)
    except LieappError as error:
        return [failed("data", error), Check("features", None, "It needs data.")]
    shape = " x ".join(map(str, pictures.shape))
    done = [Check("data", True, f"{len(pictures)} pictures of {shape} in {len(pictures.names)} classes")]
    try:
        return [*done, Check("features", True, _features(declaration, pictures))]
    except Exception as error:  # a plugin's own code may raise anything
        return [*done, failed("features", error)]


def _features(declaration: LabelledPictures, pictures: Pictures) -> str:
    features = declaration.features
    if features is None:
        features = Extractor("small", Shape(*pictures.shape, len(pictures.names))).eval().features
    some = pictures.take(torch.arange(min(SOME, len(pictures))))
    domain: Seen = ImageDomain(declaration.name, features)
    if isinstance(declaration, Colors):
        check_colored(some.pixels, some.facts["source"])
        colors = sample_colors(some.pixels, FEW, torch.Generator().manual_seed(0))
        domain = ColorDomain(declaration.name, features)
        data = colored(ImageData(some, features, False), Palette.of(colors, NEIGHBOURS))
    else:
        data = ImageData(some, features, False)
    batch = next(data.batches(SOME, SOME))
    still = domain.validity(None, batch).score.detach()
    if not bool((still < UNMOVED).all()):
        raise DataError(
            f"features of the same picture differ by {float(still.max()):.1e} rad between two calls.",
            hint="Remove randomness from the extractor, such as dropout.",
        )
    shift = torch.zeros(len(domain.components), *[1] * (batch.points.ndim - 2), requires_grad=True)
    moved = domain.act(lambda points, _: points + 0.1 + shift, batch, torch.zeros(1))
    score = domain.validity(None, moved).score.sum()
    slope = torch.autograd.grad(score, shift, allow_unused=True)[0] if score.requires_grad else None
    if slope is None or not bool(torch.isfinite(slope).all()):
        raise DataError(
            "features aren't differentiable with respect to the pictures.",
            hint="Use torch functions throughout, without .detach() or .numpy(), and finite slopes.",
        )
    own = "the plugin's own" if declaration.features is not None else "an untrained network's"
    return f"{batch.features.shape[1]}, {own}; they change with a shift by a tenth, and have a gradient"
