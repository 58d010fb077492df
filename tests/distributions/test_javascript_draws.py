"""What the JavaScript client draws has the law of its table, and not one nearby."""

import json
from pathlib import Path

import numpy as np
import pytest

from noisewright.exact import Epsilon
from noisewright.local.families.chosen import ChosenSets
from noisewright.local.families.family import BlockFamily
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective
from noisewright.local.families.windows import Windows
from noisewright.local.randomizer import BlockResponse, block_response
from noisewright.local.unary import unary_encoding
from tests.distributions.alarm import Alarm
from tests.local.elsewhere import NEEDS_NODE, load_in_node, node, of_randomizer

COUNT = """
const client = nw.makeClient(), counts = new Map();
for (let i = 0; i < DRAWS; i += 1) {
  const payload = client.report(CODE).slice(19, -4);
  const number = payload.reduceRight((found, byte) => 256 * found + byte, 0);
  counts.set(number, (counts.get(number) ?? 0) + 1);
}
console.log(JSON.stringify([...counts]));
"""


def counts(folder: Path, code: int, draws: int, outputs: list[int]) -> list[int]:
    program = COUNT.replace("DRAWS", str(draws)).replace("CODE", str(code))
    found = dict(json.loads(node(load_in_node(folder) + program)))
    assert set(found) <= set(outputs)
    return [found.get(output, 0) for output in outputs]


def law(made: BlockResponse, code: int) -> list[float]:
    return [float(one) for one in np.array(made.table().matrix[code])]


def outputs_of(family: BlockFamily) -> list[int]:
    if isinstance(family, ChosenSets):
        return family._sets  # type: ignore[attr-defined]
    return list(range(family.outputs))


@NEEDS_NODE
@pytest.mark.parametrize(
    "family",
    [PointBlocks(4), Projective(13, 3, 3), Projective(5, 4, 2), Windows(4, 3, 2), ChosenSets(5, 2)],
)
def test_reports_have_the_law_of_their_table(
    alarm: Alarm, family: BlockFamily, tmp_path: Path
) -> None:
    made, code = block_response(family, Epsilon.of(1)), 3
    folder = of_randomizer(made).spec(tmp_path)
    near = [law(block_response(family, Epsilon.of(one)), code) for one in ("3/4", "5/4")]
    outputs = outputs_of(family)
    alarm.judge(
        lambda n: counts(folder, code, n, outputs),
        law(made, code),
        [*near, law(made, code - 1)],
        most=1 << 18,
    )


@NEEDS_NODE
def test_rows_of_bits_have_the_law_of_their_coins(alarm: Alarm, tmp_path: Path) -> None:
    def chances(epsilon: str) -> list[float]:
        one = unary_encoding(3, Epsilon.of(epsilon))
        own, other = float(one.own), float(one.other)
        bits = [[row >> bit & 1 for bit in range(3)] for row in range(8)]
        each = [[other, own, other][bit] for bit in range(3)]
        return [
            float(np.prod([p if bit else 1 - p for p, bit in zip(each, row, strict=True)]))
            for row in bits
        ]

    folder = of_randomizer(unary_encoding(3, Epsilon.of(1))).spec(tmp_path)
    alarm.judge(
        lambda n: counts(folder, 1, n, list(range(8))),
        chances("1"),
        [chances("3/4"), chances("5/4")],
        most=1 << 18,
    )
