"""Certificates made by hand from tables of integers, for tests of the stand-alone checker.

Nothing here imports the package: the checker is loaded from its folder, as an auditor has it.
"""

import hashlib
import importlib.util
import itertools
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

SOURCE = Path(__file__).parents[2] / "src" / "noisewright"
CHECKER = SOURCE / "checker"
SCHEMA = SOURCE / "schemas" / "certificate-1.json"


def load_checker() -> Any:
    name = "stand_alone_checker"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, CHECKER / "__init__.py", submodule_search_locations=[str(CHECKER)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def digest(section: Any) -> str:
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """Give a document the digests it should have."""
    body = {key: value for key, value in document.items() if key != "digest"}
    body["digests"] = {name: digest(body[name]) for name in ("mechanism", "neighbors", "claims")}
    return {**body, "digest": digest(body)}


def certificate(
    mechanism: Any, neighbors: Any, epsilon: Any, delta: str = "0", properties: Any = ()
) -> dict[str, Any]:
    claims = {"epsilon": number(epsilon), "delta": delta, "properties": list(properties)}
    return sealed(
        {
            "format": "noisewright-certificate",
            "version": 1,
            "mechanism": mechanism,
            "neighbors": relation(neighbors),
            "claims": claims,
            "made_by": "hand",
        }
    )


def number(epsilon: Any) -> Any:
    """A string or Fraction is a rational epsilon; anything else is taken as it is."""
    return {"value": str(epsilon)} if isinstance(epsilon, (str, Fraction)) else epsilon


def relation(neighbors: Any) -> Any:
    return {"relation": neighbors} if isinstance(neighbors, str) else neighbors


def table(
    rows: list[list[int]], log2_total: int | None, inputs: Any = None, outputs: Any = None
) -> Any:
    """A table over 2^log2_total or, without that, over the sum of its first row."""
    return {
        "form": "table",
        "inputs": inputs or {"kind": "counts", "n": len(rows) - 1},
        "outputs": outputs or {"kind": "counts", "n": len(rows[0]) - 1},
        **({"total": f"{sum(rows[0]):x}"} if log2_total is None else {"log2_total": log2_total}),
        "weights": [[f"{weight:x}" for weight in row] for row in rows],
    }


def geometric(n: int, parameter: Any) -> Any:
    points = {"kind": "counts", "n": n}
    return {
        "form": "geometric",
        "inputs": points,
        "outputs": points,
        "parameter": number(parameter),
    }


def response(size: int, keep: int, log2_total: int | None, total: int = 0) -> Any:
    points = {"kind": "size", "size": size}
    return {
        "form": "response",
        "inputs": points,
        "outputs": points,
        **({"total": f"{total:x}"} if log2_total is None else {"log2_total": log2_total}),
        "keep": f"{keep:x}",
    }


def rows_of(count: int, mechanism: Any, neighbors: Any) -> Any:
    parent = {"mechanism": mechanism, "neighbors": relation(neighbors)}
    return {"form": "rows", "count": count, "parent": parent}


def person_of(rows: int, mechanism: Any, epsilon: Any, delta: str = "0") -> Any:
    parent = {
        "mechanism": mechanism,
        "neighbors": {"relation": "replace"},
        "claims": {"epsilon": number(epsilon), "delta": delta},
    }
    return {"form": "person", "rows": rows, "parent": parent}


def shuffled_of(
    rows: int, mechanism: Any, epsilon: Any, step: str = "1/64", several: int = 1
) -> Any:
    parent = person_of(1, mechanism, epsilon)["parent"]
    named = {"rows": rows, "rows_per_person": several, "public": [], "step": step}
    return {"form": "shuffled", **named, "parent": parent}


def counting_step(amount: Any, **noise: Any) -> Any:
    """Counts with `marginal=` and `query=` noise: a decay, or in a tuple a deviation."""
    pure = not any(isinstance(scale, tuple) for scale in noise.values())
    name = "decay" if pure else "deviation"
    return {
        "kind": "geometric" if pure else "normal",
        "what": "counts",
        "amount": str(amount),
        "noise": [
            {"counts": counts, name: str(scale if pure else scale[0])}
            for counts, scale in noise.items()
        ],
    }


def choice_step(amount: Any, factor: Any, change: int = 2) -> Any:
    return {
        "kind": "choice",
        "what": "a choice",
        "amount": str(amount),
        "factor": str(factor),
        "change": change,
    }


def law_step(
    amount: Any, factor: Any, change: Any, *, by: str, moves: str = "both ways", **more: Any
) -> Any:
    return {
        "kind": "choice",
        "what": "a choice",
        "amount": str(amount),
        "by": by,
        "moves": moves,
        "factor": str(factor),
        "change": str(change),
        **more,
    }


def steps_of(total: Any, *steps: Any, order: Any = None) -> Any:
    form = {"form": "steps", "total": str(total), "steps": list(steps)}
    if order is None:
        return {**form, "unit": "epsilon"}
    return {**form, "unit": "rho", "order": str(order)}


def one_person(rows: Any = 1) -> Any:
    return {"relation": "one person", "rows_per_person": rows}


def curve_of(matrix: Any, *, steps: int, shift: int, decay: Any, weights: Any = ()) -> Any:
    positions = len(matrix[0])
    return {
        "form": "curve",
        "inputs": {
            "kind": "curves",
            "grid": [str(t) for t in range(positions)],
            "low": "-1",
            "high": str(steps - 1),
            "step": "1",
        },
        "basis": "none",
        "matrix": [[str(entry) for entry in row] for row in matrix],
        "log2_scale": 0,
        "shift": shift,
        "decay": {"value": str(decay)},
        "weights": [str(z) for z in weights],
    }


def columns_of(*columns: tuple[str, Any, Any, str]) -> Any:
    return {
        "form": "columns",
        "columns": [
            {
                "name": name,
                "mechanism": mechanism,
                "neighbors": {"relation": "replace"},
                "claims": {"epsilon": number(epsilon), "delta": delta},
            }
            for name, mechanism, epsilon, delta in columns
        ],
    }


def groups_of(*parts: tuple[int, Any]) -> Any:
    """How many groups have each mechanism."""
    listed = [{"groups": groups, "mechanism": mechanism} for groups, mechanism in parts]
    return {"form": "groups", "parts": listed}


def keys_of(coins: list[int], log2_total: int, epsilon: Any, delta: Any, groups: int = 1) -> Any:
    selection = {
        "groups": groups,
        "epsilon": str(epsilon),
        "delta": str(delta),
        "log2_total": log2_total,
        "coins": [f"{coin:x}" for coin in coins],
    }
    return {"form": "keys", "selection": selection}


def rappor_part(
    bits: int, hashes: int, flip: tuple[int, int], sent: tuple[int, int, int]
) -> dict[str, Any]:
    """A filter: how often bits are flipped, and how often 0 and 1 are sent as 1, of a total."""
    names = ("flip", "flip_total", "low", "high", "report_total")
    coins = zip(names, (*flip, *sent), strict=True)
    return {"bits": bits, "hashes": hashes, **{name: f"{coin:x}" for name, coin in coins}}


def rappor_of(*parts: Any) -> Any:
    return {"form": "rappor", "parts": list(parts)}


def one_value(reports: int | str) -> Any:
    return {"relation": "one value", "reports": reports}


def query_of(unit: str, total: str, *measurements: Any, **more: str) -> Any:
    """Questions about ages from 0 to 9 and labels of two kinds."""
    columns = {"age": ["0", "9"], "sex": ["0", "1"]}
    return {"form": "query", "unit": unit, "total": total, "columns": columns} | {
        "measurements": list(measurements),
        **more,
    }


def measured(rows: Any, adds: Any, noise: Any, amount: str, *by: Any) -> Any:
    return {"what": "a question", "rows": rows, "by": list(by), "adds": adds} | {
        "noise": noise,
        "amount": amount,
    }


def rows_of_people(person: str = "", **limit: Any) -> Any:
    rows = {"rows": "table", "table": "people", "person": person}
    return {"rows": "limit", "of": rows, **limit} if limit else rows


def person_with(change: str) -> Any:
    return {"relation": "one person", "change": change}


#: Adjacent rows differ by a factor of exactly 2 at most.
HALVES = [[8, 4, 4], [4, 8, 4], [4, 4, 8]]
LN2 = {"ln": "2"}


def parts(report: Any) -> set[str]:
    """What a report says is not proven."""
    return {failure.part for failure in report.failures}


def text(report: Any) -> str:
    return "\n".join([*report.proved, *(failure.message for failure in report.failures)])


def least_delta(rows: list[list[int]], total: int, pairs: Any, power: Fraction) -> Fraction:
    """The largest P(event | x) - power P(event | z), over every event and both directions."""
    ways = [way for i, j in pairs for way in ((rows[i], rows[j]), (rows[j], rows[i]))]
    return max(least_delta_one_way(p, q, total, power) for p, q in ways)


def least_delta_one_way(p: list[int], q: list[int], total: int, power: Fraction) -> Fraction:
    worst = Fraction(0)
    for event in itertools.product((0, 1), repeat=len(p)):
        mass = sum(a - power * b for a, b, y in zip(p, q, event, strict=True) if y)
        worst = max(worst, Fraction(mass) / total)
    return worst


@st.composite
def tables(draw: st.DrawFn, *, square: bool = False) -> tuple[list[list[int]], int]:
    """Rows of weights, and the logarithm of their total."""
    k = draw(st.integers(2, 12))
    size = draw(st.integers(2, 4))
    width = size if square else draw(st.integers(2, 5))
    rows: list[list[int]] = []
    for _ in range(size):
        cuts = sorted(draw(st.lists(st.integers(0, 2**k), min_size=width - 1, max_size=width - 1)))
        rows.append([b - a for a, b in itertools.pairwise([0, *cuts, 2**k])])
    return rows, k
