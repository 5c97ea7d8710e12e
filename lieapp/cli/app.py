"""`lieapp app`: the same in the browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from lieapp.cli.options import Common, Outcome, common
from lieapp.errors import LieappError

RUNS_VARIABLE = "LIEAPP_RUNS"
"""Tells the app the folder of runs."""


@click.command("app")
@common("plugins", "out")
@click.option("--port", type=int, metavar="N", help="Port of the page; 8501 or the next free one.")
@click.option("--no-browser", is_flag=True, help="Only serve; open no browser window.")
def command(settings: Common, port: int | None, no_browser: bool) -> Outcome:
    """Open the app in a browser; Ctrl-C ends it. Runs it started go on."""
    arguments = [sys.executable, "-m", "streamlit", "run", str(script())]
    if port is not None:
        arguments += ["--server.port", str(port)]
    if no_browser:
        arguments += ["--server.headless", "true"]
    code = subprocess.call(arguments, env=environment(settings))
    return Outcome({"code": code}, code=code)


def script() -> Path:
    """The app's main script: in the wheel inside the package, in a checkout beside it.

    Raises LieappError if this installation has none.
    """
    import lieapp

    package = Path(lieapp.__file__).parent
    for place in (package / "_streamlit_app.py", package.parent / "streamlit_app.py"):
        if place.is_file():
            return place
    raise LieappError(
        "this installation has no app.", hint="Run it from a checkout: streamlit run streamlit_app.py"
    )


def environment(settings: Common) -> dict[str, str]:
    """The environment of the app: further plugin folders and the folder of runs travel in it."""
    known = os.environ.get("LIEAPP_PLUGINS", "")
    folders = [*(str(folder.resolve()) for folder in settings.plugins), *([known] if known else [])]
    changed = {RUNS_VARIABLE: str(settings.out.resolve())}
    if folders:
        changed["LIEAPP_PLUGINS"] = os.pathsep.join(folders)
    return {**os.environ, **changed}
