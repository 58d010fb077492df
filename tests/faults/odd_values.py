"""Values that nobody means: what a function may be given by a slip, a null or a wrong order."""

import io
import itertools
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import noisewright as nw


class OwnError(Exception):
    """What the caller's own object raises: it is the caller's to see, and passes through."""


class Sized:
    """Has a length that is none."""

    def __len__(self) -> int:
        raise OwnError("no length")


class Looped:
    """Breaks off while it is looked through."""

    def __iter__(self) -> Iterator[Any]:
        yield 1
        raise OwnError("no more")


class Unshown:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Unequal:
    """Cannot be compared, hashed or taken for true."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise OwnError("no comparison")

    def __bool__(self) -> bool:
        raise OwnError("no truth")


def _ones() -> Iterator[int]:
    yield from (1, 1)


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "-1": lambda: -1,
    "3": lambda: 3,
    "10**9": lambda: 10**9,
    "10**30": lambda: 10**30,
    "-10**30": lambda: -(10**30),
    "2**63": lambda: 2**63,
    "10**5000": lambda: 10**5000,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "-0.0": lambda: -0.0,
    "1j": lambda: 1j,
    "Fraction": lambda: Fraction(1, 3),
    "long Fraction": lambda: Fraction(10**3000 + 1, 10**3000),
    "Decimal": lambda: Decimal("0.1"),
    "Decimal nan": lambda: Decimal("sNaN"),
    "empty text": str,
    "text": lambda: "x",
    "number as text": lambda: "1/3",
    "large exponent": lambda: "1e999999999",
    "a zero byte": lambda: "a\0b",
    "lone surrogate": lambda: "\udcff",
    "bytes": lambda: b"x",
    "empty list": list,
    "list of None": lambda: [None],
    "list": lambda: [1, 2],
    "nested list": lambda: [[1, 2], [3]],
    "list of texts": lambda: ["a", "b"],
    "long list": lambda: [0] * 1000,
    "tuple": lambda: (1, 2),
    "dict": lambda: {"a": 1},
    "empty dict": dict,
    "set": lambda: {1, 2},
    "frozenset": lambda: frozenset({"a"}),
    "range": lambda: range(3),
    "generator": _ones,
    "itertools": lambda: itertools.repeat(1, 2),
    "np nan": lambda: np.float64("nan"),
    "np int": lambda: np.int64(3),
    "np bool": lambda: np.bool_(True),
    "np text": lambda: np.str_("x"),
    "np date": lambda: np.datetime64("2020-01-01"),
    "np empty": lambda: np.array([]),
    "np 0d": lambda: np.array(3.0),
    "np 1d": lambda: np.array([1.0, float("nan")]),
    "np 2d": lambda: np.eye(2),
    "np 3d": lambda: np.zeros((1, 1, 1)),
    "np objects": lambda: np.array([None, "a"], dtype=object),
    "Series": lambda: pd.Series([1, None]),
    "DataFrame": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
    "Arrow array": lambda: pa.array([1, None]),
    "Arrow table": lambda: pa.table({"a": [1, 2]}),
    "date": lambda: date(2020, 1, 1),
    "path": lambda: Path("/nowhere/at all"),
    "folder": lambda: Path("/"),
    "file": lambda: io.BytesIO(b"x"),
    "object": object,
    "class": lambda: Sized,
    "function": lambda: lambda *_: None,
    "module": lambda: io,
    "no length": Sized,
    "breaks off": Looped,
    "no text": Unshown,
    "no comparison": Unequal,
    "Counts": lambda: nw.Counts(3),
    "Categories": lambda: nw.Categories(["a", "b"]),
    "Interval": lambda: nw.Interval(0, 1, step="1/4"),
    "huge space": lambda: nw.Counts(10**12),
    "Subsets": lambda: nw.Subsets(["a", "b"]),
    "Records": lambda: nw.Records(a=nw.Counts(1)),
    "Curves": lambda: nw.Curves([0, 1], low=0, high=1),
    "Rows": lambda: nw.Counts(1) ** 2,
    "by distance": lambda: nw.Counts(3, neighbors="metric"),
    "table": lambda: nw.geometric(nw.Counts(2), epsilon=1),
    "formula": lambda: nw.geometric(nw.Counts(2), epsilon=1, table=False),
    "response": lambda: nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1, table=False),
    "additive": lambda: nw.laplace(nw.Interval(0, 1, step="1/4"), epsilon=1),
    "rows": lambda: nw.geometric(nw.Counts(2), epsilon=1) ** 2,
    "columns": lambda: nw.combine.product(a=nw.geometric(nw.Counts(2), epsilon=1)),
    "person": lambda: nw.combine.per_person(nw.geometric(nw.Counts(2), epsilon=1), rows=2),
    "sets": lambda: nw.per_item(nw.Subsets(["a", "b"]), epsilon=1),
    "curves": lambda: nw.curves.curve_noise(nw.Curves([0, 1], low=0, high=1), epsilon=1),
    "Epsilon": lambda: nw.accounting.Epsilon.of(1),
    "Guarantee": lambda: nw.accounting.Guarantee(1),
    "selection": lambda: nw.exponential(["a", "b"], [1, 2], sensitivity=1, epsilon=1),
    "SeededSource": lambda: nw.randomness.SeededSource(1),
}
