"""Synthetic tables: what they look like, what they say of themselves, what is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import (
    DataError,
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TargetError,
    TooLargeError,
)
from noisewright.releases.synthesis.declared import Columns
from noisewright.releases.synthesis.task import budget_for
from tests.releases.synthetic_people import DATA, IDS, METHODS, SPACES


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_the_table_has_the_types_and_labels_of_the_original(method: Any, delta: float) -> None:
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=2, delta=delta, method=method)
    table = made.table
    assert table.column_names == ["visits", "job", "age", "smokes"]
    assert [str(kind) for kind in table.schema.types] == ["uint8", "string", "int16", "bool"]
    assert table.schema.metadata is None
    assert table.num_rows == made.rows == made.people == DATA.num_rows
    assert set(table["job"].to_pylist()) <= {"clerk", "cook", "nurse", "not said", "another"}
    assert 18 <= min(table["age"].to_pylist()) <= max(table["age"].to_pylist()) <= 60
    assert made.is_private
    assert not made.is_accounted


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_what_the_steps_spend_adds_up_to_what_was_asked(method: Any, delta: float) -> None:
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=0.7, delta=delta, method=method)
    assert made.guarantee == nw.accounting.Guarantee(0.7, delta)
    total = sum((spend.amount for spend in made.spends), Fraction(0))
    assert total == made.spent.amount
    if delta:
        assert made.spent.unit == "rho"
        assert Fraction(nw.accounting.ZeroConcentrated(total).delta(0.7)) <= Fraction(delta)
    else:
        assert total == Fraction(0.7)
    costs = {f"counts of {one.name}": one.noise.amount for one in made.measurements}
    counted = {spend.what: spend.amount for spend in made.spends if "counts" in spend.what}
    assert costs == counted


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_it_answers_the_workload_far_better_than_columns_by_themselves(
    method: Any, delta: float
) -> None:
    """A fixed seed; independent columns have an L1 error of 0.4 on these data."""
    spaces = {name: SPACES[name] for name in ("job", "smokes", "visits")}
    made = nw.synthesize(
        DATA,
        spaces,
        ledger=None,
        epsilon=3,
        delta=delta,
        method=method,
        out=nw.planning.Output(evaluation=True),
        source=nw.randomness.SeededSource(11),
    )
    assert made.evaluation is not None
    assert made.evaluation.distance.l1 < 0.12
    assert made.workload_error is not None
    assert made.workload_error < 0.12
    assert 0.005 < made.expected_error < 0.2
    assert not made.is_private
    assert "NOT FOR RELEASE" in str(made.evaluation)
    assert "NOT PRIVATE" in repr(made)


def binary(columns: int) -> dict[str, Any]:
    return {f"c{place}": [False, True] for place in range(columns)}


@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_the_noise_is_that_of_the_smaller_expected_error(method: Any) -> None:
    """A δ must not make a table worse: with few steps geometric noise is better, and takes none."""
    units: list[str] = []
    for columns in (3, 12):
        spaces = binary(columns)
        rounds = 40 if columns == 12 and method == "mwem" else None
        how = nw.planning.Method(method, rows=10, rounds=rounds)
        options: Any = {"epsilon": 1, "method": how}
        table = pa.table({name: [False, True] * 1_000 for name in spaces})
        made = nw.synthesize(table, spaces, ledger=None, delta=1e-9, **options)
        known = nw.planning.predict_synthesis(spaces, people=2_000, delta=1e-9, **options)
        pure = nw.planning.predict_synthesis(spaces, people=2_000, **options)
        assert made.expected_error == known.expected <= pure.expected
        assert made.errors.remarks == known.remarks
        units.append(made.spent.unit)
        if made.spent.unit == "epsilon":
            assert made.guarantee == made.certificate.guarantee == nw.accounting.Guarantee(1)
            assert known.expected == pure.expected
            assert made.noise == "two-sided geometric"
            assert "delta=1e-9 would allow, is expected to make the errors" in made.notes[0]
        else:
            assert made.guarantee == made.certificate.guarantee == nw.accounting.Guarantee(1, 1e-9)
            assert made.noise == "rounded normal"
            assert known.remarks == ()
    assert units == ["epsilon", "rho"]


@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_a_table_that_says_nothing_is_called_so_before(method: Any) -> None:
    known = nw.planning.predict_synthesis(SPACES, people=4_000, epsilon=1e-12, method=method)
    assert any("will say nothing about the data" in words for words in known.remarks)
    assert "will say nothing about the data" in str(known)
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=1e-12, method=method)
    assert known.remarks[0] in made.notes
    assert made.workload_error is not None
    assert made.workload_error <= 2
    assert all(part.found is None or part.found <= 2 for part in made.errors.parts)
    assert (
        nw.planning.predict_synthesis(SPACES, people=4_000, epsilon=1, method=method).remarks == ()
    )


def test_that_no_marginal_of_three_columns_is_counted_is_said() -> None:
    columns = {name: list("abcdef") for name in "pqrs"}
    words = "None of the 4 marginals of three or more columns in the workload is counted together"
    few = nw.planning.predict_synthesis(columns, people=500, epsilon=0.1, workload=3)
    assert f"{words}: noise would drown such counts at this budget" in "\n".join(few.remarks)
    many = nw.planning.predict_synthesis(columns, people=10**6, epsilon=1, workload=3)
    assert not any("counted together" in one for one in many.remarks)
    pairs = nw.planning.predict_synthesis(columns, people=500, epsilon=0.1, workload=2)
    assert not any("counted together" in one for one in pairs.remarks)
    graph = nw.planning.predict_synthesis(
        columns,
        people=500,
        epsilon=0.1,
        workload=3,
        method=nw.planning.Method("mst", inference="graph"),
    )
    assert f"{words}: this way of fitting counts pairs at most" in "\n".join(graph.remarks)
    rows = [dict(zip("pqrs", "abcd", strict=True))] * 500
    made = nw.synthesize(rows, columns, epsilon=0.1, workload=3, ledger=None)
    assert sum(words in note for note in made.notes) == 1


def test_a_bound_that_promises_nothing_is_called_so_before() -> None:
    known = nw.planning.predict_synthesis(
        {"smokes": [True, False]}, people=30, epsilon=0.01, method="blr"
    )
    assert "No error is guaranteed" in known.remarks[0]
    many = nw.planning.predict_synthesis(
        {"smokes": [True, False]}, people=10**6, epsilon=1, method="blr"
    )
    assert many.expected < 1
    assert many.remarks == ()


def test_a_delta_that_is_large_for_so_many_people_is_said_before() -> None:
    spaces = binary(3)
    known = nw.planning.predict_synthesis(spaces, people=3_000, epsilon=1, delta=0.5)
    assert "delta=0.5 is large for 3,000 rows" in known.remarks[0]
    assert "1/3,000" in str(known)
    small = nw.planning.predict_synthesis(binary(20), people=3_000, epsilon=1, delta=1e-5)
    assert small.remarks == ()


def test_measurements_are_estimates_that_cover_the_truth() -> None:
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, source=nw.randomness.SeededSource(3))
    one = next(each for each in made.measurements if each.columns == ("smokes",))
    estimate = one.estimate
    true = sum(DATA["smokes"].to_pylist())
    low, high = estimate[True].interval
    assert low <= true <= high
    assert estimate[True].standard_error == one.deviation
    assert (estimate.about, estimate.people) == ("people", DATA.num_rows)
    ages = next(each for each in made.measurements if each.name == "age, point by point").estimate
    counts = np.bincount(np.clip(DATA["age"].to_numpy(), 18, 60) - 18, minlength=43)
    covered = np.mean((ages.lows <= counts) & (counts <= ages.highs))
    assert covered > 0.8


def test_rows_workload_and_rounds_are_as_asked() -> None:
    domain = nw.Records(smokes=nw.Categories([True, False]), visits=nw.Counts(5))
    wanted = nw.workloads.Workload.prefixes(domain, "visits") + nw.workloads.Workload.marginals(
        domain, ways=2
    )
    made = nw.synthesize(
        DATA,
        domain,
        ledger=None,
        epsilon=1,
        method=nw.planning.Method("mwem", rounds=3, rows=100),
        workload=wanted,
    )
    assert (made.rows, len(made.measurements), len(made.spends)) == (100, 3, 6)
    assert made.workload.queries == wanted.queries
    alone = nw.synthesize(
        DATA,
        domain,
        ledger=None,
        epsilon=1,
        workload=nw.workloads.Workload.prefixes(domain, "visits"),
    )
    assert [one.name for one in alone.measurements] == ["smokes", "visits"]


def test_a_workload_may_be_a_path_or_a_number_of_columns(tmp_path: Path) -> None:
    domain = nw.Records(smokes=nw.Categories([True, False]), visits=nw.Counts(5))
    wanted = nw.workloads.Workload.prefixes(domain, "visits") + nw.workloads.Workload.marginals(
        domain, ways=2
    )
    path = wanted.save(tmp_path / "queries.toml")
    for given in (path, str(path)):
        made = nw.synthesize(
            DATA, domain, ledger=None, epsilon=1, workload=given, method=nw.planning.Method(rows=10)
        )
        assert made.workload.parts == wanted.parts
    alone = nw.synthesize(
        DATA, domain, ledger=None, epsilon=1, workload=1, method=nw.planning.Method(rows=10)
    )
    assert alone.workload.groupings == (("smokes",), ("visits",))
    with pytest.raises(TargetError, match=r"queries\.toml"):
        nw.synthesize(
            DATA,
            domain,
            ledger=None,
            epsilon=1,
            workload=path,
            out=nw.planning.Output(path, overwrite=True),
        )
    both = nw.synthesize(
        DATA, domain, ledger=None, epsilon=1, workload=[1, 2], method=nw.planning.Method(rows=10)
    )
    assert both.workload.groupings == (("smokes",), ("visits",), ("smokes", "visits"))
    assert nw.planning.predict_synthesis(domain, people=5, epsilon=1, workload=[1, 2])
    for wrong in (3, True, 0, [2, 3], [], ["age"], {2: 1}):
        with pytest.raises(InputError, match=r"ways is|workload is a dict"):
            nw.synthesize(DATA, domain, ledger=None, epsilon=1, workload=wrong)  # type: ignore[arg-type]


def test_blr_is_one_choice() -> None:
    spaces = {"smokes": [True, False], "visits": nw.Column(nw.Counts(2), outside="clamp")}
    made = nw.synthesize(
        DATA, spaces, ledger=None, epsilon=1, method=nw.planning.Method("blr", rows=6)
    )
    assert (made.rows, made.measurements, made.workload_error) == (6, (), None)
    assert [spend.amount for spend in made.spends] == [1]
    with pytest.raises(ParameterError, match="not use a delta"):
        nw.synthesize(DATA, spaces, ledger=None, epsilon=1, delta=1e-6, method="blr")


def test_a_prediction_refuses_the_same_numbers_of_rows() -> None:
    for people, rows in ((10**13, None), (10, 10**13)):
        with pytest.raises(TooLargeError, match="do not fit into memory"):
            nw.planning.predict_synthesis(
                SPACES, epsilon=1, people=people, method=nw.planning.Method(rows=rows)
            )


def test_columns_that_are_too_fine_to_be_paired_are_named() -> None:
    spaces = {"age": nw.Column(nw.Interval(0, 900_000, step=1)), "visits": nw.Counts(5)}
    made = nw.synthesize(
        DATA, spaces, ledger=None, epsilon=1, method=nw.planning.Method(rows=10, bins=None)
    )
    assert [one.name for one in made.measurements] == ["age", "visits"]
    assert "'age' has too many points" in made.notes[0]
    assert len(made.limits) == 2
    assert made.notes[2:-1] == made.errors.remarks
    assert made.notes[-1].startswith("Left out")
    assert "drowns 1 of the 1 parts" in made.notes[2]


def test_files_hold_the_table_and_what_it_was_made_from(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.parquet"
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, delta=1e-6, out=out)
    assert pq.read_table(out).replace_schema_metadata(None).equals(made.table)
    text = (tmp_path / "synthetic.synthesis.json").read_text()
    said = json.loads(text)
    assert said["guarantee"]["epsilon"] == "1"
    amounts = [Fraction(spend["amount"]) for spend in said["spends"]]
    assert sum(amounts) == Fraction(said["spent"]["amount"])
    assert said["measurements"][0]["counts"] == made.measurements[0].counts.tolist()
    first = made.measurements[0]
    header, *lines = str(first.estimate).splitlines()[1:]
    assert header.split() == [*first.columns, "count", "standard_error", "low", "high"]
    assert [float(line.split()[-4]) for line in lines] == first.counts.reshape(-1).tolist()
    with pytest.raises(TypeError, match="not iterable"):
        list(cast(Any, first.estimate))
    assert said["columns"]["job"] == ["clerk", "cook", "nurse", "another", "not said"]
    assert "evaluation" not in text
    assert "Zebulon" not in text
    with pytest.raises(TargetError, match="exists already"):
        nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, out=out)
    nw.synthesize(
        DATA,
        SPACES,
        ledger=None,
        epsilon=1,
        out=nw.planning.Output(out, overwrite=True, evaluation=True),
    )
    beside = sorted(path.name for path in tmp_path.iterdir())
    assert beside == [
        "synthetic.certificate.json",
        "synthetic.evaluation-NOT-FOR-RELEASE.json",
        "synthetic.parquet",
        "synthetic.report.html",
        "synthetic.synthesis.json",
    ]


def test_a_plan_declares_columns_and_budget(tmp_path: Path) -> None:
    plan = nw.Plan(
        {"smokes": nw.Column([True, False]), "visits": nw.Column(nw.Counts(5)), "name": "drop"},
        epsilon=2,
        delta=1e-6,
        others="drop",
        together=[("smokes", "visits")],
    )
    plan.save(tmp_path / "plan.toml")
    pq.write_table(DATA, tmp_path / "people.parquet")
    made = nw.synthesize(tmp_path / "people.parquet", tmp_path / "plan.toml", ledger=None)
    assert made.guarantee == nw.accounting.Guarantee(2)
    assert made.table.column_names == ["visits", "smokes"]


def test_a_typing_error_in_a_name_is_recognized(tmp_path: Path) -> None:
    rows = [{"smokes": True, "job": "a", "visits": 1}] * 20
    columns = {"smokes": [False, True], "jobb": ["a"], "visits": nw.Counts(9)}
    with pytest.raises(InputError, match="Did you mean 'job' in place of 'jobb'"):
        nw.synthesize(rows, columns, epsilon=1, ledger=None)
    # Without a header the names may be a record, and are not shown.
    (tmp_path / "t.csv").write_text("jobs\nb\n")
    with pytest.raises(InputError) as refused:
        nw.synthesize(tmp_path / "t.csv", {"jobb": ["a"]}, epsilon=1, ledger=None)
    assert "jobs" not in str(refused.value)


def test_columns_that_a_mapping_does_not_name_are_noted(tmp_path: Path) -> None:
    rows = [{"smokes": True, "job": "a", "name": "Ann"}] * 20
    columns: dict[str, Any] = {"smokes": [False, True]}

    def notes(more: Any) -> list[str]:
        made = nw.synthesize(rows, columns | more, epsilon=1, ledger=None)
        return [note for note in made.notes if note.startswith("Left out")]

    assert notes({}) == [
        "Left out, since not named: 'job', 'name'. Say 'drop' to leave them out on purpose."
    ]
    assert "'job'" not in notes({"job": "drop"})[0]
    assert not notes({"job": "drop", "name": "drop"})
    plan = nw.Plan({"smokes": nw.Column([False, True])}, epsilon=1, others="drop")
    assert not any("Left out" in note for note in nw.synthesize(rows, plan, ledger=None).notes)
    # The note is for whoever makes the table: what is published does not name these columns.
    made = nw.synthesize(rows, columns, epsilon=1, ledger=None, out=tmp_path / "s.csv")
    for path in made.files.values():
        assert "Left out, because" not in path.read_text()


@pytest.mark.parametrize(
    ("epsilon", "delta", "whole"),
    [
        (None, None, (2, "1e-6")),
        (1, None, (1, "1e-6")),
        (None, 0, (2, 0)),
        (1, "1e-9", (1, "1e-9")),
    ],
)
def test_what_is_left_out_of_the_budget_is_that_of_the_plan(
    tmp_path: Path, epsilon: Any, delta: Any, whole: Any
) -> None:
    columns = {"smokes": nw.Column([True, False]), "visits": nw.Column(nw.Counts(5))}
    plan = nw.Plan(columns, epsilon=2, delta="1e-6")
    plan.save(tmp_path / "plan.toml")
    for given in (plan, tmp_path / "plan.toml"):
        found = budget_for(given, Columns.of(given), epsilon, delta)
        assert found.guarantee == nw.accounting.Guarantee(*whole)
    # Spaces alone have no budget.
    assert budget_for(columns, Columns.of(columns), 1, None).guarantee.delta == 0


@pytest.mark.parametrize(
    ("plan", "kind", "words"),
    [
        (nw.Plan({"age": nw.Column(nw.Counts(99)), "job": "public"}, epsilon=1, others="drop"),
         InputError, "belong to no real person"),
        ({"age": nw.Subsets(["a", "b"])}, InputError, "takes lists of items"),
        ({"age": nw.Counts(9)}, OutsideSpaceError, "'age' at row 1 "),
        ({"height": nw.Counts(9)}, InputError, "'height', which the table does not have"),
        (7, InputError, "declared by a int"),
    ],
    ids=["public", "sets", "outside", "missing", "number"],
)  # fmt: skip
def test_what_cannot_be_synthesized_is_refused(plan: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        nw.synthesize(DATA, plan, ledger=None, epsilon=1)


def test_bad_arguments_say_what_to_do() -> None:
    wide = {f"c{place}": nw.Counts(99) for place in range(4)}
    table = {name: [0, 1] for name in wide}
    with pytest.raises(TooLargeError, match="method='mst'"):
        nw.synthesize(
            pa.table(table),
            wide,
            epsilon=1,
            method=nw.planning.Method("mwem", bins=None, inference="tree"),
            ledger=None,
        )
    # Beyond a million points a graph is kept in place of a weight for each.
    made = nw.synthesize(
        pa.table(table),
        wide,
        epsilon=1,
        method=nw.planning.Method("mwem", bins=None, rounds=2),
        ledger=None,
    )
    assert made.how == "mwem on a graph"
    for options, words in [
        ({"method": "magic"}, "'mst', 'mwem' or 'blr'"),
        ({"method": nw.planning.Method(bins=1)}, "bins is 1"),
        ({"epsilon": 0}, "above 0"),
        ({"epsilon": "1e-101"}, "at least 1e-100"),
        ({"epsilon": "1e400"}, "at most 1e100"),
        ({"epsilon": 10**400, "delta": 1e-9}, "at most 1e100"),
        ({"source": 7}, "source is of type int"),
        ({"delta": 1}, "below 1"),
    ]:
        wanted: Any = {"epsilon": 1, **options}
        with pytest.raises(ParameterError, match=words):
            nw.synthesize(DATA, SPACES, ledger=None, **wanted)
    with pytest.raises(ParameterError, match="belongs to method='mwem'"):
        nw.planning.Method("mst", rounds=3)
    with pytest.raises(ParameterError, match="rows"):
        nw.planning.Method(rows=0)
    with pytest.raises(ParameterError, match="epsilon is missing"):
        nw.synthesize(DATA, SPACES, ledger=None)
    with pytest.raises(DataError, match="no rows"):
        nw.synthesize(DATA.slice(0, 0), SPACES, ledger=None, epsilon=1)
    other = nw.workloads.Workload.marginals(nw.Records(job=nw.Categories(["a", "b"])))
    with pytest.raises(SpaceError, match="the workload's column 'job'"):
        nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, workload=other)
    unknown = nw.workloads.Workload.marginals({"jobs": ["cook"]}, ways=1)
    with pytest.raises(SpaceError, match="has a column 'jobs', which is not declared for the"):
        nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, workload=unknown)


SCHEMA = json.loads(
    (Path(nw.__file__).parent / "schemas" / "synthesis-1.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("method", "delta"), [*METHODS, ("blr", 0)], ids=[*IDS, "blr"])
def test_what_lies_beside_fits_its_schema(tmp_path: Path, method: Any, delta: float) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    domain = nw.Records(smokes=nw.Categories([True, False]), visits=nw.Counts(5))
    workload = nw.workloads.Workload.prefixes(domain, "visits") + nw.workloads.Workload.marginals(
        domain, ways=2
    )
    nw.synthesize(
        DATA,
        domain,
        ledger=None,
        epsilon=0.1,
        delta=delta,
        method=nw.planning.Method(method, rows=3),
        workload=workload,
        out=tmp_path / "synthetic.csv",
    )
    said = json.loads((tmp_path / "synthetic.synthesis.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(said)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate({**said, "raw_error": 0.1})


def test_progress_is_told_step_by_step() -> None:
    steps: list[tuple[str, int, int | None]] = []
    made = nw.synthesize(
        DATA, SPACES, ledger=None, epsilon=1, progress=lambda *step: steps.append(step)
    )
    assert list(dict.fromkeys(name for name, _, _ in steps)) == ["check", "draw", "fit"]
    count = len(made.spends)
    assert [step for step in steps if step[0] == "draw"][-1] == ("draw", count, count)
    assert ("check", DATA.num_rows, DATA.num_rows) in steps


@pytest.mark.parametrize("method", ["blr", "mwem", "mst"])
def test_the_domain_of_the_workload_declares_the_columns(method: Any) -> None:
    domain = nw.Records(smokes=nw.Categories([True, False]), visits=nw.Counts(5))
    made = nw.synthesize(
        DATA,
        epsilon=1,
        method=method,
        workload=nw.workloads.Workload.marginals(domain, ways=1),
        ledger=None,
    )
    assert made.table.column_names == ["visits", "smokes"]
    assert made.guarantee == nw.accounting.Guarantee(1)
    assert not made.is_accounted


def test_nothing_declared_is_refused() -> None:
    with pytest.raises(ParameterError, match="the columns are not declared"):
        nw.synthesize(DATA, epsilon=1, ledger=None)


def test_a_seeded_table_says_so_inside_of_its_file(tmp_path: Path) -> None:
    made = nw.synthesize(
        DATA,
        SPACES,
        epsilon=1,
        out=tmp_path / "s.parquet",
        source=nw.randomness.SeededSource("a test"),
        ledger=None,
    )
    assert made.path is not None
    said = pq.read_schema(made.path).metadata[b"noisewright.synthetic"]
    assert said.startswith(b"NOT PRIVATE")


@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_noise_that_drowns_everything_still_makes_a_table(method: Any) -> None:
    made = nw.synthesize(
        DATA, SPACES, epsilon="1e-18", method=nw.planning.Method(method, bins=8), ledger=None
    )
    assert made.rows == DATA.num_rows


def test_conditions_need_names() -> None:
    domain = nw.Records(visits=nw.Counts(5))
    with pytest.raises(InputError, match="needs a name"):
        nw.workloads.Workload.predicates(
            domain, {"": lambda visits: visits > 1}, columns=["visits"]
        )
