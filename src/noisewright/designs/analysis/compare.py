"""Several mechanisms side by side: what they lose, how often they are right, what they leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.designs.design import Design
from noisewright.designs.losses.loss import GOALS, exact_loss, read_goal, read_loss
from noisewright.designs.losses.priors import read_prior
from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number, ceiling_float, floor_float
from noisewright.given import several
from noisewright.mechanisms import CODES, Mechanism, Table, properties, require_mechanism
from noisewright.privacy import tight_epsilon
from noisewright.public import public


@dataclass(frozen=True)
class Comparison:
    """A table with one row per mechanism; print it, or take its `rows()`.

    `losses` maps columns such as "expected L1" to values, `truth` is the probability of
    releasing the input itself (None when outputs are other points), `epsilon` the tight one.
    """

    entries: tuple[ComparedMechanism, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per mechanism, with the same keys in the same order."""
        return [
            {
                "mechanism": entry.name,
                **entry.losses,
                "truth": entry.truth,
                "epsilon": entry.epsilon,
                "properties": entry.properties,
            }
            for entry in self.entries
        ]

    def __str__(self) -> str:
        return align(self.rows())


@dataclass(frozen=True)
class ComparedMechanism:
    """One mechanism of a comparison."""

    name: str
    losses: Mapping[str, float]
    truth: float | None
    epsilon: float
    properties: tuple[str, ...]


@public
def compare(
    mechanisms: Mapping[str, Mechanism | Design],
    *,
    losses: Sequence[Any] = ("L0", "L1", "L2"),
    goal: str | None = None,
    prior: Any = None,
    delta: Number = 0,
) -> Comparison:
    """Compare mechanisms on the same inputs: losses, truth, tight epsilon and properties.

    Requires: names with mechanisms or designs, all on one space; losses as for `design`; `goal`,
    "expected" under the prior, "worst", or None for both.
    Ensures: losses and epsilon (at this delta) are rounded up, truth probabilities down, and
    properties are decided on the integers.
    Source: Cormode–Kulkarni–Srivastava 2018, Figure 6, for the mechanisms of your choice.
    """
    if not isinstance(mechanisms, Mapping) or not mechanisms:
        raise InputError(
            "compare needs names with mechanisms: nw.analysis.compare({'GM': gm, 'EM': em})."
        )
    if isinstance(losses, str):
        raise ParameterError(f"losses is {losses!r}; give a list of losses, [{losses!r}].")
    goals = GOALS if goal is None else (read_goal(goal),)
    tables = {name: _table(one) for name, one in mechanisms.items()}
    first_name, first = next(iter(tables.items()))
    for name, table in tables.items():
        if table.space != first.space:
            raise InputError(
                f"{first_name} takes {first.space!r} and {name} takes {table.space!r}; compare "
                "mechanisms on the same inputs."
            )
    weights = read_prior(prior, first.space)
    return Comparison(
        tuple(_entry(name, table, losses, goals, weights, delta) for name, table in tables.items())
    )


def _table(one: Mechanism | Design) -> Table:
    mechanism = one.mechanism if isinstance(one, Design) else one
    require_mechanism(mechanism, name="one of the mechanisms")
    return mechanism.table()


def _entry(
    name: str,
    table: Table,
    losses: Sequence[Any],
    goals: Sequence[str],
    prior: tuple[Fraction, ...],
    delta: Number,
) -> ComparedMechanism:
    values: dict[str, float] = {}
    for loss in several(losses, name="losses", of="losses such as 'L1'"):
        read = read_loss(loss, table.space, table.outputs)
        for goal in goals:
            column = f"{goal} {read.name}"
            if column in values:
                raise ParameterError(
                    f"two losses are called {read.name!r}; give functions with different names."
                )
            values[column] = ceiling_float(exact_loss(table, read, goal=goal, prior=prior))
    held = properties(table)
    return ComparedMechanism(
        name,
        values,
        _truth(table, prior),
        tight_epsilon(table, delta=delta),
        tuple(code for code in CODES if code in held),
    )


def _truth(table: Table, prior: tuple[Fraction, ...]) -> float | None:
    if table.outputs != table.space:
        return None
    return floor_float(1 - exact_loss(table, "L0", prior=prior))


def align(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same keys as text: a header, a rule, numbers to the right."""
    if not rows:
        return "(nothing to show)"
    heads = list(rows[0])
    cells = [[_text(row[head]) for head in heads] for row in rows]
    numeric = [all(isinstance(row[head], (int, float)) for row in rows) for head in heads]
    widths = [max(len(line[column]) for line in [heads, *cells]) for column, _ in enumerate(heads)]

    def line(texts: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(heads), line(["-" * width for width in widths]), *map(line, cells)])


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return str(value)
