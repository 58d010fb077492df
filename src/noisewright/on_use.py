"""Rooms whose names load on first use, so that a first mechanism does not wait for all others.

The files of a room hold many classes, and making a class takes longer than most first calls.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package whose public names are looked up in its files when somebody asks for them."""

    _file_of: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        file = self.__dict__.get("_file_of", {}).get(name)
        if file is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(file), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python puts a file into its package once it is loaded, by the name of the file. Where a
        # function has that name too, the name means the function: `geometric`, not geometric.py.
        if isinstance(value, ModuleType) and value.__name__ == self._file_of.get(name):
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._file_of})


def names_on_use(room: str, files: Mapping[str, Iterable[str]]) -> None:
    """Let the names of a package load when they are first used.

    Requires: `files` has, for each file of the package, the names that it gives.
    Ensures: `from room import name` and `room.name` give what an import at the top would.
    """
    package = sys.modules[room]
    package.__dict__["_file_of"] = {
        name: f"{room}.{file}" for file, names in files.items() for name in names
    }
    package.__class__ = _Room
