"""The Python interface to data: files and Datasets as the command line has them, and their equation."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from lieapp.config_types import FILE_OPTIONS, DiscoverData
from lieapp.document import Document
from lieapp.errors import UsageError, in_python
from lieapp.results.identification import Identification


class Equation:
    """What data tell of their equation: entries of `result` as attributes, `equations`, `undecided`, `sentence`.

    A notebook displays the equation, the path and its figure.
    """

    def __init__(self, result: Identification) -> None:
        self.result = result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)

    def __repr__(self) -> str:
        return f"<equation: {self.result.sentence}>"

    @property
    def text(self) -> list[str]:
        """The equations as `lieapp.discover(…, equation=…)` takes them; empty if the data don't decide."""
        return [equation.text for equation in self.result.equations]

    def document(self) -> Document:
        """The presentation, as blocks of `lieapp.document`."""
        from lieapp.pde.identify.document import identification_document

        return identification_document(self.result)

    def _repr_html_(self) -> str:
        from lieapp.report.page import fragment

        return fragment(self.document())


@in_python()
def identify(
    data: object, *, order: int = 4, degree: int = 3, terms: str | Sequence[str] = (),
    explicit: str | Sequence[str] = (), symmetries: str | Sequence[str] = (), map: str = "", every: str = "",
    window: str = "", samples: int | None = None, drop_nan: bool = False,
) -> Equation:  # fmt: skip
    """Find the equation that data solve: `lieapp.identify("KdV_sine.mat").text` is `['u_t + u*u_x + u_xxx']`.

    Args:
        data: an xarray Dataset (sample, t, x), a file or several.
        order: the highest number of derivatives of a term; degree: its highest degree.
        terms: candidates in place of all of these, `["u_xx", "u*u_x"]`.
        explicit: variables that may multiply terms.
        symmetries: fields that the equation has to keep, `["t*d_x + d_u"]`, or runs, for what they proved.
        map, every, window, samples, drop_nan: how files are read (docs/data.md).

    Raises LieappError for data from which no equation can be told, and for invalid terms and symmetries.
    """
    from lieapp.pde.identify.files import identify_files
    from lieapp.pde.identify.find import Wanted, named

    with tempfile.TemporaryDirectory(prefix="lieapp-") as folder:
        how = {"map": map, "every": every, "window": window, "samples": samples, "drop_nan": drop_nan}
        files = files_of(typed_data(data, how, Path(folder)))
        lists = (named(texts) for texts in (terms, explicit, symmetries))
        found = identify_files(files, Wanted(order, degree, *lists))
        if hasattr(data, "to_netcdf"):
            equations = [equation.text for equation in found.equations]
            command = f"lieapp.discover(dataset, equation={equations})" if equations else ""
            found = replace(found, files=[], command=command)
        return Equation(found)


def typed_data(data: object, settings: dict[str, Any], root: Path) -> dict[str, Any]:
    """What the command line would have of the data; takes its part out of the settings."""
    found = {"slots": settings.pop("slots", None)}
    found |= {key: settings.pop(key, None) for key in FILE_OPTIONS.values() if key != "data"}
    if data is None:
        return found
    found["samples"] = settings.pop("samples", None)
    if hasattr(data, "to_netcdf"):
        from lieapp.data.store import keep_dataset

        data = keep_dataset(data, root, mapped=bool(found["map"]))
    places = [data] if isinstance(data, str | Path) else data
    if not isinstance(places, Sequence) or not all(isinstance(place, str | Path) for place in places):
        raise UsageError(
            f"data is {type(data).__name__}; it must be an xarray Dataset, a path or a list of paths.",
            hint="Give arrays as xarray.Dataset({'u': (('sample', 't', 'x'), u)}, coords={'t': t, 'x': x}).",
        )
    return {**found, "data": [str(place) for place in places]}


def files_of(typed: Mapping[str, Any]) -> DiscoverData:
    """The files and how they are read. Raises ConfigError for wrong types."""
    from lieapp.settings import from_values

    read = {**FILE_OPTIONS, "samples": "samples"}
    return from_values(DiscoverData, {key: typed[o] for key, o in read.items() if typed.get(o)})
