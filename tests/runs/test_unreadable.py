"""Decoding is total: whatever bytes a file of a run holds, lists have its row, `unreadable`, with the reason."""

import json
import os
from typing import Any

import pytest

from lieapp.cli.main import run as command
from lieapp.config import CheckConfig
from lieapp.errors import RunError
from lieapp.figures.material import parts_of, read_fields, read_lines
from lieapp.reading import UnreadableError, contents, decode, decode_object, facts_in
from lieapp.results.base import read_result
from lieapp.results.discovery import EquationResult
from lieapp.runs.overview import row
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import encode

DEEP = b'{"a":' * 100_000
BELOW = b'{"kind": "discover", "note": ' + b"[" * 900 + b"]" * 900 + b"}"
"""Deep enough to be decoded, and too deep to be walked through or written."""

BAD = {
    "config.json": (DEEP, BELOW, b"\xff" * 1000, b'{"equation": 5}', b'{"plugin": {"a": 1}}', b'{"kind": ["x"]}'),
    "status.json": (
        DEEP, b"\xff", b'{"state": 3}', b'{"state": "done", "created": 1e300}',
        b'{"state": "done", "finished": -1}', b'{"state": "running", "step": -5, "total": 3}',
        b'{"state": "failed", "error": {"message": 5}}',
    ),
    "summary.json": (
        DEEP, b"\xff", b"9" * 4400, b'{"result": ["x"]}', b'{"result": "discovery", "generators": "x"}',
        b'{"result": "discovery", "seconds": {"total": 1e999}}',
    ),
}  # fmt: skip


@pytest.fixture
def made(tmp_path) -> RunDirectory:
    made = RunDirectory.create(tmp_path, CheckConfig(plugin="heat"), "heat")
    made.write_summary(EquationResult())
    made.update(state="done")
    return made


@pytest.mark.parametrize(("name", "content"), [(name, content) for name, bad in BAD.items() for content in bad])
@pytest.mark.parametrize("as_json", [True, False])
def test_lists_have_a_row_with_the_reason(tmp_path, made, capsys, name, content, as_json):
    other = RunDirectory.create(tmp_path, CheckConfig(plugin="heat"), "heat")
    (made.path / name).write_bytes(content)
    found = row(made)
    assert found["state"] == "unreadable" and f"{name} can't be read: " in found["error"]["message"]
    for told in (["runs", "list"], ["runs", "show", made.id], ["compare", made.id, other.id]):
        code = command([*told, "--out", str(tmp_path), *(["--json"] if as_json else [])])
        shown = "".join(capsys.readouterr())
        assert "bug in lieapp" not in shown and "Traceback" not in shown
        assert code == 0 or (told[1] != "list" and "can't be read" in shown)
        if as_json and told[1] == "list":
            states = {one["run"]: one["state"] for one in json.loads(shown)["runs"]}
            assert states == {made.id: "unreadable", other.id: "starting"}


def test_only_regular_files_of_a_sensible_size_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(2**40)
    for name, why in (("pipe", "regular file"), (".", "regular file"), ("huge", "1099511627776 bytes")):
        with pytest.raises(UnreadableError, match=why):
            contents(tmp_path / name)
    with pytest.raises(OSError, match="symbolic links"):
        contents(tmp_path / "loop")
    (tmp_path / "summary.json").symlink_to(tmp_path / "loop")
    with pytest.raises(RunError, match=r"summary\.json can't be read: Too many levels of symbolic links\."):
        read_result(tmp_path)


def test_objects_without_a_type_are_nested_as_deep_as_settings_are():
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert decode_object(nested(3)) == {"a": {"a": {"a": 1}}}
    assert decode_object(nested(40))
    for levels in (41, 100_000):
        with pytest.raises(UnreadableError, match="nested too deeply"):
            decode_object(nested(levels))
    with pytest.raises(UnreadableError, match="nested too deeply"):
        decode(nested(100_000), dict[str, Any])


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff" * 20, b"\x02\0\0\0\0\0\0\0{}", (10**6).to_bytes(8, "little") + DEEP, b"\x04" + b"\0" * 9],
)
def test_headers_of_arrays(content):
    with pytest.raises(UnreadableError):
        facts_in(content, "facts", dict[str, int])


def test_lines_that_are_no_objects_are_passed_over(tmp_path):
    file = tmp_path / "metrics.jsonl"
    file.write_bytes(b'{"step": 1}\n' + DEEP + b'\n\xff\n[1]\n{"step": 2}\n' + BELOW + b'\n{"st')
    assert [line["step"] for line in read_lines(file)] == [1, 2]


def test_what_else_a_run_holds_is_passed_over(made):
    of_other_types = b'{"plugin": {"title": 5}, "plugins": 3}'
    for content in (DEEP, of_other_types, b'{"plugins": ["\\u0000"], "folder": "\\u0000"}'):
        for name in ("provenance.json", "label.json", "metrics.jsonl"):
            (made.path / name).write_bytes(content)
        assert row(made)["state"] == "done" and made.plugin_folders() == []


@pytest.mark.parametrize(("kind", "shape", "size"), [("BF16", [2], 4), ("F8_E4M3", [4], 4), ("F32", [], 4)])
def test_arrays_that_numpy_has_no_type_for_are_absent(tmp_path, kind, shape, size):
    header = json.dumps({"learned": {"dtype": kind, "shape": shape, "data_offsets": [0, size]}}).encode()
    file = tmp_path / "fields.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bytes(size))
    assert parts_of(file, 0, ("learned",)) == {}
    assert read_fields(file) == ({"learned": 0} if kind == "F32" else {})


def test_names_of_files_that_are_no_text_are_written_with_escapes():
    value = {"k\udcff": ["\ud800", ("ü", 1.5)], "n": None}
    assert json.loads(encode(value)) == {r"k\udcff": [r"\ud800", ["ü", 1.5]], "n": None}
