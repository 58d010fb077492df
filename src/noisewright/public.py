"""Public functions and methods say which argument they could not use.

A call that fails with an error of Python's own, such as "'int' object has no attribute 'space'",
is looked at again: if an argument is not of the kind that the function declares, the error names
it. If all arguments fit, the error is ours and stays as it is.
"""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import islice
from numbers import Real
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from noisewright.errors import NoisewrightError, ParameterError
from noisewright.given import brief, whole_number

P = ParamSpec("P")
R = TypeVar("R")
Class = TypeVar("Class", bound=type)

_OF_PYTHON = (
    TypeError,
    AttributeError,
    LookupError,
    ValueError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
)
"""What Python and numpy raise about a value of the wrong kind, or about its missing text."""

_MOST_BITS = 1 << 17
"""No caller is given more bits: e^x takes half a minute with these."""

_NO_LEDGER = (
    "ledger= is missing: which budget pays for this privacy loss? Give a Ledger, its path or URL, "
    "such as ledger='budget.db' (nw.Ledger.create makes one), or ledger=None, which debits no "
    "budget, so that nothing limits further releases."
)

_LONGEST = 14_000
"""Whole numbers of more bits are none that anybody means: Python would not even write them out."""

_SOME = 1000
"""So many elements of a list are looked at."""

_WORDS = {
    "Number": "a number",
    "Epsilon": "an nw.accounting.Epsilon",
    "None": "None",
    "Space": "a space such as nw.Counts(8)",
    "Counts": "counts such as nw.Counts(8)",
    "Categories": "nw.Categories",
    "Interval": "an interval such as nw.Interval(0, 100, step=1)",
    "Dates": "dates such as nw.Dates('1920-01-01', '2026-12-31')",
    "Subsets": "nw.Subsets",
    "Curves": "nw.Curves",
    "Mechanism": "a mechanism such as nw.geometric(nw.Counts(8), epsilon=1)",
    "Table": "a mechanism with a table",
    "Design": "a design",
    "Designed": "a design",
    "Guarantee": "a guarantee such as nw.accounting.Guarantee(1)",
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
    """Let a function name the argument of a wrong kind on which it failed.

    Ensures: a precision, `bits`, is looked at before the call, since a large one never ends.
    """
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    place = names.index("bits") if "bits" in names else None

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if place is not None:
            bits = args[place] if place < len(args) else kwargs.get("bits", 0)
            whole_number(bits, name="bits", least=0, most=_MOST_BITS)
        try:
            return function(*args, **kwargs)
        except NoisewrightError:
            raise
        except _OF_PYTHON:
            words = _misfit(function, args, kwargs)
            if words is None:
                raise
        # Outside of the handler: the words of the other error may hold a private value.
        raise ParameterError(words)

    return call


def public_methods(cls: Class) -> Class:
    """Let the methods of a class name the argument of a wrong kind on which they failed."""
    for name, member in list(vars(cls).items()):
        made = name == "__init__" and isinstance(member, types.FunctionType)
        if name.startswith("_") and not (made and _requires_ledger(member)):
            continue
        if isinstance(member, types.FunctionType):
            setattr(cls, name, public(member))
        elif isinstance(member, classmethod | staticmethod):
            setattr(cls, name, type(member)(public(member.__func__)))
    return cls


def _lacks_ledger(signature: inspect.Signature, args: Any, kwargs: Any) -> bool:
    """Tell whether nothing but the ledger is missing, which nobody may leave out by mistake."""
    if "ledger" not in signature.parameters or "ledger" in kwargs:
        return False
    try:
        signature.bind(*args, **kwargs, ledger=None)
    except TypeError:
        return False
    return True


def _requires_ledger(member: types.FunctionType) -> bool:
    asked = inspect.signature(member).parameters.get("ledger")
    return asked is not None and asked.default is inspect.Parameter.empty


def _misfit(function: Callable[..., Any], args: Any, kwargs: Any) -> str | None:
    """Say which argument is not of the kind that is declared; None if all are, or nobody knows."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        if _lacks_ledger(signature, args, kwargs):
            return _NO_LEDGER
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
    if declared == "ArrayLike" or declared.startswith("NDArray"):
        return _is_array(value, declared)
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
    inner = get_args(kind)
    if origin is not None:
        kind = origin
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}
    if kind in (int, float):
        return _is_number(value, operator.index if kind is int else float)
    if not isinstance(kind, type) or _is_protocol(kind):
        return True
    # A text is a sequence of texts, and never what a list was asked for.
    listed = kind not in (str, bytes, object) and isinstance(value, (str, bytes))
    if not isinstance(value, kind) or listed:
        return False
    of_one_kind = len(inner) == 1 or (len(inner) == 2 and inner[1] is ...)
    return not (of_one_kind and issubclass(kind, Iterable)) or _holds(value, inner[0])


def _is_protocol(kind: type) -> bool:
    """Tell whether a class only describes what others have: few of them can be asked about."""
    return bool(getattr(kind, "_is_protocol", False))


def _holds(values: Any, kind: Any) -> bool:
    """Tell whether the first elements are of a kind; those of an iterator are gone by now."""
    try:
        elements = iter(values)
        return elements is values or all(_is(one, kind) for one in islice(elements, _SOME))
    except Exception:  # An array without dimensions, or what breaks off.
        return False


def _is_array(value: Any, declared: str) -> bool:
    import numpy as np

    if declared == "ArrayLike":
        try:
            return np.asarray(value, dtype=np.float64).size > 0
        except Exception:  # Texts, lists of different lengths, anything at all.
            return False
    of_numbers = declared == "NDArray[Any]" or getattr(value, "dtype", np.dtype("O")).kind in "iuf"
    return isinstance(value, np.ndarray) and value.ndim > 0 and of_numbers


def _is_number(value: Any, read: Callable[[Any], Any]) -> bool:
    if isinstance(value, bool) or (read is float and not isinstance(value, Real)):
        return False
    try:
        return abs(read(value)) < 1 << _LONGEST
    except Exception:  # An array of several, a number that no double holds, anything at all.
        return False


def _in_words(kinds: list[str]) -> str:
    listed = list(dict.fromkeys(_WORDS.get(kind, _other(kind)) for kind in kinds))
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"


def _other(kind: str) -> str:
    outer = kind.partition("[")[0]
    if outer in {"NDArray", "ArrayLike"}:
        return "an array of numbers"
    if outer in {"Iterable", "Sequence", "list", "tuple", "Collection"}:
        return "a list"
    if outer in {"Mapping", "dict"}:
        return "a mapping"
    if outer == "Literal":
        return kind.removeprefix("Literal[").removesuffix("]").replace(", ", " or ")
    return "a function" if outer in {"Callable", "Query"} else kind
