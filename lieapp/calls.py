"""What people call from Python: a discovery in this process, data of an equation, a run that was made before."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lieapp.document import Document, Figure, undrawn
from lieapp.errors import RunError, UsageError
from lieapp.extension import Work, described
from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.results.discovery import ClosedForm, EquationResult
from lieapp.runs.store.directory import ROOT, RunDirectory

if TYPE_CHECKING:
    from lieapp.api import PDE
    from lieapp.data.trajectories import Trajectories
    from lieapp.drawing import Drawing

Array = NDArray[np.floating]
Components = dict[str, Array]
Moved = Callable[[Array], Array]
"""Components of a field at points, both coordinate by coordinate."""


@dataclass(frozen=True)
class RunFigure:
    """A figure of a run: `drawing` holds its values, panel by panel."""

    title: str
    drawing: Drawing

    @cached_property
    def svg(self) -> str:
        """An `<svg>` element."""
        from lieapp.figures.files import svg

        return svg(self.drawing)

    def pdf(self) -> bytes:
        """A page as large as the figure, for a paper."""
        from lieapp.figures.files import pdf

        return pdf(self.drawing)

    def _repr_svg_(self) -> str:
        return self.svg


class RunField:
    """A vector field as a function of physical coordinates: `field(t=…, x=…, u=…)` gives an array a component."""

    def __init__(self, names: Sequence[str], function: Moved) -> None:
        self.names, self._function = tuple(names), function

    def __call__(self, **coordinates: ArrayLike) -> Components:
        """Its components at points; arrays are broadcast. Raises UsageError for other names, and for text."""
        if set(coordinates) != set(self.names):
            raise UsageError(
                f"a field of {', '.join(self.names)} was given {', '.join(coordinates) or 'nothing'}.",
                hint=f"Call it as field({', '.join(f'{name}=…' for name in self.names)}).",
            )
        try:
            points = np.stack(np.broadcast_arrays(*(_reals(coordinates[name]) for name in self.names)))
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:
            # the last one of a tensor that keeps its gradient
            hint = "Give numbers, or arrays of one shape."
            raise UsageError(f"points of a field can't be read: {str(error).rstrip('.')}.", hint=hint) from None
        return dict(zip(self.names, self._function(points), strict=True))

    def __repr__(self) -> str:
        return f"<field of {', '.join(self.names)}>"


class Run:
    """A finished run: its result's entries as attributes, its fields as functions, its figures.

    `run.count`, `run.formulas`, `run.sentence` and the like are those of `run.result`, which is summary.json. A
    notebook shows the run as its report.
    """

    def __init__(self, directory: RunDirectory, catalog: Catalog, keep: object = None) -> None:
        found = directory.summary()
        if found is None:
            raise RunError(
                f"{directory.id} has no result: it is {directory.state}.", hint="Wait for it, or resume it."
            )
        self.directory, self.result = directory, found
        self._catalog, self._keep = catalog, keep

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)

    def __repr__(self) -> str:
        return f"<run {self.directory.id}: {self.result.sentence}>"

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.directory.path

    @cached_property
    def _work(self) -> Work | None:
        return self._catalog.work_of_run(self.directory.config())

    def document(self, figures: bool = True) -> Document:
        """What the result says, as blocks of `lieapp.document`."""
        work = self._work
        if work is None:
            return described(self.result)
        return work.document(self.result, work.draw(self.result, self.path) if figures else undrawn)

    @cached_property
    def figures(self) -> dict[str, RunFigure]:
        """Its figures, by key: a notebook shows `figures["learned"]`; its `.svg` and `.pdf()` are files."""
        found = [block for block in self.document() if isinstance(block, Figure)]
        return {block.key: RunFigure(block.title, block.drawing) for block in found if block.drawing}

    def _repr_html_(self) -> str:
        from lieapp.report.page import fragment

        return fragment(self.document())

    @property
    def fields(self) -> list[RunField]:
        """The proved or recognised formulas as functions of physical coordinates; empty where there are none."""
        forms: list[ClosedForm] = getattr(self.result, "formulas", [])
        return [_of_formula(form.field) for form in forms if form.field is not None]

    @property
    def learned(self) -> list[RunField]:
        """The learned fields of an equation, slot by slot, as functions of physical coordinates.

        Raises RunError of a run that keeps none.
        """
        import torch

        from lieapp.augment.learned import FILE, read_learned
        from lieapp.methods.fields import values

        if not isinstance(self.result, EquationResult):
            raise RunError(f"{self.directory.id} has no learned slots.", hint="Those of an equation have some.")
        kept = read_learned(self.path / FILE)
        names, components = kept.arguments, kept.components
        origin, size = (np.array(part)[:, None] for part in (kept.scales.origin, kept.scales.size))
        sizes = size[[names.index(name) for name in components]]

        def slot(n: int) -> Moved:
            def function(points: Array) -> Array:
                flat = torch.as_tensor((points.reshape(len(names), -1) - origin) / size)
                with torch.no_grad():
                    found = values(kept.fields, flat[None])[n, 0].numpy()
                moved: Array = np.zeros((len(names), found.shape[1]))
                moved[[names.index(name) for name in components]] = sizes * found
                return moved.reshape(points.shape)

            return function

        return [RunField(names, slot(n)) for n in range(len(self.result.generators))]


def discover(
    plugin: str | object,
    *,
    out: str | Path | None = ROOT,
    plugins: Sequence[str | Path] = (),
    quiet: bool = True,
    **settings: Any,
) -> Run:
    """Find the symmetries in data of a plugin or of a declaration, here in this process.

    `lieapp.discover("kdv", method="spectrum", seed=0)`, or with `PDE(…)`, `Function(…)` in place of a name.

    Args:
        plugin: the name of a plugin, or a declaration made here.
        out: the folder of runs; None keeps the run only for as long as its object is used.
        plugins: folders of plugin files.
        quiet: whether progress isn't told on stderr.
        settings: keys of the settings, `samples=12`; of one method as a mapping, `spectrum={"degrees": [2, 4]}`.

    Raises LieappError, with a hint, for what was given or comes up on the way.
    """
    from lieapp.runs.pipeline import work_on
    from lieapp.settings import load_config

    catalog = load_catalog([Path(folder).resolve() for folder in plugins])
    entry = catalog.get(plugin) if isinstance(plugin, str) else catalog.declared(plugin)
    work = catalog.work(entry, "discover")
    config = load_config(catalog.settings(work), **_dotted({"plugin": entry.name, **settings}))
    work.check(config, entry.declaration)
    kept = tempfile.TemporaryDirectory(prefix="lieapp-") if out is None else None
    root = Path(kept.name) if kept else Path(out or ROOT)
    run = RunDirectory.create(root, config, entry.name, entry=entry, folders=catalog.folders)
    work_on(run, config, catalog, work, entry=entry, quiet=quiet)
    return Run(run, catalog, kept)


def open_run(text: str | Path, root: str | Path = ROOT) -> Run:
    """A finished run by its path, its id or the beginning of it. Raises RunError if there is none, or no result."""
    directory = RunDirectory.find(Path(root), str(text))
    return Run(directory, load_catalog(directory.plugin_folders()))


def simulate(plugin: str | PDE, samples: int, seed: int = 0, plugins: Sequence[str | Path] = ()) -> Trajectories:
    """Random solutions of an equation on its own grid: `values` is (sample, time, component, *space).

    Raises LieappError if the plugin is no equation or its solutions can't be had.
    """
    import torch

    from lieapp.data.declared import check_equation
    from lieapp.data.simulate import simulate as simulated

    catalog = load_catalog([Path(folder).resolve() for folder in plugins])
    entry: Entry = catalog.get(plugin) if isinstance(plugin, str) else catalog.declared(plugin)
    check_equation(entry.declaration, "data", entry.kind.words)
    return simulated(entry.declaration, samples, torch.Generator().manual_seed(seed))


def _reals(values: ArrayLike) -> Array:
    """Numbers as floats. Raises TypeError for what NumPy would make some of: text, dates, None, complex numbers."""
    given = np.asarray(values)
    if given.dtype.kind not in "biufO" or any(part is None for part in given.flat):
        raise TypeError(f"{given.dtype} is no type of real numbers")
    return given.astype(float)


def _of_formula(field: Mapping[str, str]) -> RunField:
    import sympy as sp

    from lieapp.equations.parsing import parse_expression

    symbols = {name: sp.Symbol(name, real=True) for name in field}
    parts = [parse_expression(text, symbols, integrals=True) for text in field.values()]
    function = sp.lambdify(list(symbols.values()), parts, "numpy", cse=True)

    def moved(points: Array) -> Array:
        parts = (np.asarray(part, dtype=float) for part in function(*points))
        return np.stack([np.broadcast_to(part, points.shape[1:]) for part in parts])

    return RunField(list(field), moved)


def _dotted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of one method, given as a mapping, as keys with a dot."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            flat[key] = value
    return flat
