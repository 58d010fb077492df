"""Rooms and libraries that load on first use, so that a first mechanism does not wait for others.

The names of a room stand in one place, its `__init__.pyi`, which type checkers read too. Libraries
that load names by such stubs (lazy_loader) confuse a function with the file it is named after as
soon as another file of the room imports that file; `_Room` keeps them apart.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package whose public names are looked up in its files when somebody asks for them."""

    _file_of: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        file = self.__dict__.get("_file_of", {}).get(name)
        if file is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if file == self.__package__:  # `from . import errors`: the name of a room or a file
            value = importlib.import_module(f"{file}.{name}")
        else:
            value = getattr(importlib.import_module(file), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python puts a file into its package once it is loaded, by the name of the file. Where a
        # function has that name too, the name means the function: `geometric`, not geometric.py.
        file = self._file_of.get(name, "")
        if isinstance(value, ModuleType) and value.__name__ == file:
            value = getattr(value, name)
        elif isinstance(value, ModuleType) and file.startswith(f"{value.__name__}."):
            return  # so for a folder: `local.rappor` is the function in local/rappor/rappor.py
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._file_of})


def load_on_use(room: str) -> None:
    """Let the names in the stub of a module (`__init__.pyi`) load when they are first used.

    Ensures: `from room import name` and `room.name` give what an import at the top would.
    """
    module: Any = sys.modules[room]
    stub = module.__loader__.get_data(f"{module.__file__}i").decode()
    files: dict[str, str] = {}
    # Split by hand: `ast` takes longer to load than all that a first mechanism needs of us.
    for statement in f"\n{stub}".split("\nfrom .")[1:]:
        file, _, names = statement.partition("import ")
        for name in names.strip("()\n ").split(","):
            if name.strip():
                files[name.split()[0]] = f"{module.__package__}.{file.strip()}".rstrip(".")
    module.__dict__["_file_of"] = files
    module.__dict__["__all__"] = sorted(files)
    module.__class__ = _Room


class _Library:
    """A library that loads when one of its names is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


# They ship no types.
pa: Any = _Library("pyarrow")
pc: Any = _Library("pyarrow.compute")
pq: Any = _Library("pyarrow.parquet")
