"""Models that learn from private counts: naive Bayes, and trees of columns (Chow–Liu)."""

from noisewright.models.naive_bayes import PrivateNaiveBayes
from noisewright.models.tree import PrivateTree

__all__ = ["PrivateNaiveBayes", "PrivateTree"]
