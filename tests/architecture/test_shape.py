"""The shape of the source tree and of the files that describe it."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.architecture.test_imports import AT_ONCE, MODULES, PACKAGE, ROOT

VAGUE = {"base", "common", "helpers", "misc", "util", "utilities", "utils"}
LONGEST = 400
PARTICIPLE = re.compile(
    "[a-z]+ed|chosen|drawn|found|given|held|known|made|seen|shown|taken|written"
)
NOUNS_AND_VERBS = {"need", "speed", "shuffled"}
"""`nw.shuffled` returns what holds of rows that are shuffled: it shuffles nothing itself."""


@pytest.mark.parametrize("path", MODULES)
def test_a_module_is_short_and_named_after_what_it_does(path: Path) -> None:
    assert not VAGUE & set(path.relative_to(PACKAGE).with_suffix("").parts)
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{lines} lines: which two things live here?"


@pytest.mark.parametrize("path", MODULES)
def test_a_function_is_named_by_a_verb_or_a_noun(path: Path) -> None:
    """Properties say what something is, so that a participle is a good name for one of them."""
    functions = [
        one
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(one, ast.FunctionDef)
        and not any("property" in ast.unparse(mark) for mark in one.decorator_list)
    ]
    words = {one.name.strip("_") for one in functions} - NOUNS_AND_VERBS
    assert [word for word in words if PARTICIPLE.fullmatch(word)] == []


def test_no_two_classes_have_one_name() -> None:
    """Private ones may: nobody looks for them elsewhere."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                found.setdefault(one.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_every_room_has_its_place_in_the_import_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    layers = {room for layer in contract["layers"] for room in re.findall(r"\w+", layer)}
    assert layers == AT_ONCE.keys() - {"__init__"}


def test_constraints_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.+!]+", line)] == []


def test_the_package_tells_type_checkers_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_every_test_folder_is_on_the_map() -> None:
    page = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/*.py")}
    assert {folder for folder in folders if f"`{folder}/`" not in page} == set()
