"""Burgers' equation on files of the user's own: exact solutions on an open interval, read back and judged."""

import numpy as np
import sympy as sp

from lieapp.api import PDE
from lieapp.config_types import FileData
from lieapp.data.own_trajectories import own_data
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDomain
from lieapp.pde.known import Derived, scaled
from lieapp.progress import SilentReporter

NU = 0.1
T, X = sp.symbols("t x", real=True)


def nodes_of(kind, points=96):
    """Nodes on [-1, 1]."""
    if kind == "uniform":
        return np.linspace(-1, 1, points)
    if kind == "chebyshev":
        return -np.cos(np.pi * np.arange(points) / (points - 1))
    steps = np.random.default_rng(7).uniform(0.5, 1.5, points - 1)
    return -1 + 2 * np.concatenate([[0], np.cumsum(steps) / steps.sum()])


def cole_hopf(x, t, samples, seed=0):
    """Exact solutions of Burgers on an open interval: ψ a sum of real exponentials."""
    rng = np.random.default_rng(seed)
    k, a = (z[:, None, None] for z in (rng.uniform(-4, 4, (samples, 3)), rng.uniform(0.3, 1, (samples, 3))))
    terms = a * np.exp(NU * k**2 * t[:, None, None] + k * x[:, None])
    return -2 * NU * (terms * k).sum(-1) / (1 + terms.sum(-1))


def burgers(**changes):
    u, nu = sp.Function("u")(T, X), sp.Symbol("nu", positive=True)
    known = {
        "name": "mine", "title": "", "equation": sp.Eq(u.diff(T) + u * u.diff(X), nu * u.diff(X, 2)),
        "region": {T: (0, 1), X: (0, 1)}, "points": {T: 9, X: 32}, "periodic": [X], "parameters": {nu: 0.01},
    }  # fmt: skip
    return PDE(**(known | changes))


def npz(path, **arrays):
    np.savez(path, **arrays)
    return str(path)


def read(pde, *files, **options):
    return own_data(pde, FileData(files=files, **options), SilentReporter())


def etas(own):
    """η of the derived generators on the held-out data, with their names."""
    domain = PDEDomain(own.declaration)
    data = domain.prepared(own.train, own.held_out, whole=own.whole)
    truth = domain.truth().periodic
    known = scaled(domain, Derived([], [], list(truth), []), data.scales)
    eta = judge(domain, known, data.held_out.batches(24, 8)).eta
    return {formula.formula().text: float(e) for formula, e in zip(truth, eta, strict=True)}
