"""How data are moved: how far, how they come back to the grid, and what of a time window has to be left."""

from __future__ import annotations

from dataclasses import dataclass

from lieapp.augment.resample import METHODS
from lieapp.errors import ConfigError


@dataclass(frozen=True)
class Moving:
    """How samples are moved.

    Args:
        sigma: the coefficient of each generator is uniform in [-sigma, sigma]; generators have norm 1 on the data
            in scaled coordinates, in which t and x run over [0, 1] and unknowns have standard deviation .29.
        scales: one sigma for each generator, in their order, in place of the common one.
        resampling: "whittaker" (Fourier in x, a polynomial in t), or for comparison "bilinear" or "splat".
        order: samples that the interpolation in time takes; its order in the step.
        rates: whether it takes the rates u_t = F of the equation too, which doubles its order.
        step: of RK4 in s, for flows without a closed form.
        closed: whether closed forms of flows are used where there are any.
        least: consecutive time samples that a moved sample must have inside its own window.
        middle: share of the time window, around its middle, that must lie inside the window of every moved sample.
        tries: how often the combination of a sample that has fewer is drawn again.

    Raises ConfigError on a value without meaning.
    """

    sigma: float = 0.2
    scales: tuple[float, ...] = ()
    resampling: str = "whittaker"
    order: int = 8
    rates: bool = True
    step: float = 0.1
    closed: bool = True
    least: int = 2
    middle: float = 0.0
    tries: int = 10

    def __post_init__(self) -> None:
        rules = {
            "sigma": (self.sigma > 0, "above 0"),
            "scales": (all(s >= 0 for s in self.scales), "0 or more for each generator"),
            "resampling": (self.resampling in METHODS, f"one of {', '.join(METHODS)}"),
            "order": (self.order in range(2, 17, 2), "even, from 2 to 16"),
            "step": (self.step > 0, "above 0"),
            "least": (self.least >= 1, "at least 1"),
            "middle": (0 <= self.middle <= 1, "between 0 and 1"),
            "tries": (self.tries >= 1, "at least 1"),
        }
        for key, (holds, rule) in rules.items():
            if not holds:
                raise ConfigError(f"{key} is {getattr(self, key)!r}; it must be {rule}.", hint="Leave it out.")
