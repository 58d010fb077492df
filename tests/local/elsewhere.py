"""Collections of all kinds that clients in other languages know, and the programs to run them."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.local import Collection, FrequencyCollection
from noisewright.local.choosing import Choice
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.family import BlockFamily, ByteStream
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import Points
from noisewright.local.families.projective import Projective
from noisewright.local.families.windows import Windows
from noisewright.local.frequencies import describe_reading, encode_values
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.randomizer import BlockResponse, PureRandomizer, block_response
from noisewright.local.unary import unary_encoding

NODE, GCC = shutil.which("node"), shutil.which("gcc")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
NEEDS_NODE = pytest.mark.skipif(NODE is None, reason="needs: node (apt-get install nodejs)")
NEEDS_GCC = pytest.mark.skipif(GCC is None, reason="needs: gcc (apt-get install gcc)")
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason="needs: chromium (apt-get install chromium)"
)

ONE = Epsilon.of(1)


def of_randomizer(
    randomizer: PureRandomizer, space: nw.spaces.Space | None = None, name: str = ""
) -> FrequencyCollection:
    values = nw.Counts(randomizer.size - 1) if space is None else space
    return FrequencyCollection(values, Choice("given", randomizer, ""), name)


def of_family(family: BlockFamily) -> FrequencyCollection:
    return of_randomizer(block_response(family, ONE))


@final
class SeveralQuestions(Collection):
    """One of several questions, drawn before the value is looked at."""

    def __init__(self, parts: Sequence[PureRandomizer], weights: Sequence[int]) -> None:
        self.name = "several"
        self.randomizer = OneOfSeveral(tuple(parts), tuple(weights))
        self.spaces = {f"q{i}": nw.Counts(part.size - 1) for i, part in enumerate(parts)}

    def settings(self) -> dict[str, Any]:
        return {"kind": "questions"}

    def reading(self) -> dict[str, Any]:
        parts = [
            {**describe_reading(space), "values": space.describe()}
            for space in self.spaces.values()
        ]
        return {"kind": "record", "names": list(self.spaces), "parts": parts}

    def encode(self, values: Any) -> NDArray[np.int64]:
        columns = [
            encode_values(space, [value[name] for value in values])
            for name, space in self.spaces.items()
        ]
        return np.stack(columns, axis=1)

    def examples(self, most: int) -> list[Any]:
        return [
            {name: (7 * i) % space.size for name, space in self.spaces.items()} for i in range(most)
        ]

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        return None

    def plan(self, *, people: int, **options: Any) -> Any:
        return None


class OneWay(OneOfSeveral):
    """One of several ways to report one and the same code."""

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        return super().draw_one([code] * len(self.parts), stream)


@dataclass(frozen=True)
class TwoEnds(Points):
    """Of numbers that are rounded at random to the first or the last: the block is that end."""

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        return bytes([(stream.below(self.values - 1) < code) == inside])

    def describe(self) -> dict[str, Any]:
        return {"kind": "ends", "values": self.values}


@dataclass(frozen=True)
class OneItem(BlockResponse):
    """A response to one item of a set, or to one of the dummies that fill it up."""

    items: int = 6
    largest: int = 3

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        found = [int(item) for item in code if item >= 0]
        place = stream.below(max(len(found), self.largest))
        value = found[place] if place < len(found) else self.items + place
        return super().draw_one(value, stream)

    def describe_for_clients(self) -> dict[str, Any]:
        response = super().describe_for_clients()
        return {
            "form": "padded",
            "items": self.items,
            "largest": self.largest,
            "response": response,
        }


@final
class Baskets(Collection):
    """One item of a set, or how many items it has."""

    def __init__(self, candidates: list[int] | None, most: int | None = None) -> None:
        self.name = "baskets"
        self.items = ["tv", "car", "Öl", "bread", "milk", "beer"]
        self.candidates, self.most = candidates, most
        known = block_response(Points(9 if most is None else most + 1), ONE)
        self.randomizer = known
        if most is None:
            self.randomizer = OneItem(known.family, known.keep, known.guarantee)

    def settings(self) -> dict[str, Any]:
        return {"kind": "baskets", "values": nw.Categories(self.items).describe()}

    def reading(self) -> dict[str, Any]:
        some = {} if self.candidates is None else {"candidates": self.candidates}
        if self.most is None:
            return {"kind": "set", **some}
        return {"kind": "set size", "most": self.most, **some}

    def encode(self, values: Any) -> NDArray[np.int64]:
        (value,) = values
        asked = range(len(self.items)) if self.candidates is None else self.candidates
        places = sorted({self.items.index(item) for item in value})
        codes = [list(asked).index(place) for place in places if place in asked]
        return np.array([codes if self.most is None else min(len(codes), self.most)])

    def examples(self, most: int) -> list[Any]:
        return [[], ["beer"], ["beer", "tv", "tv"], ["milk", "car", "Öl"], [*self.items], ["tv"]]

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        return None

    def plan(self, *, people: int, **options: Any) -> Any:
        return None


@final
class Groups(Collection):
    """Numbers of a grid, of which some neighbors are one; reported in one of two ways."""

    def __init__(self) -> None:
        self.name = "groups"
        self.space = nw.Interval(0, 2, step=0.1).reading(off_grid="round")
        parts = block_response(Points(7), ONE), block_response(Windows(7, 3, 2), ONE)
        self.randomizer = OneWay(parts, (2, 3))

    def settings(self) -> dict[str, Any]:
        return {"kind": "groups", "values": self.space.describe(), "group": 3}

    def reading(self) -> dict[str, Any]:
        return {**describe_reading(self.space), "group": 3}

    def encode(self, values: Any) -> NDArray[np.int64]:
        return encode_values(self.space, values) // 3

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        return None

    def plan(self, *, people: int, **options: Any) -> Any:
        return None


LABELS = nw.Categories(
    ["red", "Grün", "", 'a "quoted" </script>', "@DIGEST@", "\\", "\u2028", 7, -3, 0.5, True, "7"]
)

KINDS: dict[str, Collection] = {
    "two points": of_family(Points(2)),
    "points": of_family(Points(6)),
    "many points": of_family(Points(70_000)),
    "prime field": of_family(Projective(13, 3, 3)),
    "larger prime": of_family(Projective(50, 7, 3)),
    "line": of_family(Projective(6, 5, 2)),
    "hadamard": of_family(Projective(15, 2, 4)),
    "binary field": of_family(Projective(21, 4, 3)),
    "larger binary": of_family(Projective(4_000, 16, 4)),
    "largest field": of_family(Projective(1_025, 1_024, 2)),
    "sets": of_family(ChosenSets(11, 3)),
    "hashes": of_family(Hashed(9, 2)),
    "two hashes": of_family(Hashed(9, 1)),
    "wide hashes": of_family(Hashed(100_000, 5)),
    "windows": of_family(Windows(10, 5, 2)),
    "long windows": of_family(Windows(1_000, 4_001, 100)),
    "unary": of_randomizer(unary_encoding(12, ONE)),
    "long unary": of_randomizer(unary_encoding(1_001, ONE, symmetric=True)),
    "labels": of_randomizer(block_response(Projective(12, 3, 3), ONE), LABELS, "of @DIGEST@"),
    "grid": of_randomizer(block_response(Points(21), ONE), nw.Interval(-1, 1, step=0.1)),
    "several": SeveralQuestions(
        [
            block_response(Points(3), ONE),
            unary_encoding(20, ONE),
            block_response(Projective(13, 3, 3), ONE),
        ],
        [1, 5, 3],
    ),
    "groups": Groups(),
    "ends": of_family(TwoEnds(2)),
    "more ends": of_family(TwoEnds(40)),
    "items": Baskets(None),
    "candidates": Baskets([5, 0, 2]),
    "sizes": Baskets([5, 0, 2], 2),
}
WITHOUT_C = {"several", "groups", "items", "candidates", "sizes"}


def node(program: str, *arguments: object) -> str:
    """Run a module in Node, and return what it prints."""
    assert NODE is not None
    command = [NODE, "--input-type=module", "-e", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def load_in_node(folder: Path) -> str:
    """The first lines of a program that uses the client in a folder."""
    return (
        f"import * as nw from {json.dumps((folder / 'client.js').as_uri())};\n"
        'import { readFileSync } from "node:fs";\n'
        f"const vectors = JSON.parse(readFileSync({json.dumps(str(folder / 'vectors.json'))}));\n"
        "const fails = (f) => { try { f(); } catch (e) {\n"
        "  if (e instanceof nw.ReportError) return e.message; throw e; } return null; };\n"
    )
