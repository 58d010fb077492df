"""Collections from their specifications: what a server or another device starts from."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from noisewright.certificates import read_epsilon
from noisewright.errors import InputError
from noisewright.exact import Epsilon
from noisewright.given import brief
from noisewright.local.collection import FORMAT, Collection
from noisewright.public import public

_FILES = {
    "attributes": "attributes",
    "distribution": "numbers.distribution",
    "frequencies": "frequencies",
    "heavy hitters": "heavy_hitters",
    "items": "item_opening",
    "mean": "numbers.mean",
    "rappor": "rappor.collecting",
    "succinct histogram": "succinct_histogram",
}
"""Which file of the room opens which kind, by its function `from_settings`."""


@public
def open_collection(specification: str | os.PathLike[str] | dict[str, Any]) -> Collection:
    """Return the collection that a specification describes: a file (or its content as a dict).

    Ensures: the collection has exactly this specification, and so this digest; else InputError.
    """
    given = specification
    what = "the specification" if isinstance(given, dict) else os.fspath(given)
    document = given if isinstance(given, dict) else _read(Path(given))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{what} is not the specification of a collection.")
    kind = document.get("kind")
    if document.get("version") != 1 or kind not in _FILES:
        raise InputError(
            f"{what} has version {brief(document.get('version'))} and kind {brief(kind)}, which "
            "this version does not know. Upgrade noisewright."
        )
    try:
        made = open_settings(document, read_epsilon(document["claims"]["epsilon"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{what} is damaged: its settings cannot be read.") from None
    if made.specification != document:
        raise InputError(
            f"{what} was changed, or made by another version: the collection that follows from its "
            "settings has another specification. Devices and servers must share one."
        )
    return made


def open_settings(settings: dict[str, Any], epsilon: Epsilon) -> Collection:
    """Return the collection of a known kind with these settings."""
    file = importlib.import_module(f"noisewright.local.{_FILES[settings['kind']]}")
    return file.from_settings(settings, epsilon)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not JSON"
        raise InputError(f"{path} cannot be read: {why}.") from None
