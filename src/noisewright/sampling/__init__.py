"""Entropy and exact draws: the only room with randomness. It knows integers, not privacy."""

from typing import TYPE_CHECKING

from noisewright.on_use import names_on_use

if TYPE_CHECKING:
    from noisewright.sampling.balanced import balanced_geometric
    from noisewright.sampling.bernoulli import bernoulli
    from noisewright.sampling.choices import GroupSampler, first_heads, geometric_argmax
    from noisewright.sampling.enclosed import EnclosedSampler
    from noisewright.sampling.entropy import (
        SeededSource,
        Source,
        SystemSource,
        default_source,
        require_private,
        source_or_default,
    )
    from noisewright.sampling.gaussian import discrete_gaussian
    from noisewright.sampling.geometric import discrete_laplace, two_sided_geometric
    from noisewright.sampling.normal import rounded_normal
    from noisewright.sampling.response import KeepOrUniform
    from noisewright.sampling.sets import FlippedSets, ItemCoins, SetSampler, chosen
    from noisewright.sampling.staircase import staircase_noise
    from noisewright.sampling.tables import TableSampler
    from noisewright.sampling.uniform import permutation, uniform_below, uniform_below_each

names_on_use(
    __name__,
    {
        "balanced": ("balanced_geometric",),
        "bernoulli": ("bernoulli",),
        "choices": ("GroupSampler", "first_heads", "geometric_argmax"),
        "enclosed": ("EnclosedSampler",),
        "entropy": (
            "SeededSource",
            "Source",
            "SystemSource",
            "default_source",
            "require_private",
            "source_or_default",
        ),
        "gaussian": ("discrete_gaussian",),
        "geometric": ("discrete_laplace", "two_sided_geometric"),
        "normal": ("rounded_normal",),
        "response": ("KeepOrUniform",),
        "sets": ("FlippedSets", "ItemCoins", "SetSampler", "chosen"),
        "staircase": ("staircase_noise",),
        "tables": ("TableSampler",),
        "uniform": ("permutation", "uniform_below", "uniform_below_each"),
    },
)

__all__ = [
    "EnclosedSampler",
    "FlippedSets",
    "GroupSampler",
    "ItemCoins",
    "KeepOrUniform",
    "SeededSource",
    "SetSampler",
    "Source",
    "SystemSource",
    "TableSampler",
    "balanced_geometric",
    "bernoulli",
    "chosen",
    "default_source",
    "discrete_gaussian",
    "discrete_laplace",
    "first_heads",
    "geometric_argmax",
    "permutation",
    "require_private",
    "rounded_normal",
    "source_or_default",
    "staircase_noise",
    "two_sided_geometric",
    "uniform_below",
    "uniform_below_each",
]
