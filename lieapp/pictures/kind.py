"""Pictures and their colours as kinds of declarations. Torch and the engine are loaded when work begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from lieapp.api import Colors, Images, LabelledPictures, hookimpl
from lieapp.augment import typed as augment
from lieapp.config_augment import AugmentImagesConfig
from lieapp.config_pictures import DiscoverColorsConfig, DiscoverImagesConfig, DiscoverPictures
from lieapp.config_training import OWN_NETWORKS, READY, TrainConfig
from lieapp.data.images.places import check_file, check_place
from lieapp.errors import UsageError
from lieapp.extension import Kind, Work, lazily
from lieapp.pictures.offered import (
    EFFICIENTNET,
    NONE_DOWNLOADED,
    check_choice,
    check_installed,
    check_unused,
    completed,
)


@hookimpl
def lieapp_kinds() -> list[Kind]:
    return [IMAGES, COLORS]


def _check(config: DiscoverPictures, declaration: LabelledPictures) -> None:
    check_place(config.data or declaration.data, config.crops)
    if config.trained:
        hint = "`lieapp train` prints the file of the network; leave trained out to take it from the cache."
        check_file(config.trained, "trained", hint)
    if declaration.features is None:
        check_choice(config)
    else:
        check_unused(config)


def _check_training(config: TrainConfig, declaration: LabelledPictures) -> None:
    check_place(config.data or declaration.data, config.crops)
    if config.weights:
        check_file(config.weights, "weights", NONE_DOWNLOADED)
    if config.chosen == READY:
        also = " and leave invariance out" if config.invariance else ""
        check_installed(EFFICIENTNET, instead=f"network=small{also}")
    elif config.chosen not in OWN_NETWORKS:
        from lieapp.pictures.classifiers import check_name

        check_name(config.chosen)


def _check_augment(config: AugmentImagesConfig, declaration: LabelledPictures) -> None:
    check_place(config.data or declaration.data, config.crops)
    if config.model == READY:
        check_installed(EFFICIENTNET, instead="model=small")


GENTLE = 1e-3
"""Rate above which a network forgets what it was trained for: .005 left 17 % of photographs right, .0005 90 %."""


def _costs_of_training(config: TrainConfig, declaration: LabelledPictures) -> list[str]:
    """What settings would cost: that of a ready network's knowledge."""
    trained = config.chosen == READY and config.epochs and not config.invariance
    return _forgotten(config.rate) if trained else []


def _costs_of_augment(config: AugmentImagesConfig, declaration: LabelledPictures) -> list[str]:
    return _forgotten(config.rate) if config.model == READY else []


def _forgotten(rate: float) -> list[str]:
    if rate <= GENTLE:
        return []
    return [f"rate = {rate:g} makes {READY} forget what it knows of ImageNet; set rate=0.0005"]


def _typed(plugin: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the command line as settings. Raises UsageError for several places."""
    places = options.get("data") or []
    if len(places) > 1:
        raise UsageError(f"--data is given {len(places)} times: {', '.join(places)}.", hint="Give one place.")
    return {**options, "data": places[0] if places else None}


def _discover(settings: type[DiscoverPictures]) -> Work:
    return Work(
        command="discover",
        words="Find symmetries",
        settings=settings,
        execute=lazily("lieapp.pictures.sides:execute"),
        check=_check,
        complete=completed,
        typed=_typed,
        document=lazily("lieapp.pictures.document:document"),
        draw=lazily("lieapp.pictures.document:draw"),
        about=lambda result: "Symmetries learned from pictures",
    )


TRAIN = Work(
    command="train",
    words="Train a network only",
    settings=TrainConfig,
    execute=lazily("lieapp.pictures.networks:execute"),
    complete=lambda config, declaration, root: replace(config, network=config.chosen),
    check=_check_training,
    costs=_costs_of_training,
    refused=lambda own: "" if own.features is None else "it has its own features, so no training is needed",
    document=lazily("lieapp.pictures.document:training_document"),
    draw=lazily("lieapp.pictures.document:draw_training"),
    about=lambda result: "Training of a network",
)

IMAGES = Kind(
    name="images",
    declaration=Images,
    words=("a set of pictures", "pictures"),
    check=lazily("lieapp.pictures.sides:check_pictures"),
    works=(
        _discover(DiscoverImagesConfig),
        TRAIN,
        Work(
            command="augment",
            words="Train on moved data",
            settings=AugmentImagesConfig,
            execute=lazily("lieapp.augment.of_pictures:execute"),
            follow=lazily("lieapp.augment.of_pictures:follow"),
            check=_check_augment,
            costs=_costs_of_augment,
            complete=augment.complete_pictures,
            typed=lambda plugin, options: augment.picture_options(plugin, _typed(plugin, options)),
            document=lazily("lieapp.augment.document:document"),
            draw=lazily("lieapp.augment.document:draw"),
            about=augment.about,
        ),
    ),
)

COLORS = Kind(
    name="colors",
    declaration=Colors,
    words=("a set of colour pictures", "colours"),
    check=lazily("lieapp.pictures.sides:check_pictures"),
    works=(_discover(DiscoverColorsConfig), TRAIN),
)
