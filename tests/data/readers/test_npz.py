"""Members of .npz: mapped where they aren't compressed, else read whole, never more than the header says."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import T, U, X

from lieapp.data.files import read
from lieapp.data.readers import numpy_files
from lieapp.data.readers.numpy_files import open_npz
from lieapp.errors import DataError

ENDS = (st.none() | st.integers(0, 4), st.none() | st.integers(5, 9), st.none() | st.integers(1, 3))
PARTS = st.builds(slice, *ENDS)


@pytest.fixture
def mapping(monkeypatch):
    monkeypatch.setattr(numpy_files, "WHOLE", 0)


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(PARTS, PARTS, PARTS), st.sampled_from(["<f8", ">f4", "<i2", "<c16"]), st.sampled_from("CF"),
    st.integers(0, 40), st.booleans(),
)  # fmt: skip
def test_slices_of_a_mapped_member_are_those_of_the_array(tmp_path_factory, part, dtype, order, before, far):
    """In any order and type, behind anything, and with the extras that large files have."""
    values = np.asarray(np.arange(9 * 7 * 5).reshape(9, 7, 5), dtype=dtype, order=order)
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    with path.open("wb") as stream, zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x" * (before + 1), b"y" * before)
        with archive.open("a.npy", "w", force_zip64=far) as member:
            np.lib.format.write_array(member, values)
    whole, numpy_files.WHOLE = numpy_files.WHOLE, 0
    try:
        found = open_npz(path).get("a").load(part)
    finally:
        numpy_files.WHOLE = whole
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, values[part])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_both_kinds_are_read_alike(tmp_path, save, mapping):
    save(tmp_path / "a.npz", u=U, x=X, t=T)
    (data,) = read(tmp_path / "a.npz", every="t=2", window="x=2:6")
    np.testing.assert_array_equal(data.u, U[:, ::2, 8:25])


def test_a_small_file_that_suffered_is_told(tmp_path):
    """Members that are read whole are compared with their checksum."""
    np.savez(tmp_path / "a.npz", u=U, x=X, t=T)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[4000] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(DataError, match="can't be read as npz: Bad CRC"):
        read(tmp_path / "a.npz")


def test_what_unpacks_to_too_much_is_refused_before(tmp_path, monkeypatch):
    """By the header; and what is unpacked is dropped before it is too much together."""
    monkeypatch.setattr(numpy_files, "MOST", 2**20)
    large = np.zeros((3, 100, 1000))
    np.savez_compressed(tmp_path / "a.npz", u=large, x=np.arange(1000.0), t=np.arange(100.0))
    assert (tmp_path / "a.npz").stat().st_size < 2**14
    with pytest.raises(DataError, match=r"u.npy takes 0.00224 GiB unpacked") as said:
        read(tmp_path / "a.npz")
    assert "np.savez" in said.value.hint
    np.savez_compressed(tmp_path / "b.npz", **{name: np.zeros(2**16) for name in "abcd"})
    kept, real = [], numpy_files._unpacked

    def counted(path, info, head):
        kept.append(info.filename)
        return real(path, info, head)

    monkeypatch.setattr(numpy_files, "_unpacked", counted)
    arrays = open_npz(tmp_path / "b.npz").arrays
    for array in (*arrays, arrays[3], arrays[0]):
        array.values()
    assert kept == ["a.npy", "b.npy", "c.npy", "d.npy", "a.npy"]


def test_a_header_that_promises_more_than_there_is(tmp_path, mapping):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (3, 20, 64)})
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "a.npz", "w", method) as archive:
            archive.writestr("u.npy", stream.getvalue() + b"\0" * 100)
            archive.writestr("rest", bytes(40000))
            for name, values in (("x", X), ("t", T)):
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, values)
        with pytest.raises(DataError, match=r"can't be read as npz|fewer values than its header"):
            read(tmp_path / "a.npz")
