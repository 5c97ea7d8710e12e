"""The state of a training as tensors: module, Adam, random numbers, steps done."""

from __future__ import annotations

import torch
from torch import Tensor, nn

MODULE, ADAM = "network.", "adam."


def state_of(
    module: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, done: int
) -> dict[str, Tensor]:
    """Copies on the CPU, for a safetensors file."""
    tensors = {f"{MODULE}{k}": v for k, v in module.state_dict().items()}
    for name, parameter in module.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"{ADAM}{key}.{name}"] = torch.as_tensor(value)
    tensors["generator"] = generator.get_state()
    tensors["done"] = torch.tensor(done)
    return {k: v.detach().cpu().contiguous().clone() for k, v in tensors.items()}


def load_state(
    module: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, tensors: dict[str, Tensor]
) -> int:
    """Go on from a state; returns the steps done. The next step is the one an uninterrupted training would take."""
    module.load_state_dict({k.removeprefix(MODULE): v for k, v in tensors.items() if k.startswith(MODULE)})
    for name, parameter in module.named_parameters():
        entries = {
            k.split(".", 2)[1]: v for k, v in tensors.items() if k.startswith(ADAM) and k.split(".", 2)[2] == name
        }
        if entries:
            # Adam keeps its step count on the CPU
            optimizer.state[parameter] = {
                key: value.clone() if key == "step" else value.to(parameter) for key, value in entries.items()
            }
    generator.set_state(tensors["generator"])
    return int(tensors["done"])
