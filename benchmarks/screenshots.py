"""Pictures of every page of the app, for the docs and to be looked at.

    python benchmarks/screenshots.py [--runs DIR] [--out DIR] [--every] [--only home,explore]

Shows the runs of a folder, which are made if there are none: a derivation, a self-check and a discovery, about a
minute. Without --every one picture of each page, 1280 pixels wide and shrunk to 960, as they stand in docs/app/;
with it each page light and dark, 1280 and 390 pixels wide, unshrunk, and a warning where a page is wider than its
window. Needs Chromium and its driver.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.ui.browser import Browser, browser, served, wait  # noqa: E402

COMMANDS = (
    ("check", "--plugin", "kdv"),
    ("truth", "--plugin", "kdv", "--flows", "--reductions", "--explain", "--latex"),
    ("discover", "--plugin", "ckdv", "--method", "spectrum", "--slots", "3"),
)
"""What is run where the folder is empty."""

DATA = Path(".data") / "kdv.nc"
"""A file to open, in the folder of runs."""

TALLEST = 2600
"""Pixels of a page that are shown."""

WIDTH = 960
"""Of a picture in the docs."""


def main() -> None:
    """Make runs if need be, serve them, take the pictures."""
    arguments = parse()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = (arguments.runs or folder / "runs").resolve()
        make(runs)
        if runs != folder / "runs":
            (folder / "runs").symlink_to(runs)
        arguments.out.mkdir(parents=True, exist_ok=True)
        with served(folder) as root:
            for key, path in pages(runs).items():
                if arguments.only and key not in arguments.only:
                    continue
                for dark, width in views(arguments.every):
                    take(folder, f"{root}/{path}", arguments, key, dark, width)


def parse() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs" / "app")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","))
    return parser.parse_args()


def views(every: bool) -> list[tuple[bool, int]]:
    """Dark or light, and how wide."""
    return [(dark, width) for dark in (False, True) for width in (1280, 390)] if every else [(False, 1280)]


def make(runs: Path) -> None:
    """Something to show."""
    if not (runs / DATA).exists():
        (runs / DATA).parent.mkdir(parents=True, exist_ok=True)
        command = ["data", "--plugin", "kdv", "--samples", "4", "--out", str(runs / DATA)]
        subprocess.run([sys.executable, "-m", "lieapp", *command], check=True)
    if runs.is_dir() and any(runs.glob("2*")):
        return
    for command in COMMANDS:
        subprocess.run([sys.executable, "-m", "lieapp", *command, "--out", str(runs)], check=True)


def pages(runs: Path) -> dict[str, str]:
    """The address of each page, with something on it where the folder has that."""
    ids = sorted(folder.name for folder in runs.glob("2*"))
    kinds = {name: (runs / name / "config.json").read_text(encoding="utf-8") for name in ids}
    derived = [name for name, text in kinds.items() if '"kind": "truth"' in text]
    found = [name for name, text in kinds.items() if '"kind": "discover"' in text]
    return {
        "home": "",
        "explore": "explore",
        **({"derived": f"explore?run={derived[-1]}"} if derived else {}),
        "discover": "discover?plugin=ckdv",
        "data": f"data?plugin=kdv&own-method=spectrum&file={quote(f'runs/{DATA}')}",
        **({"run": f"run?run={found[-1]}"} if found else {}),
        "runs": "runs",
        "compare": "compare?" + "&".join(f"runs={name}" for name in found[-3:]),
        "plugins": "plugins?plugin=kdv",
        "new-plugin": "plugins?view=New+plugin",
        "help": "help",
    }


def take(folder: Path, address: str, arguments: argparse.Namespace, key: str, dark: bool, width: int) -> None:
    """One picture."""
    with browser(folder) as one:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size(one, width, 900)
        one.open(address)
        wait(lambda: one.driver.find_elements("css selector", "h1"), 180, "the title")
        state = "return document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state')"
        wait(lambda: one.driver.execute_script(state) == "notRunning", 180, "the end of the script")
        wait(lambda: not one.driver.find_elements("css selector", "[data-testid=stSkeleton]"), 180, "every part")
        time.sleep(1.5)
        box = "const m = document.querySelector('[data-testid=stMain]'); return [m.scrollHeight, m.scrollWidth]"
        height, wide = one.driver.execute_script(box)
        size(one, width, min(max(height, 700), TALLEST))
        time.sleep(1.0)
        content = base64.b64decode(one.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    name = f"{key}{'-dark' if dark else ''}{'-narrow' if width < 600 else ''}.png"
    keep(content, arguments.out / name, None if arguments.every else WIDTH)
    print(name, f"{os.path.getsize(arguments.out / name) // 1024} kB", f"too wide: {wide}" * (wide > width))


def size(one: Browser, width: int, height: int) -> None:
    """The window's size, smaller than a real one can be."""
    values = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    one.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", values)


def keep(content: bytes, file: Path, width: int | None) -> None:
    """Write a picture, shrunk and with a palette for the docs."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    if width is not None:
        height = round(picture.height * width / picture.width)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS).quantize(256)
    picture.save(file, optimize=True)


if __name__ == "__main__":
    main()
