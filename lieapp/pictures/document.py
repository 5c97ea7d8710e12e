"""What discoveries on pictures and trainings of networks say: tables, figures, and generators.csv."""

from __future__ import annotations

import csv
import io
import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lieapp.config_training import COLORS
from lieapp.document import (
    Block,
    Column,
    Document,
    Draw,
    Figure,
    Heading,
    Table,
    Text,
    cosines,
    duration,
    figures,
    seconds,
    table,
    undrawn,
)
from lieapp.drawing import Array, Curve, Drawing
from lieapp.extension import outcome
from lieapp.figures.charts import calmed, curves, thinned
from lieapp.figures.fitting import fitting_pictures
from lieapp.figures.material import parts_of, read_fields, read_lines, rounded
from lieapp.pictures.figures import (
    Tensors,
    color_figures,
    components,
    cube_figure,
    field_figure,
    image_figures,
    mosaic,
    rgb,
    strips,
)
from lieapp.results.pictures import PictureDiscovery, SmallFlow
from lieapp.results.training import Network, Planted, Training, share_words
from lieapp.runs.store.files import write_atomic

ANGLE = "Angle: between the features of held-out pictures before and after the move, mean over flow parameters."
PARTS = (
    "Components: coefficients of named fields of norm 1; these aren't orthogonal, so a coefficient can exceed 1."
)
CLIPPED = "Clipped: share of pixels that leave the cube at the largest flow parameters."
ALONG = (
    "Inner products of slots of norm 1 with the independent named fields, orthonormalised under the weight in "
    "this order."
)

COMPARISON = ("slots", "named", "small", "network", "along", "angles")
"""Sections that hold slots against named fields, and which network judged."""


def document(result: PictureDiscovery, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    known = result.reference
    nearest = cosines([row.cosine for row in known], 4)
    span, chart, title = result.span, angle_chart(result), "Angle of features over s"
    angles: list[Block] = [Heading(title, "angles"), Figure("angles", title, "", chart)] if chart else []
    share = f"{span.capitalize()}: length of the projection of the field, of norm 1, on the span of {span} ones."
    told = [ANGLE, share, PARTS, *([CLIPPED] if result.clipped else []), "Nothing is proved for pictures."]
    borne = (
        f"Angles of {span} fields of norm 1, those that the network bears best first. Slots may mix fields with "
        "nearly equal angles."
    )
    rows = [(row.name, row.shown, _number(row.angle), near) for row, near in zip(known, nearest, strict=True)]
    order = sorted(range(len(known)), key=lambda n: _finite(known[n].angle, math.inf))
    return [
        *outcome(result),
        Heading("Learned fields", "slots"),
        _slots(result),
        Text(" ".join(told), small=True),
        *_gap(result),
        Heading(f"{span.capitalize()} fields", "named"),
        Table(
            [Column("name"), Column("field"), _measured("angle (rad)"), _measured("cosine with the slots' span")],
            [rows[n] for n in order],
        ),
        Text(borne, small=True),
        *_small(result.cross_check),
        *_network(result.network),
        Heading("Inner products", "along", pages_only=True),
        Table(
            [_measured("slot"), *map(_measured, result.basis.names)],
            [(str(n), *map(_number, row)) for n, row in enumerate(result.basis.inner, 1)],
        ),
        Text(ALONG, small=True),
        *angles,
        *figures(result.figures, draw),
        *seconds(result.seconds),
    ]


def _gap(result: PictureDiscovery) -> Iterator[Block]:
    """How many slots lie in the span."""
    gap, rest = result.gap, len(result.generators)
    if gap is not None:
        above, below = cosines([gap.above, gap.below], 2)
        first = "one slot has" if gap.slots == 1 else f"{gap.slots} slots have"
        later = "the other one has" if gap.slots + 1 == rest else f"the other {rest - gap.slots} have"
        share = f"a share of at least {above} in the span of {result.span} fields"
        yield Text(f"Widest gap: {first} {share}, {later} at most {below}.")


def angle_chart(result: PictureDiscovery) -> Drawing | None:
    """The angle of features before and after over s, a curve for each slot, 0 at s = 0; None without any."""
    found = []
    for row in result.generators:
        known = [(s, a) for s, a in zip(result.s, row.angles, strict=False) if a is not None]
        if known:
            x, y = zip(*sorted([*known, (0.0, 0.0)]), strict=True)
            found.append(Curve(f"slot {row.slot}", x, y))
    if not found:
        return None
    x_label, y_label = "flow parameter s (no unit)", "angle of features (rad)"
    return curves(found, x_label, y_label, "Feature angles", whole=False)


def write_csv(result: PictureDiscovery, file: Path) -> None:
    """A line for each slot and each named field, written whole or not at all. Raises OSError."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["kind", "name", "angle", result.span, "cosine", *result.coordinates])
    for row in result.generators:
        empty = [""] * len(result.coordinates)
        writer.writerow(["slot", row.slot, row.angle, row.share, row.nearest.cosine, *empty])
    for field in result.reference:
        parts = [field.field[name] for name in result.coordinates]
        writer.writerow([result.span, field.name, field.angle, 1.0, field.cosine, *parts])
    write_atomic(file, text.getvalue().encode())


def _slots(result: PictureDiscovery) -> Table:
    far, clipped = max(map(abs, result.s)), result.clipped or [None] * len(result.generators)
    head = ("slot", f"angle up to |s| = {far:g} (rad)", result.span, "nearest", "cosine", "components", "clipped")
    shares = cosines([row.share for row in result.generators], 3)
    nearest = cosines([row.nearest.cosine for row in result.generators], 4)
    rows = [
        (str(row.slot), _number(row.angle), share, row.nearest.name, near, components(row.components),
         None if part is None else _number(part))
        for row, share, near, part in zip(result.generators, shares, nearest, clipped, strict=True)
    ]  # fmt: skip
    return table([Column(name, number=name not in ("nearest", "components")) for name in head], rows)


def _small(check: SmallFlow | None) -> Iterator[Block]:
    """The fields that are borne best for s -> 0, and how the slots stand to them."""
    if check is None:
        return
    yield Heading("Quadratic fields for s → 0", "small")
    yield Table(
        [_measured("place"), _measured("angle/|s| for s → 0 (rad)"), Column("components")],
        [
            (str(n), _number(slope), components(parts))
            for n, (slope, parts) in enumerate(zip(check.slopes, check.components, strict=False), 1)
        ],
    )
    along = ", ".join(cosines(check.cosines, 3))
    yield Text(
        "The quadratic fields with the smallest angles for s → 0, from an eigenproblem without training. Largest "
        f"principal angle between the first ones and the slots: {_number(check.angle, 2)} rad; cosines of "
        f"the slots with their span: {along}.",
        small=True,
    )


def _finite(value: float | None, otherwise: float) -> float:
    return otherwise if value is None or not math.isfinite(value) else value


def _network(known: Network | None) -> Iterator[Block]:
    """Which network judged; nothing where a plugin brings its own features."""
    if known is None:
        return
    origin = known.origin
    rows = [("network", str(known.network or known.settings.get("network") or ""))]
    if origin is not None:
        rows += [("what", origin.title), ("source", origin.source), ("sha256", origin.sha256 or "")]
        rows += [("accuracy as published", "" if origin.accuracy is None else share_words(origin.accuracy))]
        rows += [("accuracy of", origin.published or "")]
    rows += [("validation accuracy", "" if known.accuracy is None else known.percent)]
    rows += [("size of pictures that enter it", " x ".join(map(str, known.input)))]
    yield Heading("Network", "network")
    yield Table([Column("what"), Column("value")], [row for row in rows if row[1]])


def _measured(head: str) -> Column:
    return Column(head, number=True)


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def run_figures(result: PictureDiscovery, folder: Path) -> list[Figure]:
    """Fields, weight and moved pictures, drawn from the files of a run's folder."""
    tensors = fitting_pictures(read_fields(folder / "fields.safetensors"))
    fields = image_figures if result.domain == "images" else color_figures
    return [*fields(result.generators, tensors), *strips(result.generators, tensors)]


def draw(result: PictureDiscovery, folder: Path) -> Draw:
    try:
        drawn = {figure.key: figure for figure in run_figures(result, folder)}
    except (KeyError, IndexError, ValueError):
        # fields.safetensors is missing, or lacks an array
        return undrawn
    return lambda key: drawn.get(key, undrawn(key))


PLANE = 4
"""Axes of the learned fields' array where these move a plane: slot, coordinate, row, column."""


def read_moved(folder: Path, place: int) -> tuple[list[float], Array] | None:
    """Flow parameters and (s, picture, channel, row, column) of the `place`-th slot; None without them."""
    sliced = ("orbit/pictures",)
    found = fitting_pictures(parts_of(folder / "fields.safetensors", place, sliced), sliced)
    if "orbit/pictures" not in found or "orbit/s" not in found:
        return None
    return [rounded(s) for s in found["orbit/s"]], found["orbit/pictures"]


def pictures_at(s: list[float], moved: Array, k: int, title: str) -> Drawing:
    """Three rows: the pictures as they were, moved to the k-th s, and how far each pixel changed."""
    rest = int(np.argmin(np.abs(s)))
    # one scale at every s: 0 dark, a change from black to white light
    change = np.abs(moved[k] - moved[rest]).mean(1, keepdims=True)
    rows = [[rgb(picture) for picture in row] for row in (moved[rest], moved[k], change)]
    names = ["s = 0", f"s = {s[k]:g}".replace("-", "−"), "|change|"]
    panel = mosaic("", rows, [str(n) for n in range(1, len(rows[0]) + 1)], "held-out picture", names)
    return Drawing(title, [[panel]])


def field_at(folder: Path, place: int) -> Drawing | None:
    """The field of the `place`-th slot alone; None where the run wrote none."""
    sliced = ("learned", "orbit/pictures", "palette/colors")
    found = fitting_pictures(parts_of(folder / "fields.safetensors", place, sliced), sliced)
    if "learned" not in found:
        return None
    return fields_figure({**found, "learned": found["learned"][None]}, [f"slot {place + 1}"])


def fields_figure(tensors: Tensors, names: list[str]) -> Drawing | None:
    """Fields on a grid as arrows in the plane, fields at sampled colours as arrows in the cube; None of others."""
    if "weight" not in tensors:
        return None
    if tensors["learned"].ndim == PLANE:
        return field_figure(tensors, names)
    return cube_figure(tensors, names) if "colors" in tensors else None


CURVE = "Accuracy during training"

LEARNED = {
    "pictures": "at most", "epochs": "epochs", "batch": "batch", "rate": "rate", "optimizer": "optimizer",
    "augment": "augment",
}  # fmt: skip
"""Settings of a training that results depend on most."""


def _learned(result: Training) -> Iterable[tuple[str, str]]:
    """Names of those settings and their values."""
    if result.planted is None:
        return [(label, str(result.settings.get(key, ""))) for key, label in LEARNED.items()]
    planting, invariance = result.settings.get("planting"), str(result.settings.get("invariance", ""))
    own = dict(planting) if isinstance(planting, dict) else {}
    if invariance.partition(":")[0].strip() in COLORS:
        # changes of colour bring nothing into view
        own.pop("crop_margin", None)
    return [("invariance", invariance), ("planting", ", ".join(f"{key} = {value}" for key, value in own.items()))]


NAMES = 12
"""Classes that are named; of more only their number is told."""


def training_document(result: Training, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    why = "the network was in the cache" if result.cached else "no steps were recorded"
    took = "from the cache" if result.cached else duration(result.seconds.get("training"))
    columns = [Column(name, number=True) for name in ("Accuracy", "Loss", "Training")]
    command = ["lieapp", "discover", "--plugin", str(result.plugin), "--set", f"trained={result.file}"]
    nearest = "each is told as the class of the nearest mean feature, which has no loss"
    loss = "the loss is the mean cross-entropy" if result.loss is not None else nearest
    curve: list[Block] = []
    if result.planted is None:
        note = f"No curves: {why}."
        curve = [Heading(CURVE, "right"), Figure("right", CURVE, "", draw("right").drawing, note=note)]
    return [
        *outcome(result),
        Heading("Accuracy", "accuracy"),
        Table(columns, [[share_words(result.accuracy), number(result.loss), took]]),
        Text(f"On the validation pictures; {loss}.", small=True),
        *planted_part(result.planted),
        Heading("Network", "network"),
        Table([Column("what"), Column("value")], facts(result)),
        Text(f"Find its symmetries with `{shlex.join(command)}`."),
        *curve,
        *seconds(result.seconds),
    ]


def planted_part(planted: Planted | None) -> list[Block]:
    """Angles of each kind of move, before and after an invariance was planted."""
    if planted is None:
        return []
    columns = [Column("field"), Column("angle before / rad", number=True), Column("angle / rad", number=True)]
    rows = [[f"{planted.field} (planted)", number(planted.angle_before), number(planted.angle)]]
    for name, angle in planted.others.items():
        rows.append([name, number(planted.others_before[name]), number(angle)])
    words = (
        f"The angle by which moves turn the features of validation pictures. The planted field was followed to "
        f"flow parameters of up to {planted.reach:.3g}; angles are measured at half of that. Accuracies are those "
        f"of the nearest mean feature: {share_words(planted.accuracy_before)} before planting."
    )
    return [Heading("Planted invariance", "planted"), Table(columns, rows), Text(words, small=True)]


def facts(result: Training) -> list[tuple[str, str]]:
    shape, classes = " x ".join(map(str, result.shape)), str(len(result.classes))
    if 0 < len(result.classes) <= NAMES:
        classes += f": {', '.join(result.classes)}"
    rows = [
        ("network", f"{result.network}, {result.parameters} parameters"),
        ("data", result.source),
        ("pictures", f"{result.pictures} of {shape}" if result.pictures and shape else ""),
        ("training pictures", number(result.learned_from)),
        ("validation pictures", number(result.judged_on)),
        ("classes", classes),
        *_learned(result),
        ("device", result.device),
        ("file", result.file),
    ]
    return [(name, text) for name, text in rows if text not in ("", "–")]


def right_chart(metrics: Sequence[dict[str, Any]]) -> Drawing | None:
    """The share of each batch that a network in training tells right; None without any steps."""
    rows = [row for row in thinned(metrics) if isinstance(row.get("right"), float)]
    if not rows:
        return None
    line = Curve("accuracy", [row["step"] for row in rows], [100 * row["right"] for row in rows])
    return curves([calmed(line)], "training step", "accuracy (%)", CURVE)


def number(value: float | None) -> str:
    """As it is: counts whole, other numbers with three digits; a dash for what isn't there."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def draw_training(result: Training, folder: Path) -> Draw:
    return lambda key: Figure(key, CURVE, "", right_chart(read_lines(folder / "metrics.jsonl")))
