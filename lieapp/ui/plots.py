"""Drawings in the app by plotly: to hover over and to zoom, in the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from lieapp import drawing as data

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MARKS, DASHES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross"), ("solid", "dash", "dot")
NOTE = {"showarrow": False, "xref": "paper", "yref": "paper", "font": {"size": 12}}
HEIGHTS = (260, 340)
"""Pixels of a panel among others, and of one alone."""

WIDTH, AROUND = 620, 100
"""Pixels of width of a panel alone, and of height above and below it."""

QUIET = "#8a9199"
"""Edges and notes; reads on dark and on light."""

Trace = dict[str, Any]
"""What plotly reads: its own names and values."""


def show_drawing(drawing: data.Drawing, key: str) -> None:
    """Each panel as a chart of its own: beside each other where there is room, else below each other.

    Args:
        key: tells its charts from others on the page.
    """
    across = max(map(len, drawing.rows))
    for line, row in enumerate(drawing.rows):
        places = st.columns(across)
        for place, panel in enumerate(row):
            name = f"{key}-{line}-{place}"
            with places[place]:
                # toolbars cover what is small
                drawn = chart(panel, _height(panel, alone=across == 1))
                st.plotly_chart(drawn, key=name, config={"displaylogo": False, "displayModeBar": False})


def _height(panel: data.Panel, *, alone: bool) -> float:
    """Pictures keep their shape: wide ones are lower than charts."""
    high = HEIGHTS[alone or panel.equal]
    whole = any(isinstance(layer, data.Raster) and layer.scale is None for layer in panel.layers)
    return min(high, AROUND + WIDTH / panel.aspect) if whole else high


def chart(panel: data.Panel, height: float) -> Figure:
    """One panel."""
    from plotly.graph_objects import Figure

    drawn: list[Trace] = []
    shapes: list[Trace] = []
    notes: list[Trace] = []
    for index, layer in enumerate(panel.layers):
        drawn += _traces(layer, index, panel)
        if isinstance(layer, data.Band):
            ends = {"type": "rect", "x0": panel.x.low, "x1": layer.end, "y0": 0, "y1": 1, "yref": "paper"}
            shapes.append({**ends, "fillcolor": data.SERIES[2], "opacity": 0.15, "line": {"width": 0}})
            side = "left" if layer.end < 0.6 * panel.x.high else "right"
            notes.append({**NOTE, "xref": "x", "x": layer.end, "y": 0.02, "xanchor": side, "text": layer.words})
    if panel.note:
        at = (1, -0.32, "right") if panel.layers else (0.5, 0.5, "center")
        notes.append({**NOTE, "x": at[0], "y": at[1], "xanchor": at[2], "text": panel.note})
    x, y = _axis(panel.x), _axis(panel.y)
    if panel.equal:
        x |= {"constrain": "domain"}
        y |= {"constrain": "domain", "scaleanchor": "x"}
    named = [trace for trace in drawn if trace.get("showlegend")]
    layout = {
        "height": height, "title": {"text": panel.title, "font": {"size": 13}},
        "margin": {"l": 10, "r": 10, "t": 36, "b": 10}, "xaxis": x, "yaxis": y,
        "shapes": shapes, "annotations": notes, "showlegend": bool(named), "barmode": "stack",
        # below the plot: a phone has no room beside it
        "legend": {"orientation": "h", "y": -0.25, "yanchor": "top"},
    }  # fmt: skip
    return Figure(drawn, layout)


def _axis(axis: data.Axis) -> Trace:
    ends = np.log10([axis.low, axis.high]) if axis.log else (axis.low, axis.high)
    found: Trace = {"title": {"text": axis.label}, "range": [*map(float, ends)], "zeroline": False}
    found |= {"automargin": True, "showgrid": False, "ticks": "outside", "exponentformat": "power"}
    if axis.log:
        found |= {"type": "log", "dtick": 1 if ends[1] - ends[0] < 8 else 2, "showgrid": True}
    if axis.whole and axis.high - axis.low < 12:
        found |= {"dtick": 1}
    if axis.names:
        found |= {"tickvals": [*range(len(axis.names))], "ticktext": [*axis.names]}
    return found | ({"showticklabels": False, "ticks": ""} if axis.bare else {})


def _traces(layer: data.Layer, index: int, panel: data.Panel) -> list[Trace]:
    match layer:
        case data.Curve():
            return _curve(layer, index, log=panel.y.log)
        case data.Dots():
            sizes = [8 * area**0.5 for area in layer.areas] or 8
            symbols = ["circle-open" if k in layer.hollow else "circle" for k in range(len(layer.x))]
            # plotly draws markers black for which a list of colours is too short
            colour = layer.colours[0] if len(layer.colours) == 1 else [*layer.colours]
            marker = {"color": colour, "size": sizes, "symbol": symbols}
            said: Trace = {"hovertext": [*layer.tips], "hoverinfo": "text"} if layer.tips else {"hoverinfo": "skip"}
            return [_scatter(layer.x, layer.y, mode="markers", marker=marker, cliponaxis=False, **said)]
        case data.Raster():
            return _raster(layer, panel)
        case data.Strokes(quiet=True):
            return [_line(layer, QUIET, 1)]
        case data.Strokes():
            # a light line under the dark one: visible on both ends of the colours
            return [_line(layer, "rgba(255,255,255,0.85)", 3), _line(layer, "#1f2328", 1.3)]
        case data.Band():
            return []
        case data.Bars():
            return [
                {
                    "type": "bar", "orientation": "h", "x": [*lengths], "y": [*range(len(lengths))], "name": name,
                    "showlegend": True, "width": 0.6, "hovertemplate": "%{x:.3g}",
                    "marker": {"color": _ramp((k + 0.5) / len(layer.parts))},
                }
                for k, (name, lengths) in enumerate(layer.parts)
            ]  # fmt: skip


def _scatter(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, **more: Any) -> Trace:
    return {"type": "scatter", "x": x, "y": y, "showlegend": False, **more}


def _line(strokes: data.Strokes, colour: str, width: float) -> Trace:
    return _scatter(strokes.x, strokes.y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")


def _curve(line: data.Curve, index: int, *, log: bool) -> list[Trace]:
    colour, dash = data.SERIES[index % len(data.SERIES)], DASHES[index // len(data.SERIES) % len(DASHES)]
    x, y = data.drawable(line.x), data.drawable(line.y, log=log)
    width, opacity = data.WIDE if line.below else (2.0, 1.0)
    symbol = MARKS[index % len(MARKS)]
    shapes = [f"{symbol}-open" if k in line.hollow else symbol for k in range(len(x))]
    found = _scatter(
        x, y, name=line.name, showlegend=bool(line.name), opacity=opacity, marker={"symbol": shapes, "size": 8},
        mode="lines+markers" if len(x) <= data.MARKED else "lines", hovertemplate="%{y:.3g} at %{x:.6g}",
        line={"color": colour, "width": width, "dash": dash},
    )  # fmt: skip
    if not line.raw:
        return [found]
    thin = {"color": colour, "width": 0.7}
    raw = data.drawable(line.raw, log=log)
    return [_scatter(x, raw, mode="lines", line=thin, opacity=0.3, hoverinfo="skip"), found]


def _raster(raster: data.Raster, panel: data.Panel) -> list[Trace]:
    ends = [sorted((axis.low, axis.high)) for axis in (panel.x, panel.y)]
    (dx, dy) = ((high - low) / n for (low, high), n in zip(ends, raster.values.shape[1::-1], strict=True))
    place = {"x0": ends[0][0] + dx / 2, "y0": ends[1][0] + dy / 2, "dx": dx, "dy": dy}
    scale = raster.scale
    if scale is None:
        return [{"type": "image", "z": raster.values, **place, "hoverinfo": "skip"}]
    values = np.log10(np.maximum(raster.values, scale.low)) if scale.log else np.asarray(raster.values)
    low, high = (np.log10(v) if scale.log else v for v in (scale.low, scale.high))
    found: Trace = {
        "type": "heatmap", "z": values.astype(np.float32), **place, "zmin": float(low), "zmax": float(high),
        "colorscale": list(data.DIVERGING) if scale.diverging else data.SEQUENTIAL, "showscale": panel.bar,
        "colorbar": _bar(scale, float(low), float(high)), "hoverongaps": False,
        "hovertemplate": f"{panel.x.label} %{{x:.4g}}, {panel.y.label} %{{y:.4g}}: %{{z:.4g}}<extra></extra>",
    }  # fmt: skip
    if raster.numbers:
        found |= {"texttemplate": "%{z:.3f}", "hovertemplate": "%{z:.6f}<extra></extra>"}
    return [found]


def _bar(scale: data.Scale, low: float, high: float) -> Trace:
    title = {"text": scale.label, "side": "right"}
    found: Trace = {"thickness": 10, "title": title, "nticks": 5, "outlinewidth": 0}
    if scale.log:
        ticks = range(int(np.ceil(low)), int(np.floor(high)) + 1, 2)
        found |= {"tickvals": [*ticks], "ticktext": [f"10<sup>{k}</sup>" for k in ticks]}
    return found


def _ramp(share: float) -> str:
    from plotly.colors import sample_colorscale

    return str(sample_colorscale(data.SEQUENTIAL, [share])[0])
