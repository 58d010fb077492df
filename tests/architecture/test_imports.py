"""What each room may import from outside of the package, and when.

The contracts in pyproject.toml keep the rooms in order. They cannot tell an import at the top of a
module from one inside a function, so that difference, and what it costs a user, is checked here.
"""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "noisewright"

NAMESPACES = [
    "accounting",
    "analysis",
    "combine",
    "planning",
    "priors",
    "randomness",
    "results",
    "select",
    "workloads",
]

# Loaded with the module.
AT_ONCE: dict[str, set[str]] = {
    "__init__": set(),
    **{name: set() for name in NAMESPACES},
    "errors": set(),
    "certificates": {"numpy"},
    "given": set(),
    "meanings": set(),
    "public": set(),
    "checker": set(),
    "files": set(),
    "on_use": set(),
    "version": set(),
    "exact": {"numpy"},
    "sampling": {"numpy", "cryptography"},
    "spaces": {"numpy"},
    "tables": {"numpy"},
    "relations": {"numpy"},
    "mechanisms": {"numpy"},
    "privacy": {"numpy"},
    "designs": {"numpy"},
    "selection": {"numpy"},
    "models": {"numpy"},
    "advice": {"numpy"},
    "local": {"numpy"},
    "synthetic": {"numpy"},
    "estimation": {"numpy"},
    "curves": {"numpy"},
    "ledger": {"numpy"},
    "transaction": set(),
    "plans": {"numpy"},
    "engines": {"numpy"},
    "releases": {"numpy"},
    "queries": {"numpy"},
    "report": {"numpy"},
    "demo": {"numpy"},
    "studio": {"fastapi", "pydantic", "starlette"},
    "cli": {"numpy", "rich", "typer"},
    "__main__": set(),
}

# Loaded when a function that needs it is called, or only for its types.
ON_USE: dict[str, set[str]] = {
    "advice": {"pyarrow"},
    "local": {"pyarrow", "pyspark", "scipy"},
    "public": {"numpy"},
    "sampling": {"cryptography"},
    "tables": {"pandas", "polars", "pyarrow", "python_calamine"},
    "relations": {"duckdb", "psycopg", "pyarrow", "pyspark", "sqlglot"},
    "queries": {"polars", "pyarrow", "scipy", "sqlglot"},
    "mechanisms": {"pyarrow"},
    "curves": {"pyarrow"},
    "designs": {"highspy", "scipy"},
    "estimation": {"pyarrow"},
    "plans": {"pyarrow"},
    "ledger": {"psycopg", "pyarrow", "sqlalchemy"},
    "transaction": {"pyarrow"},
    "engines": {"pyarrow", "pyspark"},
    "releases": {"pyarrow"},
    "report": {"altair", "jinja2", "vl_convert"},
    "synthetic": {"pyarrow", "scipy"},
    "demo": {"pyarrow"},
    "studio": {"uvicorn"},
    "cli": {"altair", "pyarrow", "vl_convert"},
}

HEAVY = [
    "altair",
    "cryptography",
    "duckdb",
    "fastapi",
    "highspy",
    "jax",
    "jinja2",
    "mbi",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "python_calamine",
    "rich",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "sqlglot",
    "typer",
    "uvicorn",
    "vl_convert",
]

MODULES = [
    pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in sorted(PACKAGE.rglob("*.py"))
]


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST, *, at_once: bool) -> Iterator[str]:
    """Dotted names of the modules imported under the node; `at_once` leaves out what can wait."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and not child.level:
            module = child.module or ""
            yield from (f"{module}.{alias.name}" for alias in child.names)
        elif at_once and is_for_types_only(child):
            assert isinstance(child, ast.If)
            for otherwise in child.orelse:
                yield from imports(ast.Module([otherwise], []), at_once=True)
        elif not (
            at_once and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        ):
            yield from imports(child, at_once=at_once)


def libraries(path: Path, *, at_once: bool) -> set[str]:
    """The third-party packages that a module imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tops = {name.partition(".")[0] for name in imports(tree, at_once=at_once)}
    return tops - {"noisewright"} - sys.stdlib_module_names


@pytest.mark.parametrize("path", MODULES)
def test_a_room_loads_only_the_libraries_it_may(path: Path) -> None:
    room = room_of(path)
    assert room in AT_ONCE, f"{room} is a new room: say in AT_ONCE which libraries it may load."
    assert libraries(path, at_once=True) <= AT_ONCE[room]
    assert libraries(path, at_once=False) <= AT_ONCE[room] | ON_USE.get(room, set())


@pytest.mark.parametrize("path", MODULES)
def test_only_the_cli_imports_the_top_of_the_package(path: Path) -> None:
    """Below the cli, `from noisewright import Counts` is a circle: the top imports every room."""
    if room_of(path) == "cli":
        return
    names = set(imports(ast.parse(path.read_text(encoding="utf-8")), at_once=False))
    ours = {f"{name}.".split(".")[1] for name in names if name.partition(".")[0] == "noisewright"}
    assert ours <= AT_ONCE.keys()


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "checker").glob("*.py")), ids=lambda path: path.name
)
def test_the_checker_stands_alone(path: Path) -> None:
    """It uses the standard library and its own files, named relatively, and nothing else."""
    beside = {file.suffix for file in path.parent.iterdir() if file.name != "__pycache__"}
    assert beside == {".py"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tops = {name.partition(".")[0] for name in imports(tree, at_once=False)}
    assert tops <= sys.stdlib_module_names
    assert all(n.level <= 1 for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))


def loaded_by(script: str) -> set[str]:
    """The modules that a new interpreter has loaded after a script."""
    telling = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    done = subprocess.run(
        [sys.executable, "-c", f"{telling}\n{script}"], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import noisewright")
    assert loaded & {*HEAVY, "numpy"} == set()
    ours = {"noisewright", "noisewright.on_use"}
    assert {name for name in loaded if name.partition(".")[0] == "noisewright"} == ours


FIRST_MECHANISMS = {
    "geometric": "nw.geometric(nw.Counts(8), epsilon=1).sample([1, 2])",
    "randomized_response": (
        "nw.randomized_response(nw.Categories(['a', 'b']), epsilon=1).sample(['a'])"
    ),
}


@pytest.mark.parametrize("name", sorted(FIRST_MECHANISMS))
def test_a_first_mechanism_does_not_wait_for_the_others(name: str) -> None:
    loaded = loaded_by(f"import noisewright as nw; {FIRST_MECHANISMS[name]}")
    assert loaded & set(HEAVY) == {"cryptography"}
    rooms = {name.split(".")[1] for name in loaded if name.startswith("noisewright.")}
    assert rooms == {
        "errors",
        "exact",
        "given",
        "meanings",
        "mechanisms",
        "on_use",
        "public",
        "sampling",
        "spaces",
        "tables",
    }
    mechanisms = rooms_on_use()["mechanisms"]
    makers = {file for file, names in mechanisms.items() if file.rpartition(".")[2] in names}
    assert len(makers) > 9
    found = [file for file in makers if f"noisewright.mechanisms.{file}" in loaded]
    assert [file.rpartition(".")[2] for file in found] == [name]
    unneeded = {"curves", "interval", "lattice", "records", "rows", "subsets"}
    assert loaded & {f"noisewright.spaces.{file}" for file in unneeded} == set()
    unneeded = {"gaussian", "geometric", "normal", "staircase"}
    assert loaded & {f"noisewright.sampling.{file}" for file in unneeded} == set()


@pytest.mark.parametrize(
    ("script", "most", "unneeded"),
    [
        ("nw.geometric(nw.Counts(8), epsilon=1)", 40, {"certificates", "checker", "plans"}),
        ("nw.Plan", 94, {"engines", "estimation", "ledger", "releases", "synthetic"}),
        ("nw.release", 183, {"designs", "report", "selection", "synthetic"}),
        (
            "plan = nw.Plan({'a': nw.Column(['x', 'y'])}, epsilon=1); "
            "nw.release([{'a': 'x'}], plan, ledger=None)",
            229,
            {"designs", "report", "selection", "synthetic"},
        ),
    ],
    ids=["a mechanism", "Plan", "release", "a small release"],
)
def test_work_loads_the_rooms_it_needs(script: str, most: int, unneeded: set[str]) -> None:
    loaded = loaded_by(f"import noisewright as nw; {script}")
    ours = {name for name in loaded if name.partition(".")[0] == "noisewright"}
    assert {f"{name}.".split(".")[1] for name in ours} & unneeded == set()
    assert not any(name.startswith("noisewright.engines.spark.table") for name in ours)
    # The checker loads whole or not at all.
    assert len([name for name in ours if ".checker" not in name]) <= most


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        pytest.param(["--version"], {*HEAVY, "numpy"}, id="version"),
        pytest.param(["--help"], {*HEAVY, "numpy"} - {"rich", "typer"}, id="help"),
        pytest.param(["verify", "-h"], {*HEAVY, "numpy"} - {"rich", "typer"}, id="verify"),
    ],
)
def test_asking_the_program_about_itself_loads_no_mathematics(
    arguments: list[str], unneeded: set[str]
) -> None:
    script = f"sys.argv[1:] = {arguments}\nfrom noisewright.cli import main; main()"
    assert loaded_by(script) & unneeded == set()


def rooms_on_use() -> dict[str, dict[str, list[str]]]:
    """For each room: which names its stub says are in each of its files."""
    rooms: dict[str, dict[str, list[str]]] = {}
    for path in sorted(PACKAGE.glob("*/__init__.pyi")):
        files = rooms.setdefault(path.parent.name, {})
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            assert isinstance(node, ast.ImportFrom)
            assert node.level == 1
            assert all(name.name == name.asname for name in node.names), "other tools see it so"
            files.setdefault(str(node.module), []).extend(name.name for name in node.names)
    return rooms


ROOMS = sorted(rooms_on_use())


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_the_names_of_its_stub(room: str) -> None:
    names = [name for names in rooms_on_use()[room].values() for name in names]
    public = importlib.import_module(f"noisewright.{room}")
    assert public.__all__ == sorted(names)
    assert len(set(names)) == len(names)
    assert set(names) <= set(dir(public))
    with pytest.raises(AttributeError, match=f"noisewright.{room}"):
        _ = public.frobnicate


@pytest.mark.parametrize("path", MODULES)
def test_a_room_is_entered_by_its_door(path: Path) -> None:
    """Other rooms use the names in a room's stub; where in the room they live is its own affair."""
    past = {
        name
        for name in imports(ast.parse(path.read_text(encoding="utf-8")), at_once=False)
        if name.startswith("noisewright.") and name.split(".")[1] in (*ROOMS, "checker")
        if name.split(".")[1] != room_of(path) and len(name.split(".")) > 3
    }
    assert past == set()


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_means_the_function_whether_or_not_its_file_is_loaded(room: str) -> None:
    """`mechanisms.geometric` is the function, although Python would put the file there."""
    files = rooms_on_use()[room]
    lines = [
        "import importlib, types",
        f"files = {files}",
        f"for file in files: importlib.import_module('noisewright.{room}.' + file)",
        f"room = importlib.import_module('noisewright.{room}')",
        "for file, names in files.items():",
        f"    module = sys.modules['noisewright.{room}.' + file]",
        "    for name in names:",
        "        assert getattr(room, name) is getattr(module, name), name",
        "        assert not isinstance(getattr(room, name), types.ModuleType), name",
    ]
    assert f"noisewright.{room}" in loaded_by("\n".join(lines))
