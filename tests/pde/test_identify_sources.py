"""Sources that depend on the place alone: told with the other terms; no consequence of second order is claimed."""

import numpy as np
import pytest

from lieapp.cli.main import run

X, T = np.arange(64) * 2 * np.pi / 64, np.linspace(0, 1, 41)[:, None]


def heated(seed, source):
    """Solutions of u_t = 0.3 u_xx + source, a constant times sin x."""
    rng = np.random.default_rng(seed)
    waves = [
        np.exp(-0.3 * k**2 * T) * rng.normal() / k * np.cos(k * X + rng.uniform(0, 2 * np.pi)) for k in range(1, 6)
    ]
    return np.sum(waves, axis=0) + source * (1 - np.exp(-0.3 * T)) / 0.3 * np.sin(X)


@pytest.fixture
def told(tmp_path, capsys):
    """What is said of u on T and X, and the exit code."""

    def ask(u):
        np.savez(tmp_path / "u.npz", u=u, t=T[:, 0], x=X)
        code = run(["identify", "--data", str(tmp_path / "u.npz"), "--quiet"])
        return capsys.readouterr().out, code

    return ask


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_source_in_x_is_told_and_nothing_is_claimed(told, seed):
    said, code = told(np.stack([heated(10 * seed + k, 1.0) for k in range(4)]))
    assert code == 1 and "No equation is claimed" in said and "u_tt" not in said
    assert "u_t = 0.3*u_xx + s(x) leaves" in said


def test_without_a_source_the_equation_is_claimed(told):
    said, code = told(np.stack([heated(k, 0.0) for k in range(4)]))
    assert code == 0 and "u_t - 0.3*u_xx = 0" in said and "s(x)" not in said


def test_waves_are_still_of_second_order(told):
    rng = np.random.default_rng(0)
    u = [
        sum(
            rng.normal() / k * np.cos(k * (X + side * T) + rng.uniform(0, 2 * np.pi))
            for k in range(1, 5) for side in (-1, 1)
        )
        for _ in range(4)
    ]  # fmt: skip
    said, code = told(np.stack(u))
    assert code == 0 and "u_tt - u_xx = 0" in said and "s(x)" not in said
