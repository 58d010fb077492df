"""The folder that a program in another language needs to send reports to a collection."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisewright.errors import InputError, ParameterError
from noisewright.files import save_whole
from noisewright.local.elsewhere.vectors import make_vectors
from noisewright.local.wire import OVERHEAD

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

LARGEST = (1 << 53) - 1
"""Larger whole numbers are not exact in JavaScript."""

FORMS = ("blocks", "unary", "padded", "one of several")
FAMILIES = ("points", "projective", "sets", "hashes", "windows", "ends")
READINGS = ("value", "set", "set size", "record")
POINTS = ("labels", "counts", "grid")
"""What client.js knows: functions of these names are in its tables; client.c has all families."""


def write_folder(
    collection: Collection, folder: str | os.PathLike[str], *, overwrite: bool
) -> Path:
    """Write all files, each whole or not at all; see `Collection.spec`."""
    files = dict(_files(collection))
    place = Path(folder)
    taken = [name for name in files if (place / name).exists()]
    if taken and not overwrite:
        raise InputError(
            f"{place} has {taken[0]} already, and devices may use it. Give another folder, or "
            "overwrite=True."
        )
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{place} cannot be a folder: {problem.strerror}.") from None
    for name, text in files.items():
        save_whole(place / name, text.encode(), what=name, error=InputError)
    if "client.c" not in files:
        # One of another collection would send reports that this one refuses.
        (place / "client.c").unlink(missing_ok=True)
    return place


def _files(collection: Collection) -> Iterator[tuple[str, str]]:
    """Return the names of files and what is in them."""
    spec = collection.specification
    _require_forms(spec["randomizer"])
    _require_readings(spec.get("reading"), spec.get("values"))
    _require_exact(spec)
    text = collection.canonical
    vectors = {"digest": collection.digest.hex(), "vectors": list(make_vectors(collection))}
    in_c = _constants(collection)
    yield "collection.json", text
    yield "vectors.json", json.dumps(vectors, indent=0) + "\n"
    # A text in the source, in which no tag of HTML can end.
    quoted = json.dumps(text).replace("<", "\\u003c")[1:-1]
    yield "client.js", _fill("client.js", COLLECTION=quoted, DIGEST=collection.digest.hex())
    yield "package.json", '{ "type": "module", "main": "client.js" }\n'
    if in_c is not None:
        yield "client.c", _fill("client.c", CONSTANTS=in_c)
    yield (
        "README.md",
        _fill(
            "folder.md",
            NAME=f", `{_plain(collection.name)}`" if collection.name else "",
            DIGEST=collection.digest.hex(),
            GUARANTEE=str(collection.guarantee),
            LENGTH=f"{collection.randomizer.length + OVERHEAD:,}",
            C_FILE="" if in_c is None else _C_FILE,
            C_USE="" if in_c is None else _C_USE,
        ),
    )


_C_FILE = (
    "| `client.c` | a client in C11 for Linux, macOS and BSD, which takes codes: the place of a "
    "value in `collection.json` |\n"
)
_C_USE = """
In C, add `client.c` to your program. `noisewright_report(code, report)` returns 0, or -1 if
nothing may be sent. There is no memo in it: draw with `noisewright_answer`, keep the answer on
disk before you use it, and put it into a new frame for each report with `noisewright_frame`. It is
not for several threads at once.
"""


def _fill(name: str, **fields: str) -> str:
    text = resources.files(__package__ or "").joinpath(name).read_text(encoding="utf-8")
    # In one pass: what is filled in may look like a field, too.
    return re.sub(f"@({'|'.join(fields)})@", lambda found: fields[found[1]], text)


def _plain(name: str) -> str:
    return "".join(one if one.isprintable() and one not in "`|<" else " " for one in name)


def _require_forms(randomizer: dict[str, Any]) -> None:
    """Refuse reports that client.js cannot draw."""
    _require_known("reports of the form", randomizer["form"], FORMS)
    _require_exact([sum(randomizer.get("weights", ()))])
    if "family" in randomizer:
        family = randomizer["family"]
        _require_known("blocks of the kind", family["kind"], FAMILIES)
        if family["kind"] == "windows":
            _require_exact([(family["values"] - 1) * family["stride"] + family["width"]])
    inner = [randomizer["response"]] if "response" in randomizer else []
    for part in (*inner, *randomizer.get("parts", ())):
        _require_forms(part)


def _require_readings(reading: dict[str, Any] | None, values: dict[str, Any] | None) -> None:
    """Refuse values that client.js cannot read."""
    if reading is None:
        raise ParameterError(
            "there are no clients in other languages for this kind of collection. Use the Python "
            "client."
        )
    _require_known("values read as", reading["kind"], READINGS)
    for part in reading.get("parts", ()):
        _require_readings(part, values)
    if "parts" in reading:
        return
    points: dict[str, Any] = reading.get("values", values) or {}
    _require_known("values of the kind", points.get("kind"), POINTS)
    if "unit" in points:
        raise ParameterError(
            "clients in other languages do not read dates. Collect labels or counts, such as the "
            "number of the month."
        )
    labels = points.get("labels", ())
    if "bytes" in reading or any(not isinstance(label, str | int | float) for label in labels):
        raise ParameterError(
            "clients in other languages read labels that are texts, numbers, True or False. Give "
            "each value such a label."
        )


def _require_known(what: str, found: Any, known: tuple[str, ...]) -> None:
    if found not in known:
        raise ParameterError(
            f"there is no client in other languages for {what} {found!r}, but there is for "
            f"{', '.join(map(repr, known))}. Use the Python client."
        )


def _require_exact(found: Any) -> None:
    """Refuse whole numbers that JavaScript would round."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for one in found:
            if isinstance(one, dict | list | int):
                _require_exact(one)
    elif abs(found) > LARGEST:
        raise ParameterError(
            "the specification has a whole number beyond 2^53, which JavaScript would round. Use "
            "texts as labels, or smaller numbers."
        )


def _constants(collection: Collection) -> str | None:
    """Return what client.c has to know, or None where it does not know the form."""
    spec = collection.randomizer.describe_for_clients()
    kind = spec["form"] if spec["form"] == "unary" else spec.get("family", {}).get("kind")
    reading = collection.specification["reading"]
    if kind not in (*FAMILIES, "unary") or reading["kind"] != "value" or "group" in reading:
        return None
    numbers = {"log2_total": 0, **spec.get("family", {})}
    lines = {
        "FAMILY": kind.upper(),
        "VALUES": f"UINT64_C({collection.randomizer.size})",
        "PAYLOAD": str(collection.randomizer.length),
        "DIGEST": '"' + "".join(f"\\x{byte:02x}" for byte in collection.digest[:8]) + '"',
    }
    lines |= {
        name.upper(): f"0x{spec[name]}u" for name in ("keep", "present", "absent") & spec.keys()
    }
    if kind == "hashes":
        lines["LOG2_HASHES"] = str(numbers["hashes"].bit_length() - 1)
        lines["WIDTH"] = str(numbers["width"])
    elif kind == "projective":
        lines |= {"Q": f"UINT64_C({numbers['q']})", "T": str(numbers["t"])}
        lines["MODULUS"] = str(numbers.get("modulus", 0))
    elif kind == "windows":
        lines |= {one.upper(): f"UINT64_C({numbers[one]})" for one in ("width", "stride")}
    elif kind == "sets":
        lines["SIZE"] = str(numbers["size"])
    return "\n".join(f"#define {name} {value}" for name, value in lines.items())
