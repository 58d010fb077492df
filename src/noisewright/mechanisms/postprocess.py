"""What may be done to an output without asking the data again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, SpaceError
from noisewright.exact import Number, exactly
from noisewright.given import several
from noisewright.mechanisms.from_matrix import from_matrix
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Categories, Space


def postprocess(table: Table, step: Any, *, outputs: Any = None) -> Table:
    """Return `table` followed by a step on its outputs: a function, a mapping or a kernel."""
    if isinstance(step, Mechanism):
        step = step.table()
        if step.space.size != table.outputs.size or tuple(step.space.points) != tuple(
            table.outputs.points
        ):
            raise SpaceError(
                f"then(): the first mechanism gives points of {table.outputs!r}, but the second "
                f"takes points of {step.space!r}. They must be the same points."
            )
        kernel = step
    elif isinstance(step, Mapping) or callable(step):
        mapping = cast("Mapping[Any, Any]", step)
        function = cast("Callable[[Any], Any]", step) if callable(step) else mapping.__getitem__
        return _relabel(table, function, outputs)
    elif isinstance(step, (Sequence, np.ndarray)):
        kernel = from_matrix(table.outputs, step, outputs=outputs)
    else:
        raise InputError(
            f"then() takes a function, a mapping, a finite mechanism or a matrix; got "
            f"{type(step).__name__}."
        )
    weights = table.weights.dot(kernel.weights)
    return _result(table, weights, table.total * kernel.total, kernel.outputs)


def _result(table: Table, weights: NDArray[Any], total: int, outputs: Space) -> Table:
    name = f"{table.name}, post-processed"
    space, claim = table.space, table.claim
    return Table(space, weights, total=total, outputs=outputs, claim=claim, name=name)


def _relabel(table: Table, function: Callable[[Any], Any], outputs: Any) -> Table:
    """Add up the columns that get the same label."""
    given = table.outputs
    try:
        results = [function(point) for point in given.points]
    except KeyError as problem:
        raise InputError(f"then(): the mapping has no entry for the output {problem}.") from None
    if outputs is not None:
        released = outputs if isinstance(outputs, Space) else Categories(outputs)
    elif all(result in given for result in results):
        released = given
    else:
        released = Categories(dict.fromkeys(results))
    weights = np.zeros((table.space.size, released.size), dtype=object)
    for code, result in enumerate(results):
        weights[:, released.code(result)] += table.weights[:, code]
    return _result(table, weights, table.total, released)


@public
def mixture(mechanisms: Iterable[Table], weights: Iterable[Number] | None = None) -> Table:
    """Run one of several mechanisms, chosen by a public coin.

    Requires: the same inputs and outputs; weights that sum to 1 (equal by default). What floats
    lack to 1 through rounding is added to the largest of them.
    Ensures: with claims (εᵢ, δᵢ) for all parts, the mixture is (max εᵢ, Σ wᵢ δᵢ)-private.
    Source: the convexity of privacy, Kifer and Lin 2010.
    """
    parts = several(mechanisms, name="mechanisms", of="tables")
    if not parts:
        raise InputError("mixture() needs at least one mechanism.")
    first = parts[0]
    for part in parts:
        if not isinstance(part, Table):
            raise InputError(f"mixture() takes finite mechanisms; got {part!r}.")
        if part.space != first.space or part.outputs != first.outputs:
            raise SpaceError("mixture() needs mechanisms on the same inputs and outputs.")
    if weights is None:
        shares = [Fraction(1, len(parts))] * len(parts)
    else:
        shares = [
            exactly(weight, name="a weight")
            for weight in several(weights, name="weights", of="numbers")
        ]
    if len(shares) != len(parts) or any(share < 0 for share in shares):
        raise ParameterError(f"mixture() needs {len(parts)} weights of at least 0.")
    if abs(sum(shares) - 1) > Fraction(1, 10**12):
        raise ParameterError(f"the weights sum to {float(sum(shares))}; they must sum to 1.")
    shares[shares.index(max(shares))] += 1 - sum(shares)
    unit = lcm(*(part.total * share.denominator for part, share in zip(parts, shares, strict=True)))
    mixed: Any = sum(
        part.weights * int(share * unit / part.total)
        for part, share in zip(parts, shares, strict=True)
    )
    return Table(
        first.space,
        mixed,
        total=unit,
        outputs=first.outputs,
        claim=_mixed_claim(parts, shares),
        name="mixture",
    )


def _mixed_claim(parts: list[Table], shares: list[Fraction]) -> Guarantee | None:
    worst = None
    delta = Fraction(0)
    for part, share in zip(parts, shares, strict=True):
        if share == 0:
            continue
        if part.claim is None:
            return None
        if worst is None or worst < part.claim.epsilon:
            worst = part.claim.epsilon
        delta += part.claim.delta * share
    return Guarantee(worst, delta)
