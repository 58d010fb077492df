"""Collections of items from their specifications."""

from __future__ import annotations

from typing import Any

from noisewright.certificates import point_label
from noisewright.errors import InputError
from noisewright.exact import Epsilon
from noisewright.local.item_collection import ItemCollection
from noisewright.local.items import items


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> ItemCollection:
    """Return the collection of one phase; later ones follow from what was found before."""
    if document["before"]:
        raise InputError(
            "this is a later phase of a protocol; open the first, and call next() with its server."
        )
    labels = [point_label(label) for label in document["items"]["labels"]]
    made = items(labels, largest=document["largest"], epsilon=epsilon, name=document["name"])
    assert isinstance(made, ItemCollection)
    return made
