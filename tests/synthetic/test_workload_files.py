"""Workloads as files: what is written is read again, and what cannot be read is named."""

import copy
import json
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError
from tests.plans.test_schema import inside, places, text_of

DOMAIN = nw.Records(
    {
        "sex": nw.Categories(["F", "M"]),
        "job.name": nw.Categories(["clerk", 'the "cook"', "judge"]),
        "kids": nw.Counts(4),
        "pay": nw.Interval(0, 1, step="1/3"),
        "code": nw.Categories([1, 2.5, True]),
    }
)
W = nw.workloads.Workload
WORKLOADS = {
    "all marginals": W.marginals(DOMAIN, ways=3),
    "some marginals": W.marginals(DOMAIN, ways=[1, 2], columns=["kids", "sex", "pay"]),
    "marginals twice": W.marginals(DOMAIN, ways=2) + W.marginals(DOMAIN, ways=2),
    "marginals in any order": W.marginals(DOMAIN, ways=2, columns=["pay", "sex"])
    + W.marginals(DOMAIN, ways=2, columns=["sex", "kids"])
    + W.marginals(DOMAIN, ways=2, columns=["kids", "pay"]),
    "ranges": W.prefixes(DOMAIN, "kids")
    + W.prefixes(DOMAIN, ["pay", "kids"])
    + W.ranges(DOMAIN, "pay")
    + W.ranges(DOMAIN, "pay", [(0, "1/3"), ("1/3", "2/3")])
    + W.ranges(DOMAIN, ["pay", "kids"], [[("2/3", 1), (0, 4)]]),
    "conjunctions": W.conjunctions(
        DOMAIN,
        {
            "named": {"sex": "F", "job.name": {"not": "judge"}, "kids": {"at_least": 2}},
            "": {"pay": {"at_most": "1/3"}, "code": [1, True], "kids": [0, 3]},
            "everybody": {"kids": {"at_least": 0}},
        },
    ),
}
SCHEMA = json.loads(
    (resources.files("noisewright") / "schemas" / "workload-1.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_is_written_is_valid_and_read_again(name: str, tmp_path: Path) -> None:
    workload = WORKLOADS[name]
    path = workload.save(tmp_path / "queries.toml")
    assert nw.workloads.Workload.read(path, DOMAIN) == workload
    assert nw.workloads.Workload.from_toml(workload.to_toml(), DOMAIN).labels() == workload.labels()
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))


def test_what_is_written_is_short() -> None:
    assert WORKLOADS["all marginals"].to_toml() == (
        'version = 1\n\n[[queries]]\nkind = "marginals"\nways = 3\n'
    )
    assert WORKLOADS["marginals twice"].to_toml().count("[[queries]]") == 2
    assert WORKLOADS["conjunctions"].to_toml().splitlines()[2:6] == [
        "[[queries]]",
        'kind = "conjunction"',
        'name = "named"',
        'where = { sex = "F", "job.name" = ["clerk", "the \\"cook\\""], kids = { at_least = 2 } }',
    ]


def test_the_file_of_the_manual_is_read() -> None:
    text = """
        version = 1
        [[queries]]
        kind = "marginals"
        ways = [1, 2]
        columns = ["sex", "kids"]
        [[queries]]
        kind = "ranges"
        columns = "pay"
        ends = [[0, 0.3333333333333333], [0.6666666666666666, 1]]
        [[queries]]
        kind = "conjunction"
        where = { code = { not = 2.5 }, kids = 1.0 }
        """
    expected = (
        W.marginals(DOMAIN, columns=["sex", "kids"])
        + W.marginals(DOMAIN, ways=2, columns=["sex", "kids"])
        + W.ranges(DOMAIN, "pay", [(0, "1/3"), ("2/3", 1)])
        + W.conjunctions(DOMAIN, [{"code": [1, True], "kids": 1}])
    )
    assert nw.workloads.Workload.from_toml(text, DOMAIN) == expected


def test_functions_are_not_written() -> None:
    own = W.predicates(DOMAIN, {"odd": lambda kids: kids % 2 == 1}, columns=["kids"])
    with pytest.raises(InputError, match="'odd' is a function, which a file cannot hold"):
        (W.marginals(DOMAIN) + own).to_toml()


def test_what_toml_cannot_hold_is_not_written() -> None:
    letters = nw.Records(a=nw.Categories([b"x", b"y"]))
    with pytest.raises(InputError, match="of type bytes"):
        W.conjunctions(letters, [{"a": b"x"}]).to_toml()
    with pytest.raises(InputError, match="no queries"):
        nw.workloads.Workload(DOMAIN, ()).to_toml()


QUERIES = '[[queries]]\nkind = "{}"\n'
BAD = {
    "no TOML": ("[[", "not TOML"),
    "no version": (QUERIES.format("marginals"), "Write version = 1 at its top"),
    "version": ("version = 2", "reads version 1"),
    "nothing": ("version = 1", "has no queries"),
    "settings": ("version = 1\nquerys = []", "Did you mean \"?'?queries"),
    "no kind": ("version = 1\n[[queries]]\nways = 1", 'kind = "…"'),
    "kind": ("version = 1\n" + QUERIES.format("tables"), "queries 1: kind is 'tables'"),
    "no ways": ("version = 1\n" + QUERIES.format("marginals"), "ways is missing"),
    "a setting": (
        "version = 1\n" + QUERIES.format("marginals") + "ways = 1\ncolums = []",
        "Did you mean 'columns'",
    ),
    "column": (
        "version = 1\n" + QUERIES.format("marginals") + 'ways = 1\ncolumns = ["age"]',
        "queries 1: the domain has no column 'age'",
    ),
    "columns": (
        "version = 1\n" + QUERIES.format("marginals") + 'ways = 1\ncolumns = "sex"',
        "columns must be names",
    ),
    "no columns": ("version = 1\n" + QUERIES.format("ranges"), "columns is missing"),
    "ends": (
        "version = 1\n" + QUERIES.format("ranges") + 'columns = "kids"\nends = 3',
        "list of pairs",
    ),
    "an end": (
        "version = 1\n" + QUERIES.format("ranges") + 'columns = "kids"\nends = [3]',
        "must be a list",
    ),
    "order": (
        "version = 1\n" + QUERIES.format("prefixes") + 'columns = "sex"',
        "'sex' has no order",
    ),
    "where": ("version = 1\n" + QUERIES.format("conjunction"), "it needs where"),
    "name": (
        "version = 1\n" + QUERIES.format("conjunction") + "name = 3\nwhere = { kids = 1 }",
        "name must be a text",
    ),
    "value": (
        "version = 1\n" + QUERIES.format("conjunction") + 'where = { sex = "X" }',
        "column 'sex' has no value 'X'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_named(name: str) -> None:
    text, words = BAD[name]
    with pytest.raises(InputError, match=words):
        nw.workloads.Workload.from_toml(text, DOMAIN)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the workload .*No such file"):
        nw.workloads.Workload.read(tmp_path / "none.toml", DOMAIN)
    (tmp_path / "latin.toml").write_bytes("# ü".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        nw.workloads.Workload.read(tmp_path / "latin.toml", DOMAIN)
    with pytest.raises(InputError, match="Choose a folder"):
        WORKLOADS["ranges"].save(tmp_path / "nowhere" / "queries.toml")


def is_read(document: Any) -> bool:
    try:
        nw.workloads.Workload.from_toml(text_of(document), DOMAIN)
    except NoisewrightError:
        return False
    return True


STRANGE: list[Any] = [True, "x", "", -1, 0, 0.5, 3, [], ["x"], [["x"]], [1, 1], {}, {"x": 1}]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_the_schema_refuses_is_not_read(data: st.DataObject) -> None:
    """Never stricter than the reader; what only the reader sees is what no schema can say."""
    document = tomllib.loads(WORKLOADS[data.draw(st.sampled_from(sorted(WORKLOADS)))].to_toml())
    forged = copy.deepcopy(document)
    path = data.draw(st.sampled_from(list(places(document))))
    parent = inside(forged, path[:-1])
    how = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "remove":
        del parent[path[-1]]
    elif how == "add" and isinstance(parent, dict):
        added: dict[str, Any] = parent
        added[data.draw(st.sampled_from(["weight", "ends", "name", "not"]))] = data.draw(
            st.sampled_from(STRANGE)
        )
    else:
        parent[path[-1]] = data.draw(st.sampled_from(STRANGE))
    if not VALIDATOR.is_valid(forged):
        assert not is_read(forged), forged


SHAPES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no version": lambda d: d.pop("version"),
    "no queries": lambda d: d.update(queries=[]),
    "unknown setting": lambda d: d.update(weights=[1]),
    "unknown kind": lambda d: d["queries"][0].update(kind="parity"),
    "no ways": lambda d: d["queries"][0].pop("ways"),
    "ways of 0": lambda d: d["queries"][0].update(ways=0),
    "columns of a text": lambda d: d["queries"][0].update(columns="sex"),
    "a name for marginals": lambda d: d["queries"][0].update(name="x"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_schema_refuses_what_the_reader_refuses(name: str) -> None:
    document = tomllib.loads(WORKLOADS["some marginals"].to_toml())
    assert VALIDATOR.is_valid(document)
    SHAPES[name](document)
    assert not VALIDATOR.is_valid(document)
    assert not is_read(document)


def test_the_schema_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for part in [SCHEMA, *SCHEMA["$defs"].values()]:
        for name, field in part.get("properties", {}).items():
            assert "description" in field, name
