"""Colours that the app sets itself: all text has a contrast of 4.5 at least."""

import itertools

import pytest

from lieapp.cli.app import SETTINGS
from lieapp.drawing import Curve
from lieapp.figures.charts import curves
from lieapp.figures.files import svg
from lieapp.report.page import CSS as REPORT
from lieapp.ui.rendering import CAPTION, CSS, ON_PRIMARY, TOKENS

ENOUGH = 4.5
THEMES = ("light", "dark")
# Streamlit's own
TEXT = {"light": "#2f2d2b", "dark": "#edebe8"}
BEHIND = {"light": "#ffffff", "dark": "#171614"}
TINT = 0.1


def rgb(colour: str) -> list[float]:
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def mixed(front: str, behind: str, share: float) -> list[float]:
    return [share * f + (1 - share) * b for f, b in zip(rgb(front), rgb(behind), strict=True)]


def luminance(colour: list[float]) -> float:
    red, green, blue = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: list[float], second: list[float]) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_wcag_does():
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_captions_tabs_and_chosen_segments(theme):
    primary = SETTINGS[f"theme.{theme}.primaryColor"]
    assert contrast(mixed(TEXT[theme], BEHIND[theme], CAPTION), rgb(BEHIND[theme])) >= ENOUGH
    assert contrast(rgb(primary), rgb(BEHIND[theme])) >= ENOUGH
    # a chosen segment has a tint of its colour behind it
    assert contrast(rgb(primary), mixed(primary, BEHIND[theme], TINT)) >= ENOUGH
    assert contrast(rgb(ON_PRIMARY[THEMES.index(theme)]), rgb(primary)) >= ENOUGH


@pytest.mark.parametrize(("theme", "names"), [*itertools.product(THEMES, TOKENS)])
def test_code(theme, names):
    behind = rgb(SETTINGS[f"theme.{theme}.codeBackgroundColor"])
    assert contrast(rgb(TOKENS[names][THEMES.index(theme)]), behind) >= ENOUGH
    assert contrast(rgb(SETTINGS[f"theme.{theme}.codeTextColor"]), behind) >= ENOUGH


def test_each_word_of_code_has_a_rule():
    assert '[data-testid="stCode"] code .token.keyword' in CSS and "light-dark(#0b5cad, #7cb7ff)" in CSS


def test_figures_fit_the_window():
    assert '[data-testid="stImageContainer"] img { max-width: 100%; height: auto; }' in CSS
    assert "max-content" not in CSS
    # and in the report, whose figures are part of the page; a view box lets them shrink
    assert (
        "figure svg { max-width: 100%; height: auto; display: block; }" in REPORT
        and "max-width: none" not in REPORT
    )
    assert 'viewBox="0 0 ' in svg(curves([Curve("a", [1], [1])], "x", "y", "t"))
