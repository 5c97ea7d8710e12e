"""A finished training of a network: what was trained, on which pictures, how well it tells them apart, its file."""

from __future__ import annotations

import shlex
from typing import Any

import streamlit as st

from lieapp.report.figures import MissingError, right_chart
from lieapp.report.material import finite, read_lines
from lieapp.runs.directory import RunDirectory
from lieapp.ui.drawing import facts_block
from lieapp.ui.run_files import show_link
from lieapp.ui.run_head import config_of
from lieapp.ui.words import duration

LEARNED = {
    "pictures": "at most", "epochs": "epochs", "batch": "batch", "rate": "rate", "optimizer": "optimizer",
    "augment": "augment",
}  # fmt: skip
"""Settings of a training that results depend on most."""

NAMES = 12
"""Classes that are named; of more only their number is told."""


def show_train(run: RunDirectory, summary: dict[str, Any]) -> None:
    """What is below the sentence of the run."""
    accuracy = finite(summary.get("accuracy"))
    seconds = finite((summary.get("seconds") or {}).get("training"))
    told = [
        ("Told right", "–" if accuracy is None else f"{100 * accuracy:.1f} %", "Of the pictures kept aside."),
        ("Loss", _number(summary.get("loss")), "Mean cross-entropy on the pictures kept aside."),
        ("Training", "from the cache" if summary.get("cached") else duration(seconds), "Time that it took."),
    ]
    with st.container(horizontal=True):
        for label, value, text in told:
            st.metric(label, value, help=text, width="content")
    facts_block(train_facts(run, summary))
    try:
        svg = right_chart(read_lines(run.path / "metrics.jsonl"))
        st.image(svg, alt="Pictures of each step told right")
    except MissingError:
        words = "it was in the cache, so nothing was trained" if summary.get("cached") else "no steps were recorded"
        st.caption(f"No curves: {words}.")
    _next(run, summary)
    show_link()


def train_facts(run: RunDirectory, summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Network, pictures and settings, by name."""
    config, origin = config_of(run), run.provenance()
    data = origin.get("data") or {}
    shape = " x ".join(str(size) for size in data.get("shape") or [])
    facts = [
        ("network", f"{summary.get('network', '–')}, {_number(summary.get('parameters'))} parameters"),
        ("data", str(data.get("source") or config.get("data") or "that of the plugin")),
        ("pictures", f"{_number(data.get('pictures'))} of {shape}" if data.get("pictures") and shape else ""),
        ("learned from", _number(summary.get("learned_from"))),
        ("judged on", _number(summary.get("judged_on"))),
        ("classes", _classes(summary.get("classes") or [])),
        *((label, str(config.get(key, ""))) for key, label in LEARNED.items()),
        ("device", str(origin.get("device_used") or config.get("device") or "")),
        ("file", str(run.path / "network.safetensors")),
    ]
    return [(name, text) for name, text in facts if text not in ("", "–")]


def _next(run: RunDirectory, summary: dict[str, Any]) -> None:
    """How this network is used."""
    plugin = config_of(run).get("plugin") or summary.get("plugin")
    if plugin and (run.path / "network.safetensors").is_file():
        st.caption("Symmetries of what it sees are sought by:")
        told = f"trained={run.path / 'network.safetensors'}"
        st.code(shlex.join(["lieapp", "discover", "--plugin", str(plugin), "--set", told]), "bash", wrap_lines=True)


def _classes(names: list[Any]) -> str:
    return f"{len(names)}" + (f": {', '.join(map(str, names))}" if 0 < len(names) <= NAMES else "")


def _number(value: Any) -> str:
    """As it is: counts whole, other numbers with three digits; a dash for what isn't there."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.3g}"
