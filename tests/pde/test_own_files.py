"""Several files: which of them isn't like the others is named."""

import numpy as np
import pytest
from own_burgers import burgers, cole_hopf, nodes_of, npz, read

from lieapp.pde.domain import PDEDomain
from lieapp.pde.misfit import misfit, misfits, unlike

X, T = nodes_of("uniform", 64), np.linspace(0, 1, 24)
MOST = 0.01


def solution(path, k, diffusion=1):
    """If u solves u_t + u u_x = ν u_xx, c u(c t, x) solves it with c ν."""
    return npz(path / f"{k}-{diffusion}.npz", x=X, t=T, u=diffusion * cole_hopf(X, diffusion * T, 1, seed=k)[0])


def said(*files):
    own = read(burgers(), *files, parameter=("nu:0.1",))
    evolution = PDEDomain(own.declaration).evolution
    return misfits(evolution, own.pieces), evolution, own


@pytest.mark.parametrize("place", [0, 3, 11])
def test_the_file_of_another_equation_is_named(tmp_path, place):
    """Wherever it stands: of all together only a few trajectories are looked at."""
    files = [solution(tmp_path, k, 2 if k == place else 1) for k in range(12)]
    apart, evolution, own = said(*files)
    assert len(apart) == 12
    wrong, missing = unlike(apart, MOST)
    assert wrong == missing and wrong.startswith(files[place]) and wrong.count(".npz") == 1
    assert "the term u_xx/10 should be taken 2 times" in wrong and "the other 11 files miss it by" in wrong
    together = misfit(evolution, own.pieces)
    assert not together.refutes or place < 8


def test_files_of_two_equations_that_are_both_wrong(tmp_path):
    files = [solution(tmp_path, 0, 2), solution(tmp_path, 1, 3)]
    wrong, _ = unlike(said(*files)[0], MOST)
    assert all(file in wrong for file in files) and "2 times" in wrong and "3 times" in wrong


def test_files_that_are_alike_are_told_of_together(tmp_path):
    assert unlike(said(*[solution(tmp_path, k) for k in range(3)])[0], MOST) == ("", "")
    assert unlike(said(*[solution(tmp_path, k, 2) for k in range(3)])[0], MOST) == ("", "")
    assert said(solution(tmp_path, 9))[0] == {}


def test_a_file_of_something_else_is_named_in_a_warning(tmp_path):
    other = npz(tmp_path / "other.npz", x=X, t=T, u=np.sin(9 * T[:, None]) * np.cosh(X) + np.cos(5 * X))
    apart, *_ = said(solution(tmp_path, 0), other, solution(tmp_path, 2))
    wrong, missing = unlike(apart, MOST)
    assert wrong == "" and missing.startswith(f"{other}: its data miss the equation by")
    assert "no other factors" in missing and "the other 2 files miss it by" in missing


def test_many_files_are_counted(tmp_path):
    files = [solution(tmp_path, k, 2 if k else 1) for k in range(6)]
    wrong, _ = unlike(said(*files)[0], MOST)
    assert wrong.count(".npz") == 3 and "2 files more; the other file misses it by" in wrong


def test_a_check_names_the_file(tmp_path):
    from lieapp.config_types import FileData
    from lieapp.pde.check import check_files
    from lieapp.progress import SilentReporter

    files = [solution(tmp_path, k, 1 + (k == 1)) for k in range(3)]
    rows = check_files(burgers(), FileData(files=tuple(files), parameter=("nu:0.1",)), SilentReporter())
    (row,) = [row for row in rows if row.name == "data"]
    assert row.ok is False and files[1] in row.detail
