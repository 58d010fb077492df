"""The best mechanism for a loss, with a proof that nothing beats it."""

from noisewright.designs.design import Design, design
from noisewright.designs.loss import exact_loss, loss
from noisewright.designs.losses import Loss
from noisewright.designs.names import WORDS

__all__ = ["WORDS", "Design", "Loss", "design", "exact_loss", "loss"]
