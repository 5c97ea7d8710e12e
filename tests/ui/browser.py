"""The app in headless Chromium: a server of its own, and what a person does there."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

ROOT = Path(__file__).parents[2]
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
Found = TypeVar("Found")


@contextlib.contextmanager
def served(folder: Path, port: int = 0) -> Iterator[str]:
    """The app over folder/runs, at that port if one is given; its address. Runs that it started outlive it."""
    port = port or free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "streamlit_app.py"),
        "--server.headless",
        "true",
    ]
    environment = {**os.environ, "LIEAPP_RUNS": "runs", "PYTHONPATH": str(ROOT)}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        wait(lambda: answers(port), 180, "the server")
        yield f"http://localhost:{port}"
    finally:
        # at once, as a crash would: a page that is open keeps a server that is asked to end
        server.kill()
        server.wait()


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def answers(port: int) -> bool:
    """Whether the server is up."""
    try:
        return bool(urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2).status == 200)
    except OSError:
        return False


@contextlib.contextmanager
def browser(downloads: Path) -> Iterator[Browser]:
    """A browser without any history."""
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = CHROMIUM
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def wait(look: Callable[[], Found], seconds: float, what: str) -> Found:
    """What `look` finds, as soon as it is anything; elements that a rerun just took away are looked up again."""
    from selenium.common.exceptions import WebDriverException

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(WebDriverException):
            found = look()
            if found:
                return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not appear within {seconds:g} s")


class Browser:
    """One session of the app."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """Type an address."""
        self.driver.get(address)

    def requests_elsewhere(self) -> set[str]:
        """Addresses of other machines that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
        return {url for url in asked if not url.startswith(("http://localhost", "data:", "blob:", "chrome:"))}

    def back(self) -> None:
        """Press the browser's button."""
        self.driver.back()

    def reload(self) -> None:
        """Press the browser's button."""
        self.driver.refresh()

    @property
    def address(self) -> str:
        """The address line."""
        return self.driver.current_url

    @property
    def text(self) -> str:
        """All that can be read on the page."""
        return self.driver.find_element(By.TAG_NAME, "body").text

    def sees(self, words: str, seconds: float = 300) -> None:
        """Wait until something can be read."""
        try:
            wait(lambda: words in self.text, seconds, repr(words))
        except AssertionError as error:
            raise AssertionError(f"{error}; there was: {self.text}") from None

    def find(self, css: str, seconds: float = 300) -> WebElement:
        """Wait for an element."""
        return wait(lambda: self.driver.find_element(By.CSS_SELECTOR, css), seconds, css)

    def click(self, label: str, seconds: float = 300) -> None:
        """Press a button or a tab by what stands on it."""
        named = f"[normalize-space(.)='{label}' or .//p[normalize-space(.)='{label}']]"
        path = f"//button{named} | //*[@role='tab']{named}"

        def press() -> bool:
            self.driver.find_element(By.XPATH, path).click()
            return True

        wait(press, seconds, f"the button {label!r}")

    def follow(self, label: str, seconds: float = 300) -> None:
        """Press a link by what stands on it."""

        def press() -> bool:
            self.driver.find_element(By.XPATH, f"//a[.//p[normalize-space(.)='{label}']]").click()
            return True

        wait(press, seconds, f"the link {label!r}")

    def press(self, css: str, key: str) -> None:
        """A key on an element that has the focus, as somebody without a mouse does."""
        from selenium.webdriver.common.action_chains import ActionChains

        # a slider's own input is drawn over: it takes keys, but counts as not displayed
        self.driver.execute_script("arguments[0].focus()", self.find(css))
        ActionChains(self.driver).send_keys(key).perform()

    def colours_of(self, place: int) -> str:
        """The colours of the `place`-th chart that has some; they change with its values."""
        css = '[data-testid="stPlotlyChart"] .heatmaplayer image'
        found = wait(lambda: self.driver.find_elements(By.CSS_SELECTOR, css)[place:], 60, f"chart {place}")[0]
        return str(found.get_attribute("href") or found.get_attribute("xlink:href"))


RIGHT, LEFT, TAB, ENTER, CONTROL = Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.TAB, Keys.ENTER, Keys.CONTROL
