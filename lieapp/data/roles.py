"""What the arrays of a file are: unknown, axis, sample or parameter, with the reason; questions where it is open.

Dimensions get their names from the file, from a layout, or from the lengths of the axes. A question is asked
wherever lengths allow two answers: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from lieapp.arrays import COMPONENT, SAMPLE, Array, Contents
from lieapp.data.meshes import unmeshed

TIME = ("t", "tt", "time", "times", "ts", "sim_time", "tspan", "t_array")
SPACE = {
    "x": ("x", "xx", "xs", "lon", "longitude", "x_array", "xc"),
    "y": ("y", "yy", "ys", "lat", "latitude", "y_array", "yc"),
    "z": ("z", "zz", "zs", "lev", "z_array", "zc"),
}
SAMPLES = ("sample", "samples", "batch", "trajectory", "traj", "ensemble", "member", "realization", "run", "number")
COMPONENTS = ("component", "components", "channel", "channels", "vector")
LETTERS = ("u", "usol", "uu", "u_exact", "tensor", "sol", "solution", "data", "output", "exact")
"""Names of the solution in files, most telling first."""

NUMBERS = "fiuc"
MOST_COMPONENTS = 8
PLAIN = ("x", "y", "z")


@dataclass(frozen=True)
class Question:
    """What the file doesn't say, and a mapping that says it; STEP stands for a number."""

    text: str
    mapping: str


@dataclass(frozen=True)
class Unknown:
    """An unknown of the equation: an array whose dimensions have the names of axes, or `sample`."""

    name: str
    array: Array
    part: str = ""


@dataclass(frozen=True)
class AxisPoints:
    """An axis: its points in the file, one dimension, or two with `sample` first; or computed, start and step."""

    name: str
    array: Array | None = None
    start: float = 0.0
    step: float = 0.0


@dataclass
class Roles:
    """What was found; axes have the evolution variable first."""

    unknowns: list[Unknown] = field(default_factory=list)
    axes: list[AxisPoints] = field(default_factory=list)
    reasons: dict[str, tuple[str, str]] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def meaning(name: str) -> str:
    """What the name of an axis says: t, x, y, z, sample, component, or nothing."""
    low = name.rpartition("/")[2].rpartition(".")[2].lower()
    for end in ("-coordinate", "_coordinate", "_coord", "_grid", "-grid"):
        low = low.removesuffix(end)
    lists = {"t": TIME, SAMPLE: SAMPLES, COMPONENT: COMPONENTS, **SPACE}
    return next((role for role, names in lists.items() if low in names), "")


def find_roles(contents: Contents) -> Roles:
    """The roles of the arrays, with the names of the file."""
    roles = Roles(notes=list(contents.notes))
    named = any(len(a.dims) > 1 or a.role for a in contents.arrays)
    if not named:
        called = {a.name: role for a in contents.arrays if (role := meaning(a.name)) in ("t", *PLAIN)}
        found_lists, spare = unmeshed(contents.arrays, called)
        contents = replace(contents, arrays=tuple(found_lists))
        roles.reasons = {name: ("parameter", told) for name, told in spare.items()}
        named = any(a.role for a in contents.arrays)
    axes = _named_axes(contents) if named else _likely_axes(contents)
    fields = [a for a in contents.arrays if a.kind in NUMBERS and a.name not in axes and a.role in ("", "unknown")]
    if any(a.role == "unknown" for a in fields):
        fields = [a for a in fields if a.role]
    if not named:
        fields = _by_lengths([a.squeezed() for a in fields], axes, roles)
    fields = [part for a in fields for part in _components(_dropped(a))]
    found = _alike([a for a in fields if len(a.dims) > 1 and not _lacking(a, axes)])
    for a in contents.arrays:
        if a.name in roles.reasons:
            continue
        if a.name in axes:
            role = SAMPLE if meaning(a.name) == SAMPLE else "axis"
            roles.reasons[a.name] = (role, axes[a.name].reason)
        elif any(f.name == a.name or f.name.startswith(f"{a.name}_") for f in found):
            roles.reasons[a.name] = ("unknown", a.reason or f"it has the dimensions {', '.join(found[0].dims)}")
        elif a.role in ("sample", "parameter"):
            roles.reasons[a.name] = (a.role, a.reason)
        else:
            roles.reasons[a.name] = ("parameter", _why_not(a, found))
    once = next((a.name for a in contents.arrays if meaning(a.name) == "t" and all(n == 1 for n in a.shape)), "")
    more = f" {once} is one time only." if once else ""
    if not found:
        if not roles.questions:
            roles.questions.append(_nothing(contents, axes, more))
        return roles
    _order(roles, found, axes, more)
    return roles


def _named_axes(contents: Contents) -> dict[str, Array]:
    found = {}
    for a in contents.arrays:
        own = a.dims == (a.name.rpartition("/")[2],)
        if a.role == "axis" or (own and not a.role and a.kind in "fiuM"):
            found[a.name] = replace(a, reason=a.reason or "it is named like its dimension")
    return found


def _likely_axes(contents: Contents) -> dict[str, Array]:
    """Lists, and tables with a row for each sample, whose name is that of an axis."""
    found = {}
    lengths = {n for a in contents.arrays if a.kind in NUMBERS and len(a.squeezed().shape) > 1 for n in a.shape}
    starts = {a.shape[0] for a in contents.arrays if a.kind in NUMBERS and len(a.squeezed().shape) > 2}
    for a in contents.arrays:
        flat, role = a.squeezed(), meaning(a.name)
        if role in ("", SAMPLE, COMPONENT) or a.kind not in "fiuM":
            continue
        if len(flat.shape) == 1 and (flat.shape[0] in lengths or flat.shape[0] - 1 in lengths):
            reason = a.reason or f"a list of {flat.shape[0]} numbers called {a.name}"
            found[a.name] = replace(flat, dims=(a.name,), reason=reason)
        elif len(flat.shape) == 2 and flat.shape[0] in starts and flat.shape[1] in lengths:
            found[a.name] = replace(flat, dims=(SAMPLE, a.name), reason=f"a row of {a.name} for each sample")
    return found


def _by_lengths(fields: Sequence[Array], axes: dict[str, Array], roles: Roles) -> list[Array]:
    """The arrays with dimensions named by the axes of the same length; what is open is asked once."""
    found = []
    for a in sorted(fields, key=lambda a: (-len(a.shape), _rank(a.name))):
        if len(a.shape) < 2 or len(a.shape) < len(axes):
            continue
        ways = list(dict.fromkeys(matches(a.shape, axes))) if axes else []
        if len(ways) == 1 and SAMPLE not in ways[0][1:] and "" not in ways[0]:
            found.append(replace(a, dims=ways[0]))
        elif not found and not roles.questions and (ways or not axes or not _fits_another(a, fields, axes)):
            roles.questions.append(_open(a, ways, axes))
            roles.reasons[a.name] = ("unknown", "it is asked which dimension is which")
    return found


def _fits_another(a: Array, fields: Sequence[Array], axes: dict[str, Array]) -> bool:
    return any(matches(b.shape, axes) for b in fields if b is not a)


def matches(shape: Sequence[int], axes: dict[str, Array], longer: int = 0) -> list[tuple[str, ...]]:
    """Every way to name the dimensions by all axes; one dimension more is `sample`, others stay empty."""
    ways = []
    rows = {a.shape[0] for a in axes.values() if len(a.shape) == 2}
    for chosen in permutations(range(len(shape)), len(axes)):
        pairs = list(zip(axes.items(), chosen, strict=True))
        extra = [longer if meaning(name) == "t" else 0 for name in axes]
        if any(shape[i] + more != a.shape[-1] for ((_, a), i), more in zip(pairs, extra, strict=True)):
            continue
        left = [i for i in range(len(shape)) if i not in chosen]
        if rows and (not left or shape[left[0]] not in rows):
            continue
        names = {i: name for (name, _), i in pairs}
        if rows or (len(left) == 1 and any(meaning(name) != "t" for name in axes)):
            names[left[0]] = SAMPLE
        ways.append(tuple(names.get(i, "") for i in range(len(shape))))
    return ways


def _open(a: Array, ways: Sequence[tuple[str, ...]], axes: dict[str, Array]) -> Question:
    """The question about the dimensions of an array, with the likeliest mapping."""
    shape = " x ".join(map(str, a.shape))
    later = not ways and axes and all(len(b.shape) == 1 for b in axes.values()) and matches(a.shape, axes, 1)
    if later:
        time = next(name for name in axes if meaning(name) == "t")
        text = f"{time} has {axes[time].shape[-1]} entries, one more than {a.name} ({shape}): which isn't used?"
        shorter = {**axes, time: axes[time].part([slice(-1)])}
        return Question(text, suggested(a, later[0], shorter).replace(f"={time},", f"={time}[:-1],"))
    if ways:
        if len(ways) > 1:
            told = " or ".join(f"({', '.join(way)})" for way in ways[:3])
            text = f"{a.name} is {shape}; lengths alone don't tell if its dimensions are {told}: which is right?"
        else:
            text = f"{a.name} is {shape}: along with {', '.join(axes)}, what are its dimensions?"
        return Question(text, suggested(a, ways[0], axes))
    known = f"no axes fit to it ({', '.join(f'{n} has {b.shape[-1]}' for n, b in axes.items())})" if axes else ""
    text = f"{a.name} is {shape}, but {known or 'the file has no points of its axes'}: what are its dimensions?"
    return Question(text, suggested(a, (), axes))


def suggested(a: Array, dims: Sequence[str], axes: dict[str, Array]) -> str:
    """A mapping to paste; dimensions that aren't known get the usual order sample, t, x, y, z, then components."""
    vector = len(a.shape) > 3 and a.shape[-1] <= MOST_COMPONENTS and not (dims and dims[-1])
    count = len(a.shape) - vector
    lengths = {b.shape[-1]: meaning(name) for name, b in axes.items()}
    known = [meaning(d) for d in dims[:count]] if dims else [lengths.pop(n, "") for n in a.shape[:count]]
    usual = (SAMPLE, "t", *PLAIN)[count <= 2 :][:count]
    free = iter([d for d in usual if d not in known] + ["p", "q", "r", "s"])
    named = [d or next(free) for d in known]
    name = a.name.rpartition("/")[2]
    name = name if vector and name.isidentifier() and not meaning(name) else "u"
    parts = [f"{name}={a.name}{'[..., 0]' * vector}({','.join(named)})"]
    for d, n in sorted(zip(named, a.shape, strict=False)):
        source = next((name for name, b in axes.items() if meaning(name) == d and b.shape[-1] == n), "0:STEP")
        parts += [f"{d}={source}"] if d != SAMPLE else []
    return ", ".join(parts)


def _dropped(a: Array) -> Array:
    """Without dimensions of length 1 that are neither samples nor time."""
    keep = (SAMPLE, "t")
    drop = [n == 1 and meaning(d) not in keep for n, d in zip(a.shape, a.dims, strict=bool(a.dims))]
    return a.part([0 if gone else slice(None) for gone in drop]) if any(drop) else a


def _components(a: Array) -> list[Array]:
    at = [i for i, d in enumerate(a.dims) if meaning(d) == COMPONENT and a.shape[i] <= MOST_COMPONENTS]
    return a.components([f"{a.name}_{k}" for k in range(a.shape[at[0]])], at[0]) if at else [a]


def _lacking(a: Array, axes: dict[str, Array]) -> bool:
    """Whether an array has no time or no axis of space."""
    kinds = [_kind(d, axes) for d in a.dims]
    complete = "t" in kinds and any(kind not in ("t", SAMPLE) for kind in kinds)
    # where the file has no time at all, it is asked for later
    return not complete and "t" in [_kind(d, axes) for d in axes]


def _kind(dim: str, axes: dict[str, Array]) -> str:
    array = axes.get(dim)
    if array is not None and (array.kind == "M" or " since " in array.unit or array.attributes.get("axis") == "T"):
        return "t"
    return meaning(dim)


def _alike(fields: list[Array]) -> list[Array]:
    """Of arrays with different dimensions, those with the most; in files with dimensions of their own."""
    if not fields:
        return []
    most = max(fields, key=lambda a: len(a.dims))
    return [a for a in fields if set(a.dims) == set(most.dims)]


def _why_not(a: Array, found: Sequence[Array]) -> str:
    if a.kind not in NUMBERS:
        return "it isn't made of numbers"
    if all(n == 1 for n in a.shape):
        return f"the number {a.values().ravel()[0]:.6g}"
    return f"it lacks dimensions of {found[0].name}" if found else "no role was found"


def _nothing(contents: Contents, axes: dict[str, Array], more: str) -> Question:
    shapes = ", ".join(f"{a.name} ({' x '.join(map(str, a.shape))})" for a in contents.arrays) or "none"
    text = f"no array has a time and an axis of space; there are {shapes[:400]}.{more}"
    for a in contents.arrays:
        if a.kind == "O":
            text += f" {a.name} has objects instead of numbers, which aren't opened."
    tables = [a for a in contents.arrays if len(a.shape) > 1 and a.kind in NUMBERS]
    largest = max(tables, key=lambda a: len(a.shape), default=None)
    return Question(text, suggested(largest, (), axes) if largest else "u=ARRAY(t,x), t=ARRAY, x=ARRAY")


def _rank(name: str) -> int:
    low = name.rpartition("/")[2].lower()
    return LETTERS.index(low) if low in LETTERS else len(LETTERS)


def _order(roles: Roles, found: list[Array], axes: dict[str, Array], more: str) -> None:
    """The axes with time first, then x, y, z, then in the order of the array."""
    dims = [d for d in found[0].dims if meaning(d) != SAMPLE]
    kinds = {d: _kind(d, axes) for d in dims}
    times = [d for d in dims if kinds[d] == "t"]
    if len(times) != 1:
        text = f"{found[0].name} has the dimensions {', '.join(found[0].dims)}: which is the evolution variable?"
        text += more
        roles.questions.append(Question(text, suggested(found[0], ("t", *PLAIN)[: len(dims)], {})))
        return
    known = [d for kind in PLAIN for d in dims if kinds[d] == kind]
    space = known if len(known) == len(dims) - 1 else [d for d in dims if d not in times]
    missing = [d for d in (*times, *space) if d not in axes]
    if missing:
        text = f"the file has no points of {', '.join(missing)}, axes of {found[0].name}: what are their steps?"
        roles.questions.append(Question(text, suggested(found[0], found[0].dims, axes)))
        return
    samples = {d: SAMPLE for d in found[0].dims if meaning(d) == SAMPLE}
    renamed = [replace(a, dims=tuple(samples.get(d, d) for d in a.dims)) for a in found]
    roles.unknowns = [Unknown(a.name, a) for a in renamed]
    roles.axes = [AxisPoints(d, axes[d]) for d in (*times, *space)]
