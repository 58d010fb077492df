"""What is built and what it asks for: a small version of `make package`, without the network."""

import re
import tarfile
import tomllib
import zipfile
from email import message_from_bytes, policy
from email.message import EmailMessage
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from readme_renderer import markdown

from tests.architecture.test_imports import AT_ONCE, ON_USE, PACKAGE, ROOT
from tests.docs.pages import blocks

EXTRA_OF = {
    "duckdb": "duckdb",
    "fastapi": "studio",
    "psycopg": "postgres",
    "pydantic": "studio",
    "pyspark": "spark",
    "python_calamine": "excel",
    "starlette": "studio",
    "uvicorn": "studio",
}
BROUGHT_BY_THE_CALLER = {"pandas", "polars"}
BROUGHT_BY = {"pydantic": "fastapi", "rich": "typer", "starlette": "fastapi"}


def built(builder: SdistBuilder | WheelBuilder, folder: Path) -> Path:
    return Path(next(iter(builder.build(directory=str(folder), versions=["standard"]))))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(WheelBuilder(str(ROOT)), tmp_path_factory.mktemp("wheel"))


def metadata(wheel: Path) -> EmailMessage:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        message = message_from_bytes(archive.read(name), policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def test_the_wheel_carries_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert inside == {path.relative_to(PACKAGE.parent).as_posix() for path in files}
    for needed in ("py.typed", "studio/static/index.html", "local/elsewhere/client.c"):
        assert f"noisewright/{needed}" in inside


def test_the_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(built(SdistBuilder(str(ROOT)), tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    root = next(path for path in tmp_path.iterdir() if path.is_dir())
    assert built(WheelBuilder(str(root)), tmp_path / "again").read_bytes() == wheel.read_bytes()
    assert (root / "Makefile").exists()


def test_the_page_of_a_package_index_needs_no_file_beside_it(wheel: Path, tmp_path: Path) -> None:
    told = metadata(wheel)
    assert told["Description-Content-Type"] == "text/markdown"
    text = told.get_payload(decode=True).decode("utf-8")  # pyright: ignore[reportAttributeAccessIssue]
    page = markdown.render(text)
    assert page
    assert "<img" not in page
    links = re.findall(r'href="([^"]*)"', page)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    copy = tmp_path / "page.md"
    copy.write_text(text, encoding="utf-8")
    codes = [[block.text for block in blocks(one)] for one in (copy, ROOT / "README.md")]
    assert codes[0] == codes[1]


def test_every_library_is_brought_by_the_package_or_by_the_extra_that_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        extra: {re.split(r"[<>=\[]", one)[0].lower() for one in wanted}
        for extra, wanted in {
            "": project["dependencies"],
            **project["optional-dependencies"],
        }.items()
    }
    libraries = set[str]().union(*AT_ONCE.values(), *ON_USE.values()) - BROUGHT_BY_THE_CALLER
    assert set(EXTRA_OF) <= libraries
    of = packages_distributions()
    for library in libraries - {"pyspark"}:
        asked = BROUGHT_BY.get(library, library)
        names = {name.lower() for name in of[asked]}
        assert names & named[EXTRA_OF.get(library, "")], f"{library} is not asked for"
    messages = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    extras = set(re.findall(r"noisewright\[(\w+)\]", messages))
    assert extras == set(EXTRA_OF.values())
