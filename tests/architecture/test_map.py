"""docs/architecture.md draws the rooms as the import contracts have them."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def drawn_layers() -> list[str]:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = page.split("## Rooms\n")[1].split("```text\n")[1].split("```")[0]
    return [line.split("  ")[0].strip() for line in drawing.splitlines()]


def test_the_drawing_is_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert drawn_layers() == layers


def test_every_room_is_drawn() -> None:
    package = ROOT / "src" / "noisewright"
    rooms = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    rooms -= {"__init__", "__pycache__", "py", "schemas"}
    assert rooms == {name for layer in drawn_layers() for name in layer.split(" | ")}
