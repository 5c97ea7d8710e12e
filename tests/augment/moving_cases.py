"""Small solutions and generators for tests of moving."""

from functools import cache

import torch
from small_solutions import TRUE, small

from lieapp.augment.along import Along, Learned
from lieapp.augment.moving import Mover, Moving
from lieapp.compare.closed_form.measure import LibraryFeatures
from lieapp.equations.parsing import parse_expression
from lieapp.lie.vector_field import Field
from lieapp.methods.fields import Combination

FIVE = ("kdv", "ks", "burgers", "nkdv", "ckdv")


def system(name):
    return small(name).domain.system


def field(name, components):
    coordinates = system(name).jets.coordinates
    symbols = {str(c): c for c in coordinates}
    return Field({str(c): parse_expression(e, symbols) for c, e in zip(coordinates, components, strict=True)})


def formulas(name, *places):
    """The equation's symmetries, or some of them."""
    chosen = [TRUE[name][k] for k in places or range(len(TRUE[name]))]
    return Along({f"V{k}": field(name, components) for k, components in enumerate(chosen)})


@cache
def mover(name, along="all", **settings):
    data = small(name).trajectories
    along = formulas(name) if along == "all" else along
    return Mover.of(along, system(name), data, Moving(**settings))


def samples(name):
    return small(name).trajectories.values.transpose(1, 2)


def as_learned(name, *fields):
    """Fields as if they had been learned: combinations of features, in scaled coordinates."""
    data = small(name)
    coordinates = system(name).jets.coordinates
    every = [field(name, components) for components in fields]
    functions = list(dict.fromkeys(e for f in every for e in f.components.values() if e != 0))
    features = LibraryFeatures(functions, coordinates, data.scales)
    c = torch.zeros(len(every), len(functions), len(coordinates), dtype=torch.float64)
    for n, f in enumerate(every):
        for i, (value, size) in enumerate(zip(f.components.values(), data.scales.size, strict=True)):
            if value != 0:
                c[n, functions.index(value), i] = 1 / size
    return Learned(Combination(features, c), data.domain.arguments.names, data.domain.components, data.scales)
