"""Drafts: what is proposed for each column from its name, its type and a codebook."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import InputError

SCHEMA = pa.schema(
    [
        ("patient_id", pa.int64()),
        ("sex", pa.dictionary(pa.int8(), pa.string())),
        ("age", pa.int16()),
        ("income", pa.float64()),
        ("hobbies", pa.list_(pa.string())),
        ("day", pa.list_(pa.float64())),
        ("smokes", pa.bool_()),
        ("email", pa.string()),
        ("visit date", pa.date32()),
        ("travel_time", pa.int32()),
        ("comments", pa.string()),
        ("photo", pa.binary()),
        ("zip", pa.string()),
        ("wörld.x", pa.string()),
    ]
)

CODEBOOK = """column,label,low,high,step,positions
sex,f
sex,m
age,,0,120,1
income,,0,250000
hobbies,tv
hobbies,cars
day,,0,5,,24
travel_time,,0,300,5
elsewhere,x
"""


def codebook(folder: Path) -> Path:
    path = folder / "codes.csv"
    path.write_text(CODEBOOK, encoding="utf-8")
    return path


def treatments(draft: nw.results.Draft) -> dict[str, Any]:
    return {p.field.name: p.treatment for p in draft.proposals}


def test_names_and_types_alone_propose_little() -> None:
    draft = nw.planning.draft_plan(SCHEMA)
    dropped = [name for name, treatment in treatments(draft).items() if treatment == "drop"]
    assert dropped == ["patient_id", "email", "comments", "photo"]
    assert treatments(draft)["smokes"] == nw.Column([False, True])
    assert draft.missing == (
        "sex", "age", "income", "hobbies", "day", "visit date", "travel_time", "zip", "wörld.x",
    )  # fmt: skip
    assert draft.persons == ("patient_id",)


def test_a_codebook_declares(tmp_path: Path) -> None:
    draft = nw.planning.draft_plan(SCHEMA, codebook=codebook(tmp_path), epsilon=8)
    assert draft.missing == ("visit date", "zip", "wörld.x")
    assert draft.unused == ("elsewhere",)
    found = treatments(draft)
    assert found["sex"] == nw.Column(["f", "m"])
    assert found["age"] == nw.Column(nw.Counts(120))
    assert found["income"] == nw.Column(nw.Interval(0, 250_000, step=1000), off_grid="round")
    assert found["hobbies"] == nw.Column(nw.Subsets(["tv", "cars"]))
    assert found["day"] == nw.Column(nw.Curves(range(24), low=0, high=5))
    assert found["travel_time"] == nw.Column(nw.Interval(0, 300, step=5))


def test_a_finished_draft_is_the_text_of_its_plan(tmp_path: Path) -> None:
    draft = nw.planning.draft_plan(
        SCHEMA,
        codebook=codebook(tmp_path),
        drop=["zip", "day", "visit date"],
        public=["wörld.x"],
        together=[("sex", "smokes")],
        estimates=[("sex", "smokes"), nw.planning.Wanted("income", weight=2)],
        person=nw.Person("patient_id", rows=3, keep="first"),
        epsilon="1/3",
        order="shuffled",
    )
    assert draft.is_finished
    assert nw.Plan.from_toml(draft.to_toml()) == draft.plan()
    assert draft.plan().shares == "best"
    assert draft.persons == ()


def test_what_is_open_is_refused_by_name() -> None:
    text = nw.planning.draft_plan(SCHEMA, estimates=["sex"]).to_toml()
    with pytest.raises(InputError) as problem:
        nw.Plan.from_toml(text)
    said = str(problem.value)
    assert "epsilon = TODO and the columns sex, age, income" in said
    assert "wörld.x" in said
    assert "email" not in said
    one = nw.planning.draft_plan(pa.schema([("job", pa.string())]), epsilon=1)
    with pytest.raises(InputError, match=r"\(they say TODO\): the column job\."):
        nw.Plan.from_toml(one.to_toml())
    with pytest.raises(InputError, match="still to be declared: job"):
        one.plan()


def test_a_label_may_be_called_todo() -> None:
    plan = nw.Plan({"a": nw.Column(["TODO", "done"], null="TODO")}, epsilon=1)
    assert nw.Plan.from_toml(plan.to_toml()) == plan


def test_declaring_step_by_step() -> None:
    draft = nw.planning.draft_plan(pa.schema([("job", pa.string()), ("x", pa.string())]))
    draft = draft.declare("job", nw.Column(["a", "b"])).declare("x", "drop").with_epsilon(2)
    columns: dict[str, Any] = {"job": nw.Column(["a", "b"]), "x": "drop"}
    assert draft.plan() == nw.Plan(columns, epsilon=2, delta="1e-9", order="shuffled")
    # What is public splits the table: rows then keep their order unless somebody says otherwise.
    split: dict[str, Any] = {"job": nw.Column(["a", "b"]), "x": "public"}
    assert draft.declare("x", "public").plan() == nw.Plan(split, epsilon=2)


@pytest.mark.parametrize(
    ("said", "order", "delta"),
    [
        ({}, "shuffled", "1e-9"),
        ({"delta": "1e-6"}, "shuffled", "1e-6"),
        ({"delta": 0}, "kept", "0"),
        ({"order": "kept"}, "kept", "0"),
        ({"order": "shuffled", "public": ["x"]}, "shuffled", "1e-9"),
        ({"public": ["x"]}, "kept", "0"),
        ({"person": nw.Person("x", rows=2)}, "kept", "0"),
    ],
)
def test_rows_hide_among_each_other_unless_something_speaks_against_it(
    said: dict[str, Any], order: str, delta: str
) -> None:
    draft = nw.planning.draft_plan(
        pa.schema([("job", pa.string()), ("x", pa.string())]),
        codebook={"job": nw.Column(["a", "b"]), "x": "drop"},
        epsilon=1,
        **said,
    )
    plan = draft.plan()
    assert (plan.order, plan.delta) == (order, Fraction(delta))
    assert ("hide among each other" in draft.to_toml()) == (order == "shuffled")


def test_a_column_that_may_name_people_keeps_the_order() -> None:
    named = nw.planning.draft_plan(pa.schema([("patient_id", pa.string()), ("x", pa.bool_())]))
    assert named.persons == ("patient_id",)
    assert named.with_epsilon(1).plan().order == "kept"


def test_a_plan_in_toml_is_a_codebook(tmp_path: Path) -> None:
    path = tmp_path / "codes.toml"
    path.write_text('[columns.job]\nspace = "categories"\nlabels = ["a", "b"]\n', encoding="utf-8")
    draft = nw.planning.draft_plan(pa.schema([("job", pa.string())]), codebook=path)
    assert treatments(draft) == {"job": nw.Column(["a", "b"])}
    path.write_text('[columns.job]\nspace = "categories"\nlabel = ["a"]\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"codes\.toml, column 'job'.*Did you mean 'labels'"):
        nw.planning.draft_plan(pa.schema([("job", pa.string())]), codebook=path)
    path.write_text("[columns\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"is not TOML.*line 1"):
        nw.planning.draft_plan(pa.schema([("job", pa.string())]), codebook=path)
    path.write_text("version = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no \[columns"):
        nw.planning.draft_plan(pa.schema([("job", pa.string())]), codebook=path)


def test_two_tables_with_other_values_draft_the_same(tmp_path: Path) -> None:
    """Nothing but the schema matters: not values, statistics, dictionaries or metadata."""
    texts: list[str] = []
    for number, values in enumerate([["a", "b", None], ["secret"] * 3]):
        folder = tmp_path / str(number)
        folder.mkdir()
        table = pa.table({"job": pa.array(values).dictionary_encode(), "age": [number] * 3})
        table = table.replace_schema_metadata({"pandas": f'{{"secret": {number}}}'})
        pq.write_table(table, folder / "data.parquet")
        texts.append(nw.planning.draft_plan(folder / "data.parquet").to_toml())
    assert texts[0] == texts[1]
    assert "secret" not in texts[1]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"drop": ["sec"]}, "drop names 'sec', .* Did you mean 'sex'"),
        ({"public": ["nothing"]}, "It has patient_id, sex"),
        ({"drop": ["sex"], "public": ["sex"]}, "both dropped and public"),
        ({"person": nw.Person("patient", rows=2)}, "Did you mean 'patient_id'"),
        ({"together": [("sex", "joob")]}, "together names 'joob'"),
    ],
    ids=["drop", "public", "both", "person", "together"],
)
def test_names_that_the_table_does_not_have(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        nw.planning.draft_plan(SCHEMA, **settings)


def test_a_table_in_memory_is_refused() -> None:
    with pytest.raises(InputError, match="give its schema"):
        nw.planning.draft_plan(pa.table({"a": [1]}).to_pandas())


@pytest.mark.parametrize("epsilon", [0, -1, "much"])
def test_a_budget_is_checked_before_anything_is_declared(epsilon: Any) -> None:
    with pytest.raises(InputError, match="epsilon"):
        nw.planning.draft_plan(SCHEMA, epsilon=epsilon)
    with pytest.raises(InputError, match="epsilon"):
        nw.planning.draft_plan(SCHEMA).with_epsilon(epsilon)
