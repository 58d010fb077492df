"""JSON and TOML from outside, whose numbers are read exactly, or refused before they cost anything.

A few characters are enough for a number that no computer can write out: 1e999999999. Nothing that
comes from a file, or from a text that somebody was sent, is parsed in any other place than here, in
`exactly` and in the stand-alone checkers, which read no exponents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError, ParameterError
from noisewright.exact.rationals import exactly, short

_MANY_DOTS = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
"""A key of this many parts; each part takes the parser of Python longer than the one before."""


def parse_toml(text: str, *, what: str, exact: bool = True) -> dict[str, Any]:
    """Return what a TOML text says; decimals as fractions, or as doubles where `exact` is False.

    Ensures: InputError, naming `what`, for what is no TOML, for numbers that are too long, and for
    what is nested too deeply; no text takes longer than its length explains.
    """
    import tomllib

    if _MANY_DOTS.search(text):
        raise InputError(f"{what} has a key of more than 100 parts, joined by dots.")
    try:
        document = tomllib.loads(text.removeprefix("\ufeff"), parse_float=_decimal(exact))
    except ParameterError as problem:
        raise InputError(f"{what}: {problem}") from problem
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"{what} is not TOML: {problem}.") from problem
    except ValueError as problem:
        raise InputError(f"{what} has a number of more than 4,300 digits.") from problem
    except RecursionError as problem:
        raise InputError(f"{what} is nested too deeply.") from problem
    _require_short(document, what)
    return document


def parse_json(text: str | bytes, *, what: str, exact: bool = False) -> Any:
    """Return what a JSON text says; decimals as doubles, or as fractions where `exact` is True.

    Ensures: InputError, naming `what`, for what is no JSON in UTF-8, for numbers that are too
    long, and for what is nested too deeply.
    """
    import json

    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text.removeprefix("\ufeff"), parse_float=_decimal(exact))
    except UnicodeDecodeError:
        reason = f"{what} is not UTF-8 text."
    except ParameterError as problem:
        reason = f"{what}: {problem}"
    except json.JSONDecodeError as problem:
        place = f"line {problem.lineno}, column {problem.colno}"
        reason = f"{what} is not JSON: {problem.msg} at {place}."
    except ValueError:
        reason = f"{what} has a number of more than 4,300 digits."
    except RecursionError:
        reason = f"{what} is nested too deeply."
    # Outside of the handlers, whose errors hold the whole text.
    raise InputError(reason)


def _decimal(exact: bool) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        plain = text.replace("_", "")
        if not math.isfinite(near := float(plain)) and (not exact or "n" in plain):
            raise ParameterError(f"a number is {near}, which is not finite.")
        return exactly(plain, name="a number") if exact else near

    return read


def _require_short(document: Any, what: str) -> None:
    """Refuse the long integers that TOML has in other bases than ten."""
    left = [document]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
        elif isinstance(value, int) and value.bit_length() > 64:
            try:
                short(Fraction(value), "a number")
            except ParameterError as problem:
                raise InputError(f"{what}: {problem}") from problem
