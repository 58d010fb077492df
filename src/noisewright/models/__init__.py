"""Models that learn from private counts: naive Bayes, and trees of columns (Chow–Liu)."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
