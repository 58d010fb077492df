"""Reports of devices by brute force: every block is listed, every set of items is filled up.

Nothing here is taken from the library or the checker: fields are made of polynomials, hyperplanes
by looking at all points, sets by listing them.
"""

import itertools
from decimal import Decimal
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from tests.certificates.handmade import blocks_of, certificate, collection_of, padded_of
from tests.mutants.unit_truth import (
    MOST_INPUTS,
    Law,
    Masses,
    UnjudgedError,
    UntrueError,
    decimal,
    law_of,
    require_product,
    rows_law,
)

MOST_OUTPUTS, MOST_VECTORS, MOST_ALTERNATIVES = 5_000, 1_100, 60
DEVICE = "the value of one person, whose device randomizes it,"


@cache
def products(q: int) -> list[list[int]]:
    """The products of the field with q elements, whose digits to the base p are coefficients."""
    p = next(d for d in range(2, q + 1) if q % d == 0)
    degree = next((m for m in range(1, 21) if p**m == q), None)
    if degree is None:
        raise UntrueError(f"there is no field with {q} elements")

    def digits(a: int) -> list[int]:
        return [a // p**i % p for i in range(degree)]

    def table(low: tuple[int, ...]) -> list[list[int]]:
        """The products modulo x^degree + low."""

        def times(a: int, b: int) -> int:
            found = [0] * (2 * degree - 1)
            for (i, x), (j, y) in itertools.product(enumerate(digits(a)), enumerate(digits(b))):
                found[i + j] += x * y
            for top in range(2 * degree - 2, degree - 1, -1):
                for i, c in enumerate(low):
                    found[top - degree + i] -= found[top] * c
            return sum(c % p * p**i for i, c in enumerate(found[:degree]))

        return [[times(a, b) for b in range(q)] for a in range(q)]

    for low in itertools.product(range(p), repeat=degree):
        made = table(low)
        if all(0 not in row[1:] for row in made[1:]):
            return made
    raise AssertionError("there is an irreducible polynomial of every degree")


def added(a: int, b: int, q: int) -> int:
    p, found, place = next(d for d in range(2, q + 1) if q % d == 0), 0, 1
    while a or b:
        found += (a % p + b % p) % p * place
        a, b, place = a // p, b // p, place * p
    return found


@cache
def hyperplanes(q: int, t: int, values: int) -> tuple[int, list[int]]:
    """How many points there are, and the blocks of some as bits."""
    if q < 2 or t < 1 or q > 32 or q**t > MOST_VECTORS:
        raise UnjudgedError
    times = products(q)
    every = itertools.product(range(q), repeat=t)
    points = [v for v in every if next((c for c in v if c), 0) == 1]

    def product(x: tuple[int, ...], y: tuple[int, ...]) -> int:
        found = 0
        for a, b in zip(x, y, strict=True):
            found = added(found, times[a][b], q)
        return found

    return len(points), [
        sum(1 << n for n, y in enumerate(points) if product(x, y) == 0) for x in points[:values]
    ]


def blocks_in(family: Any) -> tuple[int, list[int]]:
    """How many outputs there are, and which of them, as bits, are in each block."""
    values = family["values"]
    if values > MOST_INPUTS:
        raise UnjudgedError
    match family["kind"]:
        case "points":
            return values, [1 << x for x in range(values)]
        case "projective":
            outputs, blocks = hyperplanes(family["q"], family["t"], values)
            if values > outputs:
                raise UntrueError("there are fewer points than values")
            return outputs, blocks
        case "sets":
            sets = list(
                itertools.islice(
                    itertools.combinations(range(values), family["size"]), MOST_OUTPUTS
                )
            )
            if len(sets) == MOST_OUTPUTS:
                raise UnjudgedError
            return len(sets), [
                sum(1 << n for n, one in enumerate(sets) if x in one) for x in range(values)
            ]
        case "hashes":  # a function that tells as many values apart as it can
            hashes = family["hashes"]
            return hashes, [1 << x % hashes for x in range(min(values, MOST_INPUTS))]
        case "halves":
            bits = family["bits"]
            if bits > 10:
                raise UnjudgedError
            if values > 2 * bits:
                raise UntrueError("there are two values for each bit")
            return 1 << bits, [
                sum(1 << y for y in range(1 << bits) if (y >> x // 2 & 1) == x % 2)
                for x in range(values)
            ]
        case _:
            width, stride = family["width"], family["stride"]
            outputs = (values - 1) * stride + width
            if outputs > MOST_OUTPUTS:
                raise UnjudgedError
            return outputs, [((1 << width) - 1) << x * stride for x in range(values)]


def blocks_law(mechanism: Any) -> Law:
    """The probabilities of all outputs, those with the same two of them counted together."""
    if mechanism["family"]["kind"] == "ends":
        return ends_law(mechanism)
    outputs, blocks = blocks_in(mechanism["family"])
    kept = Fraction(int(mechanism["keep"], 16), 1 << mechanism["log2_total"])
    whole = (1 << outputs) - 1

    def chance(block: int, inside: bool) -> Decimal:
        size = block.bit_count()
        if not 0 < size < outputs:
            raise UntrueError("a block is empty, or has all outputs")
        return decimal(kept / size if inside else (1 - kept) / (outputs - size))

    def masses(i: int, j: int) -> Masses:
        found: Masses = []
        for of_i, of_j in itertools.product((True, False), repeat=2):
            here = blocks[i] if of_i else whole ^ blocks[i]
            there = blocks[j] if of_j else whole ^ blocks[j]
            many = (here & there).bit_count()
            if many:
                found.append((many * chance(blocks[i], of_i), many * chance(blocks[j], of_j)))
        assert abs(sum(p for p, _ in found) - 1) < Decimal("1e-50")
        return found

    return Law(len(blocks), masses)


def ends_law(mechanism: Any) -> Law:
    """Every number is one of the two ends, with chances that add up to 1."""
    last = mechanism["family"]["values"] - 1
    if last >= MOST_INPUTS:
        raise UnjudgedError
    kept = Fraction(int(mechanism["keep"], 16), 1 << mechanism["log2_total"])
    shares = [Fraction(x, last) for x in range(last + 1)]
    chances = [share * kept + (1 - share) * (1 - kept) for share in shares]
    return rows_law([[1 - chance, chance] for chance in chances])


def padded_law(mechanism: Any) -> Law:
    """All sets of the items, filled up with dummies in every way."""
    items, largest = mechanism["items"], mechanism["largest"]
    if items + largest > 10:
        raise UnjudgedError
    outputs = items + largest
    kept = Fraction(int(mechanism["keep"], 16), 1 << mechanism["log2_total"])
    rows: list[list[Fraction]] = []
    for size in range(items + 1):
        for chosen in itertools.combinations(range(items), size):
            for filled in itertools.combinations(range(items, outputs), max(0, largest - size)):
                whole = {*chosen, *filled}
                row = [Fraction(0)] * outputs
                for one, report in itertools.product(whole, range(outputs)):
                    mass = kept if one == report else (1 - kept) / (outputs - 1)
                    row[report] += mass / len(whole)
                rows.append(row)
    return rows_law(rows)


def alternatives(mechanism: Any) -> list[list[Law]]:
    """What a device may send: one of these lists of independent reports, of which all change."""
    match mechanism["form"]:
        case "collection":
            parts = [alternatives(part["mechanism"]) for part in mechanism["parts"]]
            if mechanism["sends"] == "one":
                found = [one for part in parts for one in part]
            else:
                found = joined(parts)
        case "columns":
            found = joined([alternatives(column["mechanism"]) for column in mechanism["columns"]])
        case "person":
            if mechanism["rows"] > 6:
                raise UnjudgedError
            found = joined([alternatives(mechanism["parent"]["mechanism"])] * mechanism["rows"])
        case _:
            found = [[law_of(mechanism)]]
    return found


def joined(parts: list[list[list[Law]]]) -> list[list[Law]]:
    ways = list(itertools.islice(itertools.product(*parts), MOST_ALTERNATIVES + 1))
    if len(ways) > MOST_ALTERNATIVES:
        raise UnjudgedError
    return [list(itertools.chain.from_iterable(way)) for way in ways]


def require_collection(mechanism: Any, epsilon: Decimal, delta: Decimal) -> None:
    for laws in alternatives(mechanism):
        require_product(laws, epsilon, delta)


def family_of(draw: Random) -> Any:
    values = draw.randint(2, 5)
    match draw.choice(
        ["points", "projective", "projective", "sets", "hashes", "windows", "ends", "halves"]
    ):
        case "projective":
            shapes = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (4, 3), (5, 3), (8, 2)]
            q, t = draw.choice([*shapes, (9, 2), (7, 2), (2, 6), (9, 3), (8, 3), (16, 2)])
            most = min((q**t - 1) // (q - 1), 12)
            return {"kind": "projective", "values": draw.randint(2, most), "q": q, "t": t}
        case "sets":
            return {"kind": "sets", "values": values, "size": draw.randint(1, values - 1)}
        case "hashes":
            return {"kind": "hashes", "values": values, "hashes": draw.randint(2, 6)}
        case "halves":
            bits = draw.randint(1, 4)
            return {"kind": "halves", "values": draw.randint(2, 2 * bits), "bits": bits}
        case "windows":
            sizes = {"width": draw.randint(1, 6), "stride": draw.randint(1, 3)}
            return {"kind": "windows", "values": values, **sizes}
        case kind:
            return {"kind": kind, "values": values}


def coin_of(draw: Random) -> tuple[int, int]:
    k = draw.choice([1, 3, 8, 64])
    return draw.randint(1, (1 << k) - 1), k


def blocks(draw: Random) -> Any:
    return blocks_of(family_of(draw), *coin_of(draw))


def padded(draw: Random) -> Any:
    """A response that keeps items more often than any other report, as far as the coin allows."""
    items, largest = draw.randint(1, 4), draw.randint(1, 3)
    k = draw.choice([5, 8, 64])
    least = -(-(1 << k) // (items + largest))
    return padded_of(items, largest, draw.randint(least, (1 << k) - 1), k)


def collection(draw: Random) -> Any:
    """Devices that send one report or all, each part at its edge."""
    from tests.mutants.forged_bases import REPLACE, part as any_part

    pure = draw.random() < 0.6

    def part(draw: Random) -> Any:
        while True:
            found = any_part(draw)
            if found[2] == "0" or not pure:
                return found

    sends = draw.choice(["one", "one", "all"])
    chosen = [part(draw) for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.2:  # one of several, and others besides
        few = [part(draw) for _ in range(2)]
        inside = (max(e for _, e, _ in few), max((d for _, _, d in few), key=Fraction))
        chosen.append((collection_of("one", *few), *inside))
    epsilons, deltas = [e for _, e, _ in chosen], [Fraction(d) for _, _, d in chosen]
    if sends == "one":
        epsilon, delta = max(epsilons), max(deltas)
    else:
        epsilon, delta = sum(epsilons, Fraction(0)), min(Fraction(1), sum(deltas, Fraction(0)))
    return certificate(collection_of(sends, *chosen), REPLACE, epsilon, str(delta))
