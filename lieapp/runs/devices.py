"""The device named by --device, found before any work is begun."""

from __future__ import annotations

from lieapp.errors import DeviceError


def check_device(text: str) -> None:
    """Raises DeviceError if the device doesn't exist. Quick for `auto` and `cpu`, which always do."""
    if text not in ("auto", "cpu"):
        find_device(text)


def find_device(text: str) -> str:
    """`auto`, `cpu`, `cuda` or `cuda:1` as a device that exists: `cpu` or `cuda:N`.

    Raises DeviceError if it doesn't.
    """
    if text == "cpu":
        return text
    # torch takes a second to import, and the answer above doesn't need it
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if text == "auto":
        return "cuda:0" if count else "cpu"
    number = int(text.partition(":")[2] or 0)
    if number >= count:
        there = f"{count} CUDA devices, cuda:0 to cuda:{count - 1}" if count else "no CUDA device"
        raise DeviceError(f"device {text}: this machine has {there}.", hint="Use --device auto or --device cpu.")
    return f"cuda:{number}"
