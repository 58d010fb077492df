"""The published schema describes every field and accepts what the checker accepts."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import jsonschema
import pytest

import noisewright as nw
from tests.certificates.handmade import SCHEMA, load_checker
from tests.certificates.test_checker_refuses import EVERYTHING, STRANGE, changed, places

checker = load_checker()
schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
validator = jsonschema.Draft202012Validator(schema)
# Not those that are no JSON, nor a whole number to the schema.
IN_JSON = [new for new in STRANGE if not isinstance(new, (tuple, set, float)) and new != {1: 2}]


def objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from objects(inner)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_field_is_described_and_no_other_is_allowed() -> None:
    for part in objects(schema):
        fields = part.get("properties")
        if part.get("type") != "object" or not isinstance(fields, dict):
            continue
        assert part["additionalProperties"] is False
        either = {name for option in part.get("oneOf", ()) for name in option["required"]}
        assert set(fields) - set(part["required"]) - either <= {"optimality", "row", "rows", "unit"}
        for name, field in fields.items():
            target = field.get("$ref", "").removeprefix("#/$defs/")
            assert "description" in field or "description" in schema["$defs"][target], name


@pytest.mark.parametrize("document", EVERYTHING)
def test_the_schema_accepts_what_the_checker_accepts(document: Any) -> None:
    assert checker.check(document)
    validator.validate(document)


@pytest.mark.parametrize("document", EVERYTHING)
def test_what_the_schema_refuses_the_checker_refuses(document: Any) -> None:
    """Two of the strange values at each place but the whole document."""
    chance = Random(1)
    changes = [
        (path, new) for path in places(document) if path for new in chance.sample(IN_JSON, 2)
    ]
    for path, new in changes:
        forged = changed(document, path, new)
        if not validator.is_valid(forged):
            assert not checker.check(forged)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("change", ["replace", "add or remove"])
def test_the_schema_accepts_certificates_of_questions(delta: float, change: Any) -> None:
    columns = {"sex": ["f", "m"], "age": nw.Interval(-5, 90, step="1/2"), "days": nw.Counts(9)}
    rows = {"who": ["a"], **{name: [None] for name in columns}}
    people = nw.Private(rows, columns=columns, ledger=None, person="who", change=change)
    age, sex = nw.col("age"), nw.col("sex")
    public = nw.Public({"sex": ["f", "m"], "word": ["women", None]}, key="sex")
    for table in (people.limit(rows=3), people.limit(rows=2, groups=9), people.limit(groups=30)):
        old = table.filter((age * 2 > 7) | sex.is_null()).join(public).group_by("word", "days")
        asked = old.agg(
            n=nw.count(),
            age=age.var(),
            q=age.clip(0, 50).median(),
            h=age.histogram([0, 9, 60]),
            d=sex.count_distinct(),
            people=nw.count_people(),
        )
        validator.validate(asked.certify(epsilon=1, delta=delta).document)
