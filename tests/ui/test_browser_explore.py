"""Explore in headless Chromium, without a mouse: type, read the error, mend it, derive, reload, cancel another."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium drives the browser; pip install -e '.[dev]'")

_spec = importlib.util.spec_from_file_location("browser", Path(__file__).with_name("browser.py"))
web = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(web)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (web.CHROMIUM and web.DRIVER), reason="no chromium with chromedriver here: apt install chromium-driver"
    ),
]

EQUATION = 'input[aria-label="Equation"]'


def press(one, words: str, most: int = 60) -> None:
    """Press the tabulator until a button with these words is focused, then the enter key."""
    for _ in range(most):
        element = one.driver.switch_to.active_element
        if element.tag_name == "button" and words in element.text:
            element.send_keys(web.ENTER)
            return
        element.send_keys(web.TAB)
    raise AssertionError(f"{words!r} can't be reached with the tabulator")


def test_by_keyboard_alone(tmp_path):
    with web.served(tmp_path) as root, web.browser(tmp_path) as one:
        one.open(f"{root}/explore")
        one.sees("Derive")
        one.find(EQUATION).send_keys(" - nu*u_xx")
        # live: nothing but typing has told the page
        one.sees("'nu' is not declared")
        assert "^" in one.find('[data-testid="stCode"]').text
        one.find('input[aria-label="Parameters"]').send_keys("nu:positive")
        web.wait(lambda: "is not declared" not in one.text, 60, "the formula")
        press(one, "Derive")
        one.sees("Cancel")
        address = one.address
        assert "run=" in address
        one.reload()
        one.sees("certified complete", 180)
        assert "Symmetries, dimension 3" in one.text and "Finite flows" in one.text
        with web.browser(tmp_path) as other:
            other.open(address)
            other.sees("certified complete")
        one.open(f"{root}/explore")
        one.sees("Derive")
        terms = " - ".join("u_" + order * "x" for order in range(2, 21))
        one.find(EQUATION).send_keys(f" - {terms}")
        web.wait(lambda: "xxxxxxxxxxxxxxxxxxxx" in one.find(EQUATION).get_attribute("value"), 60, "what was typed")
        press(one, "Derive")
        one.sees("of at most")
        press(one, "Cancel")
        one.sees("Cancelled on request")
