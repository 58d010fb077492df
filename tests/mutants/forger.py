"""A forger who reads the format: structured mutations of true certificates, sealed again.

`python -m tests.mutants.forger` makes 10,000 mutants of each form. What the checker calls proven,
an evaluator that knows the unit judges by the checker's own last sentence: none may be untrue.
"""

import argparse
import copy
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from tests.certificates.handmade import (
    collection_of,
    columns_of,
    groups_of,
    load_checker,
    person_of,
    rows_of,
    sealed,
    shuffled_of,
)
from tests.mutants import (
    blocks_truth,
    forged_bases as bases,
    forged_steps,
    groups_truth,
    rappor_truth,
    shuffled_truth,
)
from tests.mutants.table_truth import require_bound, require_properties
from tests.mutants.unit_truth import UnjudgedError, UntrueError, judge

checker = load_checker()

FORMS = (
    *(*bases.SIMPLE, "rows", "person", "columns", "curve", "steps", "design", "groups", "keys"),
    *("query", "shuffled", "rappor", "collection", "rounds"),
)
WORDS = (
    *("replace", "adjacent", "pairs", "metric", "one row", "one person", "counts", "grid", "size"),
    *("marginal", "query", "both ways", "one way", "exponential mechanism", "noisy max"),
    *(
        "permute and flip",
        "epsilon",
        "rho",
        "geometric",
        "normal",
        "choice",
        "identity",
        "expected",
    ),
    *("worst", "table", "rows", "person", "columns", "noise", "response", "groups"),
    *("one answer", "keys", "shuffled", "rappor", "one value", "forever"),
    *("add or remove", "filter", "limit", "paired", "repeated", "moments", "levels"),
    *("distinct", "balanced"),
    *("one", "all", "points", "projective", "sets", "hashes", "windows", "blocks", "padded"),
    *("add", "multiply", "clip", "fill", "divide", "column", "literal", "yes", "no"),
)
FACTORS = tuple(Fraction(x) for x in ("0", "1/2", "9/10", "999999/1000000", "11/10", "2", "7"))
SLIGHTLY = Fraction(1, 10**14)
HEX = {
    *("weights", "levels", "keep", "present", "absent", "total", "privacy_duals", "coins"),
    *("flip", "flip_total", "low", "high", "report_total"),
}


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = node.items() if isinstance(node, dict) else ()
    items = enumerate(node) if isinstance(node, list) else items
    for key, value in items:
        yield from places(value, (*path, key))


def at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def put(document: Any, path: tuple[Any, ...], value: Any) -> None:
    at(document, path[:-1])[path[-1]] = value


def choose(draw: Random, document: Any, wanted: Callable[[tuple[Any, ...], Any], bool]) -> Any:
    found = [
        path
        for section in ("mechanism", "neighbors", "claims")
        for path in places(document[section], (section,))
        if wanted(path, at(document, path))
    ]
    return draw.choice(found) if found else None


def of_relation(draw: Random, document: Any) -> None:
    path = choose(draw, document, lambda path, node: path[-1] == "neighbors")
    size = draw.randint(2, 4)
    other = bases.relation_of(draw, size)
    words = ("adjacent", "pairs", "metric", "replace")
    others = [other, {"relation": "one row"}, {"relation": "one row", "row": draw.choice(words)}]
    others += [{"relation": "one person", "rows_per_person": draw.randint(0, 4)}]
    others += [{"relation": "one answer"}]
    others += [{"relation": "one value", "reports": draw.choice([0, 1, 2, 9, "forever"])}]
    others += [{"relation": "one person", "change": c} for c in ("replace", "add or remove")]
    put(document, path, draw.choice([*others, other]))


def of_claim(draw: Random, document: Any) -> None:
    path = choose(draw, document, lambda path, node: path[-1] == "claims")
    claims = at(document, path)
    if draw.random() < 0.7:
        kind, text = next(iter(claims["epsilon"].items()))
        claims["epsilon"] = {draw.choice([kind, kind, "value", "ln"]): scaled(draw, text)}
    else:
        claims["delta"] = draw.choice(["0", "1", scaled(draw, claims["delta"])])


def scaled(draw: Random, text: str) -> str:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return draw.choice(["1", "infinity", "1/3"])
    return str(
        draw.choice([value * draw.choice(FACTORS), value - SLIGHTLY, value + SLIGHTLY, -value])
    )


def of_leaf(draw: Random, document: Any) -> None:
    path = choose(draw, document, lambda _, node: not isinstance(node, (dict, list)))
    node = at(document, path)
    if draw.random() < 0.05:
        put(document, path, draw.choice([None, True, 1.5, "", [], {}, -1]))
    elif isinstance(node, int):
        put(document, path, draw.choice([node + 1, node - 1, 2 * node, node // 2, 0, 1, 3]))
    elif any(key in HEX for key in path):
        moved = int(node, 16) + draw.choice([-2, -1, 1, 2, 16]) if node else 0
        put(document, path, f"{abs(moved):x}")
    elif isinstance(node, str) and node[:1] in "-0123456789":
        put(document, path, scaled(draw, node))
    else:
        put(document, path, draw.choice(WORDS))


def of_weights(draw: Random, document: Any) -> None:
    """Move some weight within a row, so that it still adds up."""
    path = choose(
        draw,
        document,
        lambda path, node: len(path) > 1 and path[-2] == "weights" and isinstance(node, list),
    )
    if path is None:
        of_leaf(draw, document)
        return
    row = at(document, path)
    a, b = draw.randrange(len(row)), draw.randrange(len(row))
    try:
        taken = min(int(row[a], 16), draw.choice([1, 1, 2, 5, 2**20]))
        row[a], row[b] = f"{int(row[a], 16) - taken:x}", f"{int(row[b], 16) + taken:x}"
    except (TypeError, ValueError):
        of_leaf(draw, document)


def of_list(draw: Random, document: Any) -> None:
    path = choose(draw, document, lambda _, node: isinstance(node, list) and len(node) > 0)
    if path is None:
        return
    node = at(document, path)
    place, other = draw.randrange(len(node)), draw.randrange(len(node))
    match draw.choice(["drop", "twice", "swap", "copy", "reverse"]):
        case "drop":
            del node[place]
        case "twice":
            node.insert(other, copy.deepcopy(node[place]))
        case "swap":
            node[place], node[other] = node[other], node[place]
        case "copy":
            node[place] = copy.deepcopy(node[other])
        case _:
            node.reverse()


def of_field(draw: Random, document: Any) -> None:
    path = choose(draw, document, lambda _, node: isinstance(node, dict) and len(node) > 0)
    node = at(document, path)
    name = draw.choice(list(node))
    match draw.choice(["drop", "add", "copy", "rename"]):
        case "drop":
            del node[name]
        case "add":
            node[draw.choice(["row", "total", "log2_total", "order", "width"])] = draw.choice(
                ["adjacent", "metric", "8", 3, "1"]
            )
        case "copy":
            node[name] = copy.deepcopy(draw.choice(list(node.values())))
        case _:
            node[draw.choice(["value", "ln", "row", "total"])] = node.pop(name)


def of_mechanism(draw: Random, document: Any) -> None:
    """Put another mechanism in the place of one, or one around it."""
    path = choose(draw, document, lambda path, node: path[-1] == "mechanism")
    inner = at(document, path)
    near, count = bases.relation_of(draw, draw.randint(2, 4)), draw.randint(1, 3)
    epsilon, delta = Fraction(draw.randint(0, 30), 10), draw.choice(["0", "1/9"])
    match draw.choice(["other", "rows", "person", "columns", "groups", "shuffled", "collection"]):
        case "other":
            made = bases.simple(draw, draw.choice(bases.SIMPLE))
        case "rows":
            made = rows_of(count, inner, near)
            if draw.random() < 0.7:
                word = near["relation"]
                outer = {"relation": "one row"} | ({} if word == "replace" else {"row": word})
                put(document, (*path[:-1], "neighbors"), outer)
        case "person":
            made = person_of(count, inner, epsilon, delta)
        case "groups":
            made = groups_of((count, inner))
        case "collection":
            made = collection_of(draw.choice(["one", "all"]), (inner, epsilon, delta))
        case "shuffled":
            made = shuffled_of(count + 1, inner, epsilon)
        case _:
            made = columns_of(("a", inner, epsilon, delta))
    put(document, path, made)


MUTATIONS = (of_relation, of_claim, of_claim, of_leaf, of_leaf, of_weights, of_list, of_field,
             of_mechanism)  # fmt: skip


MAKERS: dict[str, Callable[[Random], Any]] = {
    "curve": forged_steps.curve,
    "steps": forged_steps.steps,
    "rounds": forged_steps.rounds,
    "design": forged_steps.design,
    "groups": forged_steps.groups,
    "query": forged_steps.query,
    "shuffled": shuffled_truth.shuffled,
    "rappor": rappor_truth.rappor,
    "collection": blocks_truth.collection,
}


def base(draw: Random, form: str) -> Any:
    """A certificate that is proven; some true ones are beyond what a form can prove."""
    while True:
        document = MAKERS[form](draw) if form in MAKERS else bases.base(draw, form)
        if checker.check(document):
            return document


def mutants(draw: Random, form: str, count: int) -> Iterator[Any]:
    """Mutants of true certificates, sealed again; some are true as well."""
    honest = base(draw, form)
    for number in range(count):
        if number % 8 == 7:
            honest = base(draw, form)
        document = copy.deepcopy(honest)
        for _ in range(draw.choice([1, 1, 1, 2, 3])):
            try:
                draw.choice(MUTATIONS)(draw, document)
            except (LookupError, TypeError, AttributeError, ValueError, StopIteration):
                continue  # an earlier mutation took away what this one would change
        try:
            yield sealed(document)
        except (KeyError, ValueError):
            continue


def forge(form: str, count: int, seed: object) -> tuple[Counter[str], list[tuple[str, Any]]]:
    """Count what became of mutants, and return those whose sentence is untrue."""
    draw, seen, untrue = Random(f"{seed} {form}"), Counter[str](), list[tuple[str, Any]]()
    for document in mutants(draw, form, count):
        seen["mutants"] += 1
        report = checker.check(document)
        if not report:
            continue
        seen["accepted"] += 1
        try:
            for part, proved in groups_truth.each_size(document, report.proved):
                require_properties(part, proved)
                require_bound(part, proved)
            judge(document, report.proved[-1])
            seen["judged true"] += 1
        except UnjudgedError:
            seen["too large to judge"] += 1
        except UntrueError as problem:
            seen["untrue"] += 1
            untrue.append((f"{problem}: {report.proved[-1]}", document))
    return seen, untrue


def main() -> int:
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--each", type=int, default=10_000, help="mutants of each form")
    said.add_argument("--seed", default=str(time.time()))
    said.add_argument("forms", nargs="*", default=FORMS)
    asked = said.parse_args()
    print(f"Certificates forged with --seed {asked.seed}")
    wrong = 0
    for form in asked.forms:
        started = time.perf_counter()
        seen, untrue = forge(form, asked.each, asked.seed)
        counts = ", ".join(f"{count:,} {what}" for what, count in seen.items())
        print(f"{form}: {counts} ({time.perf_counter() - started:.0f} s)", flush=True)
        for words, document in untrue[:3]:
            print(f"  UNTRUE {words}\n  {document}")
        wrong += len(untrue)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
