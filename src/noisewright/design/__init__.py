"""The best mechanism for a loss, with a proof that nothing beats it."""

from noisewright.design.design import Design, design
from noisewright.design.loss import exact_loss, loss
from noisewright.design.losses import Loss
from noisewright.design.names import WORDS

__all__ = ["WORDS", "Design", "Loss", "design", "exact_loss", "loss"]
