"""What settings leave of the data is checked before any work."""

from dataclasses import replace

import pytest

from lieapp.config import DiscoverConfig
from lieapp.data.sizes import check_patch, check_sizes, check_thinned
from lieapp.errors import ConfigError, GridError
from lieapp.registry.catalog import load_catalog
from lieapp.settings import load_config


@pytest.fixture(scope="module")
def kdv():
    return load_catalog().get("kdv").declaration


def made(**settings):
    return load_config(DiscoverConfig, None, [f"{key}={value}" for key, value in settings.items()], plugin="kdv")


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"patch_time": 1000}, ConfigError, "1000 nodes along t; the data have 140"),
        ({"patch_space": 257}, ConfigError, "257 nodes along x; the data have 256"),
        ({"patch_time": 71, "every_time": 2}, ConfigError, "71 nodes along t; the data have 70"),
        ({"every_time": 20}, GridError, "every_time = 20: 256 points and 7 times would be left"),
        ({"every_point": 3}, GridError, "every_point = 3: x has 256 points"),
    ],
)
def test_what_is_too_much_is_told_with_its_setting(kdv, settings, error, said):
    with pytest.raises(error) as caught:
        check_sizes(made(**settings), kdv)
    assert said in caught.value.message and any(key in caught.value.hint + caught.value.message for key in settings)


def test_what_fits_passes_and_a_source_has_a_grid_of_its_own(kdv):
    check_sizes(made(patch_time=140, patch_space=256), kdv)
    check_sizes(made(patch_time=70, every_time=2), kdv)
    check_sizes(made(patch_time=1000), replace(kdv, source=lambda n, seed: None))


def test_numbers():
    assert check_thinned({"x": 64, "y": 32}, 41, 2, 4) == ([32, 16], 11)
    check_patch([0, 0], [5, 5], ["t", "x"])
    with pytest.raises(ConfigError, match="1 nodes along x"):
        check_patch([0, 1], [5, 5], ["t", "x"])
