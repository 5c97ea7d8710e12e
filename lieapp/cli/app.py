"""`lieapp app`: the same in the browser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click

import lieapp
from lieapp.child import child_command
from lieapp.cli.options import Common, Outcome, common

RUNS_VARIABLE = "LIEAPP_RUNS"
"""Tells the app the folder of runs."""

SCRIPT = Path(lieapp.__file__).parent / "ui" / "server.py"
"""What Streamlit runs; inside the package, so a wheel has it too."""

SETTINGS = {
    "server.address": "localhost",  # the app starts processes: nobody else may reach it
    "server.showEmailPrompt": "false",
    # each new page would look at the files of all modules and collect garbage, .5 s in all, and nobody edits them
    "server.fileWatcherType": "none",
    "runner.postScriptGC": "false",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "minimal",
    # text in these colours, and on them, has a contrast of 4.5 at least
    "theme.light.primaryColor": "#b02a3a",
    "theme.light.codeTextColor": "#2f2d2b",
    "theme.light.codeBackgroundColor": "#f7f7f6",
    "theme.dark.primaryColor": "#f0808a",
    "theme.dark.codeTextColor": "#edebe8",
    "theme.dark.codeBackgroundColor": "#242321",
}
"""Streamlit's settings; .streamlit/config.toml says the same to `streamlit run` in a checkout."""


@click.command("app")
@common("plugins", "out")
@click.option("--port", type=int, metavar="N", help="Port of the app; 8501 or the next free one by default.")
@click.option("--no-browser", is_flag=True, help="Start the server without opening a browser.")
@click.option("--allow-writing", is_flag=True, help="Allow the Plugins page to write files into ./plugins.")
def app(settings: Common, port: int | None, no_browser: bool, allow_writing: bool) -> Outcome:
    """Open the app in a browser. Ctrl-C ends it; the runs it started continue."""
    wanted = dict(SETTINGS)
    if port is not None:
        wanted["server.port"] = str(port)
    if no_browser:
        wanted["server.headless"] = "true"
    options = [part for key, value in wanted.items() for part in (f"--{key}", value)]
    own = ["--", "--allow-writing"] if allow_writing else []
    command_line = child_command("streamlit", "run", str(SCRIPT), *options, *own)
    code = subprocess.call(command_line, env=environment(settings))
    return Outcome({"code": code}, code=code)


def environment(settings: Common) -> dict[str, str]:
    """The environment of the app: further plugin folders and the folder of runs travel in it."""
    known = os.environ.get("LIEAPP_PLUGINS", "")
    folders = [*(str(folder.resolve()) for folder in settings.plugins), *([known] if known else [])]
    changed = {RUNS_VARIABLE: str(settings.out.resolve())}
    if folders:
        changed["LIEAPP_PLUGINS"] = os.pathsep.join(folders)
    return {**os.environ, **changed}
