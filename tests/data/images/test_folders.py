"""Picture files of every kind are read as a viewer shows them, or refused with the reason."""

import struct
import zlib

import numpy as np
import pytest
import torch
from PIL import Image

from lieapp.data.images.sources import read_pictures
from lieapp.errors import DataError

RANDOM = np.random.default_rng(0)


@pytest.fixture
def saved(tmp_path):
    """Pictures saved in a folder, then read."""

    def save(*pictures, ending="png", **options):
        for number, picture in enumerate(pictures):
            if isinstance(picture, bytes):
                (tmp_path / f"{number}.{ending}").write_bytes(picture)
            else:
                picture.save(tmp_path / f"{number}.{ending}", **options)
        return read_pictures(str(tmp_path))

    return save


def png(values, kind, more=b""):
    """A PNG file of 16 bits: kind 0 is grey, 2 RGB, 4 grey with alpha."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 16, kind, 0, 0, 0)
    parts = chunk(b"IHDR", header), more and chunk(b"tRNS", more), chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")


def tiff_of_12_bits():
    """8 x 4 grey pixels, packed."""
    entries = {256: 8, 257: 4, 258: 12, 259: 1, 262: 1, 273: 8 + 2 + 9 * 12 + 4, 277: 1, 278: 4, 279: 48}
    table = b"".join(struct.pack("<HHII", tag, 4 if value > 99 else 3, 1, value) for tag, value in entries.items())
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + table + bytes(4) + bytes(48)


def test_pictures_directly_in_a_folder_are_one_class(tmp_path):
    (tmp_path / "walks").mkdir()
    for number in range(3):
        Image.new("RGB", (8, 6)).save(tmp_path / "walks" / f"{number}.png")
    (tmp_path / "walks" / "notes.txt").write_text("x")
    found = read_pictures(str(tmp_path / "walks"))
    assert found.names == ("walks",) and found.labels.tolist() == [0] * 3 and found.shape == (3, 6, 8)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="neither class folders nor pictures"):
        read_pictures(str(tmp_path / "empty"))


def test_transparent_parts_are_white(saved):
    layer = np.zeros((6, 6, 4), np.uint8)
    layer[..., 0], layer[:2, :, 3], layer[2:4, :, 3] = 255, 255, 51
    found = saved(Image.fromarray(layer), Image.new("RGB", (6, 6)))
    wanted = torch.tensor([[1, 0, 0], [1, 0.8, 0.8], [1, 1, 1]]).repeat_interleave(2, 0)
    assert torch.allclose(found.pixels[0, :, :, 0].T, wanted, atol=1e-6)
    assert found.facts["made_opaque_on_white"] == 1 and not found.pixels[1].any()


def test_an_alpha_that_hides_nothing_changes_nothing(saved):
    values = RANDOM.integers(0, 256, (2, 6, 6, 4), dtype=np.uint8)
    values[..., 3] = 255
    found = saved(Image.fromarray(values[0]), Image.fromarray(values[0, ..., :3]))
    assert torch.equal(found.pixels[0], found.pixels[1])


def test_grey_with_alpha_and_palettes_or_colours_that_are_clear(saved, tmp_path):
    found = saved(Image.new("LA", (5, 5), (0, 0)), Image.new("LA", (5, 5), (51, 255)))
    assert found.shape == (1, 5, 5)
    assert torch.allclose(found.pixels.mean((1, 2, 3)), torch.tensor([1, 0.2]))
    Image.new("P", (5, 5)).save(tmp_path / "0.png", transparency=0)
    Image.new("RGB", (5, 5), (9, 8, 7)).save(tmp_path / "1.png", transparency=(9, 8, 7))
    found = read_pictures(str(tmp_path))
    assert found.shape == (3, 5, 5) and bool((found.pixels == 1).all())


def test_grey_of_16_bits_keeps_them(saved):
    deep = RANDOM.integers(0, 2**16, (5, 7), dtype=np.uint16)
    plain = RANDOM.integers(0, 2**8, (5, 7), dtype=np.uint8)
    found = saved(Image.fromarray(deep), Image.fromarray(plain))
    np.testing.assert_allclose(found.pixels[0, 0].numpy(), deep / 65535, rtol=1e-6)
    np.testing.assert_allclose(found.pixels[1, 0].numpy(), plain / 255, rtol=1e-6)


def test_grey_of_16_bits_with_a_clear_value(saved):
    deep = np.full((5, 5), 7000, np.uint16)
    deep[0] = 5000
    found = saved(png(deep, 0, struct.pack(">H", 5000)))
    assert bool((found.pixels[0, 0, 0] == 1).all())
    assert torch.allclose(found.pixels[0, 0, 1:], torch.tensor(7000 / 65535))


def test_colours_of_16_bits_are_right_to_a_255th_and_this_is_said(saved):
    values = RANDOM.integers(0, 2**16, (2, 5, 6, 3), dtype=np.uint16)
    found = saved(png(values[0], 2), Image.fromarray((values[1] >> 8).astype(np.uint8)))
    assert np.abs(found.pixels[0].numpy() - np.moveaxis(values[0] / 65535, -1, 0)).max() < 1 / 255
    assert found.facts["colours_of_16_bits_cut_to_8"] == 1


def test_one_grey_picture_of_16_bits_beside_colours(saved):
    deep = RANDOM.integers(0, 2**16, (5, 5), dtype=np.uint16)
    found = saved(Image.fromarray(deep), Image.new("RGB", (5, 5), (255, 0, 51)))
    assert np.abs(found.pixels[0].numpy() - deep / 65535).max() < 1e-6
    assert torch.allclose(found.pixels[1, :, 0, 0], torch.tensor([1, 0, 0.2]))


def test_grey_beside_colours_has_three_equal_channels(saved):
    values = RANDOM.integers(0, 256, (5, 5), dtype=np.uint8)
    found = saved(Image.fromarray(values), Image.new("RGB", (5, 5), (255, 0, 0)))
    assert torch.equal((found.pixels[0] * 255).round(), torch.from_numpy(values).float().expand(3, -1, -1))


@pytest.mark.parametrize("ending", ["jpg", "png", "tif", "webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_exif_says(tmp_path, ending, orientation):
    """A dark quarter is where a viewer shows it."""
    values = np.full((32, 48, 3), 255, np.uint8)
    values[:16, :24] = 0
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(values).save(tmp_path / f"0.{ending}", exif=exif)
    found = read_pictures(str(tmp_path))
    assert found.shape == ((3, 32, 48) if orientation < 5 else (3, 48, 32))
    high, wide = found.shape[1:]
    quarters = found.pixels[0].mean(0).reshape(2, high // 2, 2, wide // 2).mean((1, 3))
    # EXIF: where the file's first row and first column are in the picture
    top, left = [(0, 0), (0, 1), (1, 1), (1, 0)][(orientation - 1) % 4]
    wanted = torch.ones(2, 2)
    wanted[top, left] = 0
    assert torch.allclose(quarters, wanted, atol=0.05)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (tiff_of_12_bits(), "12 bits"),
        (Image.fromarray(np.ones((5, 5), np.float32)), "mode F"),
        (Image.fromarray(np.ones((5, 5), np.int32)), "mode I"),
        (b"II*\0", "can't be read as a picture"),
    ],
)
def test_values_without_a_range_are_refused(saved, content, words):
    with pytest.raises(DataError, match=f"0.tif: .*{words}") as caught:
        saved(content, ending="tif")
    assert caught.value.hint


def test_a_file_that_is_cut_off_is_named(saved, tmp_path):
    saved(Image.fromarray(RANDOM.integers(0, 256, (40, 40, 3), dtype=np.uint8)))
    whole = (tmp_path / "0.png").read_bytes()
    (tmp_path / "0.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"0\.png: can't be read as a picture"):
        read_pictures(str(tmp_path))
