"""Small true certificates of every form, at the edge of what is true: what a forger starts from."""

from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from tests.certificates.handmade import (
    certificate,
    columns_of,
    geometric,
    groups_of,
    keys_of,
    person_of,
    person_with,
    rows_of,
)
from tests.mutants import blocks_truth
from tests.mutants.unit_truth import Law, excess, law_of, parts_of, widest

Document = dict[str, Any]


def weights_of(draw: Random, size: int, outputs: int, total: int) -> list[list[str]]:
    rows: list[list[str]] = []
    for _ in range(size):
        cuts = sorted(draw.randint(0, total) for _ in range(outputs - 1))
        row = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        rows.append([f"{weight:x}" for weight in row])
    return rows


def points_of(draw: Random, size: int) -> Any:
    match draw.choice(["counts", "labels", "size", "grid"]):
        case "counts":
            return {"kind": "counts", "n": size - 1}
        case "labels":
            return {"kind": "labels", "labels": [f"l{n}" for n in range(size)]}
        case "size":
            return {"kind": "size", "size": size}
        case _:
            return {"kind": "grid", "low": "0", "high": f"{size - 1}/2", "step": "1/2"}


def relation_of(draw: Random, size: int) -> Any:
    match draw.choice(["replace", "adjacent", "pairs", "metric"]):
        case "pairs":
            every = [[i, j] for i in range(size) for j in range(i)]
            return {"relation": "pairs", "pairs": draw.sample(every, draw.randint(1, len(every)))}
        case "metric":
            where = draw.sample(range(1, 12), size)
            far = [[str(Fraction(abs(a - b), 2)) for b in where] for a in where]
            return {"relation": "metric", "distances": far}
        case word:
            return {"relation": word}


def pairs_of(relation: Any, size: int) -> list[tuple[int, int, Decimal]]:
    one = Decimal(1)
    match relation["relation"]:
        case "adjacent":
            return [(i, i + 1, one) for i in range(size - 1)]
        case "pairs":
            return [(i, j, one) for i, j in relation["pairs"]]
        case "metric":
            far = [[Fraction(d) for d in row] for row in relation["distances"]]
            return [
                (i, j, Decimal(far[i][j].numerator) / far[i][j].denominator)
                for i in range(size)
                for j in range(i)
            ]
        case _:
            return [(i, j, one) for i in range(size) for j in range(i)]


def above(value: Decimal) -> Fraction:
    """A fraction slightly above, as a claim."""
    return Fraction(int(value * 10**15) + 1, 10**15)


def claim_for(draw: Random, law: Law, relation: Any) -> tuple[Any, str]:
    """The least ε, or one below it with the δ that it needs then."""
    return claim_for_all(draw, [law], relation)


def claim_for_all(draw: Random, laws: list[Law], relation: Any) -> tuple[Any, str]:
    """The same for several mechanisms, of which each keeps the claim."""
    ways = [
        (law.masses(a, b), far)
        for law in laws
        for i, j, far in pairs_of(relation, law.size)
        for a, b, far in ((i, j, far), (j, i, far))
    ]
    epsilon = max((widest(masses) / far for masses, far in ways), default=Decimal(0))
    if epsilon.is_finite() and draw.random() < 0.6:
        return above(epsilon), "0"
    epsilon = Decimal(draw.randint(0, 20)) / 10
    delta = max((excess(m, (epsilon * far).exp()) for m, far in ways), default=Decimal(0))
    return Fraction(epsilon), str(min(Fraction(1), above(delta)))


def simple(draw: Random, form: str) -> Any:
    """A mechanism for one value."""
    size = draw.randint(2, 4)
    inputs = points_of(draw, size)
    k = draw.randint(2, 10)
    match form:
        case "table":
            outputs = inputs if draw.random() < 0.5 else points_of(draw, draw.randint(2, 4))
            count = size if outputs is inputs else None
            count = count or law_size(outputs)
            total = 1 << k if draw.random() < 0.7 else draw.randint(3, 3000)
            named = {"log2_total": k} if total == 1 << k else {"total": f"{total:x}"}
            weights = weights_of(draw, size, count, total)
            return {"form": form, "inputs": inputs, "outputs": outputs, **named, "weights": weights}
        case "geometric":
            parameter = draw.choice([{"value": "1/3"}, {"value": "2"}, {"ln": "3/2"}])
            return geometric(size, parameter)
        case "response":
            keep = f"{draw.randint(0, (1 << k) - 1):x}"
            return {
                "form": form,
                "inputs": inputs,
                "outputs": inputs,
                "log2_total": k,
                "keep": keep,
            }
        case "noise" | "staircase":
            grid = {"kind": "grid", "low": "0", "high": f"{size}/2", "step": "1/2"}
            lattice = {"kind": "lattice", "origin": "0", "step": "1/2"}
            shape = {"form": form, "inputs": grid, "outputs": draw.choice([grid, lattice])}
            scale = draw.choice([{"value": "1/3"}, {"value": "5/4"}, {"ln": "3/2"}])
            if form == "noise":
                return {**shape, "decay": scale}
            width = draw.randint(1, size)
            return {**shape, "parameter": scale, "width": width, "upper": draw.randint(1, width)}
        case "items":
            count = draw.randint(1, 3)
            low, high = sorted(draw.sample(range(1, 1 << k), 2))
            shape = {"form": form, "items": [f"i{n}" for n in range(count)], "log2_total": k}
            largest = draw.randint(1, count)
            return {**shape, "largest": largest, "present": f"{high:x}", "absent": f"{low:x}"}
        case "blocks":
            return blocks_truth.blocks(draw)
        case "padded":
            return blocks_truth.padded(draw)
        case _:
            count = draw.randint(1, 3)
            k += 3
            ways = [1, count, count * (count - 1) // 2, int(count == 3)][: count + 1]
            levels = [draw.randint(1, (1 << k) // 16) for _ in range(count)]
            rest = (1 << k) - sum(w * v for w, v in zip(ways[1:], levels, strict=True))
            levels = [f"{level:x}" for level in [rest, *levels]]
            items = [f"i{n}" for n in range(count)]
            return {"form": "flips", "items": items, "log2_total": k, "levels": levels}


def law_size(section: Any) -> int:
    from tests.mutants.unit_truth import points

    return points(section)


SIMPLE = (
    *("table", "geometric", "response", "noise", "staircase", "items", "flips", "blocks", "padded"),
)
REPLACE = {"relation": "replace"}


def near_of(draw: Random, form: str, size: int) -> Any:
    if form in ("items", "flips", "blocks", "padded"):
        return REPLACE
    while True:
        relation = relation_of(draw, size)
        word = relation["relation"]
        if form == "table" or word in ("replace", "adjacent"):
            return relation
        if word == "pairs" and form != "geometric":
            return relation


def base(draw: Random, form: str) -> Document:
    """One true certificate of a form, its claim at the edge."""
    if form in SIMPLE:
        mechanism = simple(draw, form)
        law = law_of(mechanism)
        relation = near_of(draw, form, law.size)
        return certificate(mechanism, relation, *claim_for(draw, law, relation))
    if form == "rows":
        inner = simple(draw, draw.choice(SIMPLE))
        law = law_of(inner)
        relation = near_of(draw, inner["form"], law.size)
        word = relation["relation"]
        outer = {"relation": "one row"} | ({} if word == "replace" else {"row": word})
        mechanism = rows_of(draw.randint(1, 3), inner, relation)
        if draw.random() < 0.2:
            mechanism = rows_of(2, mechanism, outer)
        return certificate(mechanism, outer, *claim_for(draw, law, relation))
    if form == "person":
        inner, epsilon, delta = part(draw)
        rows = draw.randint(1, 3)
        mechanism = person_of(rows, inner, epsilon, delta)
        if draw.random() < 0.2:
            mechanism = rows_of(3, mechanism, "replace")
            outer: Any = {"relation": "one row"}
        else:
            outer = REPLACE
        whole = str(min(Fraction(1), rows * Fraction(delta)))
        return certificate(mechanism, outer, rows * epsilon, whole)
    if form == "columns":
        parts = [part(draw) for _ in range(draw.randint(1, 2))]
        named = [(f"c{n}", m, e, d) for n, (m, e, d) in enumerate(parts)]
        deltas = sum(Fraction(d) for _, _, d in parts)
        epsilons = sum((e for _, e, _ in parts), Fraction(0))
        return certificate(columns_of(*named), REPLACE, epsilons, str(min(Fraction(1), deltas)))
    if form == "groups":
        parts = [(draw.randint(1, 3), of_counts(draw, n)) for n in draw.sample(range(1, 5), 2)]
        laws = [law_of(mechanism) for _, mechanism in parts]
        claim = claim_for_all(draw, laws, {"relation": "adjacent"})
        return certificate(groups_of(*parts), "one answer", *claim)
    if form == "keys":
        return keys(draw)
    raise AssertionError(form)


def keys(draw: Random) -> Document:
    """Coins that pass at the edge of the ε and the δ of each."""
    k, change = draw.randint(3, 12), draw.choice(["replace", "add or remove"])
    coins = [0, *sorted(draw.randint(0, 1 << k) for _ in range(draw.randint(0, 4)))]
    chances = [Decimal(coin) / (1 << k) for coin in coins]
    rows = [[chance, 1 - chance] for chance in chances]
    law = Law(len(rows), lambda i, j: list(zip(rows[i], rows[j], strict=True)))
    epsilon, delta = claim_for(draw, law, {"relation": "adjacent"})
    epsilon, delta = (
        max(Fraction(epsilon), above(Decimal(0))),
        max(Fraction(delta), above(Decimal(0))),
    )
    groups = draw.randint(1, 3)
    times = groups * (2 if change == "replace" else 1)
    whole = str(min(Fraction(1), times * delta))
    made = keys_of(coins, k, epsilon, delta, groups)
    return certificate(made, person_with(change), times * epsilon, whole)


def of_counts(draw: Random, n: int) -> Any:
    """A mechanism for the counts of a group of n people."""
    if draw.random() < 0.3:
        return geometric(n, draw.choice([{"value": "1/3"}, {"ln": "3/2"}]))
    counts, total = {"kind": "counts", "n": n}, draw.randint(3, 3000)
    weights = weights_of(draw, n + 1, n + 1, total)
    shape = {"form": "table", "inputs": counts, "outputs": counts}
    return {**shape, "total": f"{total:x}", "weights": weights}


def part(draw: Random) -> tuple[Any, Fraction, str]:
    """A mechanism for any change of its value, and its claim."""
    mechanism = simple(draw, draw.choice(SIMPLE))
    (law,) = parts_of(mechanism)
    epsilon, delta = claim_for(draw, law, REPLACE)
    return mechanism, epsilon, delta
