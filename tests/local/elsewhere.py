"""Collections of all kinds that clients in other languages know, and the programs to run them."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.local import Collection, FrequencyCollection
from noisewright.local.choosing import ReportChoice
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.family import BlockFamily
from noisewright.local.families.hashed import Hashed
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective
from noisewright.local.families.windows import Windows
from noisewright.local.item_collection import ItemCollection
from noisewright.local.padded import amplified_sample
from noisewright.local.randomizer import PureRandomizer, block_response
from noisewright.local.set_sizes import SetSizeCollection
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
    return FrequencyCollection(values, ReportChoice("given", randomizer, ""), name)


def of_family(family: BlockFamily) -> FrequencyCollection:
    return of_randomizer(block_response(family, ONE))


ITEMS = nw.Subsets(["tv", "car", "Öl", "bread", "milk", "beer"])
CANDIDATES = np.array([5, 0, 2])


def of_ends(values: int) -> nw.local.MeanCollection:
    """The mean of numbers that are rounded at random to the first or the last."""
    return nw.local.mean(nw.Counts(values - 1), epsilon=1, method="duchi")


LABELS = nw.Categories(
    ["red", "Grün", "", 'a "quoted" </script>', "@DIGEST@", "\\", "\u2028", 7, -3, 0.5, True, "7"]
)

KINDS: dict[str, Collection] = {
    "two points": of_family(PointBlocks(2)),
    "points": of_family(PointBlocks(6)),
    "many points": of_family(PointBlocks(70_000)),
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
    "grid": of_randomizer(block_response(PointBlocks(21), ONE), nw.Interval(-1, 1, step=0.1)),
    "several": nw.local.one_of(
        {
            "q0": nw.local.frequencies(nw.Counts(2), epsilon=1),
            "q1": nw.local.frequencies(nw.Counts(19), epsilon=1, method="unary"),
            "q2": nw.local.mean(nw.Counts(12), epsilon=1, method="piecewise"),
        },
        weights={"q0": 1, "q1": 5, "q2": 3},
    ),
    "groups": nw.local.distribution(
        nw.Interval(0, 200, step=0.1).reading(off_grid="round"), epsilon=1
    ),
    "one way of two": nw.local.mean(nw.Interval(-1, 1, step=0.1), epsilon=2, method="hybrid"),
    "more items": nw.local.items(list(range(500)), largest=3, epsilon=1),
    "ends": of_ends(2),
    "more ends": of_ends(40),
    "items": ItemCollection(ITEMS, amplified_sample(6, 3, ONE), "", "baskets"),
    "candidates": ItemCollection(
        ITEMS, amplified_sample(3, 2, ONE), "", "baskets", candidates=CANDIDATES
    ),
    "sizes": SetSizeCollection(ITEMS, CANDIDATES, ONE, "baskets", most=2),
}
WITHOUT_C = {"several", "groups", "one way of two", "more items", "items", "candidates", "sizes"}


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
