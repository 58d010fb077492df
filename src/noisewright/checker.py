"""Check certificates of differential privacy without trusting the program that made them.

Run `python checker.py a.json [b.json ...] [--json]`: exit status 0 proven, 1 not, 2 unreadable.
A mechanism gives each input x a distribution P(. | x) over outputs. It is (epsilon, delta)-private
if P(set | x) <= e^epsilon P(set | z) + delta for neighbors x, z in either order and every set of
outputs. The worst set has the y with P(y|x) > e^epsilon P(y|z): the sum of max(0, P(y|x) -
e^epsilon P(y|z)) over all y decides. Probabilities are integers over a total; e^epsilon is enclosed
by fractions, closer until the answer is certain. That ends, as e^r is irrational for a rational r
but 0, so that there are no ties, and e^epsilon is exact for epsilon = 0 and ln(fraction)."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import accumulate, count
from pathlib import Path
from reprlib import repr as brief
from runpy import run_path
from typing import Any

# Formatted by hand to be short: people should read all of it before they trust it.
# fmt: off
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
HEX, DIGITS = re.compile("[0-9a-f]+").fullmatch, "[1-9][0-9]{0,3999}"  # Python reads 4300 digits
TYPES: dict[str, Callable[[Any], Any]] = {  # of the fields of a certificate
    "whole": lambda v: type(v) is int and 0 <= v <= 2**62,  # isinstance would let true pass
    "fraction": lambda v: isinstance(v, str) and re.fullmatch(f"-?(0|{DIGITS})(/{DIGITS})?", v),
    "chance": lambda v: TYPES["fraction"](v) and 0 <= Fraction(v) <= 1,
    "hex": lambda v: isinstance(v, str) and HEX(v), "text": lambda v: isinstance(v, str),
    "list": lambda v: isinstance(v, list), "object": lambda v: isinstance(v, dict)}
# In words, and as: P(entry) >= P(other entry) for all points a, b up to n. An entry is (input,
# output), and b + (a > b) - (a < b) is b moved one step towards a. WH compares with 1 / (n + 1).
PROPERTIES: dict[str, tuple[str, Callable[[int, int, int], Any]]] = {
    "RH": ("an output is likeliest on its own input", lambda a, b, n: ((a, a), (b, a))),
    "RM": ("outputs fade over far inputs", lambda a, b, n: ((b + (a > b) - (a < b), a), (b, a))),
    "CH": ("the likeliest output is the input", lambda a, b, n: ((a, a), (a, b))),
    "CM": ("far outputs fade", lambda a, b, n: ((a, b + (a > b) - (a < b)), (a, b))),
    "F": ("the truth is equally likely on all inputs", lambda a, b, n: ((a, a), (b, b))),
    "S": ("reversing all points changes nothing", lambda a, b, n: ((a, b), (n - a, n - b))),
    "WH": ("the truth is no less likely than by guessing", lambda a, b, n: ((a, a), (a, a)))}

@dataclass(frozen=True)
class Failure(Exception):
    part: str  # of the certificate, that is not proven
    message: str  # what was found, and what is required
@dataclass(frozen=True)
class Report:
    holds: bool
    proved: tuple[str, ...]
    failures: tuple[Failure, ...]
    def __bool__(self) -> bool: return self.holds
def need(ok: Any, part: str, message: str) -> None:
    if not ok: raise Failure(part, message)
@cache
def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers low <= e^x 2^bits <= high for x >= 0: with N = 2^k, (1+x/N)^N and 1 / (1-x/N)^N."""
    k = bits + 3 * int(x + 2).bit_length()
    wide = 2 * k + 4 * int(x + 2)  # bits to work with, as squaring doubles what rounding took off
    up = (1 << wide) + (x.numerator << wide) // (x.denominator << k)
    down = (2 << wide) - up - (x > 0)
    for _ in range(k): up, down = up * up >> wide, down * down >> wide
    return up >> wide - bits, -((-1 << wide + bits) // down)

@dataclass(frozen=True)
class Number:  # the real number value + ln(ratio), known exactly
    value: Fraction
    ratio: Fraction = Fraction(1)
    def times(self, d: Any) -> "Number":
        need(self.ratio == 1 or d == int(d) < 2**12, "epsilon", "ln(...) needs whole distances")
        return Number(self.value * d, self.ratio ** int(d))
    def power(self, bits: int) -> tuple[int, int, int]:  # low / scale <= e^self <= high / scale
        low, high = (bound * self.ratio.numerator for bound in exp_bounds(self.value, bits))
        return low, high, self.ratio.denominator << bits
    def __gt__(self, other: "Number") -> bool:
        x, s = self.value - other.value, other.ratio / self.ratio  # the question is: e^x > s?
        a, b = [s.numerator], [s.denominator]  # so: not s > e^x (there are no ties), or 1/s > e^-x
        return excess(a, b, Number(x)) is None if x > 0 else excess(b, a, Number(-x)) is not None
    def __str__(self) -> str: return self.rounded(ROUND_HALF_EVEN)
    def rounded(self, how: str) -> str:
        with localcontext(Context(300, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=how)):
            logarithm = (Decimal(self.ratio.numerator) / self.ratio.denominator).ln()
            text = f"{Decimal(self.value.numerator) / self.value.denominator + logarithm:.20g}"
        digits, e, power = text.partition("e")
        return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + e + power
def excess(p: Sequence[int], q: Sequence[int], epsilon: Number, allowed: Any = 0) -> Any:
    """None if the sum of max(0, p - e^epsilon q) <= allowed; else a bound of e^epsilon shows it."""
    likelier = [(a, b) for a, b in zip(p, q, strict=True) if a > b]  # others add nothing
    cap = max((a for a, _ in likelier), default=1).bit_length()  # from e^cap on only b = 0 matters
    for bits in (192 << doublings for doublings in count()):
        low, high, scale = Number(min(epsilon.value, Fraction(cap)), epsilon.ratio).power(bits)
        if sum(max(0, a * scale - low * b) for a, b in likelier) <= allowed * scale: return None
        if sum(max(0, a * scale - high * b) for a, b in likelier) > allowed * scale:
            return Fraction(high, scale)
def fit(section: Any, part: str, *shapes: str) -> list[Any]:
    """The values of a section that has exactly the fields of one of the shapes."""
    for want in (dict(field.split(": ") for field in shape.split(", ")) for shape in shapes):
        if isinstance(section, dict) and section.keys() == want.keys() and all(
                TYPES[t](section[f]) if t in TYPES else section[f] == t for f, t in want.items()):
            return [section[f] for f in want]
    raise Failure(part, f"found {brief(section)}; need {{{'} or {'.join(shapes)}}}")
@dataclass(frozen=True)
class Unit:
    """What an epsilon is counted for: whose data change, and which changes of them it bounds."""
    whose: str = "input"  # input; record: all of its columns; row: of many; person: all their rows
    change: str = "any"  # any; step; steps: up to `most`; pairs: `most` listed ones; distance
    most: Any = None  # of changes by steps, pairs or distance: how many, or how far
    rows: int = 1  # of a person
    @property
    def relation(self) -> str:  # as certificates call the change
        words = {"any": "replace", "step": "adjacent", "distance": "metric"}
        return words.get(self.change, "pairs")
    @property
    def of_a_row(self) -> "Unit":  # for tables of many such inputs, of which one changes
        return Unit("row", self.change, self.most) if self.whose in ("input", "record") else self
    def __str__(self) -> str:
        """Complete a sentence that states an epsilon: "epsilon 1 for replacing one row by ..."."""
        all_rows = f"all rows of one person, up to {self.rows},"
        what = {"input": "the input", "record": "the whole record", "row": "one row",
                "person": "the row of one person" if self.rows == 1 else all_rows}[self.whose]
        most = Number(Fraction(self.most or 0)).rounded(ROUND_UP)
        less = "other changes may cost more"
        return {
            "any": f"for replacing {what} by any other{'s' * (self.rows > 1)}",
            "step": f"for moving {what} by one step to the next value ({less})",
            "steps": f"for moving {what} by up to {most} steps ({less})",
            "pairs": f"for replacing {what} by a neighbor, in one of {most} listed pairs ({less})",
            "distance": f"per unit of distance, for replacing {what} by any other, at a distance "
                        f"of up to {most}",
        }[self.change]
def unit_of(given: Any, neighbors: Any) -> Unit:
    """The unit of a certificate whose mechanism was proven for these neighbors."""
    form, relation = given["form"], neighbors["relation"]
    if form == "columns": return Unit("record")
    if form == "steps": return Unit("person", rows=neighbors["rows_per_person"])
    if form in ("rows", "person"):
        parent = given["parent"]
        inner = unit_of(parent["mechanism"], parent["neighbors"])
        if form == "person": return Unit("person", rows=given["rows"] * inner.rows)
        row = inner.of_a_row
        return row if "row" in neighbors else Unit(row.whose, rows=row.rows)
    if relation == "pairs": return Unit(change="pairs", most=len(neighbors["pairs"]))
    if relation == "metric":
        most = max(Fraction(d) for row in neighbors["distances"] for d in row)
        return Unit(change="distance", most=most)
    return Unit(change="step" if relation == "adjacent" else "any")
def read_number(section: Any, part: str) -> Any:  # {"ln": "infinity"} is None
    (text,) = fit(section, part, "value: fraction", "ln: fraction", "ln: infinity")
    least, number = (1 if "ln" in section else 0), Fraction(0 if text == "infinity" else text)
    need(text == "infinity" or number >= least, part, f"found {text}; need at least {least}")
    return Number(number) if least == 0 else Number(Fraction(0), number) if number else None
def read_points(section: Any) -> Sequence[Any]:  # their labels, or else positions from 0 on
    shapes = ("kind: counts, n: whole", "kind: size, size: whole", "kind: labels, labels: list")
    grid = "kind: grid, high: fraction, low: fraction, step: fraction"
    kind, last, *more = fit(section, "mechanism", *shapes, grid)
    if kind == "labels":
        names = [canonical(label) for label in last if not isinstance(label, dict)]
        need(0 < len(last) == len(set(names)), "mechanism", "need labels: different, no objects")
        return names
    if kind == "grid":
        high, low, step = map(Fraction, (last, *more))
        last = (high - low) / step if step > 0 else -1
    ok = (1 if kind == "size" else 0) <= last <= 2**62 and last == int(last)
    need(ok, "mechanism", "need at least one point; high = low + a whole number of steps > 0")
    return range(int(last) + (kind != "size"))
RELATIONS = ("relation: adjacent", "relation: replace", "relation: pairs, pairs: list",
             "relation: metric, distances: list")
def read_pairs(neighbors: Any, size: int) -> Any:  # inputs i, j, and d: they get d times epsilon
    relation, *rest = fit(neighbors, "neighbors", *RELATIONS)
    if relation in ("adjacent", "replace"):
        far = 2 if relation == "adjacent" else size
        return ((i, j, 1) for i in range(size) for j in range(i + 1, min(size, i + far)))
    if relation == "metric":
        far = [[Fraction(d) if TYPES["fraction"](d) else 0 for d in row] for row in rest[0]]
        ok = all(map(TYPES["list"], rest[0])) and len(far) == size and all(
            (d > 0) == (i != j) for i, row in enumerate(far) for j, d in enumerate(row))
        ok = ok and far == [*map(list, zip(*far, strict=True))]
        need(ok, "neighbors", f"need {size} x {size} distances, alike both ways, 0 to itself only")
        return ((i, j, far[i][j]) for j in range(size) for i in range(j))
    for pair in rest[0]:
        ok = isinstance(pair, list) and len(pair) == 2 and all(map(TYPES["whole"], pair))
        ok = ok and pair[0] != pair[1] and max(pair) < size
        need(ok, "neighbors", f"found {brief(pair)}; need two different positions below {size}")
    ok = len({*map(frozenset, rest[0])}) == len(rest[0]) and (rest[0] or size == 1)
    need(ok, "neighbors", "found a pair twice, or no pairs: a claim about nobody is empty")
    return ((*pair, 1) for pair in rest[0])
@cache
def beside(*names: str) -> Any:  # the function that proves the first, from a file beside this one
    files = [Path(__file__).with_name(f"{name}_checker.py") for name in names]
    absent = " and ".join(file.name for file in files if not file.is_file())
    need(not absent, "format", f"needs {absent} beside this one")
    return run_path(str(files[0]))[f"prove_{names[0]}"]
TOTALS = "log2_total: whole", "total: hex"  # one of these fields
def read_total(section: Any) -> int:
    """What the weights of a row sum to: 2^log2_total, or any other total of at least 1."""
    k = section.get("log2_total", 0)
    need(k <= 2**20, "mechanism", f"found log2_total {k}; need at most 2^20")
    total = int(section.get("total", "1"), 16) << k
    need(total, "mechanism", "found a total of 0; need at least 1")
    return total
def prove_table(given: Any, neighbors: Any, epsilon: Any, delta: Any, codes: Any, best: Any) -> Any:
    shape = "form: table, inputs: object, outputs: object, weights: list"
    _, inputs, outputs, weights, _ = fit(given, "mechanism", *(f"{shape}, {t}" for t in TOTALS))
    total = read_total(given)
    sums = f"2^{given['log2_total']}" if "log2_total" in given else hex(total)[:99]
    ins, outs, rows = read_points(inputs), read_points(outputs), list[list[int]]()
    need(len(weights) == len(ins), "mechanism", f"found {len(weights)} rows; need {len(ins)}")
    for row in weights:
        ok = isinstance(row, list) and len(row) == len(outs) and all(map(TYPES["hex"], row))
        need(ok, "mechanism", f"row {len(rows)} needs {len(outs)} strings of lowercase hex digits")
        rows.append([int(weight, 16) for weight in row])
        ok, found = sum(rows[-1]) == total, hex(sum(rows[-1]))[:99]
        need(ok, "row sums", f"row {len(rows) - 1} sums to {found}; need {sums}")
    yield f"Each of the {len(ins)} inputs has {len(outs)} weights, which sum to exactly {sums}."
    pairs = read_pairs(neighbors, len(ins))
    least = [min(column) for column in zip(*rows, strict=True)]  # who passes these passes all
    unit = epsilon and epsilon.times("distances" not in neighbors)  # some may be close
    hard = {x for x, p in enumerate(rows) if unit and excess(p, least, unit, delta * total)}
    for x, z, d in (way for i, j, e in pairs for way in ((i, j, e), (j, i, e)) if way[0] in hard):
        if power := excess(rows[x], rows[z], own := epsilon.times(d), delta * total):
            p, q = ([Fraction(weight, total) for weight in rows[i]] for i in (x, z))
            event = sorted((y for y in range(len(outs)) if p[y] > power * q[y]),
                           key=lambda y: q[y] / p[y])  # the first ones decide about epsilon
            a, b = (list(accumulate(row[y] for y in event)) for row in (p, q))
            over = [(m - delta, n) for m, n in zip(a, b, strict=True) if m > delta]
            tight = Number(Fraction(0), max(m / n for m, n in over)) if over[0][1] else "infinity"
            here, there, more = map(Number, (a[-1], b[-1], a[-1] - b[-1] * power))
            yield Failure("delta" if delta else "epsilon",
                f"outputs {', '.join(str(outs[y]) for y in event)} have probability {here} on "
                f"input {ins[x]}, but {there} on its neighbor {ins[z]}; with delta {Number(delta)} "
                f"they need epsilon {tight}, with epsilon {own} they need delta {more}")
            break
    else: yield f"Neighbors ({neighbors['relation']}) pass, both ways, for every set of outputs."
    for code in codes:
        n, part, (words, entries) = len(ins) - 1, f"property {code}", PROPERTIES[code]
        ok = inputs == outputs and (code in "RH CH F WH" or inputs["kind"] in ("counts", "grid"))
        need(ok, part, "needs outputs like the inputs; RM, CM and S also need counts or a grid")
        for (x, y), (z, w) in (entries(a, b, n) for a in range(n + 1) for b in range(n + 1)):
            enough = Fraction(total, n + 1) if code == "WH" else rows[z][w]
            if rows[x][y] < enough:
                less, more = (Number(Fraction(weight, total)) for weight in (rows[x][y], enough))
                whose = "" if code == "WH" else f" = P({outs[w]} | {ins[z]})"
                yield Failure(part, f"P({outs[y]} | {ins[x]}) = {less} is below {more}{whose}")
                break
        else: yield f"Property {code} holds: {words}."
    if best:  # the claim that nothing is better than this mechanism
        pairs, prove_bound = read_pairs(neighbors, len(ins)), beside("bound")
        yield prove_bound(sys.modules[__name__], best, rows, pairs, epsilon, delta, codes)
def prove(given: Any, neighbors: Any, epsilon: Any, delta: Any, codes: Any = (), best: Any = None
          ) -> Iterator[Any]:
    """Sentences about what holds, and Failures about what does not; epsilon None is infinity."""
    like = f"form: {(form := given.get('form'))}, inputs: object, outputs: object"
    need(form == "table" or not (codes or best), "claims", "only a table can claim properties")
    if form == "table": yield from prove_table(given, neighbors, epsilon, delta, codes, best)
    elif form == "geometric":  # P(i|j) = c(i) e^(-parameter |i-j|), and c(i) is the same for all j
        _, inputs, outputs, unit = fit(given, "mechanism", f"{like}, parameter: object")
        n, unit = len(read_points(inputs)) - 1, read_number(unit, "mechanism")
        (near,) = fit(neighbors, "neighbors", "relation: adjacent", "relation: replace")
        steps = 1 if near == "adjacent" else n
        ok = n > 0 and inputs == outputs and "n" in inputs and unit
        ok = ok and steps * unit.ratio.numerator.bit_length() < 2**20  # else it takes forever
        need(ok, "mechanism", "geometric needs the same counts 0..n, n > 0, and a finite parameter")
        cost = Number(steps * unit.value, unit.ratio**steps)
        need(not (epsilon and cost > epsilon), "epsilon", f"needs {cost}; claimed is {epsilon}")
        yield f"On inputs {steps} apart, P differs by a factor e^({steps} parameter) <= e^epsilon."
    elif form == "response":  # the input with probability keep / total, else any point, all alike
        shapes = (f"{like}, keep: hex, {field}" for field in TOTALS)
        _, ins, outs, keep, _ = fit(given, "mechanism", *shapes)
        size, keep, whole = len(read_points(ins)), int(keep, 16), read_total(given)
        ok = ins == outs and keep <= whole and neighbors.get("relation") != "metric"
        need(ok, "mechanism", "response needs outputs like the inputs, and keep <= total")
        read_pairs(neighbors, size)
        total, other, own = size * whole, whole - keep, whole - keep + keep * size
        ok = not epsilon or size == 1 or not excess([own], [other], epsilon, delta * total)
        own, other = Number(Fraction(own, total)), Number(Fraction(other, total))
        need(ok, "delta" if delta else "epsilon", f"P(x | x) = {own}, P(x | another) = {other}")
        yield "An output is likelier on its own input, by no more than epsilon and delta allow."
    elif form == "rows":
        _, count, parent = fit(given, "mechanism", "form: rows, count: whole, parent: object")
        shapes = ("relation: one row", "relation: one row, row: text")
        _, *changes = fit(neighbors, "neighbors", *shapes)
        inner, relation = fit(parent, "mechanism", "mechanism: object, neighbors: object")
        need(count, "mechanism", "no rows")
        if changes:  # the row moves as the parent's neighbors do; which kind that is, is said twice
            own = relation.get("row", relation.get("relation"))
            ok = changes[0] == own and own in ("adjacent", "pairs", "metric")
            need(ok, "neighbors", f"found {brief(changes[0])} as the change of a row; need the "
                 "parent's relation: adjacent, pairs or metric")
        else:  # the row may become any other, whatever the parent calls a neighbor
            fit(relation, "neighbors", *RELATIONS, *shapes)
            relation = {"relation": "one row" if inner.get("form") == "rows" else "replace"}
            yield "Neighbors (one row): a row may become any other, so the parent must allow that."
        yield from prove(inner, relation, epsilon, delta)
        yield f"The {count} rows are independent, so all but the one that differs cancel."
    elif form != "columns":  # a formula; epsilon and delta are decided as it allows
        formula = beside("formula", *(name for name in ("curve", "steps") if name == form))
        yield from formula(sys.modules[__name__], given, neighbors, epsilon, delta)
    else:
        _, columns = fit(given, "mechanism", "form: columns, columns: list")
        fit(neighbors, "neighbors", "relation: replace")
        spent, lost, names = Number(Fraction(0)), Fraction(0), set[str]()
        for column in columns:
            name, inner, relation, claim = fit(column, "mechanism",
                "name: text, mechanism: object, neighbors: object, claims: object")
            own, chance = fit(claim, "claims", "epsilon: object, delta: chance")
            fit(relation, "neighbors", "relation: replace")
            own, name = read_number(own, "claims"), canonical(name)  # no raw text to the terminal
            for item in prove(inner, relation, own, Fraction(chance)):
                bad = isinstance(item, Failure)
                yield Failure(f"{name}: {item.part}", item.message) if bad else f"{name}: {item}"
            spent = spent and own and Number(spent.value + own.value, spent.ratio * own.ratio)
            lost, names = lost + Fraction(chance), names | {name}
        need(0 < len(columns) == len(names), "mechanism", "need columns with different names")
        ok = not epsilon or (spent and not spent > epsilon)
        need(ok, "epsilon", f"the columns add up to {spent or 'infinity'}; claimed is {epsilon}")
        need(lost <= delta, "delta", f"the columns add up to {Number(lost)}; claimed is {delta}")
        yield "Columns are independent: epsilons and deltas add up to no more than is claimed."

def check(document: Any) -> Report:
    """Re-prove every claim of a certificate. Nothing in the document makes this raise."""
    found: list[Any] = []
    try:
        known = isinstance(document, dict) and document.get("format") == "noisewright-certificate"
        need(known, "format", f"found {brief(document)}, which is no certificate")
        version = document.get("version")
        need(version == 1, "format", f"version is {brief(version)}, not 1; get a newer checker")
        fit(document, "format", "format: noisewright-certificate, version: whole, claims: object, "
            "mechanism: object, neighbors: object, made_by: text, digests: object, digest: text")
        fit(document["digests"], "format", "mechanism: text, neighbors: text, claims: text")
        parts = {**document, "digest": {f: v for f, v in document.items() if f != "digest"}}
        for part, digest in {**document["digests"], "digest": document["digest"]}.items():
            if sha256(canonical(parts[part]).encode()).hexdigest() != digest:
                found.append(Failure(part, "changed after it was made: the digest differs"))
        shape = "epsilon: object, delta: chance, properties: list"
        values = fit(document["claims"], "claims", shape, f"{shape}, optimality: object")
        epsilon, delta, codes = read_number(values[0], "claims"), Fraction(values[1]), values[2]
        ok = {*map(str, codes)} <= PROPERTIES.keys() and len({*map(str, codes)}) == len(codes)
        need(ok, "claims", f"found properties {brief(codes)}; need different ones of the seven")
        relation = document["neighbors"]
        found.extend(prove(document["mechanism"], relation, epsilon, delta, codes, *values[3:]))
        said = "nothing"
        if epsilon and delta < 1:
            unit = unit_of(document["mechanism"], relation)
            amounts = (number.rounded(ROUND_UP) for number in (epsilon, Number(delta)))
            said = "epsilon {}, delta {}, {}".format(*amounts, unit)
        found.append(f"What the certificate promises: {said}.")
    except Exception as error:  # whatever it is: what cannot be proven does not hold
        found.append(error if isinstance(error, Failure) else Failure("format", f"wrong: {error}"))
    failures = tuple(Failure(*item.args) for item in found if isinstance(item, Failure))
    return Report(not failures, tuple(item for item in found if isinstance(item, str)), failures)
def check_file(path: Any) -> Report:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "format", "an object has the same field twice")
        return dict(pairs)
    try:
        endless = Path(path).is_char_device() or Path(path).is_block_device()
        need(not endless, "format", "it is a device; need a file")
        with open(path, encoding="utf-8-sig") as file:
            return check(json.loads(file.read(2**30), object_pairs_hook=unique))
    except (Failure, OSError, ValueError, RecursionError) as error:
        words = getattr(error, "message", error)
        return Report(False, (), (Failure("format", f"cannot read {path}: {words}"),))
def main(arguments: list[str]) -> int:
    reports = {name: check_file(name) for name in arguments if name not in ("--json", "--help")}
    if not reports: print(str(__doc__).splitlines()[2])  # how to run it
    for name, report in reports.items():
        lines = [f"{name}: {'proven' if report else 'NOT PROVEN'}", *report.proved]
        lines += [f"FAILED {failure.part}: {failure.message}" for failure in report.failures]
        text = "\n  ".join(lines).encode("ascii", "backslashreplace").decode()
        print(json.dumps({"file": name, **asdict(report)}) if "--json" in arguments else text)
    parts = {failure.part for report in reports.values() for failure in report.failures}
    return 2 if "format" in parts or {*arguments} <= {"--json"} else 1 if parts else 0
if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
