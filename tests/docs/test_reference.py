"""The reference pages say what the code says, and leave nothing out."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import noisewright as nw

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_make", REFERENCE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["api.md", "cli.md"])
def test_the_page_is_what_the_code_would_write(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == maker().PAGES[name](), "run .venv/bin/python docs/reference/make.py"


def test_every_public_name_is_documented() -> None:
    documented = {name for names in maker().SECTIONS.values() for name in names}
    files = {path.stem for path in Path(str(nw.__file__)).parent.glob("*.pyi")} - {"__init__"}
    inside = {name for file in files for name in vars(getattr(nw, file))["__all__"]}
    rooms = {"curves", "local", "models"}
    assert files | rooms | {"errors", "__version__"} <= set(vars(nw)["__all__"])
    stated = set(vars(nw)["__all__"]) | inside
    from_rooms = {name for room in rooms for name in vars(getattr(nw, room))["__all__"]}
    assert documented - from_rooms == stated - files - rooms - from_rooms - {
        "__version__",
        "errors",
    }
    assert {*vars(nw.models)["__all__"], *vars(nw.local)["__all__"]} <= documented


def test_no_member_is_described_by_the_docstring_of_its_type() -> None:
    page = (REFERENCE / "api.md").read_text(encoding="utf-8")
    for kind in (str, int, float, bool, tuple, list, dict, frozenset, type(None), property):
        assert f"| {(kind.__doc__ or '-').splitlines()[0]} |" not in page
