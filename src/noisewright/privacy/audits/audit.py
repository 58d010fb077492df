"""How private is a client that is known only by its reports? At best as private as this says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

from noisewright.errors import ParameterError
from noisewright.exact import (
    Epsilon,
    Number,
    exactly,
    floor_float,
    log_bounds,
    share_ceiling,
    share_floor,
    show,
)
from noisewright.given import brief, quantity, whole_number
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.privacy.audits.events_of_reports import ReportEvent
from noisewright.privacy.audits.pairs_of_inputs import Compared, InputPair, compare_inputs
from noisewright.privacy.audits.reports import LENGTH, WHOLE, Columns, Reading
from noisewright.privacy.audits.sampler import Client, Progress
from noisewright.privacy.audits.search import Outlook, Search
from noisewright.public import public, public_methods
from noisewright.spaces import Distance, Unit

_BEST, _SIMPLEST = 5, 3
_FINALISTS = _BEST + _SIMPLEST
"""So many events are tested: the most promising, and those that people see at once."""

_CLOSELY = 16
"""So many pairs are looked at closely; if there are more, a small sample decides which."""

_LEAST = 64
_AT_ONCE = 1 << 16
_BITS = 96


@dataclass(frozen=True)
class AuditWitness:
    """Two neighboring inputs, an event, and how often it happened under each of them.

    `p` is a lower bound on P(event | input), `q` an upper bound on P(event | neighbor). They are
    by Clopper and Pearson, from draws that had no part in choosing the event, and hold together
    with the confidence of the audit.
    """

    input: Any
    neighbor: Any
    event: str
    hits: int
    neighbor_hits: int
    draws: int
    p: Fraction
    q: Fraction
    epsilon: float
    """The ε that they show: ln((p − δ) / q) per unit of distance, rounded down, or 0."""
    distance: Distance = 1
    simple: bool = True
    """Whether the event is about a single output, number or bit."""

    def __str__(self) -> str:
        away = "" if self.distance == 1 else f" at a distance of {self.distance}"
        return (
            f"{brief(self.input)} gives a report where {self.event} in {self.hits:,} of "
            f"{self.draws:,} draws (probability at least {_shown_down(self.p)}), its neighbor "
            f"{brief(self.neighbor)}{away} in {self.neighbor_hits:,} (at most {_shown_up(self.q)})"
        )


@public_methods
@dataclass(frozen=True)
class Audit:
    """A lower bound on the ε of a client, with the inputs and the event that show it.

    With probability `confidence` or more, over the draws of the audit, the client is not
    (ε, δ)-private for any ε below `lower`. `unit` says for which changes of the input. An audit
    finds leaks and cannot prove that there are none: a `lower` of 0 says that none was found.
    """

    witnesses: tuple[AuditWitness, ...]
    """What was tested, the most telling first. All bounds in it hold together."""
    delta: Fraction
    confidence: Fraction
    unit: Unit
    draws: int
    """How many outputs the client gave."""
    inputs: int
    pairs: int
    """How many ordered pairs of neighbors were looked at."""
    note: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ParameterError(
                f"confidence is {show(self.confidence)}; it must lie between 0 and 1."
            )
        if not self.witnesses:
            raise ParameterError("witnesses is empty; an audit tests at least one event.")
        ordered = sorted(self.witnesses, key=lambda one: -one.epsilon)
        object.__setattr__(self, "witnesses", tuple(ordered))

    @property
    def lower(self) -> float:
        """The lower bound on ε; 0 if nothing was found."""
        return self.witness.epsilon

    @property
    def witness(self) -> AuditWitness:
        """The two inputs and the event that show the lower bound."""
        return self.witnesses[0]

    def refutes(self, epsilon: Number | Epsilon) -> bool:
        """Tell whether the audit shows that the client is not (ε, δ)-private, at its δ.

        Ensures: a claim that is true is refuted with probability at most 1 − confidence. If this
        is false, the claim may be true or not.
        """
        return Epsilon.of(epsilon) < Epsilon.of(self.lower)

    def __repr__(self) -> str:
        spare = f" at delta={show(self.delta)}" if self.delta else ""
        looked = f"{quantity(self.draws, 'draw')} of {quantity(self.inputs, 'input')}"
        if self.lower > 0:
            head = f"epsilon is at least {_shown_down(Fraction(self.lower))}{spare}"
        else:
            head = f"no lower bound above 0 was found for epsilon{spare}"
        simpler = next((one for one in self.witnesses if one.simple), self.witness)
        lines = [
            f"Audit: {head}, {self.unit}, with confidence {_shown_confidence(self.confidence)}.",
            f"Input {self.witness}.",
            *([_in_short(simpler)] if simpler.epsilon > 0 and not self.witness.simple else []),
            f"From {looked}; {quantity(self.pairs, 'ordered pair')} of neighbors looked at, "
            f"{quantity(len(self.witnesses), 'event')} tested. An audit finds leaks; it proves no "
            "privacy.",
        ]
        return "\n".join([*lines, self.note] if self.note else lines)


@public
def audit(
    sampler: Any,
    inputs: Iterable[Any] | None = None,
    *,
    draws: int = 40_000,
    confidence: Number = 0.999,
    delta: Number = 0,
    neighbors: Any = None,
    view: Callable[[Any], Any] | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Bound the ε of somebody else's client from below, by drawing from it.

    Requires: independent outputs. `sampler(value, count)` returns a list or an array of `count` of
    them (numbers, texts, bytes, tuples, rows of bits); a function that can be called with a value
    alone, and has no second parameter such as `count` or `size`, is called once for each output.
    A client that remembers its answers must forget them before each output. `inputs` are values
    that it may be given. `neighbors` are every two of them ("replace"), those next to each other
    ("adjacent"), or a list of pairs. `view` maps an output to what matters of it, for reports with
    random ids. Each input that is looked at closely costs `draws` outputs, others a sixteenth.
    Ensures: with probability `confidence` or more the client is not (ε, δ)-private for any
    ε below `lower`, for the neighbors that `unit` names. Half of the draws choose up to eight
    events (single outputs, sets of outputs by their likelihood ratio, half-lines of numbers and
    lengths, bits, sums of bits); the other half tests them, and the bounds hold for all of these
    at once (Bonferroni). They are proven in integers, and `lower` is rounded down.
    A mechanism is accepted, with the neighbors of its space, but `verify` decides about it exactly,
    as it does about a known matrix (`from_matrix`).
    Source: Clopper–Pearson 1934 for the bounds; Ding–Wang–Wang–Zhang–Kifer 2018 for choosing
    events on draws of their own.
    """
    spare, sure = read_delta(delta), exactly(confidence, name="confidence")
    if not 0 < sure < 1:
        raise ParameterError(
            f"confidence is {show(sure)}; it must lie between 0 and 1, for example 0.999."
        )
    many = whole_number(draws, name="draws", least=2 * _LEAST, most=1 << 28)
    for name, given in (("view", view), ("progress", progress)):
        if given is not None and not callable(given):
            raise ParameterError(
                f"{name} is of type {type(given).__name__}; it must be a function."
            )
    client = Client(sampler)
    compared = compare_inputs(sampler, inputs, neighbors)
    error = (1 - sure) / (2 * _FINALISTS)
    outlook = Outlook(many - many // 2, _spread(error), float(spare))
    chosen = _Choice(client, compared, view, outlook, progress).make(many // 2)
    test = _Test(client, compared, spare, (1 - sure) / (2 * len(chosen.finalists)), progress)
    witnesses = test.run(chosen, outlook.draws)
    return Audit(
        witnesses=witnesses,
        delta=spare,
        confidence=sure,
        unit=compared.unit,
        draws=client.drawn,
        inputs=len(compared.inputs),
        pairs=len(compared.pairs),
        note=_EXACTLY if isinstance(sampler, Mechanism) else chosen.note,
    )


_EXACTLY = "This is a mechanism: nw.verify and nw.tight_epsilon decide about it exactly."
_RARE = "Hardly any report occurred twice: give view=, a function that keeps what matters of one."


class _Finalist(NamedTuple):
    """An event that will be tested between two inputs."""

    promise: float
    pair: InputPair
    event: ReportEvent


class _Chosen(NamedTuple):
    """The events to test, and how to read the reports in which they are counted."""

    finalists: Sequence[_Finalist]
    reading: Reading
    note: str


class _Choice:
    """Draws the first half, and chooses what to test."""

    def __init__(
        self,
        client: Client,
        compared: Compared,
        view: Callable[[Any], Any] | None,
        outlook: Outlook,
        progress: Progress | None,
    ) -> None:
        self._client = client
        self._compared = compared
        self._view = view
        self._outlook = outlook
        self._progress = progress

    def make(self, draws: int) -> _Chosen:
        """Choose by so many draws of each input that is looked at closely."""
        pairs, everyone = self._compared.pairs, range(len(self._compared.inputs))
        few = len(pairs) <= _CLOSELY
        pilot = draws if few else max(_LEAST, draws // 8)
        involved = sorted({place for pair in pairs for place in pair[:2]} & set(everyone))
        raw = {place: self._draw(place, pilot, "look") for place in involved}
        reading = Reading([piece for pieces in raw.values() for piece in pieces], self._view)
        seen = {place: [reading.read(piece) for piece in raw.pop(place)] for place in involved}
        whole = {place: Columns.of_many(pieces) for place, pieces in seen.items()}
        search = Search(reading, self._outlook)
        if not few:
            pairs = sorted(
                pairs,
                key=lambda pair: (
                    -search.quickly(whole[pair.input], whole[pair.neighbor]) / float(pair.distance)
                ),
            )[:_CLOSELY]
            for place in sorted({place for pair in pairs for place in pair[:2]}):
                more = [reading.read(p) for p in self._draw(place, draws - pilot, "choose")]
                whole[place] = Columns.of_many([whole[place], *more])
        found = [
            _Finalist(one.promise / float(pair.distance), pair, one.event)
            for pair in pairs
            for one in search.thoroughly(whole[pair.input], whole[pair.neighbor])
        ]
        found.sort(key=lambda one: -one.promise)
        best, others = found[:_BEST], found[_BEST:]
        simplest = [one for one in others if one.event.simple][:_SIMPLEST]
        return _Chosen([*best, *simplest], reading, _note(list(whole.values())))

    def _draw(self, place: int, count: int, step: str) -> list[Any]:
        value = self._compared.inputs[place]
        pieces: list[Any] = []
        for start in range(0, count, _AT_ONCE):
            pieces.append(self._client.outputs(value, min(_AT_ONCE, count - start)))
            if self._progress is not None:
                self._progress(step, self._client.drawn, None)
        return pieces


def _note(columns: Sequence[Columns]) -> str:
    """Say so when nothing can be learned from reports as they are."""
    first = columns[0]
    if (
        first.bits is not None
        or set(first.numbers) - {LENGTH}
        or set(first.codes) - {WHOLE, LENGTH}
    ):
        return ""
    distinct = len({code for one in columns for code in one.codes[WHOLE].tolist()})
    return _RARE if distinct > 0.9 * sum(one.size for one in columns) else ""


@dataclass(frozen=True)
class _Test:
    """Counts the chosen events in fresh draws; each bound may fail with probability `error`."""

    client: Client
    compared: Compared
    delta: Fraction
    error: Fraction
    progress: Progress | None

    def run(self, chosen: _Chosen, draws: int) -> tuple[AuditWitness, ...]:
        """Test by so many draws of each input in question."""
        finalists = chosen.finalists
        counts: dict[tuple[int, int], int] = {}
        places = sorted({place for one in finalists for place in one.pair[:2]})
        total = self.client.drawn + draws * len(places)
        for place in places:
            asked = [k for k, one in enumerate(finalists) if place in one.pair[:2]]
            for start in range(0, draws, _AT_ONCE):
                count = min(_AT_ONCE, draws - start)
                outputs = self.client.outputs(self.compared.inputs[place], count)
                columns = chosen.reading.read(outputs)
                for k in asked:
                    hits = finalists[k].event.hits(columns)
                    counts[k, place] = counts.get((k, place), 0) + hits
                if self.progress is not None:
                    self.progress("test", self.client.drawn, total)
        return tuple(
            self._witness(one, (counts[k, one.pair.input], counts[k, one.pair.neighbor]), draws)
            for k, one in enumerate(finalists)
        )

    def _witness(self, one: _Finalist, hits: tuple[int, int], draws: int) -> AuditWitness:
        p = share_floor(hits[0], draws, error=self.error)
        q = share_ceiling(hits[1], draws, error=self.error)
        return AuditWitness(
            input=self.compared.inputs[one.pair.input],
            neighbor=self.compared.inputs[one.pair.neighbor],
            event=one.event.words,
            hits=hits[0],
            neighbor_hits=hits[1],
            draws=draws,
            p=p,
            q=q,
            epsilon=_epsilon_floor(p - self.delta, q, one.pair.distance),
            distance=one.pair.distance,
            simple=one.event.simple,
        )


def _epsilon_floor(p: Fraction, q: Fraction, distance: Distance) -> float:
    """Return ln(p / q) per unit of distance, rounded down; 0 if it shows nothing."""
    if p <= q:
        return 0.0
    low, _ = log_bounds(p / q, _BITS)
    return floor_float(Fraction(low, 1 << _BITS) / Fraction(distance))


def _in_short(witness: AuditWitness) -> str:
    least = _shown_down(Fraction(witness.epsilon))
    return f"Easier to see, with an epsilon of at least {least}: input {witness}."


def _spread(error: Fraction) -> float:
    """Return how many standard deviations leave this error on one side; for proposals only."""
    return -NormalDist().inv_cdf(min(max(float(error), 1e-300), 0.5))


def _shown_confidence(value: Fraction) -> str:
    """Return a confidence in digits, or by what it lacks where they would round it to 1."""
    text = show(value)
    return text if text != "1" else f"1 - {_shown_up(1 - value)}"


def _shown_down(value: Fraction) -> str:
    """Return a probability or an ε in few digits, rounded down."""
    if value <= 0:
        return "0"
    power = Fraction(10) ** (4 - math.ceil(math.log10(value)))
    return show(math.floor(value * power) / power)


def _shown_up(value: Fraction) -> str:
    """Return a probability in few digits, rounded up."""
    power = Fraction(10) ** (4 - math.ceil(math.log10(value)))
    return show(math.ceil(value * power) / power)
