"""The points that a mechanism takes and gives: how many there are, and what they are called.

Points are numbered from 0 on. Proofs work with these numbers; names are for messages only.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .document import canonical, read_fields
from .report import need

_PART = "mechanism"
_SHAPES = (
    "kind: counts, n: whole",
    "kind: size, size: whole",
    "kind: labels, labels: list",
    "kind: grid, high: fraction, low: fraction, step: fraction",
    "kind: grid, high: fraction, low: fraction, step: fraction, unit: text",
)

TOTAL_FIELDS = ("log2_total: whole", "total: hex")
"""How a mechanism writes what its weights sum to: by one of these fields."""


def read_points(section: Any) -> Sequence[Any]:
    """Return the names of the points: labels as JSON, others as their positions.

    counts: 0, 1, ..., n. size: this many points. grid: low, low + step, ..., high; a unit
    says what these numbers count. labels: a list of different JSON values, which are no objects.
    """
    kind, *values = read_fields(section, _PART, *_SHAPES)
    if kind == "labels":
        return _read_labels(values[0])
    if kind == "grid":
        high, low, step = map(Fraction, values[:3])
        count = (high - low) / step + 1 if step > 0 else Fraction(0)
    else:
        count = Fraction(values[0] + (kind == "counts"))
    ok = 1 <= count <= 2**62 + 1 and count == int(count)
    need(ok, _PART, "need at least one point; high = low + a whole number of steps > 0")
    return range(int(count))


def _read_labels(labels: list[Any]) -> list[str]:
    names = [canonical(label) for label in labels if not isinstance(label, dict)]
    different = 0 < len(labels) == len(set(names))
    need(different, _PART, "need labels: different, no objects")
    return names


def read_total(section: dict[str, Any]) -> int:
    """Return what the weights of a row sum to: 2^log2_total, or any other total of at least 1."""
    k = section.get("log2_total", 0)
    need(k <= 2**20, _PART, f"found log2_total {k}; need at most 2^20")
    total = int(section.get("total", "1"), 16) << k
    need(total, _PART, "found a total of 0; need at least 1")
    return total
