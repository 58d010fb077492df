"""Public functions say which argument they could not use.

A call that fails with an error of Python's own, such as "'int' object has no attribute 'space'",
is looked at again: if an argument is not of the kind that the function declares, the error names
it. If all arguments fit, the error is ours and stays as it is.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from noisewright.errors import NoisewrightError, ParameterError
from noisewright.given import brief

P = ParamSpec("P")
R = TypeVar("R")

_WORDS = {
    "Number": "a number",
    "Epsilon": "an nw.Epsilon",
    "None": "None",
    "Space": "a space such as nw.Counts(8)",
    "Counts": "counts such as nw.Counts(8)",
    "Categories": "nw.Categories",
    "Interval": "an interval such as nw.Interval(0, 100, step=1)",
    "Subsets": "nw.Subsets",
    "Curves": "nw.Curves",
    "Mechanism": "a mechanism such as nw.geometric(nw.Counts(8), epsilon=1)",
    "Table": "a mechanism with a table",
    "Design": "a design",
    "Designed": "a design",
    "Guarantee": "a guarantee such as nw.Guarantee(1)",
    "Part": "a mechanism or a guarantee",
    "Plan": "a plan",
    "Person": "an nw.Person",
    "Workload": "a workload",
    "Ledger": "a ledger",
    "Certificate": "a certificate",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "os.PathLike[str]": "a path",
}


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function name the argument of a wrong kind on which it failed."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except NoisewrightError:
            raise
        except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError) as problem:
            words = _misfit(function, args, kwargs)
            if words is None:
                raise
            raise ParameterError(words) from problem

    return called


def _misfit(function: Callable[..., Any], args: Any, kwargs: Any) -> str | None:
    """Say which argument is not of the kind that is declared; None if all are, or nobody knows."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # Python has said which argument is missing or unknown.
    for name, value in given.items():
        declared = signature.parameters[name].annotation
        several = signature.parameters[name].kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        )
        if several or not isinstance(declared, str):
            continue
        kinds = [part.strip() for part in _members(declared)]
        if not any(_fits(value, kind, function) for kind in kinds):
            shown = f"of type {type(value).__name__}"
            if isinstance(value, (str, int, float)):
                shown = brief(value)
            return f"{name} is {shown}; it must be {_in_words(kinds)}."
    return None


def _members(declared: str) -> list[str]:
    """Split a union at its outermost bars."""
    parts, depth = [""], 0
    for letter in declared:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _fits(value: Any, declared: str, function: Callable[..., Any]) -> bool:
    try:
        kind = eval(declared, getattr(function, "__globals__", {}))
    except Exception:  # A name that only type checkers know: nobody can tell.
        return True
    return _is(value, kind)


def _is(value: Any, kind: Any) -> bool:
    if kind is Any or isinstance(kind, TypeVar):
        return True
    if kind is None or kind is type(None):
        return value is None
    origin = get_origin(kind)
    if origin is Literal:
        return any(isinstance(value, str) and value == one for one in get_args(kind))
    if origin in (Union, types.UnionType):
        return any(_is(value, one) for one in get_args(kind))
    if origin is not None:
        kind = origin
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}
    if kind in (int, float):
        return hasattr(value, "__float__") and not isinstance(value, (bool, type))
    if not isinstance(kind, type):
        return True
    # A text is a sequence of texts, and never what a list was asked for.
    listed = kind not in (str, bytes, object) and isinstance(value, (str, bytes))
    return isinstance(value, kind) and not listed


def _in_words(kinds: list[str]) -> str:
    listed = list(dict.fromkeys(_WORDS.get(kind, _other(kind)) for kind in kinds))
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"


def _other(kind: str) -> str:
    outer = kind.partition("[")[0]
    if outer in {"Iterable", "Sequence", "list", "tuple", "Collection"}:
        return "a list"
    if outer in {"Mapping", "dict"}:
        return "a mapping"
    if outer == "Literal":
        return kind.removeprefix("Literal[").removesuffix("]").replace(", ", " or ")
    return "a function" if outer in {"Callable", "Query"} else kind
