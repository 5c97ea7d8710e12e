"""Pictures whose plane is moved, for the pipeline of `discover.py`."""

from __future__ import annotations

import torch
from torch import Tensor

from lieapp.api import LabelledPictures
from lieapp.config_pictures import DiscoverImagesConfig
from lieapp.data.images.pictures import Pictures
from lieapp.methods.fields import Slotted
from lieapp.methods.flow import Solver
from lieapp.pictures.discover import Side, Split, discover
from lieapp.pictures.extractor import PictureFeatures
from lieapp.pictures.image import ImageDomain, pixel_weight
from lieapp.pictures.image_data import ImageBatch, ImageData
from lieapp.pictures.networks import kept_weight
from lieapp.pictures.seen import Seen
from lieapp.results.pictures import PictureDiscovery, Slot
from lieapp.runs.store.session import Session


class OfPlane(Side[ImageBatch]):
    """See `discover.Side`."""

    name = "images"
    unit = 0.5
    """Coordinates of pictures have twice the size of the network's usual ones."""
    centred = (True, True)
    span = are = "affine"
    config: DiscoverImagesConfig

    def split(
        self, learn: Pictures, judge: Pictures, features: PictureFeatures, flip: bool, device: str
    ) -> Split[ImageBatch]:
        """With the weight of pixels."""
        config, weight, said = self.config, None, ""
        if config.weighted:

            def measure() -> Tensor:
                generator = torch.Generator().manual_seed(config.seed)
                return pixel_weight(features, learn.pixels.to(device), config.weight_rounds, generator)

            weight, said = kept_weight("pixels", learn, features, (config.weight_rounds, config.seed), measure)
        return Split(
            ImageData(learn, features, flip, device, weight),
            ImageData(judge, features, False, device, weight),
            said,
        )

    def domain(self, features: PictureFeatures) -> ImageDomain:
        """The plane."""
        config = self.config
        return ImageDomain(config.plugin, features, config.padding, config.interpolation, config.nodes)

    def place(self, slot: Slot, share: float) -> None:
        """The named fields are affine."""
        slot.affine = share

    def drawn(
        self, domain: Seen[ImageBatch], batch: ImageBatch, fields: Slotted, solver: Solver
    ) -> dict[str, Tensor]:
        """The axes of the plane."""
        return {"grid/x": batch.points[0, 0, 0], "grid/y": batch.points[0, 1, :, 0]}


def execute(config: DiscoverImagesConfig, declaration: LabelledPictures, session: Session) -> PictureDiscovery:
    """Do or go on with a run. Raises LieappError for what the declaration, pictures or settings don't allow."""
    return discover(OfPlane(config), declaration, session)
