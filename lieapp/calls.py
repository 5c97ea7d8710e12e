"""The Python interface: discovery in the current process, simulated data, existing runs."""

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
from lieapp.errors import RunError, UsageError, in_python
from lieapp.extension import Work, described
from lieapp.given_data import files_of, typed_data
from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.results.discovery import ClosedForm, EquationResult
from lieapp.runs.store.directory import ROOT, RunDirectory
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import sealed

if TYPE_CHECKING:
    from lieapp.api import PDE
    from lieapp.data.trajectories import Trajectories
    from lieapp.drawing import Drawing

Array = NDArray[np.floating]
Components = dict[str, Array]
Moved = Callable[[Array], Array]
"""A function from points to the components of a field there, both arranged by coordinate."""


@dataclass(frozen=True)
class RunFigure:
    """A figure of a run; `drawing` has its values, panel by panel."""

    title: str
    drawing: Drawing

    @cached_property
    def svg(self) -> str:
        """The figure as an `<svg>` element."""
        from lieapp.figures.files import svg

        return svg(self.drawing)

    def pdf(self) -> bytes:
        """The figure as a PDF page of its size, for a paper."""
        from lieapp.figures.files import pdf

        return pdf(self.drawing)

    def _repr_svg_(self) -> str:
        return self.svg


class RunField:
    """A vector field as a function of physical coordinates: `field(t=…, x=…, u=…)` gives an array per component."""

    def __init__(self, names: Sequence[str], function: Moved) -> None:
        self.names, self._function = tuple(names), function

    def __call__(self, **coordinates: ArrayLike) -> Components:
        """The components at the given points; arrays are broadcast. Raises UsageError for unknown names or text."""
        if set(coordinates) != set(self.names):
            raise UsageError(
                f"a field of {', '.join(self.names)} was given {', '.join(coordinates) or 'nothing'}.",
                hint=f"Call it as field({', '.join(f'{name}=…' for name in self.names)}).",
            )
        try:
            points = np.stack(np.broadcast_arrays(*(_reals(coordinates[name]) for name in self.names)))
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:
            # the last one of a tensor that keeps its gradient
            hint = "Give numbers, or arrays of the same shape."
            raise UsageError(f"points of a field can't be read: {str(error).rstrip('.')}.", hint=hint) from None
        return dict(zip(self.names, self._function(points), strict=True))

    def __repr__(self) -> str:
        return f"<field of {', '.join(self.names)}>"


class Run:
    """A finished run: the entries of its result as attributes, its fields as functions, and its figures.

    `run.count`, `run.formulas`, `run.sentence` etc. come from `run.result`, which is summary.json. A notebook
    displays the run's report.
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
        """The presentation of the result, as blocks of `lieapp.document`."""
        work = self._work
        if work is None:
            return described(self.result)
        return work.document(self.result, work.draw(self.result, self.path) if figures else undrawn)

    @cached_property
    def figures(self) -> dict[str, RunFigure]:
        """The figures by key. A notebook displays `figures["learned"]`; `.svg` and `.pdf()` give file contents."""
        found = [block for block in self.document() if isinstance(block, Figure)]
        return {block.key: RunFigure(block.title, block.drawing) for block in found if block.drawing}

    def _repr_html_(self) -> str:
        from lieapp.report.page import fragment

        return fragment(self.document())

    @property
    def fields(self) -> list[RunField]:
        """The proved or recognised formulas as functions of physical coordinates; empty if there are none."""
        forms: list[ClosedForm] = getattr(self.result, "formulas", [])
        return [_of_formula(form.field) for form in forms if form.field is not None]

    @property
    def learned(self) -> list[RunField]:
        """The learned fields of an equation, slot by slot, as functions of physical coordinates.

        Raises RunError if the run has none.
        """
        import torch

        from lieapp.augment.learned import FILE, read_learned
        from lieapp.methods.fields import values

        if not isinstance(self.result, EquationResult):
            raise RunError(f"{self.directory.id} has no learned slots.", hint="Only runs of equations have them.")
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


@in_python()
def discover(
    plugin: str | object = None,
    *,
    equation: str | Sequence[str] = (),
    data: object = None,
    learn_equation: bool = False,
    out: str | Path | None = ROOT,
    plugins: Sequence[str | Path] = (),
    quiet: bool = True,
    **settings: Any,
) -> Run:
    """Find symmetries in the data of a plugin or a declaration, or in your own, in the current process.

    Examples: `lieapp.discover("kdv", method="spectrum", seed=0)`, also with a `PDE(…)` or `Function(…)`;
    `lieapp.discover("burgers", data="file.mat", parameter=["nu:0.1"])`;
    `lieapp.discover(dataset, equation="u_t + u*u_x")`.

    Args:
        plugin: the name of a plugin, a declaration, or data, see there.
        equation: of the data in place of a plugin, in jet notation; several for a system. Data without both are
            asked for theirs first, see `identify`; where none is short, it is learned (docs/identify.md).
        learn_equation: whether it is learned also where a short one is found.
        data: an xarray Dataset (sample, t, x), a file or several; pictures: the name of a data set or a folder. How
            files are read is said by `map`, `every`, `window`, `drop_nan` and `parameter` among the settings
            (docs/data.md).
        out: the folder of runs; None deletes the run together with its object.
        plugins: additional folders of plugin files.
        quiet: whether to suppress progress on stderr.
        settings: settings by key, `samples=12`; those of one method as a mapping, `spectrum={"degrees": [2, 4]}`.

    Raises LieappError, with a hint, for invalid input and for errors during the run.
    """
    from lieapp.api import PDE
    from lieapp.runs.pipeline import unless_refused, work_on
    from lieapp.settings import leaves, load_config

    kept = tempfile.TemporaryDirectory(prefix="lieapp-") if out is None else None
    root = Path(kept.name) if kept else Path(out or ROOT)
    others = equation and not isinstance(plugin, str | PDE | None)
    if data is None and (hasattr(plugin, "to_netcdf") or hasattr(plugin, "__array__") or others):
        plugin, data = None, plugin
    folders = [Path(folder).resolve() for folder in plugins]
    typed = typed_data(data, settings, root)
    found = None
    if data is not None and plugin is None and not equation:
        from lieapp.pde.identify.files import identify_files, learned_settings, of_first_order

        found = identify_files(files_of(typed), learn=learn_equation or None)
        equation = of_first_order(found)
    elif learn_equation:
        raise UsageError("learn_equation needs data without an equation.", hint="Give data=… alone.")
    if (fitted := found.learned.error if found and found.learned else None) is not None:
        typed |= learned_settings(lambda key: settings.get(key) or typed.get(key))
    if equation:
        texts = [equation] if isinstance(equation, str) else equation
        plugin = _plugin_of(texts, plugin, typed, root, folders, fitted)
    catalog = load_catalog(folders)
    entry = catalog.get(plugin) if isinstance(plugin, str) else catalog.declared(plugin)
    work = catalog.work(entry, "discover")
    typed = dict(work.typed(entry.name, typed))
    given = {key: value for key, value in {**settings, **typed}.items() if value is not None}
    loaded = load_config(catalog.settings(work), **dict(leaves({"plugin": entry.name, **given})))
    config = work.complete(loaded, entry.declaration, root)
    work.check(config, entry.declaration)
    run = RunDirectory.create(root, config, entry.name, entry=entry, folders=catalog.folders)
    if found is not None:
        from lieapp.pde.identify.files import KEPT

        write_atomic(run.path / KEPT, sealed(found))
    with unless_refused(run):
        work_on(run, config, catalog, work, entry=entry, quiet=quiet)
    return Run(run, catalog, kept)


def _plugin_of(
    equations: Sequence[str], plugin: object, typed: Mapping[str, Any], root: Path, folders: list[Path],
    fitted: float | None,
) -> str:
    """The plugin of a typed equation, whose folder joins `folders`; `fitted` as for `api.PDE`."""
    from lieapp.pde.typed import plugin_of

    if plugin is not None:
        raise UsageError(
            "a plugin and an equation are both given.", hint="Give one of them; a file is given as data='file.npz'."
        )
    name, folder = plugin_of(equations, files_of(typed), root, fitted=fitted)
    folders.append(folder)
    return name


def open_run(text: str | Path, root: str | Path = ROOT) -> Run:
    """Open a finished run by its path, its id or the beginning of its id.

    Raises RunError if there is no such run, or if it has no result.
    """
    directory = RunDirectory.find(Path(root), str(text))
    return Run(directory, load_catalog(directory.plugin_folders()))


def simulate(plugin: str | PDE, samples: int, seed: int = 0, plugins: Sequence[str | Path] = ()) -> Trajectories:
    """Simulate random solutions of an equation on its grid: `values` has shape (sample, time, component, *space).

    Raises LieappError if the plugin isn't an equation or can't be simulated.
    """
    import torch

    from lieapp.data.declared import check_equation
    from lieapp.data.simulate import simulate as simulated

    catalog = load_catalog([Path(folder).resolve() for folder in plugins])
    entry: Entry = catalog.get(plugin) if isinstance(plugin, str) else catalog.declared(plugin)
    check_equation(entry.declaration, "data", entry.kind.words)
    return simulated(entry.declaration, samples, torch.Generator().manual_seed(seed))


def _reals(values: ArrayLike) -> Array:
    """Numbers as floats. Raises TypeError for text, dates, None and complex numbers, which NumPy would convert."""
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
