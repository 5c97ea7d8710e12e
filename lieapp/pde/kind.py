"""The kinds of declarations that lieapp ships. Torch and the engine are loaded when work begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lieapp.api import PDE, Colors, Images, LabelledPictures
from lieapp.augment import typed as augment
from lieapp.config import DiscoverConfig, DiscoverImagesConfig, DiscoverPictures, TrainConfig
from lieapp.config_augment import AugmentConfig, AugmentImagesConfig
from lieapp.config_colors import DiscoverColorsConfig
from lieapp.config_pictures import OWN_NETWORKS
from lieapp.data.images.places import check_efficientnet, check_file, check_place, check_weights
from lieapp.extension import Check, Kind, Work
from lieapp.progress import Reporter

if TYPE_CHECKING:
    from lieapp.document import Document
    from lieapp.results.base import Result
    from lieapp.runs.store.session import Session

def _check_equation(config: DiscoverConfig, declaration: PDE) -> None:
    from lieapp.data.declared import check_discovery
    from lieapp.data.sizes import check_sizes
    from lieapp.pde.cost import check_memory

    check_discovery(declaration)
    check_sizes(config, declaration)
    check_memory(config, declaration)


def _cost(config: DiscoverConfig, declaration: PDE) -> Sequence[str]:
    from lieapp.pde.cost import warnings

    return warnings(config, declaration)


def _discover_equation(config: DiscoverConfig, declaration: PDE, session: Session) -> Result:
    from lieapp.pde.discover import execute

    return execute(config, declaration, session)


def _document(result: Result) -> Document:
    from lieapp.report.documents import document_of

    return document_of(result)


def _augment_solutions(config: AugmentConfig, declaration: PDE, session: Session) -> Result:
    from lieapp.augment.of_solutions import OfSolutions
    from lieapp.augment.pipeline import execute

    return execute(OfSolutions(config, declaration, session))


def _augment_pictures(config: AugmentImagesConfig, declaration: Images, session: Session) -> Result:
    from lieapp.augment.of_pictures import OfPictures
    from lieapp.augment.pipeline import execute

    return execute(OfPictures(config, declaration, session))


def _self_check(declaration: PDE, report: Reporter) -> list[Check]:
    from lieapp.pde.check import check

    return check(declaration, report)


def _self_check_images(declaration: Images, report: Reporter) -> list[Check]:
    from lieapp.pictures.check import check_images

    return check_images(declaration)


def _self_check_colors(declaration: Colors, report: Reporter) -> list[Check]:
    from lieapp.pictures.check import check_colors

    return check_colors(declaration)


def equation_text(declaration: PDE) -> str:
    """The equation as SymPy writes it."""
    equation = declaration.equation
    parts = equation if isinstance(equation, (list, tuple)) else [equation]
    return "; ".join(f"{part.lhs} = {part.rhs}" if hasattr(part, "lhs") else f"{part} = 0" for part in parts)


def _check_pictures(config: DiscoverPictures, declaration: LabelledPictures) -> None:
    check_place(config.data or declaration.data)
    if config.trained:
        check_file(config.trained)
    elif config.network != "trained":
        check_efficientnet()


def _discover_images(config: DiscoverImagesConfig, declaration: Images, session: Session) -> Result:
    from lieapp.pictures.discover import execute
    from lieapp.pictures.of_plane import OfPlane

    return execute(OfPlane(config), declaration, session)


def _discover_colors(config: DiscoverColorsConfig, declaration: Colors, session: Session) -> Result:
    from lieapp.pictures.discover import execute
    from lieapp.pictures.of_colors import OfColors

    return execute(OfColors(config), declaration, session)


def _check_training(config: TrainConfig, declaration: LabelledPictures) -> None:
    check_place(config.data or declaration.data)
    if config.weights:
        check_weights(config.weights)
    if config.network not in OWN_NETWORKS:
        from lieapp.pictures.torchvision_networks import check_name

        check_name(config.network)


def _train(config: TrainConfig, declaration: LabelledPictures, session: Session) -> Result:
    from lieapp.pictures.training import execute

    return execute(config, declaration, session)


def _own_features(declaration: LabelledPictures) -> str:
    return "" if declaration.features is None else "it brings its own features; nothing is to be trained"


TRAIN = Work(
    command="train", words="Train a network only", settings=TrainConfig, execute=_train, check=_check_training,
    refused=_own_features,
    document=_document,
)  # fmt: skip

PDES = Kind(
    name="pde", declaration=PDE, words=("an equation", "equations"), check=_self_check, shown=equation_text,
    derivable=True,
    works=(
        Work(
            command="discover", words="Find symmetries", settings=DiscoverConfig, execute=_discover_equation,
            check=_check_equation, costs=_cost, document=_document,
        ),
        Work(
            command="augment", words="Train on moved data", settings=AugmentConfig, execute=_augment_solutions,
            check=augment.check_solutions, complete=augment.complete_solutions, typed=augment.solution_options,
            document=_document,
        ),
    ),
)  # fmt: skip

IMAGES = Kind(
    name="images", declaration=Images, words=("a set of pictures", "pictures"), check=_self_check_images,
    works=(
        Work(
            command="discover", words="Find symmetries", settings=DiscoverImagesConfig, execute=_discover_images,
            check=_check_pictures, document=_document,
        ),
        TRAIN,
        Work(
            command="augment", words="Train on moved data", settings=AugmentImagesConfig, execute=_augment_pictures,
            check=augment.check_pictures, complete=augment.complete_pictures, typed=augment.picture_options,
            document=_document,
        ),
    ),
)  # fmt: skip

COLORS = Kind(
    name="colors", declaration=Colors, words=("a set of colour pictures", "colours"), check=_self_check_colors,
    works=(
        Work(
            command="discover", words="Find symmetries", settings=DiscoverColorsConfig, execute=_discover_colors,
            check=_check_pictures, document=_document,
        ),
        TRAIN,
    ),
)  # fmt: skip
