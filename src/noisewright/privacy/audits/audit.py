"""How private is a client that is known only by its reports? At best as private as this says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

from noisewright.errors import ParameterError
from noisewright.exact import (
    Number,
    exactly,
    floor_float,
    log_bounds,
    share_ceiling,
    share_floor,
    show,
)
from noisewright.given import whole_number
from noisewright.mechanisms import Mechanism, read_delta
from noisewright.privacy.audits.events_of_reports import ReportEvent
from noisewright.privacy.audits.pairs_of_inputs import ComparedInputs, InputPair, compare_inputs
from noisewright.privacy.audits.reports import LENGTH, WHOLE, ReportColumns, ReportReader
from noisewright.privacy.audits.result import Audit, AuditWitness
from noisewright.privacy.audits.sampler import AuditedClient, AuditProgress
from noisewright.privacy.audits.search import EventSearch, TestOutlook
from noisewright.public import public
from noisewright.spaces import Distance

_BEST, _SIMPLEST = 5, 3
_FINALISTS = _BEST + _SIMPLEST
"""So many events are tested: the most promising, and those that people see at once."""

_CLOSELY = 16
"""So many pairs are looked at closely; if there are more, a small sample decides which."""

_LEAST = 64
_AT_ONCE = 1 << 16
_BITS = 96


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
    progress: AuditProgress | None = None,
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
    client = AuditedClient(sampler)
    compared = compare_inputs(sampler, inputs, neighbors)
    error = (1 - sure) / (2 * _FINALISTS)
    outlook = TestOutlook(many - many // 2, _spread(error), float(spare))
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
    reading: ReportReader
    note: str


class _Choice:
    """Draws the first half, and chooses what to test."""

    def __init__(
        self,
        client: AuditedClient,
        compared: ComparedInputs,
        view: Callable[[Any], Any] | None,
        outlook: TestOutlook,
        progress: AuditProgress | None,
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
        reading = ReportReader([piece for pieces in raw.values() for piece in pieces], self._view)
        seen = {place: [reading.read(piece) for piece in raw.pop(place)] for place in involved}
        whole = {place: ReportColumns.of_many(pieces) for place, pieces in seen.items()}
        search = EventSearch(reading, self._outlook)
        if not few:
            pairs = sorted(
                pairs,
                key=lambda pair: (
                    -search.quickly(whole[pair.input], whole[pair.neighbor]) / float(pair.distance)
                ),
            )[:_CLOSELY]
            for place in sorted({place for pair in pairs for place in pair[:2]}):
                more = [reading.read(p) for p in self._draw(place, draws - pilot, "choose")]
                whole[place] = ReportColumns.of_many([whole[place], *more])
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


def _note(columns: Sequence[ReportColumns]) -> str:
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

    client: AuditedClient
    compared: ComparedInputs
    delta: Fraction
    error: Fraction
    progress: AuditProgress | None

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


def _spread(error: Fraction) -> float:
    """Return how many standard deviations leave this error on one side; for proposals only."""
    return -NormalDist().inv_cdf(min(max(float(error), 1e-300), 0.5))
