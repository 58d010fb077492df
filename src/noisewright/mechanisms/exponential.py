"""The exponential mechanism: better candidates are exponentially more likely.

P(y | x) ∝ e^(ε q(x, y) / (2Δ)), with Δ the largest change of the quality q between
neighbors (McSherry–Talwar 2007), per unit of distance with neighbors="metric". When quality only
grows with the data (`monotonic`), the factor 2 is not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number, exactly, exp_bounds
from noisewright.mechanisms.decay import bits_below_one, positive_epsilon, require_ratios
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.spaces import Categories, Space

_ROOM = 57
"""The exponent is smaller than asked for by a relative 2^-57, to make room for rounding."""

_DEEPEST = 160
_FLOOR = 128

Quality = Callable[[Any, Any], Number] | Any


def exponential(
    candidates: Space | Any,
    quality: Quality,
    *,
    epsilon: Number | Epsilon,
    sensitivity: Number | None = None,
    space: Space | None = None,
    monotonic: bool = False,
) -> Table:
    """Return the exponential mechanism as a table over the inputs `space`.

    Requires: `candidates`, a space or a list of labels; `quality`, a function of (input,
    candidate) or a matrix with one row per input; `space`, the inputs (the candidates
    themselves by default); epsilon > 0. `sensitivity` is computed from the neighbors when
    left out, and checked when given. `monotonic=True` says that all qualities move in the
    same direction between any two neighbors; that is checked too.
    Ensures: ε-private for the neighbors of `space`, per unit of distance if they are "metric".
    """
    outputs = candidates if isinstance(candidates, Space) else Categories(candidates)
    inputs = outputs if space is None else space
    if space is None and not isinstance(candidates, Space):
        raise InputError(
            "exponential() needs the inputs: give space=…, or a space as candidates when inputs "
            "and candidates are the same points."
        )
    read = positive_epsilon(epsilon, None, instead="Use nw.uniform(space) for that.")
    require_tabulable(inputs, outputs, instead="Use fewer inputs or candidates.")
    qualities = read_qualities(quality, inputs, outputs)
    change = _sensitivity(qualities, inputs, monotonic=monotonic)
    per_unit = " per unit of distance" if inputs.by_distance else ""
    if sensitivity is not None:
        stated = exactly(sensitivity, name="sensitivity")
        if stated < change:
            raise NotPrivateError(
                f"sensitivity is given as {sensitivity}, but between two neighbors the quality "
                f"changes by {float(change):g}{per_unit}. Give at least that, or leave it out."
            )
        change = stated
    if change == 0:
        raise ParameterError(
            "the quality is the same for all neighbors, so there is nothing to protect: pick the "
            "best candidate directly, or give sensitivity= if the quality is scaled elsewhere."
        )
    # The log of a rational is taken a hair smaller, below what the rounding costs anyway.
    rational = read.rational if read.ratio is None else Fraction(read.bounds(192)[0], 1 << 192)
    factor = rational / (change if monotonic else 2 * change)
    least = rational * min(Fraction(1), _nearest(inputs))
    weights, bits = rounded_powers([[q * factor for q in row] for row in qualities], least)
    require_ratios(weights, inputs, read)
    return Table(
        inputs,
        weights,
        log2_total=bits,
        outputs=outputs,
        claim=Guarantee(read),
        name="exponential mechanism",
    )


def read_qualities(quality: Quality, inputs: Space, outputs: Space) -> list[list[Fraction]]:
    """Read a quality or utility as exact numbers: a function of two points, or a matrix."""
    if callable(quality):
        rows: Any = [[quality(x, y) for y in outputs.points] for x in inputs.points]
    else:
        rows = quality.tolist() if isinstance(quality, np.ndarray) else quality
    shape_error = InputError(
        f"quality must be a function of (input, candidate) or a matrix of {inputs.size} rows and "
        f"{outputs.size} columns."
    )
    try:
        exact = [[exactly(q, name="a quality") for q in row] for row in rows]
    except TypeError as problem:
        raise shape_error from problem
    if len(exact) != inputs.size or any(len(row) != outputs.size for row in exact):
        raise shape_error
    return exact


def _sensitivity(qualities: list[list[Fraction]], space: Space, *, monotonic: bool) -> Fraction:
    largest = Fraction(0)
    for a, b in space.neighbor_codes().tolist():
        changes = [p - q for p, q in zip(qualities[a], qualities[b], strict=True)]
        if monotonic and min(changes) < 0 < max(changes):
            raise NotPrivateError(
                f"monotonic=True, but between the neighboring inputs with codes {a} and {b} some "
                "qualities rise and others fall. Leave monotonic out."
            )
        change = Fraction(max(abs(change) for change in changes))
        largest = max(largest, change / space.neighbor_distance(a, b))
    return largest


def _nearest(space: Space) -> Fraction:
    """Return how near the nearest neighbors are, in units of which each allows one ε."""
    if not space.by_distance:
        return Fraction(1)
    pairs = space.neighbor_codes().tolist()
    return Fraction(min((space.neighbor_distance(a, b) for a, b in pairs), default=1))


def rounded_powers(exponents: list[list[Fraction]], epsilon: Fraction) -> tuple[Any, int]:
    """Round rows ∝ e^exponent to integers with one total, each weight to a relative 2^-s.

    The exponents are shrunk by a relative 2^-57, so ideal ratios stay below e^(ε(1 − 2^-57));
    s is large enough that two roundings cost less than the room. Rows much deeper than
    2^-160 are mixed with a floor of about 2^-128, which only brings ratios closer to 1.
    """
    weight_bits = _ROOM + 8 + bits_below_one(epsilon)
    columns = len(exponents[0])
    spread = max(max(row) - min(row) for row in exponents)
    depth = int(spread * 3 / 2) + 2
    floor = 1 << weight_bits if depth > _DEEPEST else 0
    depth = min(depth, _FLOOR)
    bits = weight_bits + depth + 2 * columns.bit_length()
    room = (1 << bits) - columns * floor
    precision = bits + 32
    shrink = 1 - Fraction(1, 1 << _ROOM)
    weights = np.empty((len(exponents), columns), dtype=object)
    for x, row in enumerate(exponents):
        top = max(row)
        # e^-t < 2^-t: what is too small to see at this precision is not worked out.
        powers = [
            exp_bounds((e - top) * shrink, precision)[0] if top - e <= precision else 0 for e in row
        ]
        norm = sum(powers)
        whole = [floor + room * power // norm for power in powers]
        whole[row.index(top)] += (1 << bits) - sum(whole)
        weights[x] = whole
    return weights, bits
