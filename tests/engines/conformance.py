"""What every engine promises: the same tests run against each of them.

An engine is a function from a table and a plan to the released table. A test module of an engine
defines a fixture `engine` that returns an `Engine`, and imports everything from here. What an
engine's tables cannot hold is declared there, not skipped here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError, OutsideSpaceError
from tests.distributions.alarm import Alarm

CERTAIN = 400
"""At this ε for each column nothing is ever changed: what leaves is what came."""


@dataclass(frozen=True)
class Engine:
    """`run(table, plan)` releases a table; `holds` says which Arrow types its tables know.

    `knows_rows` says whether errors name the row of the table, and not only its column.
    """

    run: Callable[[pa.Table, nw.Plan], pa.Table]
    holds: Callable[[pa.DataType], bool] = field(default=lambda kind: True)
    knows_rows: bool = True

    def held(self, kinds: Iterable[pa.DataType]) -> list[pa.DataType]:
        return [kind for kind in kinds if self.holds(kind)]


def certain(**columns: Any) -> nw.Plan:
    """A plan that changes nothing: so much ε that a change is less likely than e^-380."""
    private = sum(isinstance(column, nw.Column) for column in columns.values())
    return nw.Plan(columns, epsilon=CERTAIN * private)


def number(space: Any, **settings: Any) -> nw.Column:
    """A column of numbers that are kept or replaced, and not moved by noise."""
    return nw.Column(space, mechanism="response", **settings)


def labels(n: int) -> list[str]:
    return [f"label {i}" for i in range(n)]


# Types


def test_texts_keep_their_type_and_their_values(engine: Engine) -> None:
    values = ["red", "blue", "green", "blue"]
    plan = certain(color=nw.Column(["green", "blue", "red"]))
    for kind in engine.held([pa.string(), pa.large_string()]):
        released = engine.run(pa.table({"color": pa.array(values, kind)}), plan)
        assert released.schema.field("color").type == kind
        assert sorted(released["color"].to_pylist()) == sorted(values)


def test_a_dictionary_has_the_declared_labels_in_their_order(engine: Engine) -> None:
    """Whatever the labels of the input are, how many, in which order, used or not."""
    for kind in engine.held([pa.dictionary(pa.int8(), pa.string())]):
        given = pa.DictionaryArray.from_arrays(
            pa.array([0, 2, 0], kind.index_type), pa.array(["red", "secret", "blue"])
        )
        plan = certain(color=nw.Column(["green", "blue", "red"]))
        released = engine.run(pa.table({"color": given}), plan)["color"]
        assert released.type == pa.dictionary(pa.int32(), pa.string())
        for chunk in released.chunks:
            assert chunk.dictionary.to_pylist() == ["green", "blue", "red"]
        assert sorted(released.to_pylist()) == ["blue", "red", "red"]


def test_whole_numbers_keep_their_width_if_it_holds_every_output(engine: Engine) -> None:
    plan = certain(age=number(nw.Counts(120)), year=number(nw.Interval(0, 2100, step=1)))
    kinds = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]
    for kind in engine.held(kinds):
        table = pa.table({"age": pa.array([0, 7, 120], kind), "year": pa.array([0, 7, 120], kind)})
        released = engine.run(table, plan)
        assert released.schema.field("age").type == kind
        assert released.schema.field("year").type == (kind if kind.bit_width > 8 else pa.int64())
        assert sorted(released["year"].to_pylist()) == [0, 7, 120]


def test_one_number_too_large_for_a_sign_does_not_change_the_type(engine: Engine) -> None:
    plan = certain(age=number(nw.Counts(120), outside="clamp"))
    for kind in engine.held([pa.uint64(), pa.int64()]):
        released = engine.run(pa.table({"age": pa.array([0, 7, 120], kind)}), plan)
        assert released.schema.types == [pa.int64()]
    if engine.held([pa.uint64()]):
        released = engine.run(pa.table({"age": pa.array([0, 7, 2**63], pa.uint64())}), plan)
        assert released.schema.types == [pa.int64()]
        assert sorted(released["age"].to_pylist()) == [0, 7, 120]


def test_a_missing_number_does_not_change_the_type(engine: Engine) -> None:
    """Libraries that know no missing whole numbers hold them as doubles when one is missing."""
    plan = certain(
        age=number(nw.Counts(120), null=0),
        year=number(nw.Interval(0, 2100, step=1), null=0),
        code=nw.Column([1, 2], null=1),
    )
    for values in ([1, 2], [1.0, None]):
        table = pa.table({name: pa.array(values) for name in ("age", "year", "code")})
        assert engine.run(table, plan).schema.types == [pa.int64()] * 3


def test_numbers_come_back_as_doubles_and_booleans_as_booleans(engine: Engine) -> None:
    plan = certain(weight=number(nw.Interval(-1, 1, step=0.1)), member=nw.Column([True, False]))
    table = pa.table({"weight": [0.3, -1.0, 1.0], "member": [True, False, True]})
    released = engine.run(table, plan)
    assert released.schema.types == [pa.float64(), pa.bool_()]
    assert sorted(released["weight"].to_pylist()) == [-1.0, 0.3, 1.0]
    assert sorted(released["member"].to_pylist()) == [False, True, True]


def test_whole_number_labels_may_be_anything(engine: Engine) -> None:
    plan = certain(near=nw.Column([3, -7, 40]), far=nw.Column([1 << 40, -5, 0]))
    table = pa.table({"near": [40, -7, 3], "far": [0, 1 << 40, -5]})
    assert engine.run(table, plan).sort_by("near").to_pydict() == {
        "near": [-7, 3, 40],
        "far": [1 << 40, -5, 0],
    }


def test_sets_are_lists_of_declared_items_in_declared_order(engine: Engine) -> None:
    plan = certain(likes=nw.Column(nw.Subsets(["tv", "cars", "tea"])), who=number(nw.Counts(9)))
    given = [["tea", "tv"], [], ["cars"], ["tea", "tea", "cars", "tv"]]
    for kind in engine.held([pa.list_(pa.string()), pa.large_list(pa.string())]):
        table = pa.table({"who": [0, 1, 2, 3], "likes": pa.array(given, kind)})
        released = engine.run(table, plan).sort_by("who")
        assert released.schema.field("likes").type == kind
        assert released["likes"].to_pylist() == [["tv", "tea"], [], ["cars"], ["tv", "cars", "tea"]]


def test_curves_are_lists_of_doubles(engine: Engine) -> None:
    """At a huge ε the noise is far below the step, to which curves are rounded first."""
    space = nw.Curves(range(4), low=0, high=10, step=1)
    plan = nw.Plan({"day": nw.Column(space, null=[0] * 4, outside="clamp")}, epsilon=10**9)
    given = [[1.2, 2.0, 30.0, -4.0], None, [5.0, 5.0, 5.0, 5.0]]
    for kind in engine.held([pa.list_(pa.float64()), pa.large_list(pa.float32())]):
        released = engine.run(pa.table({"day": pa.array(given, kind)}), plan)["day"]
        assert released.type.value_type == pa.float64()
        values = np.array(sorted(released.to_pylist()))
        assert np.abs(values - [[0, 0, 0, 0], [1, 2, 10, 0], [5, 5, 5, 5]]).max() < 0.5


# Empty and undeclared cells


def test_empty_cells_count_as_what_the_plan_says(engine: Engine) -> None:
    plan = certain(
        who=number(nw.Counts(9)),
        job=nw.Column(["cook"], null="unknown"),
        age=number(nw.Counts(120), null=99),
        weight=number(nw.Interval(0, 100, step=0.5), null=50),
        member=nw.Column([True, False], null=False),
        likes=nw.Column(nw.Subsets(["tv", "tea"]), null=("tv",)),
    )
    table = pa.table(
        {
            "who": [0, 1, 2],
            "job": ["cook", None, "cook"],
            "age": [5, None, 6],
            "weight": [1.5, None, float("nan")],
            "member": [True, None, True],
            "likes": [["tea"], None, []],
        }
    )
    assert engine.run(table, plan).sort_by("who").to_pydict() == {
        "who": [0, 1, 2],
        "job": ["cook", "unknown", "cook"],
        "age": [5, 99, 6],
        "weight": [1.5, 50.0, 50.0],
        "member": [True, False, True],
        "likes": [["tea"], ["tv"], []],
    }


def test_undeclared_labels_count_as_what_the_plan_says(engine: Engine) -> None:
    plan = certain(job=nw.Column(["cook"], other="another"), code=nw.Column([1, 2], other=2))
    table = pa.table({"job": ["cook", "spy", "thief"], "code": [1, 77, -5]})
    released = engine.run(table, plan)
    assert sorted(released["job"].to_pylist()) == ["another", "another", "cook"]
    assert sorted(released["code"].to_pylist()) == [1, 2, 2]


def test_numbers_are_clamped_and_rounded_only_if_the_plan_says_so(engine: Engine) -> None:
    plan = certain(
        age=number(nw.Counts(100), outside="clamp"),
        weight=number(nw.Interval(0, 10, step=0.5), outside="clamp", off_grid="round"),
    )
    table = pa.table({"age": [-3, 50, 1000], "weight": [-8.0, 3.3, 99.0]})
    released = engine.run(table, plan).sort_by("age")
    assert released.to_pydict() == {"age": [0, 50, 100], "weight": [0.0, 3.5, 10.0]}


SPACES: dict[str, tuple[nw.Column, Any, Any]] = {
    "label": (nw.Column(["a", "b"]), "a", "SECRET"),
    "empty label": (nw.Column(["a", "b"]), "a", None),
    "whole number label": (nw.Column([1, 2]), 1, 31415926),
    "count": (nw.Column(nw.Counts(9)), 1, 31415926),
    "negative count": (nw.Column(nw.Counts(9)), 1, -31415926),
    "number": (nw.Column(nw.Interval(0, 1, step=0.5)), 0.5, 31415926.0),
    "number off the grid": (nw.Column(nw.Interval(0, 1, step=0.5)), 0.5, 0.31415926),
    "no number": (nw.Column(nw.Interval(0, 1, step=0.5)), 0.5, float("nan")),
    "item": (nw.Column(nw.Subsets(["a", "b"])), ["a"], ["b", "SECRET"]),
    "too many items": (nw.Column(nw.Subsets(["a", "b", "c"], largest=1)), ["a"], ["a", "b"]),
}


@pytest.mark.parametrize("case", SPACES)
def test_a_cell_that_is_not_allowed_is_named_and_not_shown(engine: Engine, case: str) -> None:
    column, good, bad = SPACES[case]
    values = [good] * 40
    values[16] = bad
    table = pa.table({"other": [0] * 40, "cell": values})
    plan = nw.Plan({"other": nw.Column(nw.Counts(1)), "cell": column}, epsilon=1)
    with pytest.raises(OutsideSpaceError) as problem:
        engine.run(table, plan)
    message = str(problem.value)
    assert "'cell'" in message
    if engine.knows_rows:
        assert "row 17" in message
    for secret in ("SECRET", "31415926"):
        assert secret not in message
        assert secret not in str(problem.value.__context__)
        assert secret not in str(problem.value.__cause__)


# Columns


def test_only_what_the_plan_says_leaves(engine: Engine) -> None:
    plan = nw.Plan(
        {"name": "drop", "city": "public", "age": number(nw.Counts(99))}, epsilon=CERTAIN
    )
    table = pa.table({"city": ["x", "y"], "name": ["Ann", "Bob"], "age": [40, 50]})
    released = engine.run(table, plan)
    assert released.column_names == ["city", "age"]
    assert released.sort_by("age").to_pydict() == {"city": ["x", "y"], "age": [40, 50]}


def test_columns_that_the_plan_does_not_name_are_refused_or_dropped(engine: Engine) -> None:
    table = pa.table({"age": [4], "diagnosis": ["SECRET"]})
    columns = {"age": nw.Column(nw.Counts(9))}
    with pytest.raises(InputError, match="'diagnosis'"):
        engine.run(table, nw.Plan(columns, epsilon=1))
    assert engine.run(table, nw.Plan(columns, epsilon=1, others="drop")).column_names == ["age"]


def test_a_missing_column_is_named(engine: Engine) -> None:
    with pytest.raises(InputError, match="'age'"):
        engine.run(pa.table({"height": [1]}), nw.Plan({"age": nw.Column(nw.Counts(9))}, epsilon=1))


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(nw.Column(nw.Counts(9)), id="counts"),
        pytest.param(nw.Column([1, 2]), id="numbers as labels"),
        pytest.param(nw.Column([True, False]), id="booleans"),
        pytest.param(nw.Column(nw.Interval(0, 1, step=1)), id="numbers"),
        pytest.param(nw.Column(nw.Subsets(["a"])), id="sets"),
    ],
)
def test_a_column_of_the_wrong_type_is_named_with_its_type(
    engine: Engine, column: nw.Column
) -> None:
    with pytest.raises(InputError, match="'cell' has the type string") as problem:
        engine.run(pa.table({"cell": ["SECRET"]}), nw.Plan({"cell": column}, epsilon=1))
    assert "SECRET" not in str(problem.value)


def test_columns_may_be_randomized_together(engine: Engine) -> None:
    plan = nw.Plan(
        {
            "sex": nw.Column(["f", "m"]),
            "age": nw.Column(nw.Counts(9)),
            "job": nw.Column(["cook", "none"], null="none"),
        },
        epsilon=CERTAIN,
        together=[("job", "sex")],
    )
    table = pa.table({"age": [0, 1, 2, 3], "sex": ["m", "f", "f", "m"], "job": [None, "cook"] * 2})
    assert engine.run(table, plan).sort_by("age").to_pydict() == {
        "age": [0, 1, 2, 3],
        "sex": ["m", "f", "f", "m"],
        "job": ["none", "cook", "none", "cook"],
    }


# People


def rows_of(people: list[int]) -> pa.Table:
    """A table in which row i belongs to people[i] and says so in public."""
    names = [f"person {who}" for who in people]
    return pa.table(
        {"id": names, "who": people, "n": list(range(len(people))), "x": [1] * len(people)}
    )


@pytest.mark.parametrize("keep", ["first", "random"])
def test_no_person_has_more_rows_than_the_plan_says(engine: Engine, keep: str) -> None:
    people = [0] * 5 + [1] * 3 + [2] + [0, 1, 3, 3] * 3
    plan = nw.Plan(
        {"who": "public", "n": "public", "x": nw.Column(nw.Counts(9))},
        epsilon=1,
        person=nw.Person("id", rows=3, keep=keep),
    )
    released = engine.run(rows_of(people), plan)
    assert released.column_names == ["who", "n", "x"]
    counts = {who: released["who"].to_pylist().count(who) for who in range(4)}
    assert counts == {0: 3, 1: 3, 2: 1, 3: 3}
    assert len(set(released["n"].to_pylist())) == released.num_rows
    if keep == "first":
        assert sorted(released["n"].to_pylist()) == [0, 1, 2, 5, 6, 7, 8, 11, 12, 15]


def test_a_row_without_a_person_is_refused(engine: Engine) -> None:
    plan = nw.Plan(
        {"x": nw.Column(nw.Counts(9))}, epsilon=1, person=nw.Person("id", rows=1, keep="first")
    )
    table = pa.table({"id": pa.array([7, None, 8]), "x": [1, 1, 1]})
    with pytest.raises(NoisewrightError, match="'id'"):
        engine.run(table, plan)


def test_which_rows_of_a_person_are_kept_is_uniform(engine: Engine) -> None:
    """2 of 5 rows, for 4,000 people; each of 10 pairs within 6.5 deviations (rate 1e-9)."""
    people = [who for _ in range(5) for who in range(4000)]
    table = pa.table({"id": people, "n": [i // 4000 for i in range(20000)], "x": [0] * 20000})
    plan = nw.Plan(
        {"id": "drop", "n": nw.Column(nw.Counts(4)), "x": nw.Column(nw.Counts(1))},
        epsilon=2 * 2 * CERTAIN,
        person=nw.Person("id", rows=2, keep="random"),
    )
    counts = np.bincount(engine.run(table, plan)["n"].to_numpy(), minlength=5)
    assert counts.sum() == 8000
    # Each place is kept with probability 2/5.
    assert (np.abs(counts - 1600) < 6.5 * np.sqrt(4000 * 0.4 * 0.6)).all()


# Order


def test_rows_stay_in_order_or_are_shuffled(engine: Engine) -> None:
    columns: dict[str, Any] = {"n": "public", "x": nw.Column(nw.Counts(3))}
    table = pa.table({"n": list(range(1000)), "x": [0] * 1000})
    kept = engine.run(table, nw.Plan(columns, epsilon=1))
    assert kept["n"].to_pylist() == list(range(1000))
    shuffled = engine.run(table, nw.Plan(columns, epsilon=1, order="shuffled"))["n"].to_pylist()
    assert sorted(shuffled) == list(range(1000))
    # Of 1,000 numbers in random order, more than 40 are fixed with probability below 1e-40.
    assert sum(place == number for place, number in enumerate(shuffled)) < 40


# What must not leave


def test_nothing_of_the_input_but_its_rows_leaves(engine: Engine) -> None:
    """No metadata, and pieces of the output are not those of the input."""
    secret = {b"SECRET": b"SECRET"}
    schema = pa.schema([pa.field("x", pa.int64(), metadata=secret)], metadata=secret)
    pieces = [pa.table({"x": [1] * n}).cast(schema) for n in (3, 1, 4, 1, 5)]
    plan = nw.Plan({"x": nw.Column(nw.Counts(9))}, epsilon=1)
    released = engine.run(pa.concat_tables(pieces), plan)
    assert released.num_rows == 14
    assert b"SECRET" not in released.schema.serialize().to_pybytes()
    other = engine.run(pa.concat_tables(pieces).combine_chunks(), plan)
    assert _pieces(released) == _pieces(other)


def _pieces(table: pa.Table) -> list[int]:
    return [len(chunk) for chunk in table.column(0).chunks]


# Distribution


def _frequencies(values: list[Any], outputs: list[Any]) -> list[int]:
    return [values.count(output) for output in outputs]


def judge(engine: Engine, column: Callable[[float], nw.Column], cell: Any, rows: int) -> None:
    """Release one cell many times: the mechanism's exact row fits, that of other ε does not.

    A false alarm has probability 1e-12 (see tests/distributions/alarm.py).
    """
    laws: list[list[float]] = []
    for epsilon in (1.0, 1.2, 0.8):
        part = nw.Plan({"x": column(epsilon)}).parts[0]
        outputs = list(part.mechanism.outputs.points)
        row: list[Fraction] = [
            part.mechanism.table().probability(cell, output) for output in outputs
        ]
        laws.append([float(p) for p in row])
    plan = nw.Plan({"x": column(1.0)})
    outputs = list(plan.parts[0].mechanism.outputs.points)
    values = engine.run(pa.table({"x": [cell] * rows}), plan)["x"].to_pylist()
    counts = _frequencies(values, outputs)
    alarm = Alarm()
    assert alarm.accepts(counts, rows, laws[0]), "the true distribution was rejected"
    for wrong in laws[1:]:
        assert alarm.rejects(counts, rows, wrong), "a wrong epsilon was not noticed"


def test_labels_have_the_distribution_of_the_mechanism(engine: Engine) -> None:
    judge(engine, lambda e: nw.Column(labels(4), epsilon=e), "label 2", 60_000)


def test_counts_have_the_distribution_of_the_mechanism(engine: Engine) -> None:
    judge(engine, lambda e: nw.Column(nw.Counts(2), mechanism="geometric", epsilon=e), 1, 60_000)


def test_numbers_have_the_distribution_of_the_mechanism(engine: Engine) -> None:
    judge(engine, lambda e: nw.Column(nw.Interval(0, 2, step=0.5), epsilon=e), 0.5, 100_000)


def test_records_have_the_distribution_of_the_mechanism(engine: Engine) -> None:
    """Two columns together: the pair is kept or replaced as one."""
    columns = {"a": nw.Column(["x", "y"]), "b": nw.Column([0, 1, 2])}
    laws: list[list[float]] = []
    for epsilon in (1, 1.2, 0.8):
        part = nw.Plan(columns, epsilon=epsilon, together=[("a", "b")]).parts[0]
        table: Any = part.mechanism.table()
        laws.append([float(table.probability(("y", 1), pair)) for pair in part.space.points])
    plan = nw.Plan(columns, epsilon=1, together=[("a", "b")])
    rows = 80_000
    released = engine.run(pa.table({"b": [1] * rows, "a": ["y"] * rows}), plan).to_pydict()
    pairs = list(zip(released["a"], released["b"], strict=True))
    counts = _frequencies(pairs, list(plan.parts[0].space.points))
    alarm = Alarm()
    assert alarm.accepts(counts, rows, laws[0])
    assert alarm.rejects(counts, rows, laws[1])
    assert alarm.rejects(counts, rows, laws[2])


def test_items_have_the_distribution_of_the_mechanism(engine: Engine) -> None:
    def law(epsilon: float) -> list[float]:
        mechanism: Any = (
            nw.Plan({"x": nw.Column(nw.Subsets(["p", "q"]))}, epsilon=epsilon).parts[0].mechanism
        )
        return [float(mechanism.present), float(mechanism.absent)]

    rows = 80_000
    plan = nw.Plan({"x": nw.Column(nw.Subsets(["p", "q"]))}, epsilon=1)
    values = engine.run(pa.table({"x": [["p"]] * rows}), plan)["x"].to_pylist()
    counts = [sum(item in value for value in values) for item in ("p", "q")]
    alarm = Alarm()
    assert alarm.accepts(counts, rows, law(1))
    assert alarm.rejects(counts, rows, law(1.2))
    assert alarm.rejects(counts, rows, law(0.8))


def test_rows_are_drawn_independently(engine: Engine) -> None:
    """Two releases of one table, and two halves of one, agree as often as chance says."""
    rows = 40_000
    plan = nw.Plan({"x": nw.Column([0, 1])}, epsilon=1)
    table = pa.table({"x": [0] * rows})
    first = engine.run(table, plan)["x"].to_numpy()
    second = engine.run(table, plan)["x"].to_numpy()
    p = float(plan.parts[0].mechanism.table().probability(0, 0))
    same = p * p + (1 - p) * (1 - p)
    halves = (first[: rows // 2] == first[rows // 2 :]).mean()
    # Each within 7 deviations: a false alarm has probability below 1e-11.
    assert abs((first == second).mean() - same) < 7 * np.sqrt(same * (1 - same) / rows)
    assert abs(halves - same) < 7 * np.sqrt(2 * same * (1 - same) / rows)
