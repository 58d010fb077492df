"""What each room may import from outside of the package, and when.

The contracts in pyproject.toml keep the rooms in order. They cannot tell an import at the top of a
module from one inside a function, so that difference, and what it costs a user, is checked here.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "noisewright"

# Loaded with the module.
AT_ONCE: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "bound_checker": set(),
    "checker": set(),
    "curve_checker": set(),
    "formula_checker": set(),
    "steps_checker": set(),
    "files": set(),
    "version": set(),
    "exact": {"numpy"},
    "sampling": {"numpy", "cryptography"},
    "spaces": {"numpy"},
    "mechanisms": {"numpy"},
    "privacy": {"numpy"},
    "designs": {"numpy"},
    "selection": {"numpy"},
    "models": {"numpy"},
    "synthetic": {"numpy"},
    "estimation": {"numpy"},
    "curves": {"numpy"},
    "ledger": {"numpy"},
    "plans": {"numpy"},
    "engines": {"numpy"},
    "releases": {"numpy"},
    "report": {"numpy"},
    "cli": {"numpy", "rich", "typer"},
}

# Loaded when a function that needs it is called, or only for its types.
ON_USE: dict[str, set[str]] = {
    "sampling": {"cryptography"},
    "mechanisms": {"pyarrow"},
    "curves": {"pyarrow"},
    "designs": {"highspy", "scipy"},
    "estimation": {"pyarrow"},
    "plans": {"pyarrow"},
    "ledger": {"psycopg", "pyarrow", "sqlalchemy"},
    "engines": {"pandas", "polars", "pyarrow", "pyspark"},
    "releases": {"pyarrow"},
    "report": {"altair", "vl_convert"},
    "synthetic": {"jax", "mbi", "pyarrow"},
    "cli": {"altair", "pyarrow", "vl_convert"},
}

HEAVY = [
    "altair",
    "cryptography",
    "highspy",
    "jax",
    "mbi",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "rich",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "typer",
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
    "name",
    ["checker.py", *(f"{what}_checker.py" for what in ("bound", "curve", "formula", "steps"))],
)
def test_the_checker_stands_alone(name: str) -> None:
    source = (PACKAGE / name).read_text(encoding="utf-8")
    tops = {name.partition(".")[0] for name in imports(ast.parse(source), at_once=False)}
    assert tops <= sys.stdlib_module_names
    assert not any(isinstance(n, ast.ImportFrom) and n.level for n in ast.walk(ast.parse(source)))
    assert len(source.splitlines()) <= 300


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = f"import sys, noisewright; print(*sorted(sys.modules.keys() & set({HEAVY})))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
