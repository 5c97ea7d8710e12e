"""images.md, from the rows of images.json."""

from __future__ import annotations

import statistics
from typing import Any

from lieapp.pictures.discover import gap_of

Rows = list[dict[str, Any]]


def written(heading: str, found: dict[str, Any], missing: dict[str, list[int]]) -> str:
    """The whole page; `missing` says which seeds of each case haven't been run."""
    rows = list(found.values())
    parts = [heading]
    written_by = {
        "ready": ready, "planted-ready": invariant, "planted": planted, "trained": trained, "natural": natural,
        "resampling": blur, "speed": speed,
    }  # fmt: skip
    for kind, part in written_by.items():
        own = [row for row in rows if row["kind"] == kind]
        if own:
            parts.append(part(own))
    machines = {kind: sorted({row["processor"] for row in rows if row["kind"] == kind and "processor" in row})
                for kind in written_by}
    told = (f"{kind}: {', '.join(names)}" for kind, names in machines.items() if names)
    parts.insert(1, f"Processors on which rows were measured: {'; '.join(told)}.")
    left = [f"{case} (seeds {', '.join(map(str, seeds))})" for case, seeds in missing.items() if seeds]
    if left:
        parts.append(f"Not run yet: {'; '.join(left)}.")
    return "\n\n".join(parts) + "\n"


def ready(rows: Rows) -> str:
    """Angle and affine-ness of ten slots, the gap, and the named fields in the order in which they are borne."""
    parts = ["## A network trained on ImageNet"]
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == case]
        head = ("slot", *range(1, 1 + len(own[0]["generators"])))
        table: list[tuple[Any, ...]] = [head]
        for row in own:
            for key in ("affine", "angle"):
                cells = (f"{slot[key]:.2f}" for slot in row["generators"])
                table.append((f"{key}, seed {row['seed']}", *cells))
        for key in ("affine", "angle"):
            columns = [[row["generators"][n][key] for row in own] for n in range(len(head) - 1)]
            cells = (f"{statistics.mean(c):.2f} ± {statistics.pstdev(c):.2f}" for c in columns)
            table.append((f"{key}, mean", *cells))
        if case == rows[0]["case"]:
            table.append(("affine, paper", *[".98 to 1.01"] * 6, *[".09 to .12"] * 4))
        parts += [f"### {case}", markdown(table), borne(own)]
        gaps = [gap_of([slot["affine"] for slot in row["generators"]]) for row in own]
        facts = [
            f"seed {row['seed']}: {gap.slots} slots with {gap.above:.2f} at least, the others with {gap.below:.2f} "
            f"at most, {row['seconds']['total']:.0f} s on {row['threads']} threads (processor "
            f"{row['cpu']:.0f} s, load {row['load']:.1f}), at most {row['memory']:.0f} MB"
            for row, gap in zip(own, gaps, strict=True)
            if gap is not None
        ]
        parts.append("; ".join(facts) + ".")
    return "\n\n".join(parts)


def borne(rows: Rows) -> str:
    """Named fields, those that the network bears best first, over the seeds."""
    found = []
    for n, field in enumerate(rows[0]["reference"]):
        angles, held = ([row["reference"][n][key] for row in rows] for key in ("angle", "cosine"))
        spread = f"{statistics.mean(angles):.2f} ± {statistics.pstdev(angles):.2f}"
        found.append((statistics.mean(angles), field["name"], spread, f"{min(held):.3f}"))
    table = [("affine field", "angle (rad), mean ± spread", "cosine with the slots' span, least")]
    return markdown([*table, *(row[1:] for row in sorted(found))])


def planted(rows: Rows) -> str:
    """Cosines and seconds by seed, and the angles of the extractors."""
    table = [
        (
            "planted",
            "seed",
            "cosine",
            "angle of the first slots",
            "next slot",
            "processor seconds",
            "threads",
            "load",
        )
    ]
    for row in rows:
        angles = [slot["angle"] for slot in row["generators"]]
        n = len(row["planted"])
        table.append((
            row["case"], row["seed"], f"{row['cosine']:.4f}", told(angles[:n]), told(angles[n : n + 1]),
            f"{row['cpu']:.0f}", row["threads"], f"{row['load']:.1f}",
        ))  # fmt: skip
    return f"## Planted symmetries\n\n{markdown(table)}\n\n{spread(rows)}\n\n{reference(rows, 'extractor')}"


def invariant(rows: Rows) -> str:
    """What was planted in a ready network, and whether slot 1 found it."""
    table = [
        ("network", "seed", "field", "cosine with slots 1, 2, 3", "angle of slots",
         "right answers before, after", "angle of its move before, after", "least of other moves before, after",
         "planting (s)", "discovery (s)")
    ]  # fmt: skip
    for row in rows:
        names = [field["name"] for field in row["reference"]]
        changed = changes(row["network"]) if "network" in row else [""] * 4
        for name in row["planted"]:
            cosines = told([abs(inner[names.index(name)]) for inner in row["inner"]])
            angles = told([slot["angle"] for slot in row["generators"]])
            seconds = f"{row['seconds']['total']:.0f}"
            table.append((row["case"], row["seed"], name, cosines, angles, *changed, seconds))
    words = (
        "Linear functions of EfficientNet-Lite0's features that don't notice one kind of move, and the network as "
        "it was. Right answers: by the nearest mean feature, on crops kept aside. Angles in radians."
    )
    return f"## Planted in EfficientNet-Lite0\n\n{words}\n\n{markdown(table)}\n\n{reference(rows, 'network')}"


def changes(network: dict[str, Any]) -> list[str]:
    """Accuracy, angle of the planted move, least angle of others, each before and after; seconds."""
    own = network["planted"]
    others = (f"{min(own[key].values()):.3f}" for key in ("others_before", "others"))
    return [
        f"{100 * own['accuracy_before']:.1f} %, {100 * network['accuracy']:.1f} %",
        f"{own['angle_before']:.3f}, {own['angle']:.3f}", ", ".join(others),
        f"{network['seconds']['training']:.0f}",
    ]  # fmt: skip


def trained(rows: Rows) -> str:
    """What networks trained with transformations are found to bear."""
    table = [
        (
            "network",
            "seed",
            "accuracy",
            "field",
            "cosine with slots 1, 2, 3",
            "held by all",
            "angle",
            "processor seconds",
        )
    ]
    for row in rows:
        names = [field["name"] for field in row["reference"]]
        for name in row["planted"]:
            own = names.index(name)
            table.append((
                row["case"], row["seed"], f"{100 * row['network']['accuracy']:.1f} %", name,
                told([abs(inner[own]) for inner in row["inner"]]), f"{row['reference'][own]['cosine']:.3f}",
                f"{row['reference'][own]['angle']:.3f}", f"{row['cpu']:.0f}",
            ))  # fmt: skip
    return f"## Networks trained with transformed pictures\n\n{markdown(table)}\n\n{reference(rows, 'network')}"


def natural(rows: Rows) -> str:
    """Angles, affine-ness and largest components of each slot."""
    parts = ["## Nothing planted"]
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == case]
        accuracy = own[0]["network"]
        parts.append(
            f"### {case}\n\nThe network tells {100 * accuracy['accuracy']:.1f} % of {accuracy['judged_on']} "
            f"pictures kept aside right, after {accuracy['learned_from']}."
        )
        for row in own:
            table = [("slot", "angle", "affine", "largest components", "Lipschitz, 90 %")]
            for slot, bound in zip(row["generators"], row["lipschitz"], strict=True):
                words = ", ".join(f"{part['value']:+.2f} {part['name']}" for part in slot["components"][:3])
                table.append((slot["slot"], f"{slot['angle']:.3f}", f"{slot['affine']:.3f}", words, f"{bound:.2f}"))
            parts.append(f"Seed {row['seed']}, {row['cpu']:.0f} s of processor time, {row['threads']} threads:")
            parts.append(markdown(table))
        parts.append(means(own))
    parts.append(reference(rows, "network"))
    return "\n\n".join(parts)


def blur(rows: Rows) -> str:
    """What interpolation does to features."""
    (row,) = rows
    table = [("shift in pixels", *row["shifts"])]
    table += [(kind, *(f"{value:.3f}" for value in found)) for kind, found in row["angles"].items()]
    words = (
        f"Angle between the features of {row['pictures']} pictures and of the same ones shifted right, for the "
        "control network. A whole pixel needs no interpolation."
    )
    return f"## Interpolation\n\n{words}\n\n{markdown(table)}"


def speed(rows: Rows) -> str:
    """How long EfficientNet-Lite0 takes for a picture."""
    (row,) = rows
    table = [("pixels", "batch", "layers", "features (ms)", "with slopes (ms)")]
    for one in row["rows"]:
        for name in ("package", "folded"):
            forward, both = one[name]
            table.append((f"{one['side']} x {one['side']}", one["batch"], name, f"{forward:.2f}", f"{both:.2f}"))
    words = (
        "Processor milliseconds for each picture of EfficientNet-Lite0, by its package's layers and with "
        f"each normalisation folded into its convolution; least of {row['rounds']} rounds, {row['threads']} "
        f"thread, load {row['load']:.1f}. Slopes are those of the features by the pixels."
    )
    return f"## Network speed\n\n{words}\n\n{markdown(table)}"


def means(rows: Rows) -> str:
    """Angle and affine-ness of each slot over the seeds."""
    table = [("slot", "angle, mean ± spread over seeds", "affine, mean ± spread")]
    for n in range(len(rows[0]["generators"])):
        columns = [[row["generators"][n][key] for row in rows] for key in ("angle", "affine")]
        table.append((n + 1, *(f"{statistics.mean(c):.3f} ± {statistics.pstdev(c):.3f}" for c in columns)))
    return markdown(table)


def spread(rows: Rows) -> str:
    """Mean and range of the cosines of each case."""
    table = [("planted", "seeds", "cosine: mean, least", "processor seconds: mean, most")]
    for case in dict.fromkeys(row["case"] for row in rows):
        cosines, seconds = ([row[key] for row in rows if row["case"] == case] for key in ("cosine", "cpu"))
        table.append((
            case, len(cosines), f"{statistics.mean(cosines):.4f}, {min(cosines):.4f}",
            f"{statistics.mean(seconds):.0f}, {max(seconds):.0f}",
        ))  # fmt: skip
    return markdown(table)


def reference(rows: Rows, what: str) -> str:
    """Angles of the named fields of norm 1, first seed of each case, and how much of each the slots hold."""
    cases = {row["case"]: row for row in reversed(rows)}
    order = list(reversed(cases))
    table = [("named field", *order)]
    for n, field in enumerate(cases[order[0]]["reference"]):
        cells = [
            f"{cases[c]['reference'][n]['angle']:.3f} ({cases[c]['reference'][n]['cosine']:.2f})" for c in order
        ]
        table.append((field["name"], *cells))
    words = (
        f"Angle of each named field of norm 1 for each {what} (in brackets, how much of it the slots hold); seed of"
    )
    return f"{words} the first row.\n\n{markdown(table)}"


def told(values: list[float]) -> str:
    """Numbers in a row."""
    return ", ".join(f"{value:.3f}" for value in values)


def markdown(rows: list[tuple[Any, ...]]) -> str:
    """A table; its first row is the heading."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
