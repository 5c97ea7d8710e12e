"""Roles by a typed mapping, and the names that unknowns and axes get: those of the equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from lieapp.arrays import SAMPLE, Array, Contents, held
from lieapp.data.mapping import EXAMPLE, Entry
from lieapp.data.meshes import line_of
from lieapp.data.roles import NUMBERS, AxisPoints, Question, Roles, Unknown, find_roles, matches, meaning, suggested
from lieapp.errors import DataError, UsageError


def mapped(
    contents: Contents, entries: dict[str, Entry], unknowns: Sequence[str] | None, variables: Sequence[str] | None
) -> Roles:
    """The roles that a mapping says.

    Raises UsageError for a mapping that names what isn't in the file or in the equation, or whose lengths differ.
    """
    dims = {d for e in entries.values() for d in e.dims} - {SAMPLE}
    found = {name: _array(contents, e) for name, e in entries.items() if e.array}
    flat = {name for name, a in found.items() if _is_list(name, a.squeezed()) and not entries[name].dims}
    on = [name for name, e in entries.items() if name in dims or not e.array or name in (variables or flat)]
    axes = {name: _points(name, entries[name], found.get(name)) for name in on}
    for d in sorted(dims - set(axes)):
        raise UsageError(f"--map: {d} has no points.", hint=f"Add {d}=ARRAY, or {d}=START:STEP.")
    arrays = {name: a.array for name, a in axes.items() if a.array is not None}
    fields = {name: a for name, a in found.items() if name not in on}
    if not fields or not on:
        raise UsageError("--map: an unknown and its axes must be given.", hint=EXAMPLE)
    for name, a in fields.items():
        if a.kind not in NUMBERS:
            raise UsageError(f"--map: {name}={entries[name].array} isn't made of numbers.", hint=EXAMPLE)
    _check_names("unknown", fields, unknowns, contents)
    _check_names("axis", axes, variables, contents)
    roles = Roles(notes=list(contents.notes))
    for name, a in fields.items():
        shaped = _shaped(name, a, entries[name], arrays)
        if isinstance(shaped, Question):
            roles.questions.append(shaped)
            continue
        roles.unknowns.append(Unknown(name, shaped, entries[name].part))
        missing = [d for d in on if d not in shaped.dims]
        if missing:
            raise UsageError(
                f"--map: {name}={entries[name].array}({','.join(shaped.dims)}) lacks {', '.join(missing)}.",
                hint="Every unknown depends on every axis.",
            )
    for name, e in entries.items():
        if e.array:
            roles.reasons[e.array] = ("axis" if name in on else "unknown", f"--map says that it is {name}")
    for a in contents.arrays:
        roles.reasons.setdefault(a.name, ("parameter", "--map leaves it out"))
    order = list(variables or ())
    if not order:
        timed = [n for n in on if n == "t"] or [n for n in on if meaning(n) == "t"]
        timed = timed or [n for n in on if meaning(entries[n].array) == "t"]
        if len(timed) != 1:
            raise UsageError(f"--map: which of {', '.join(on)} is the evolution variable?", hint="Call it t.")
        order = [*timed, *(n for n in on if n not in timed)]
    roles.axes = [axes[name] for name in order]
    return roles


def _is_list(name: str, array: Array) -> bool:
    """Whether an array can only be the points of an axis: a list, or a mesh under the name of an axis."""
    return len(array.shape) == 1 or bool(meaning(name) and line_of(array))


def _array(contents: Contents, entry: Entry) -> Array:
    a = contents.get(entry.array)
    if a is None:
        names = [b.name for b in contents.arrays]
        near = get_close_matches(entry.array, names, n=1)
        told = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:20])}."
        raise UsageError(f"--map: there is no array {entry.array!r} in the file; {told}", hint=EXAMPLE)
    if not entry.index:
        return a
    index = list(entry.index)
    if Ellipsis in index:
        at = index.index(Ellipsis)
        index[at : at + 1] = [slice(None)] * (len(a.shape) - len(index) + 1)
    index += [slice(None)] * (len(a.shape) - len(index))
    fits = len(index) == len(a.shape) and all(
        -n <= k < n if isinstance(k, int) else (k.step or 1) > 0  # type: ignore[attr-defined]
        for k, n in zip(index, a.shape, strict=False)
    )
    if not fits:
        shape = " x ".join(map(str, a.shape))
        raise UsageError(f"--map: {entry.array} is {shape}; its index doesn't fit.", hint="Count from 0.")
    return a.part(index)  # type: ignore[arg-type]


def _points(name: str, entry: Entry, array: Array | None) -> AxisPoints:
    if array is None:
        return AxisPoints(name, None, entry.start, entry.step)
    flat = array.squeezed()
    line = line_of(flat)
    flat = line[1] if line is not None else flat
    if not flat.shape:
        # a single point, which an axis can't have, is refused where the points of all axes are checked
        flat = replace(held(array.name, array.values().reshape(1)), unit=array.unit)
    if len(flat.shape) not in (1, 2):
        raise UsageError(
            f"--map: {name}={entry.array} is {' x '.join(map(str, array.shape))}; the points of an axis are a "
            "list, a list for each sample, or a mesh that varies along one dimension.",
            hint="Give its start and step instead: x=0:0.5.",
        )
    return AxisPoints(name, replace(flat, dims=(SAMPLE, name)[-len(flat.shape) :]))


def _shaped(name: str, a: Array, entry: Entry, axes: dict[str, Array]) -> Array | Question:
    """An unknown with its dimensions named."""
    a = a if len(a.shape) == len(entry.dims) else a.squeezed()
    shape = " x ".join(map(str, a.shape))
    dims = entry.dims
    if not dims:
        ways = matches(a.shape, axes)
        if len(ways) != 1 or "" in ways[0]:
            text = f"{entry.array} is {shape}: its dimensions can't be told by the lengths of {', '.join(axes)}."
            return Question(text, suggested(a, ways[0] if ways else (), axes))
        dims = ways[0]
    if len(dims) != len(a.shape):
        raise UsageError(
            f"--map: {name}={entry.array}({','.join(dims)}) has {len(dims)} dimensions, the array has {shape}.",
            hint=f"Pick components by {entry.array}[…, 0], and call trajectories `sample`.",
        )
    for d, n in zip(dims, a.shape, strict=True):
        if d in axes and axes[d].shape[-1] != n:
            raise UsageError(
                f"--map: {d} has {axes[d].shape[-1]} points, {entry.array} ({shape}) has {n} along it.",
                hint="Exchange the dimensions, or leave out points: t=t[:-1].",
            )
    return replace(a, dims=tuple(dims))


def _check_names(what: str, given: dict[str, Array] | dict[str, AxisPoints], wanted: Sequence[str] | None,
                 contents: Contents) -> None:  # fmt: skip
    if wanted is None:
        return
    missing, strange = [n for n in wanted if n not in given], [n for n in given if n not in wanted]
    if missing:
        names = ", ".join(a.name for a in contents.arrays)
        raise UsageError(
            f"--map: {', '.join(missing)} of the equation isn't in it.", hint=f"The file has {names[:200]}."
        )
    if strange:
        raise UsageError(
            f"--map: {', '.join(strange)} isn't an {what} of the equation; it has {', '.join(wanted)}.",
            hint=EXAMPLE,
        )


def named(
    contents: Contents, unknowns: Sequence[str] | None, variables: Sequence[str] | None, entries: dict[str, Entry]
) -> Roles:
    """The roles of the arrays, with the names of the equation, else u and t, x, y, z.

    Raises DataError if the equation has other unknowns or variables than the file.
    """
    if entries:
        return mapped(contents, entries, unknowns, variables)
    roles = find_roles(contents)
    if roles.questions or not roles.unknowns:
        return roles
    old = [a.name for a in roles.axes]
    if variables is not None and len(variables) != len(old):
        raise DataError(
            f"the equation has the variables {', '.join(variables)}, the file has {', '.join(old)}.",
            hint="Type the equation in as many variables, or choose a part of the arrays by --map.",
        )
    if variables is not None and set(variables[1:]) == set(old[1:]):
        roles.axes = [roles.axes[0], *(roles.axes[old.index(v)] for v in variables[1:])]
        old = [a.name for a in roles.axes]
    names = dict(zip(old, variables or (old if contents.names else ("t", "x", "y", "z")), strict=False))
    roles.axes = [replace(a, name=names[a.name]) for a in roles.axes]
    arrays = [replace(u.array, dims=tuple(names.get(d, d) for d in u.array.dims)) for u in roles.unknowns]
    roles.unknowns = [replace(u, array=a) for u, a in zip(roles.unknowns, arrays, strict=True)]
    _name_unknowns(roles, unknowns, contents.names)
    for u in roles.unknowns:
        told = roles.reasons.get(u.array.name)
        if told and u.name != u.array.name:
            roles.reasons[u.array.name] = (told[0], f"{told[1]}; it is called {u.name}")
    return roles


def _name_unknowns(roles: Roles, unknowns: Sequence[str] | None, kept: bool) -> None:
    own = [u.name.rpartition("/")[2] for u in roles.unknowns]
    if unknowns is None:
        plain = [name if name.isidentifier() else f"u{i + 1}" for i, name in enumerate(own)]
        names = plain if kept or len(own) > 1 else ["u"]
        roles.unknowns = [replace(u, name=name) for u, name in zip(roles.unknowns, names, strict=True)]
        return
    if set(unknowns) <= set(own):
        chosen = [roles.unknowns[own.index(name)] for name in unknowns]
    elif len(unknowns) == len(own) == 1:
        chosen = roles.unknowns
    elif len(unknowns) > len(own):
        raise DataError(
            f"the equation has the unknowns {', '.join(unknowns)}, the file has {', '.join(own)} only.",
            hint="Type an equation of these unknowns, or say by --map where the others are.",
        )
    else:
        first = roles.unknowns[0].array
        axes = {a.name: a.array for a in roles.axes if a.array is not None}
        dims = ",".join(first.dims)
        parts = [f"{n}={u.array.name}({dims})" for n, u in zip(unknowns, roles.unknowns, strict=False)]
        parts += [f"{name}={a.name}" for name, a in axes.items()]
        text = f"the file has the unknowns {', '.join(own)}; which of them is {', '.join(unknowns)}?"
        roles.questions.append(Question(text, ", ".join(parts)))
        return
    roles.unknowns = [replace(u, name=name) for u, name in zip(chosen, unknowns, strict=True)]
