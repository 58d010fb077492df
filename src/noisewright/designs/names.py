"""The structural properties by code and by word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from noisewright.errors import ParameterError
from noisewright.spaces import Space

WORDS = {
    "RH": "row honesty",
    "RM": "row monotone",
    "CH": "column honesty",
    "CM": "column monotone",
    "F": "fairness",
    "WH": "weak honesty",
    "S": "symmetry",
    "OD": "output privacy",
}
"""OD is ours: neighboring outputs have probabilities within a factor of e^ε on every input,
which the count paper names as future work."""

PAPER = ("RH", "RM", "CH", "CM", "F", "WH", "S")
_NEED_ORDER = {"RM", "CM", "S", "OD"}


def read_properties(given: Any, space: Space, outputs: Space) -> frozenset[str]:
    """Read properties: codes or words, one or several, or "all" for those of the paper.

    Requires: outputs that are the inputs, and for RM, CM, S and OD an order of the points.
    """
    if given is None or given == "":
        return frozenset()
    if isinstance(given, str):
        wanted: list[Any] = [part.strip() for part in given.split(",")]
    elif isinstance(given, Iterable):
        wanted = list(given)
    else:
        raise ParameterError("properties must be codes such as {'CM', 'WH'}, or 'all'.")
    by_word = {word: code for code, word in WORDS.items()}
    codes: set[str] = set()
    for one in wanted:
        text = str(one).strip()
        if text.lower() == "all":
            codes |= {code for code in PAPER if space.ordered or code not in _NEED_ORDER}
            continue
        code = text.upper() if text.upper() in WORDS else by_word.get(text.lower())
        if code is None:
            known = ", ".join(f"{code} ({word})" for code, word in WORDS.items())
            raise ParameterError(f"there is no property {one!r}; there are {known}, and 'all'.")
        codes.add(code)
    if codes and outputs != space:
        raise ParameterError("structural properties need outputs that are the same as the inputs.")
    unordered = codes & _NEED_ORDER
    if unordered and not space.ordered:
        raise ParameterError(
            f"{', '.join(sorted(unordered))} need points with an order, as counts have; {space!r} "
            "has none."
        )
    return frozenset(codes)
