"""The published schema of plans and the reader of plans agree on what a plan looks like."""

import copy
import json
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.plans.column_mechanisms import CHOICES
from noisewright.plans.toml_writing import key, value_text

schema = json.loads(
    (resources.files("noisewright") / "schemas" / "plan-1.json").read_text(encoding="utf-8")
)
validator = jsonschema.Draft202012Validator(schema)

PLANS = {
    "everything": nw.Plan(
        {
            "id": "drop",
            "region": "public",
            "job": nw.Column(["a", "b", "c"], null="?", other="other", epsilon="1/3"),
            "code": nw.Column([1, 2.5, True]),
            "income": nw.Column(
                nw.Interval(0, 100, step="1/3"),
                outside="clamp",
                off_grid="round",
                form="unbounded",
                null=1.0,
            ),
            "weight": nw.Column(nw.Interval(-5, 5, step=1), mechanism="staircase", share=2),
            "steps": nw.Column(nw.Counts(70), null=3, outside="clamp"),
            "children": nw.Column(nw.Counts(5), mechanism="geometric"),
            "likes": nw.Column(nw.Subsets(["tv", "cars", "x"], largest=2), outside="sample"),
            "day": nw.Column(nw.Curves(range(3), low=0, high=5), basis="fourier", coefficients=1),
            "sex": nw.Column(["f", "m"]),
            "smokes": nw.Column([False, True]),
        },
        epsilon=8,
        delta="1e-6",
        together=[("sex", "smokes")],
        person=nw.Person("who", rows=2, keep="first"),
        order="kept",
        others="drop",
        title="a title",
    ),
    "best": nw.Plan(
        {"job": nw.Column(["a", "b", "c"]), "sex": nw.Column(["f", "m"])},
        epsilon=2,
        estimates=[("job", "sex"), nw.planning.Wanted("sex", weight=2, question="shares")],
    ),
    "design": nw.Plan(
        {"n": nw.Column(nw.Counts(3), mechanism="design", loss="L1", properties=["WH"])}, epsilon=1
    ),
}


def text_of(document: Any) -> str:
    """TOML for any tree of values; tables are written in line."""
    return "\n".join(f"{key(str(name))} = {_text(value)}" for name, value in document.items())


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(str(n))} = {_text(v)}" for n, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return value_text(value)


def is_read(document: Any) -> bool:
    try:
        nw.Plan.from_toml(text_of(document))
    except nw.errors.NoisewrightError:
        return False
    return True


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(part, (dict, list)):
        for name, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from places(value, (*path, name))


def inside(document: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        document = document[name]
    return document


@pytest.mark.parametrize("name", PLANS)
def test_what_is_written_is_valid(name: str) -> None:
    document = tomllib.loads(PLANS[name].to_toml())
    validator.validate(document)
    assert is_read(document)


def test_the_schema_is_one_and_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in [schema, schema["properties"]["person"], *schema["$defs"].values()]:
        for name, field in part.get("properties", {}).items():
            if "enum" in part.get("if", {}):
                continue
            target = field.get("$ref", "").removeprefix("#/$defs/")
            assert "description" in field or "description" in schema["$defs"][target], name
        if part.get("type") == "object":
            assert part["additionalProperties"] is False


def test_the_schema_knows_the_mechanisms_and_their_options() -> None:
    for kind in ("categories", "counts", "interval", "subsets", "curves"):
        fields = schema["$defs"][kind]["properties"]
        known = fields["mechanism"].get("enum", [fields["mechanism"].get("const")])
        fitting = [
            choice
            for choice in CHOICES.values()
            if any(space.__name__.lower() == kind for space in choice.spaces)
        ]
        assert known == [choice.name for choice in fitting]
        assert {option for choice in fitting for option in choice.options} <= set(fields)


STRANGE: list[Any] = [True, "x", "", -1, 0, 0.5, 3, [], ["x"], [["x"]], [True, True], {}, {"x": 1}]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_what_the_schema_refuses_is_not_read(data: st.DataObject) -> None:
    """Never stricter than the reader; what only the reader sees is what no schema can say."""
    document = tomllib.loads(PLANS[data.draw(st.sampled_from(sorted(PLANS)))].to_toml())
    forged = copy.deepcopy(document)
    path = data.draw(st.sampled_from(list(places(document))))
    parent = inside(forged, path[:-1])
    how = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "remove":
        del parent[path[-1]]
    elif how == "add" and isinstance(parent, dict):
        parent[data.draw(st.sampled_from(["colour", "mecanism", "form", "loss", "largest"]))] = (
            data.draw(st.sampled_from(STRANGE))
        )
    else:
        parent[path[-1]] = data.draw(st.sampled_from(STRANGE))
    if not validator.is_valid(forged):
        assert not is_read(forged), forged


SHAPES = {
    "no version": lambda d: d.pop("version"),
    "another version": lambda d: d.update(version=2),
    "no columns": lambda d: d.pop("columns"),
    "empty columns": lambda d: d.update(columns={}),
    "unknown setting": lambda d: d.update(epsilom=1),
    "epsilon of 0": lambda d: d.update(epsilon=0),
    "negative epsilon": lambda d: d.update(epsilon=-1),
    "epsilon in words": lambda d: d.update(epsilon="much"),
    "delta above 1": lambda d: d.update(delta=2),
    "unknown shares": lambda d: d.update(shares="fair"),
    "unknown order": lambda d: d.update(order="up"),
    "unknown others": lambda d: d.update(others="keep"),
    "together of one": lambda d: d.update(together=[["sex"]]),
    "together of texts": lambda d: d.update(together="sex"),
    "title of a number": lambda d: d.update(title=3),
    "person without rows": lambda d: d["person"].pop("rows"),
    "person with no rows": lambda d: d["person"].update(rows=0),
    "person keeps last": lambda d: d["person"].update(keep="last"),
    "unknown use": lambda d: d["columns"]["id"].update(use="hide"),
    "use and space": lambda d: d["columns"]["id"].update(space="counts", n=1),
    "a column of text": lambda d: d["columns"].update(id="drop"),
    "unknown space": lambda d: d["columns"]["job"].update(space="labels"),
    "no labels": lambda d: d["columns"]["job"].pop("labels"),
    "empty labels": lambda d: d["columns"]["job"].update(labels=[]),
    "labels twice": lambda d: d["columns"]["job"].update(labels=["a", "a"]),
    "labels of lists": lambda d: d["columns"]["job"].update(labels=[["a"]]),
    "labels of text": lambda d: d["columns"]["job"].update(labels="abc"),
    "laplace for labels": lambda d: d["columns"]["job"].update(mechanism="laplace"),
    "clamped labels": lambda d: d["columns"]["job"].update(outside="clamp"),
    "other for numbers": lambda d: d["columns"]["steps"].update(other="x"),
    "half a count": lambda d: d["columns"]["steps"].update(n=1.5),
    "negative null": lambda d: d["columns"]["steps"].update(null=-1),
    "rounded counts": lambda d: d["columns"]["steps"].update(off_grid="round"),
    "step of 0": lambda d: d["columns"]["income"].update(step=0),
    "no high": lambda d: d["columns"]["income"].pop("high"),
    "form of a staircase": lambda d: d["columns"]["income"].update(form="square"),
    "form of a response": lambda d: d["columns"]["income"].update(mechanism="response"),
    "loss without design": lambda d: d["columns"]["steps"].update(loss="L1"),
    "largest of labels": lambda d: d["columns"]["job"].update(largest=1),
    "largest of 0": lambda d: d["columns"]["likes"].update(largest=0),
    "clamped sets": lambda d: d["columns"]["likes"].update(outside="clamp"),
    "share of 0": lambda d: d["columns"]["weight"].update(share=0),
    "estimates of text": lambda d: d.update(estimates="job"),
    "an estimate of nothing": lambda d: d.update(estimates=[{"weight": 1}]),
    "an unknown question": lambda d: d.update(estimates=[{"of": "job", "question": "why"}]),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_both_refuse_what_has_the_wrong_shape(shape: str) -> None:
    document = tomllib.loads(PLANS["everything"].to_toml())
    SHAPES[shape](document)
    assert not validator.is_valid(document)
    assert not is_read(document)
