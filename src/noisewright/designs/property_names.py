"""The structural properties by code and by word."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError
from noisewright.given import brief, several
from noisewright.mechanisms import PAPER
from noisewright.spaces import Places, Space, numbers

WORDS = {
    "RH": "row honesty",
    "RM": "row monotone",
    "CH": "column honesty",
    "CM": "column monotone",
    "F": "fairness",
    "WH": "weak honesty",
    "S": "symmetry",
    "OD": "output privacy",
    "U": "unbiased",
}
"""Two are ours. OD: outputs next to each other have probabilities within a factor of e^ε on every
input, whatever the neighbors of the inputs are; the count paper names it as future work. U: the
expected output is the input."""

_NEED_ORDER = {"RM", "CM", "S", "OD"}
_NEED_TRUTH = {"RH", "CH", "F", "WH"}


def read_properties(given: Any, space: Space, outputs: Space) -> frozenset[str]:
    """Read properties: codes or words, one or several, or "all" for those of the paper.

    Requires: for RM, CM, S and OD an order of the points; for RH, CH, F and WH outputs among
    which every input is; for U points that are numbers.
    """
    if given is None or (isinstance(given, str) and not given):
        return frozenset()
    if isinstance(given, str):
        wanted: list[Any] = [part.strip() for part in given.split(",")]
    else:
        wanted = several(given, name="properties", of="codes such as {'CM', 'WH'}, or 'all'")
    by_word = {word: code for code, word in WORDS.items()}
    codes: set[str] = set()
    for one in wanted:
        text = one.strip() if isinstance(one, str) else ""
        if text.lower() == "all":
            codes |= {code for code in PAPER if space.ordered or code not in _NEED_ORDER}
            continue
        code = text.upper() if text.upper() in WORDS else by_word.get(text.lower())
        if code is None:
            known = ", ".join(f"{code} ({word})" for code, word in WORDS.items())
            raise ParameterError(
                f"there is no property {brief(one)}; there are {known}, and 'all'."
            )
        codes.add(code)
    if codes:
        _require_points(codes, space, outputs)
    return frozenset(codes)


def _require_points(codes: set[str], space: Space, outputs: Space) -> None:
    places = Places.of(space, outputs)
    unordered = codes & _NEED_ORDER
    if unordered and not (space.ordered and places.is_line):
        line = space if not space.ordered else outputs
        raise ParameterError(
            f"{', '.join(sorted(unordered))} need points with an order, as counts have; {line!r} "
            "has none."
        )
    if codes & _NEED_TRUTH and places.truth is None:
        raise ParameterError(
            f"{', '.join(sorted(codes & _NEED_TRUTH))} compare the true answer with others, so "
            f"every input must be among the outputs; {outputs!r} misses some."
        )
    if "S" in codes and not places.is_mirrored:
        raise ParameterError(
            f"S (symmetry) reflects inputs and outputs about one center; {space!r} and "
            f"{outputs!r} have different ones."
        )
    if "U" in codes:
        _require_numbers(space, outputs)


def _require_numbers(space: Space, outputs: Space) -> None:
    """Refuse what has no mean, and means that no weights over a power of two can have."""
    try:
        inputs, values = numbers(space), numbers(outputs)
    except ParameterError as problem:
        raise ParameterError(
            f"U (unbiased) needs inputs and outputs that are numbers; got {brief(space)} and "
            f"{outputs!r}."
        ) from problem
    step = Fraction(0)
    for value in values:
        step = _common_step(step, value - values[0])
    for value in inputs:
        steps = (value - values[0]) / step if step else Fraction(0)
        if steps.denominator & (steps.denominator - 1):
            raise ParameterError(
                f"U (unbiased) on the input {value}: outputs {step} apart with weights over a "
                "power of two cannot average to it exactly. Use outputs on the grid of the inputs."
            )


def _common_step(a: Fraction, b: Fraction) -> Fraction:
    """Return the largest number of which both are whole multiples."""
    under = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * under), int(b * under)), under)
