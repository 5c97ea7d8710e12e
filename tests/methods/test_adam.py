"""Adam takes the steps of torch's own class, to the last bit."""

import torch

from lieapp.methods.loop import Adam


def test_steps_are_those_of_torch():
    start = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    ours, theirs = (start.clone().requires_grad_() for _ in range(2))
    own, other = Adam([ours], (0.9, 0.99)), torch.optim.Adam([theirs], betas=(0.9, 0.99))
    for rate in (0.1, 0.05, 0.2):
        own.zero_grad()
        for x in (ours, theirs):
            x.square().sin().sum().backward()
        own.step(rate)
        other.param_groups[0]["lr"] = rate
        other.step()
        other.zero_grad()
        assert torch.equal(ours, theirs)
    assert torch.equal(own.state[ours]["exp_avg_sq"], other.state[theirs]["exp_avg_sq"])
