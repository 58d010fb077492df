"""Opening and resealing certificates, for tests that tamper with them."""

import copy
import hashlib
import json
from typing import Any

Document = dict[str, Any]
SECTIONS = ("mechanism", "neighbors", "claims")


def digest(section: Any) -> str:
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def resealed(document: Document) -> Document:
    """The document with fresh digests: what a forger who reads the format would hand out."""
    fresh = copy.deepcopy(document)
    fresh["digests"] = {name: digest(fresh[name]) for name in SECTIONS}
    fresh.pop("digest", None)
    fresh["digest"] = digest(fresh)
    return fresh
