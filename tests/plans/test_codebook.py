"""Codebooks in CSV and JSON say what columns can hold."""

import contextlib
import copy
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError
from noisewright.plans.codebook import read_codebook, read_csv
from noisewright.plans.codebook_json import read_json
from noisewright.plans.domains import decimal_step, domain_of
from noisewright.plans.fields import FieldType, NamedType
from tests.plans.test_schema import inside, places

CSV = """column,label,low,high,step
sex,f,,,
sex,m,,,
age,,0,120,1
weight,,30,200,0.5
hobbies,tv,,,
hobbies,cars,,,
"""


def space(entries: dict[str, Any], name: str, kind: FieldType) -> Any:
    found = domain_of(entries.get(name), NamedType(name, kind))
    return None if found is None else found.space


def test_csv_with_a_row_for_each_label_or_pair_of_bounds() -> None:
    entries = read_csv(CSV, name="codes.csv")
    assert space(entries, "sex", "text") == nw.Categories(["f", "m"])
    assert space(entries, "age", "whole") == nw.Counts(120, neighbors="replace")
    assert space(entries, "weight", "number") == nw.Interval(30, 200, step="0.5")
    assert space(entries, "hobbies", "list of text") == nw.Subsets(["tv", "cars"])
    assert space(entries, "smokes", "boolean") == nw.Categories([False, True])
    assert space(entries, "job", "text") is None


def test_labels_take_the_type_of_the_column() -> None:
    entries = read_csv("column,label\ncode,1\ncode,2\n", name="codes.csv")
    assert space(entries, "code", "whole").labels == (1, 2)
    assert space(entries, "code", "number").labels == (1.0, 2.0)
    assert space(entries, "code", "text").labels == ("1", "2")
    assert space(entries, "code", "").labels == ("1", "2")


def test_booleans_and_labels_for_empty_cells() -> None:
    entries = read_csv("column,label,null\nb,no\nb,yes\nx,a,missing\nx,c\n", name="codes.csv")
    assert space(entries, "b", "boolean") == nw.Categories([False, True])
    found = domain_of(entries["x"], NamedType("x", "text"))
    assert found is not None
    column = nw.Column(found.space, null=found.null)
    assert column.space == nw.Categories(["a", "c", "missing"])


def test_a_data_dictionary_with_values_and_their_labels() -> None:
    """In "variable, value, label" the value is what the data hold."""
    entries = read_csv("Variable;Value;Label\nsex;1;female\nsex;2;male\n", name="codes.csv")
    assert space(entries, "sex", "whole").labels == (1, 2)


def test_numbers_without_a_step_get_a_decimal_grid() -> None:
    entries = read_csv("column,low,high\nincome,0,250000\n", name="codes.csv")
    found = domain_of(entries["income"], NamedType("income", "number"))
    assert found is not None
    assert found.space == nw.Interval(0, 250000, step=1000)
    assert found.off_grid == "round"
    assert "rounded" in found.remark


@pytest.mark.parametrize(
    ("low", "high"), [("0", "1"), ("0.5", "99.5"), ("0", "7"), ("0", "1/3"), ("-40", "1e6")]
)
def test_a_decimal_grid_fits_its_bounds(low: str, high: str) -> None:
    from fractions import Fraction

    width = Fraction(high) - Fraction(low)
    step = decimal_step(Fraction(low), Fraction(high))
    assert width % step == 0
    assert 100 <= width / step <= 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must name its columns"),
        ("a,b\n", "must name its columns"),
        ("column,label\n,x\n", "line 2 of codes.csv names no column"),
        ("column,label\nsex,f\nsex,f\n", "line 3 .* 'f' a second time"),
        ("column,low,high\nage,0,9\nage,1,9\n", "line 3 of codes.csv says low=1"),
        ("column,kind\nage,frob\n", "kind 'frob'; it must be one of"),
        ("column,label,largest\nx,a,many\n", "a whole number is required"),
        ('column,label\nsex,"f\n', "is not CSV"),
    ],
    ids=["empty", "titles", "nameless", "twice", "bounds", "kind", "largest", "quote"],
)
def test_csv_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_csv(text, name="codes.csv")


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("column,label\nx,a\n", "whole", "whose values are numbers"),
        ("column,low,high\nx,5,5\n", "number", "low must be below high"),
        ("column,low,high\nx,a,5\n", "number", "low of 'x' is 'a'"),
        ("column,low,high,kind\nx,1,,interval\n", "number", "it has no high"),
        ("column,low,high\nx,1,2\n", "list of numbers", "the number of its values"),
        ("column,label\nx,f\nx,m\n", "boolean", "whose values are true and false"),
    ],
    ids=["label", "empty", "text", "half", "positions", "boolean"],
)
def test_entries_that_make_no_space(text: str, kind: FieldType, said: str) -> None:
    with pytest.raises(InputError, match=said):
        domain_of(read_csv(text, name="codes.csv")["x"], NamedType("x", kind))


ROW = {
    "type": "object",
    "properties": {
        "sex": {"enum": ["f", "m", None]},
        "job": {"$ref": "#/$defs/job"},
        "age": {"type": ["integer", "null"], "minimum": 18, "maximum": 99},
        "score": {"type": "integer", "exclusiveMinimum": -1, "exclusiveMaximum": 11},
        "weight": {"type": "number", "minimum": 0.1, "maximum": 0.7, "multipleOf": 0.1},
        "hobbies": {"type": "array", "items": {"enum": ["tv", "cars", "food"]}, "maxItems": 2},
        "day": {
            "type": "array",
            "items": {"type": "number", "minimum": 0, "maximum": 5},
            "minItems": 24,
            "maxItems": 24,
        },
        "smokes": {"type": "boolean"},
        "remarks": {"type": "string", "maxLength": 100},
        "anything": {},
    },
    "$defs": {"job": {"oneOf": [{"const": "nurse", "title": "Nurse"}, {"const": "judge"}]}},
}


@pytest.mark.parametrize("document", [ROW, {"type": "array", "items": ROW, "$defs": ROW["$defs"]}])
def test_a_json_schema(document: dict[str, Any]) -> None:
    entries = read_json(json.dumps(document), name="row.json")
    assert space(entries, "sex", "text") == nw.Categories(["f", "m"])
    assert entries["sex"].nullable
    assert space(entries, "job", "text") == nw.Categories(["nurse", "judge"])
    assert space(entries, "age", "whole") == nw.Interval(18, 99, step=1)
    assert space(entries, "score", "whole") == nw.Counts(10, neighbors="replace")
    assert space(entries, "weight", "number") == nw.Interval("0.1", "0.7", step="0.1")
    assert space(entries, "hobbies", "list of text") == nw.Subsets(
        ["tv", "cars", "food"], largest=2
    )
    assert space(entries, "day", "list of numbers") == nw.Curves(range(24), low=0, high=5)
    assert space(entries, "smokes", "") == nw.Categories([False, True])
    assert entries["remarks"].kind == "text"
    assert space(entries, "anything", "text") is None


@pytest.mark.parametrize("wrapped", [False, True], ids=["schema", "package"])
def test_a_table_schema(wrapped: bool) -> None:
    schema = {
        "fields": [
            {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
            {
                "name": "age",
                "type": "integer",
                "constraints": {"minimum": 0, "maximum": 99, "required": True},
            },
            {"name": "job", "type": "string", "categories": [{"value": 1, "label": "nurse"}, 2]},
            {"name": "note", "type": "string", "constraints": {"maxLength": 200}},
        ]
    }
    document = {"resources": [{"name": "t", "schema": schema}]} if wrapped else schema
    entries = read_json(json.dumps(document), name="schema.json")
    assert space(entries, "sex", "text") == nw.Categories(["f", "m"])
    assert space(entries, "age", "whole") == nw.Counts(99, neighbors="replace")
    assert space(entries, "job", "whole") == nw.Categories([1, 2])
    assert entries["note"].kind == "text"
    assert [entry.nullable for entry in entries.values()] == [True, False, True, True]


def test_a_plain_mapping() -> None:
    entries = read_json(
        '{"sex": ["f", "m"], "age": {"low": 0, "high": 9.5, "step": 0.5}, "id": "drop"}', name="j"
    )
    assert space(entries, "sex", "text") == nw.Categories(["f", "m"])
    assert space(entries, "age", "number") == nw.Interval(0, "9.5", step="0.5")
    assert entries["id"].kind == "drop"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1, column 2"),
        ("[1]", "an object is required"),
        ('{"a": 1}', "neither a list of labels"),
        ('{"a": {"lo": 1}}', "has 'lo'; known are"),
        ('{"a": "frob"}', "kind 'frob'"),
        ('{"fields": [{}]}', "field 1 of j has no name"),
    ],
)
def test_json_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_json(text, name="j")


TABLE_SCHEMA = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
        {"name": "job", "type": "string", "categories": [{"value": 1, "label": "nurse"}, 2]},
    ]
}
PLAIN: dict[str, Any] = {
    "sex": ["f", "m"],
    "age": {"low": 0, "high": 9.5, "step": 0.5},
    "hobbies": {"labels": ["a"], "largest": 1, "null": "a", "kind": "subsets"},
    "day": {"low": 0, "high": 1, "positions": 3},
}
STRANGE: list[Any] = [
    None, True, "x", "", -1, 0, 0.5, [], [["x"]], [None], {}, {"x": 1}, "1/0", 10**30, [1, 1],
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_strange_codebook_is_read_or_refused(data: st.DataObject) -> None:
    document = copy.deepcopy(data.draw(st.sampled_from([ROW, TABLE_SCHEMA, PLAIN])))
    path = data.draw(st.sampled_from(list(places(document))))
    inside(document, path[:-1])[path[-1]] = data.draw(st.sampled_from(STRANGE))
    with contextlib.suppress(NoisewrightError):
        for name, entry in read_json(json.dumps(document), name="j").items():
            kind = data.draw(st.sampled_from(get_args(FieldType)))
            found = domain_of(entry, NamedType(name, kind))
            assert found is None or found.space.size > 0


def test_the_suffix_tells_the_form(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CSV, encoding="utf-8-sig")
    assert set(read_codebook(tmp_path / "c.csv")) == {"sex", "age", "weight", "hobbies"}
    (tmp_path / "c.json").write_text('{"sex": ["f", "m"]}', encoding="utf-8")
    assert set(read_codebook(tmp_path / "c.json")) == {"sex"}
    (tmp_path / "c.xlsx").write_bytes(b"PK\x03\x04\xff\xff")
    with pytest.raises(InputError, match="Save a spreadsheet as CSV"):
        read_codebook(tmp_path / "c.xlsx")


def test_a_largest_size_makes_labels_the_items_of_a_set_where_the_table_has_texts() -> None:
    entries = read_csv("column,label,largest\nhobbies,tv,2\nhobbies,cars\n", name="codes.csv")
    assert space(entries, "hobbies", "text") == nw.Subsets(["tv", "cars"], largest=2)


@pytest.mark.parametrize(("high", "step"), [("2024-12-31", "fortnight"), ("soon", "day")])
def test_dates_that_cannot_be_are_refused_with_their_place_and_column(high: str, step: str) -> None:
    entries = read_csv(f"column,low,high,step\nseen,2024-01-01,{high},{step}\n", name="codes.csv")
    with pytest.raises(nw.errors.InputError, match=r"codes\.csv, dates of 'seen'"):
        space(entries, "seen", "date")
