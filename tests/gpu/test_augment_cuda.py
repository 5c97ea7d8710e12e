"""`lieapp augment` on a CUDA device: the same numbers up to the order of sums."""

import json
import subprocess
import sys

import pytest
import torch

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]

SMALL = [
    part
    for text in (
        "validation=2", "test=3", "epochs=2", "passes=2", "batch=4", "width=8", "modes=8", "layers=2", "renew=2",
    )
    for part in ("--set", text)
]  # fmt: skip


@pytest.mark.parametrize("plugin", ["ks", "ckdv"])
def test_the_same_table_on_both_devices(tmp_path, plugin):
    found = []
    for device in ("cpu", "cuda"):
        words = ("augment", "--plugin", plugin, "--samples", "4", "--seeds", "0", "--device", device, *SMALL)
        said = subprocess.run(
            [sys.executable, "-m", "lieapp", *words, "--out", str(tmp_path / device), "--json", "--quiet"],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append([row["mean"] for row in json.loads(said.stdout)["variants"]])
    assert found[0] == pytest.approx(found[1], rel=1e-2)
