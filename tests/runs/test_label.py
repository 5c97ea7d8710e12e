"""A run is named and deleted once; whoever comes later, or by a link, is told so."""

import pytest

from lieapp.config import TruthConfig
from lieapp.errors import RunError
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.label import delete, label_of, write_label


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(tmp_path, TruthConfig(plugin="heat"), "heat", state="cancelled")


def test_a_run_deleted_in_another_tab(run, tmp_path):
    write_label(run, " a  name ", "b")
    assert label_of(run).name == "a name"
    left = tmp_path / f".deleted-{run.id}"
    left.mkdir()
    (left / "x").write_text("left by a try that failed")
    delete(RunDirectory(run.path))
    assert not any(tmp_path.iterdir())
    for late in (lambda: delete(run), lambda: write_label(run, "x", "")):
        with pytest.raises(RunError, match="no longer there"):
            late()


def test_a_link_stays_where_it_is(run, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(run.path)
    with pytest.raises(RunError, match="is a link"):
        delete(RunDirectory(link))
    assert link.is_symlink() and run.path.is_dir()
