"""The recipe: its schema, what it is compared with, and what is refused."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import ReleaseError
from noisewright.releases.files.recipe import digest_of
from tests.releases.survey import PLAN, Survey

SCHEMA = Path(nw.__file__).parent / "schemas" / "recipe-1.json"
schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
validator = jsonschema.Draft202012Validator(schema)


@pytest.fixture
def made(survey: Survey) -> nw.results.Release:
    return nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )


def resealed(document: dict[str, Any]) -> str:
    content = {key: value for key, value in document.items() if key != "digest"}
    return json.dumps({**content, "digest": digest_of(content)})


def test_the_schema_is_one_and_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            parts += part.values()
            for field in part.get("properties", {}).values() if "type" in part else ():
                assert "description" in field
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
        elif isinstance(part, list):
            parts += part


def test_what_is_written_fits_the_schema(made: nw.results.Release) -> None:
    assert made.path is not None
    beside = json.loads(made.files["recipe"].read_text())
    inside = json.loads(pq.read_schema(made.path).metadata[b"noisewright.recipe"])
    for document in (beside, inside):
        validator.validate(document)
    assert beside["file"]["name"] == "private.parquet"
    assert "file" not in inside
    assert nw.Plan.from_toml(beside["plan"]) == PLAN
    # An epsilon that is a logarithm, and a test.
    matrix = nw.from_matrix(nw.Categories(["a", "b"]), [["3/4", "1/4"], ["1/4", "3/4"]])
    odd = nw.Plan({"job": nw.Column(["a", "b"], mechanism=matrix)})
    table = pa.table({"job": ["a", "b"]})
    other = nw.release(table, odd, ledger=None, source=nw.randomness.SeededSource(1))
    validator.validate(other.recipe.document)
    assert other.recipe.document["private"] is other.recipe.document["accounted"] is False


def test_a_file_alone_is_enough(made: nw.results.Release) -> None:
    assert made.path is not None
    made.files["recipe"].unlink()
    made.files["certificate"].unlink()
    moved = made.path.rename(made.path.with_name("renamed.parquet"))
    read = nw.results.Release.open(moved)
    assert (read.plan, read.rows, read.guarantee) == (made.plan, made.rows, made.guarantee)
    assert nw.check(read.certificate)
    assert read.files == {"data": moved}


def test_a_csv_file_needs_its_recipe(survey: Survey) -> None:
    out = survey.folder / "private.csv"
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(out, report=False), ledger=survey.ledger
    )
    assert nw.results.Release.open(out).table.num_rows == 500
    made.files["recipe"].unlink()
    with pytest.raises(ReleaseError, match=r"has no recipe.*private\.recipe\.json"):
        nw.results.Release.open(out)
    with pytest.raises(ReleaseError, match="there is no file"):
        nw.results.Release.open(survey.folder / "nothing.csv")


def test_a_changed_file_is_noticed(made: nw.results.Release) -> None:
    assert made.path is not None
    table = pq.read_table(made.path)
    pq.write_table(table.slice(0, 400), made.path)
    with pytest.raises(ReleaseError, match="SHA-256 differ"):
        nw.results.Release.open(made.path)
    made.files["recipe"].unlink()
    # pyarrow keeps the metadata when somebody takes rows out.
    with pytest.raises(ReleaseError, match="has 400 rows, and 500 were released"):
        nw.results.Release.open(made.path)


def edited(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], str]:
    def work(document: dict[str, Any]) -> str:
        other = copy.deepcopy(document)
        change(other)
        return resealed(other)

    return work


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "no JSON": (lambda d: json.dumps(d)[:-5], "not JSON"),
    "a list": (lambda d: "[]", "not a recipe"),
    "another format": (edited(lambda d: d.update(format="x")), "not a recipe"),
    "the future": (edited(lambda d: d.update(version=2)), "version 2.*newer noisewright"),
    "an edit": (lambda d: json.dumps({**d, "rows": 3}), "was changed after it was written"),
    "no plan": (edited(lambda d: d.pop("plan")), "incomplete"),
    "no parts": (edited(lambda d: d.update(parts=[])), "does not give the mechanisms"),
    "another budget": (
        edited(lambda d: d.update(plan=d["plan"].replace("epsilon = 2", "epsilon = 3"))),
        "does not give the mechanisms",
    ),
    "a bad plan": (edited(lambda d: d.update(plan="x = ")), "cannot be read"),
    "a plan that is none": (edited(lambda d: d.update(plan=3)), "incomplete"),
    "no rows": (edited(lambda d: d.pop("rows")), "incomplete"),
    "rows that are no number": (edited(lambda d: d.update(rows="7")), "incomplete"),
    "a bad guarantee": (edited(lambda d: d.update(guarantee={"epsilon": 1})), "incomplete"),
    "another certificate": (
        edited(lambda d: d["certificate"].update(digest="0" * 64)),
        "not the certificate",
    ),
    "no certificate": (edited(lambda d: d.pop("certificate")), "incomplete"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_recipe_is_refused_in_plain_words(made: nw.results.Release, damage: str) -> None:
    assert made.path is not None
    work, words = DAMAGES[damage]
    document = json.loads(made.files["recipe"].read_text())
    made.files["recipe"].write_text(work(document), encoding="utf-8")
    with pytest.raises(ReleaseError, match=words):
        nw.results.Release.open(made.path)


def test_a_certificate_of_another_release_is_refused(made: nw.results.Release) -> None:
    assert made.path is not None
    nw.certify(nw.geometric(nw.Counts(3), epsilon=1)).save(made.files["certificate"])
    with pytest.raises(ReleaseError, match="not the certificate of this release"):
        nw.results.Release.open(made.path)
    made.files["certificate"].write_text("{}", encoding="utf-8")
    with pytest.raises(ReleaseError, match="is not a certificate"):
        nw.results.Release.open(made.path)


COUNTS = nw.Counts(4)
KINDS: dict[str, tuple[nw.Plan, dict[str, list[Any]]]] = {
    "best shares": (
        nw.Plan(
            {"a": nw.Column(["x", "y"]), "b": nw.Column(nw.Counts(9))},
            epsilon=1,
            estimates=["a", ("a", "b")],
        ),
        {"a": ["x", "y"], "b": [3, 9]},
    ),
    "given shares": (
        nw.Plan(
            {"a": nw.Column(["x", "y"], share=2), "b": nw.Column(["u", "v"], epsilon="1/7")},
            epsilon="1/3",
            delta="1/1000",
        ),
        {"a": ["x", "y"], "b": ["u", "v"]},
    ),
    "together": (
        nw.Plan(
            {"a": nw.Column(["x", "y"]), "b": nw.Column(COUNTS)}, epsilon=1, together=[("a", "b")]
        ),
        {"a": ["x", "y"], "b": [0, 4]},
    ),
    "a design": (
        nw.Plan({"a": nw.Column(COUNTS, mechanism="design", loss="L1")}, epsilon=1),
        {"a": [0, 4, 2]},
    ),
    "numbers": (
        nw.Plan({"a": nw.Column(nw.Interval(0, 1, step="0.25"), off_grid="round")}, epsilon=1),
        {"a": [0.1, 0.9]},
    ),
    "sets": (
        nw.Plan({"a": nw.Column(nw.Subsets(["x", "y", "z"]))}, epsilon=1),
        {"a": [["x"], [], ["x", "z"]]},
    ),
    "shuffled": (
        nw.Plan({"a": nw.Column([1, 2, 3], null=0)}, epsilon=1, order="shuffled"),
        {"a": [1, None, 3]},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_every_kind_of_plan_reads_back_with_the_same_mechanisms(
    kind: str, suffix: str, tmp_path: Path
) -> None:
    plan, columns = KINDS[kind]
    out = tmp_path / f"private.{suffix}"
    made = nw.release(
        pa.table(columns), plan, out=nw.planning.Output(out, report=False), ledger=None
    )
    read = nw.results.Release.open(out)
    assert read.plan.digest == plan.resolved.digest
    assert [part.mechanism.describe() for part in read.plan.parts] == [
        part.mechanism.describe() for part in plan.parts
    ]
    assert read.recipe.document["order"] == plan.order
    assert read.rows == made.rows == len(columns["a"])
    for file in (made.files["recipe"], made.files["certificate"]):
        file.unlink()
    assert nw.results.Release.open(out).certificate.digest == made.certificate.digest
