"""No error holds a private value: not in its words, nor in an error that it came from."""

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import NoisewrightError

TEXT = "SECRETIVE"
WHOLE = 987_654_321
NUMBER = 98765.4321
MARKS = (TEXT, str(WHOLE), f"{WHOLE:,}", "98765")

SPACES: dict[str, Any] = {
    "categories": nw.Categories(["x", "y"]),
    "numbers as labels": nw.Categories([1, 2, 2.5]),
    "counts": nw.Counts(5),
    "interval": nw.Interval(0, 4, step=1),
    "subsets": nw.Subsets(["a", "b"]),
    "curves": nw.Curves([0, 1], low=0, high=2, step=1),
    "records": nw.Records({"a": nw.Categories(["x"]), "b": nw.Counts(3)}),
    "rows": nw.Counts(3),
}
VALUES: tuple[Any, ...] = (
    TEXT,
    WHOLE,
    NUMBER,
    Decimal("98765.4321"),
    [TEXT],
    [WHOLE, WHOLE],
    [NUMBER, TEXT],
    {"a": TEXT, "b": WHOLE},
    {TEXT},
    [None, TEXT],
)


def held(problem: BaseException | None, seen: set[int] | None = None) -> Iterator[str]:
    """Yield all that an error, and those that it came from, hold: words, arguments, notes, more."""
    seen = set() if seen is None else seen
    if problem is None or id(problem) in seen:
        return
    seen.add(id(problem))
    yield str(problem)
    yield repr(problem.args)
    yield repr(getattr(problem, "__notes__", ()))
    yield repr(vars(problem))
    yield repr(getattr(problem, "object", ""))
    yield from held(problem.__context__, seen)
    yield from held(problem.__cause__, seen)
    if isinstance(problem, BaseExceptionGroup):
        for inner in problem.exceptions:
            yield from held(inner, seen)


def forms(value: Any) -> Iterator[Any]:
    """Yield columns of one value, as they may come."""
    yield [value]
    yield (value,)
    for make in (np.array, pd.Series, pa.array):
        try:
            yield make([value])
        except (TypeError, ValueError, pa.ArrowException):
            continue
    yield np.array([value], dtype=object)


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    mechanisms: dict[str, Any] = {
        "categories": nw.randomized_response(SPACES["categories"], epsilon=1),
        "numbers as labels": nw.randomized_response(SPACES["numbers as labels"], epsilon=1),
        "counts": nw.geometric(SPACES["counts"], epsilon=1),
        "interval": nw.laplace(SPACES["interval"], epsilon=1),
        "subsets": nw.per_item(SPACES["subsets"], epsilon=1),
        "records": nw.combine.product({n: nw.uniform(s) for n, s in SPACES["records"].columns}),
        "rows": nw.geometric(SPACES["counts"], epsilon=1) ** 2,
    }
    for value in VALUES:
        for name, space in SPACES.items():
            yield f"{name}.code", lambda s=space, v=value: s.code(v)
        for name, mechanism in mechanisms.items():
            yield f"{name}.sample one", lambda m=mechanism, v=value: m.sample(v)
            for given in forms(value):
                yield f"{name}.sample", lambda m=mechanism, g=given: m.sample(g)
                yield f"{name}.estimate", lambda m=mechanism, g=given: nw.estimate(g, m)
        for given in forms(value):
            curves = SPACES["curves"]
            yield "curves.read", lambda c=curves, g=given: c.read(g)
            yield "median", lambda g=given: nw.select.private_median(g, nw.Counts(5), epsilon=1)
            yield "quality", lambda g=given: nw.exponential([1], g, sensitivity=1, epsilon=1)
            yield "table", lambda g=given: released({"a": g})


def released(data: Any) -> Any:
    plans = (["x", "y"], nw.Counts(5), nw.Interval(0, 4, step=1), nw.Subsets(["a", "b"]))
    failed: NoisewrightError | None = None
    for space in plans:
        plan = nw.Plan({"a": nw.Column(space)}, epsilon=1)
        try:
            nw.release(pd.DataFrame(data), plan, ledger=None)
        except NoisewrightError as problem:
            marked = [text for text in held(problem) if any(mark in text for mark in MARKS)]
            if marked:
                failed = problem
    if failed is not None:
        raise failed


def test_no_error_holds_a_private_value() -> None:
    wrong, tried = [], 0
    for name, call in calls():
        try:
            call()
        except NoisewrightError as problem:
            tried += 1
            texts = list(held(problem))
        except Exception:  # what was no input at all is the matter of other tests
            continue
        else:
            continue
        wrong += [f"{name}: {text[:150]}" for text in texts if any(m in text for m in MARKS)][:1]
    assert tried > 400
    assert sorted(set(wrong)) == []


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("space", [["x", "y"], nw.Counts(5), nw.Interval(0, 4, step=1)], ids=str)
def test_no_error_about_a_file_holds_a_private_value(
    suffix: str, space: Any, tmp_path: Path
) -> None:
    path = tmp_path / f"d.{suffix}"
    for cells in ([TEXT], [WHOLE], [NUMBER], [math.inf, WHOLE]):
        table = pa.table({"a": cells})
        if suffix == "csv":
            path.write_text("a\n" + "".join(f"{cell}\n" for cell in cells), encoding="utf-8")
        elif suffix == "parquet":
            pq.write_table(table, path)
        else:
            import pyarrow.feather as feather

            feather.write_feather(table, str(path))
        plan = nw.Plan({"a": nw.Column(space)}, epsilon=1)
        with pytest.raises(NoisewrightError) as caught:
            nw.release(path, plan, ledger=None)
        texts = list(held(caught.value))
        assert not [text for text in texts if any(mark in text for mark in MARKS)]
