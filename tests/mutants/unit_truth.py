"""Is the last sentence of the checker true, as a reader takes it? Decided without the checker.

The sentence alone says which changes of the data ε and δ are about. The probabilities are worked
out from the mechanism in the file, by brute force over small inputs: each pair of inputs that the
sentence speaks of becomes a list of (P(y | x), P(y | z)), tails summed up where an output can be
any number, and Σ max(0, P(y | x) − e^ε P(y | z)) must not exceed δ. Numbers have 60 digits.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb
from typing import Any

Masses = list[tuple[Decimal, Decimal]]
Pairs = Iterator[tuple[int, int, Decimal]]

getcontext().prec = 60
NOISE = Decimal("1e-45")  # of rounding; claims are compared with what was rounded up to 20 digits
MOST_INPUTS, MOST_PRODUCTS = 70, 300
SENTENCE = re.compile(
    r"What the certificate promises: (?:(nothing)|epsilon (\S+), delta (\S+), (.*))\."
)
UNIT = re.compile(
    r"(?P<metric>per unit of distance, )?for (?P<verb>replacing|moving) "
    r"(?P<what>the input|the whole record|one row|the row of one person|"
    r"all rows of one person, up to (?P<rows>\d+),) by "
    r"(?:(?P<any>any others?)(?:, at a distance of up to (?P<far>\S+))?|"
    r"(?P<step>one step to the next value)|a neighbor, in one of (?P<pairs>\d+) listed pairs)"
    r"(?: \(other changes may cost more\))?"
)


class UnjudgedError(Exception):
    """The mechanism is too large for brute force."""


class UntrueError(Exception):
    """The sentence says something that the file does not."""


def number(section: Any) -> Decimal:
    """e^ε, of an ε as certificates write it."""
    if "value" in section:
        return decimal(section["value"])
    return decimal(section["ln"]).ln()


def decimal(text: Any) -> Decimal:
    value = Fraction(text)
    return Decimal(value.numerator) / Decimal(value.denominator)


class Law:
    """A mechanism by its probabilities: `masses(i, j)` for two of `size` inputs."""

    def __init__(self, size: int, masses: Callable[[int, int], Masses]) -> None:
        if size > MOST_INPUTS:
            raise UnjudgedError
        self.size, self.masses = size, masses


def law_of(mechanism: Any) -> Law:
    """Read a mechanism whose input is one value."""
    match mechanism["form"]:
        case "table":
            rows = [[int(weight, 16) for weight in row] for row in mechanism["weights"]]
            return rows_law([[Fraction(w, sum(row)) for w in row] for row in rows])
        case "geometric":
            size = mechanism["inputs"]["n"] + 1
            return clamped(size, laplace(-number(mechanism["parameter"])))
        case "response":
            size = points(mechanism["inputs"])
            kept = Fraction(int(mechanism["keep"], 16), 1 << mechanism["log2_total"])
            guess = (1 - kept) / size
            truth = [[guess + kept * (x == y) for y in range(size)] for x in range(size)]
            return rows_law(truth)
        case "noise":
            tails = laplace(-number(mechanism["decay"]))
            return added(mechanism, tails, 1)
        case "staircase":
            return added(mechanism, stairs(mechanism), mechanism["width"])
        case "items":
            return items_law(mechanism)
        case "flips":
            count = len(mechanism["items"])
            levels = [Fraction(int(level, 16)) for level in mechanism["levels"]]
            total = 1 << mechanism["log2_total"]
            sets = range(1 << count)
            return rows_law([[levels[(x ^ y).bit_count()] / total for y in sets] for x in sets])
        case _:
            raise UnjudgedError


def rows_law(rows: list[list[Fraction]]) -> Law:
    numbers = [[decimal(p) for p in row] for row in rows]
    assert all(abs(sum(row) - 1) < NOISE for row in numbers), "rows do not sum to 1"
    return Law(len(rows), lambda i, j: list(zip(numbers[i], numbers[j], strict=True)))


def points(section: Any) -> int:
    match section["kind"]:
        case "counts":
            return section["n"] + 1
        case "size":
            return section["size"]
        case "labels":
            return len(section["labels"])
        case _:
            low, high, step = (Fraction(section[name]) for name in ("low", "high", "step"))
            return int((high - low) / step) + 1


Noise = tuple[Callable[[int], Decimal], Callable[[int], Decimal]]


def laplace(minus_decay: Decimal) -> Noise:
    """P(Z = z) and P(Z >= z) for z >= 1, of P(z) proportional to a^|z|."""
    a = minus_decay.exp()
    return (lambda z: (1 - a) / (1 + a) * a ** abs(z)), (lambda z: a**z / (1 + a))


def stairs(mechanism: Any) -> Noise:
    b = (-number(mechanism["parameter"])).exp()
    width, upper = mechanism["width"], mechanism["upper"]

    def level(m: int) -> int:
        return (m + width - upper) // width

    def beyond(z: int) -> Decimal:  # one period, and all that follow, each b times the one before
        return sum((b ** level(z + m) for m in range(width)), Decimal(0)) / (1 - b)

    whole = 1 + 2 * beyond(1)
    return (lambda z: b ** level(abs(z)) / whole), (lambda z: beyond(z) / whole)


def added(mechanism: Any, noise: Noise, period: int) -> Law:
    size = points(mechanism["inputs"])
    if mechanism["outputs"] == mechanism["inputs"]:
        return clamped(size, noise)
    one, beyond = noise

    def masses(i: int, j: int) -> Masses:
        """Far outside both ratios repeat with the period, and masses fall alike."""
        edge = max(i, j) + 3 * period
        inside = [(one(y - i), one(y - j)) for y in range(min(i, j) - 3 * period, edge)]
        above = [per_residue(beyond, edge + m, period, i, j) for m in range(period)]
        low = min(i, j) - 3 * period - 1
        below = [per_residue(beyond, -(low - m), period, -i, -j) for m in range(period)]
        return [*inside, *above, *below]

    return Law(size, masses)


def per_residue(
    beyond: Callable[[int], Decimal], y: int, period: int, i: int, j: int
) -> tuple[Decimal, Decimal]:
    """The outputs y, y + period, y + 2 period, ... above both inputs, which share one ratio."""

    def one(x: int) -> Decimal:
        first, then = beyond(y - x) - beyond(y - x + 1), beyond(y - x + period)
        then -= beyond(y - x + period + 1)
        return first / (1 - then / first)

    return one(i), one(j)


def clamped(size: int, noise: Noise) -> Law:
    one, beyond = noise
    last = size - 1

    def row(i: int) -> list[Decimal]:
        if size == 1:
            return [Decimal(1)]
        ends = [beyond(i) if i else 1 - beyond(1), beyond(last - i) if i < last else 1 - beyond(1)]
        return [ends[0], *(one(y - i) for y in range(1, last)), ends[1]]

    return Law(size, lambda i, j: list(zip(row(i), row(j), strict=True)))


def items_law(mechanism: Any) -> Law:
    count, largest = len(mechanism["items"]), mechanism["largest"]
    total = 1 << mechanism["log2_total"]
    there, absent = (Fraction(int(mechanism[name], 16), total) for name in ("present", "absent"))
    sets = [s for s in range(1 << count) if s.bit_count() <= largest]

    def chance(x: int, y: int) -> Fraction:
        product = Fraction(1)
        for item in range(count):
            p = there if x >> item & 1 else absent
            product *= p if y >> item & 1 else 1 - p
        return product

    return rows_law([[chance(x, y) for y in range(1 << count)] for x in sets])


def excess(masses: Masses, power: Decimal) -> Decimal:
    return sum((max(Decimal(0), p - power * q) for p, q in masses), Decimal(0))


def widest(masses: Masses) -> Decimal:
    """The largest log ratio; infinite if an output is impossible for one input only."""
    return max(
        ((p / q).ln() if q else Decimal("Infinity") for p, q in masses if p), default=Decimal(0)
    )


def require_private(law: Law, pairs: Pairs, epsilon: Decimal, delta: Decimal) -> None:
    for i, j, far in pairs:
        for masses in (law.masses(i, j), law.masses(j, i)):
            needed = excess(masses, (epsilon * far).exp())
            if needed > delta + NOISE:
                raise UntrueError(
                    f"inputs {i}, {j} need delta {needed:.20g} at epsilon {epsilon} * {far}"
                )


def require_product(laws: list[Law], epsilon: Decimal, delta: Decimal) -> None:
    """All parts may change at once, each from any value to any other."""
    worst = Decimal(0)
    chosen: list[list[Masses]] = []
    for law in laws:
        every = [law.masses(i, j) for i in range(law.size) for j in range(law.size)]
        every.sort(key=widest, reverse=True)
        worst += widest(every[0])
        chosen.append(every[:6])
    if worst <= epsilon * (1 + NOISE) + NOISE:
        return
    for parts in itertools.islice(itertools.product(*chosen), MOST_PRODUCTS):
        joint: Masses = [(Decimal(1), Decimal(1))]
        for part in parts:
            joint = [(a * p, b * q) for a, b in joint for p, q in part]
            if len(joint) > 20_000:
                raise UnjudgedError
        if excess(joint, epsilon.exp()) > delta + NOISE:
            raise UntrueError(
                f"all parts at once need more than delta {delta} at epsilon {epsilon}"
            )


def parts_of(mechanism: Any) -> list[Law]:
    """The independent parts of an input that all change at once."""
    if mechanism["form"] == "columns":
        return [part for one in mechanism["columns"] for part in parts_of(one["mechanism"])]
    if mechanism["form"] == "person":
        if mechanism["rows"] > 12:
            raise UnjudgedError
        return parts_of(mechanism["parent"]["mechanism"]) * mechanism["rows"]
    return [law_of(mechanism)]


def people(mechanism: Any) -> int:
    """How many rows of a person a mechanism is about."""
    inner = mechanism["parent"]["mechanism"] if mechanism["form"] == "person" else None
    return mechanism["rows"] * people(inner) if inner else 1


def judge(document: Any, sentence: str) -> None:
    """Raise unless the sentence about a certificate is true: UntrueError, or UnjudgedError."""
    from tests.mutants import groups_truth, keys_truth, query_truth, rappor_truth, shuffled_truth
    from tests.mutants.curve_truth import require_curves
    from tests.mutants.steps_truth import require_steps

    found = SENTENCE.fullmatch(sentence)
    if found is None:
        raise UntrueError(f"not a promise: {sentence}")
    if found[1]:
        return
    epsilon, delta, unit = Decimal(found[2]), decimal(found[3]), UNIT.fullmatch(found[4])
    mechanism, near = document["mechanism"], document["neighbors"]
    if (mechanism["form"] == "groups") != (found[4] == groups_truth.WORDS):
        raise UntrueError(f"an answer in a group is another change: {sentence}")
    if mechanism["form"] == "groups":
        groups_truth.require_groups(mechanism, epsilon, delta)
        return
    if mechanism["form"] == "keys":
        keys_truth.require_keys(mechanism, found[4], epsilon, delta)
        return
    if mechanism["form"] == "rappor":
        rappor_truth.require_rappor(mechanism, found[4], epsilon, delta)
        return
    if mechanism["form"] == "shuffled":
        shuffled_truth.require_shuffled(mechanism, found[4], epsilon, delta)
        return
    if mechanism["form"] == "query":
        query_truth.require_query(document, found[4], epsilon, delta)
        return
    if unit is None:
        raise UntrueError(f"no unit in words: {sentence}")
    whose = "the input"
    while mechanism["form"] == "rows":
        near = mechanism["parent"]["neighbors"]
        mechanism, whose = mechanism["parent"]["mechanism"], "one row"
    form, rows = mechanism["form"], int(unit["rows"] or 1)
    if form == "steps":
        if not unit["what"].startswith(("all rows of one", "the row of one")) or not unit["any"]:
            raise UntrueError("steps are about all rows of one person")
        require_steps(mechanism, rows, epsilon, delta)
        return
    if form == "person":
        whose = f"all rows of one person, up to {rows}," if rows > 1 else "the row of one person"
        if rows != people(mechanism):
            raise UntrueError(f"a person has {people(mechanism)} rows, not {rows}")
    if form == "columns" and whose == "the input":
        whose = "the whole record"
    if unit["what"] != whose:
        raise UntrueError(f"it is about {whose}, not about {unit['what']}")
    if form in ("person", "columns", "curve"):
        if not unit["any"] or unit["metric"]:
            raise UntrueError("that is for every change")
        if form == "curve":
            require_curves(mechanism, epsilon)
        else:
            require_product(parts_of(mechanism), epsilon, delta)
        return
    law = law_of(mechanism)
    require_private(law, changes(unit, near, law.size), epsilon, delta)


def changes(unit: "re.Match[str]", near: Any, size: int) -> Pairs:
    """The pairs of inputs that the words speak of, and how often ε counts for each."""
    one = Decimal(1)
    if unit["step"]:
        return ((i, i + 1, one) for i in range(size - 1))
    if unit["pairs"]:
        listed = near["pairs"]
        if len(listed) != int(unit["pairs"]):
            raise UntrueError(f"{len(listed)} pairs are listed, not {unit['pairs']}")
        return ((i, j, one) for i, j in listed)
    every = itertools.combinations(range(size), 2)
    if not unit["metric"]:
        return ((i, j, one) for i, j in every)
    distances = [[decimal(d) for d in row] for row in near["distances"]]
    if max(map(max, distances)) > Decimal(unit["far"]):
        raise UntrueError("some inputs are further apart than that")
    return ((i, j, distances[i][j]) for i, j in every)


def alike(each: Decimal, count: int, epsilon: Decimal) -> Decimal:
    """The least δ of `count` worst steps of ε = `each` (Kairouz–Oh–Viswanath 2015)."""
    norm = (1 + each.exp()) ** count
    terms = (
        comb(count, i) * max(Decimal(0), ((count - i) * each).exp() - (epsilon + i * each).exp())
        for i in range(count + 1)
    )
    return sum(terms, Decimal(0)) / norm
