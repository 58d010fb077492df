"""Audits find what leaks, pass what is sound, and say what they looked at.

Nothing here is seeded. What must be found is found unless a frequency strays seven standard
deviations or more (a miss: below 1e-11 a test); what must pass is audited at a confidence of
1 − 1e-12.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.results import Audit
from tests.privacy import clients

SURE = Fraction(10**12 - 1, 10**12)
"""Where a sound client must pass, a false alarm has at most this probability: 1e-12 a test."""


def test_a_client_that_never_clears_a_true_bit_is_found() -> None:
    """P(bit is 1 | true) = 1. A miss would need the other input's share 10σ from its mean."""
    claim = clients.permanent_epsilon(0.5, hashes=1)
    sampler = clients.only_adds_ones(bits=32, hashes=1, f=0.5)
    audit = nw.audit(sampler, range(8))
    assert audit.refutes(claim)
    assert audit.lower > 7
    assert audit.witness.neighbor_hits == 0
    assert audit.witness.q > 0
    simple = next(one for one in audit.witnesses if one.simple)
    assert simple.event == f"bit {simple.neighbor} is 0"
    assert f"bit {simple.neighbor} is 0" in repr(audit)


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("hashes", [1, 2])
def test_the_permanent_step_as_published_passes(hashes: int, pack: bool) -> None:
    honest = clients.permanent(bits=32, hashes=hashes, f=0.5)

    def packed(value: int, count: int) -> list[bytes]:
        return [row.tobytes() for row in np.packbits(honest(value, count), axis=1)]

    audit = nw.audit(packed if pack else honest, range(8), confidence=SURE)
    claim = clients.permanent_epsilon(0.5, hashes)
    assert not audit.refutes(claim)
    assert audit.lower > (0.7 if hashes == 1 else 0.4) * claim


@pytest.mark.parametrize("f", [0.014, 0.004])
def test_f_in_two_decimals_is_found(f: float) -> None:
    """0.014 becomes 0.01, and 0.004 becomes 0: the claim is off by 0.34, or by all of it."""
    audit = nw.audit(clients.one_bit(round(f, 2)), [0, 1], draws=600_000)
    assert audit.refutes(clients.bit_epsilon(f))
    honest = nw.audit(clients.one_bit(f), [0, 1], draws=600_000, confidence=SURE)
    assert not honest.refutes(clients.bit_epsilon(f))


def test_f_in_steps_of_a_128th_is_found_where_it_matters() -> None:
    f = 0.0117
    cut = math.floor(f * 128) / 128
    audit = nw.audit(clients.one_bit(cut), [0, 1], draws=500_000)
    assert audit.refutes(clients.bit_epsilon(f))
    for exact in (0.5, 0.25):
        harmless = clients.one_bit(math.floor(exact * 128) / 128)
        again = nw.audit(harmless, [0, 1], confidence=SURE)
        assert not again.refutes(clients.bit_epsilon(exact))


def test_a_short_digest_modulo_k_is_found() -> None:
    """16 digests mod 10: the values 6 to 9 come half as often as 0 to 5."""
    biased, claim = clients.digest_response(10, 0.5, digests=16)
    audit = nw.audit(biased, range(10), draws=100_000)
    assert audit.refutes(claim)
    assert audit.witness.input in range(6, 10)
    even, claim = clients.digest_response(10, 0.5, digests=20)
    assert not nw.audit(even, range(10), draws=100_000, confidence=SURE).refutes(claim)


def test_a_report_whose_length_tells_is_found() -> None:
    audit = nw.audit(clients.length_tells, ["no", "yes"], draws=4000)
    assert audit.lower > 5
    assert "the length of the report" in audit.witness.event
    padded = nw.audit(
        lambda _, n: [clients.generator().bytes(11) for _ in range(n)],
        ["no", "yes"],
        draws=4000,
        confidence=SURE,
    )
    assert padded.lower == 0


def test_rows_of_different_lengths_are_told_apart() -> None:
    audit = nw.audit(lambda v, n: np.zeros((n, 3 + v), dtype=int), [0, 1], draws=4000)
    assert audit.lower > 5


def test_random_ids_are_seen_through_by_a_view() -> None:
    def tagged(value: int, count: int) -> list[str]:
        random = clients.generator()
        return [f"{random.bytes(8).hex()}:{v}" for v in random.integers(0, 1 + value, count)]

    blind = nw.audit(tagged, [0, 3], draws=4000)
    assert blind.lower == 0
    assert "give view=" in blind.note
    assert "give view=" in repr(blind)
    assert nw.audit(tagged, [0, 3], draws=4000, view=lambda r: r.partition(":")[2]).lower > 1
    pairs = nw.audit(lambda v, n: [tuple(r.split(":")) for r in tagged(v, n)], [0, 3], draws=4000)
    assert "part 2 of the report" in pairs.witness.event


def test_several_bits_and_weak_ones_together_tell() -> None:
    """No bit alone says more than 0.3, nor does the number of ones; 30 bits together do."""
    signs = np.resize([1, -1], 30)

    def weak(value: int, count: int) -> Any:
        return clients.generator().random((count, 30)) < 0.5 + 0.07 * value * signs

    audit = nw.audit(weak, [-1, 1], draws=40_000)
    assert not audit.witness.simple
    assert audit.lower > 1.5


def test_thresholds_find_noise_that_never_repeats() -> None:
    noisy = nw.audit(lambda v, n: v + clients.generator().laplace(0, 1, n), [0.0, 1.0])
    assert noisy.lower > 0.7
    normal = nw.audit(
        lambda v, n: v + clients.generator().normal(0, 1, n), [0.0, 1.0], delta="1/20"
    )
    assert normal.delta == Fraction(1, 20)
    assert normal.lower > 0.8
    assert "at delta=0.05" in repr(normal)


def test_delta_forgives_what_is_rare() -> None:
    def leaks_seldom(value: int, count: int) -> Any:
        return np.where(clients.generator().random(count) < 0.01, value, -1)

    assert nw.audit(leaks_seldom, [0, 1], draws=40_000).lower > 1.5
    forgiven = nw.audit(leaks_seldom, [0, 1], draws=40_000, delta="0.01", confidence=SURE)
    assert forgiven.lower == 0
    assert "no lower bound above 0" in repr(forgiven)


def test_neighbors_and_their_unit_are_stated() -> None:
    sampler, epsilon = clients.geometric_noise(1.0)
    steps = nw.audit(sampler, range(5), neighbors="adjacent", confidence=SURE)
    assert not steps.refutes(epsilon)
    assert steps.pairs == 8
    assert "for moving the input by one step" in repr(steps)
    far = nw.audit(sampler, range(5), confidence=SURE)
    assert far.refutes(epsilon)
    assert not far.refutes(4 * epsilon)
    assert "for replacing the input by any other, with confidence" in repr(far)
    some = nw.audit(sampler, range(5), neighbors=[(0, 1), (4, 3), (1, 0)], confidence=SURE)
    assert some.pairs == 4
    assert "with confidence 1 - 1e-12" in repr(some)
    assert "in one of 2 listed pairs" in repr(some)
    assert {some.witness.input, some.witness.neighbor} in ({0, 1}, {3, 4})


def test_a_mechanism_is_audited_with_its_neighbors() -> None:
    audit = nw.audit(nw.geometric(nw.Counts(8), epsilon=1), confidence=SURE)
    assert 0.6 < audit.lower <= 1
    assert "nw.verify" in repr(audit)
    assert abs(audit.witness.input - audit.witness.neighbor) == 1
    far = nw.geometric(nw.Counts(4, neighbors="metric"), epsilon=1)
    by_distance = nw.audit(far, confidence=SURE)
    assert 0.4 < by_distance.lower <= 1
    assert "per unit of distance" in repr(by_distance)
    colors = nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=2)
    assert 1.4 < nw.audit(colors, ["a", "c"], confidence=SURE).lower <= 2
    with pytest.raises(ParameterError, match="neighbors are those of the mechanism's space"):
        nw.audit(colors, neighbors="replace")
    with pytest.raises(ParameterError, match="no two of the inputs are neighbors"):
        nw.audit(nw.geometric(nw.Counts(8), epsilon=1), [0, 5])
    with pytest.raises(TooLargeError, match="give inputs"):
        nw.audit(nw.geometric(nw.Counts(1000), epsilon=1))


def test_outputs_of_any_form_are_counted_alike() -> None:
    sampler, _ = clients.response(3, 0.5)
    forms: dict[str, Any] = {
        "array": sampler,
        "list": lambda v, n: sampler(v, n).tolist(),
        "texts": lambda v, n: [f"v{one}" for one in sampler(v, n)],
        "bytes": lambda v, n: [bytes([one]) for one in sampler(v, n)],
        "lists": lambda v, n: [[int(one), "x"] for one in sampler(v, n)],
        "sets": lambda v, n: [{int(one)} for one in sampler(v, n)],
        "dicts": lambda v, n: [{"value": int(one)} for one in sampler(v, n)],
        "one by one": lambda v: int(sampler(v, 1)[0]),
        "rows": lambda v, n: np.eye(3, dtype=bool)[sampler(v, n)],
        "rows of numbers": lambda v, n: np.stack([sampler(v, n)] * 2, axis=1),
        "nan": lambda v, n: np.where(sampler(v, n) == 0, np.nan, 1.0),
    }
    for name, form in forms.items():
        audit = nw.audit(form, range(3), draws=6000)
        assert 0.7 < audit.lower < 2, name
        # Half of them choose events; the other half is drawn for inputs that an event is about.
        assert audit.draws in (5 * 3000, 6 * 3000), name


def test_many_inputs_cost_a_sixteenth_unless_they_tell() -> None:
    sampler, epsilon = clients.response(60, 0.3)
    steps: list[tuple[str, int, int | None]] = []
    audit = nw.audit(
        sampler,
        range(60),
        draws=16_000,
        confidence=SURE,
        progress=lambda *step: steps.append(step),
    )
    assert audit.pairs == 60 * 59
    assert audit.draws < 60 * 16_000 / 2
    assert not audit.refutes(epsilon)
    assert audit.lower > 1.5
    assert [step for step, _, _ in steps if step == "test"]
    assert steps[-1][1] == steps[-1][2] == audit.draws


def test_an_audit_is_a_frozen_value() -> None:
    audit = nw.audit(lambda v: v, [0, 1], draws=200)
    assert isinstance(audit, Audit)
    assert audit.lower == audit.witness.epsilon == max(one.epsilon for one in audit.witnesses)
    assert audit.confidence == Fraction(0.999)
    with pytest.raises(AttributeError):
        audit.delta = 1  # type: ignore[misc, assignment]
    assert audit.refutes(1)
    assert not audit.refutes(nw.accounting.Epsilon.log(Fraction(10**9)))
    with pytest.raises(ParameterError, match="at least one event"):
        Audit((), Fraction(0), Fraction(1, 2), audit.unit, 1, 2, 2)
    with pytest.raises(ParameterError, match="confidence is 1"):
        Audit(audit.witnesses, Fraction(0), Fraction(1), audit.unit, 1, 2, 2)


class Opaque:
    """Cannot be hashed."""

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([[0.5, 0.5], [0.1, 0.9]], [0, 1]), {}, r"nw\.verify\(nw\.from_matrix"),
        ((3, [0, 1]), {}, r"sampler is of type int; it must be a function sampler\(value, count\)"),
        ((lambda v: v,), {}, "inputs is missing"),
        ((lambda v: v, [1]), {}, "inputs has 1 values; at least two"),
        ((lambda v: v, "ab"), {}, "inputs is of type str"),
        ((lambda v: v, [0, 1]), {"draws": 100}, "draws is 100; it must be at least 128"),
        ((lambda v: v, [0, 1]), {"confidence": 1}, "confidence is 1; it must lie between 0 and 1"),
        ((lambda v: v, [0, 1]), {"delta": 2}, "delta is 2"),
        ((lambda v: v, [0, 1]), {"view": 3}, "view is of type int; it must be a function"),
        ((lambda v: v, [0, 1]), {"progress": 3}, "progress is of type int"),
        ((lambda v: v, [0, 1]), {"neighbors": "next"}, "neighbors is 'next'; it must be 'replace'"),
        ((lambda v: v, [0, 1]), {"neighbors": [(0, 2)]}, "has 2, which is none of the inputs"),
        ((lambda v: v, [0, 1]), {"neighbors": [0]}, r"neighbors\[0\] is not a pair"),
        ((lambda v: v, [0, 1]), {"neighbors": [(1, 1)]}, "an input and itself"),
        ((lambda v: v, [0, 1]), {"neighbors": []}, "no pair"),
        ((lambda v, n: [v], [0, 1]), {}, "sampler returned 1 outputs for the input 0; 20,000"),
        ((lambda v, n: iter([v]), [0, 1]), {}, "sampler returned what has no length"),
        ((lambda v: Opaque(), [0, 1]), {}, "of type Opaque, which cannot be counted. Give view="),
        ((lambda v: v, range(1000)), {}, "999,000 ordered pairs; at most 20,000"),
    ],
)
def test_what_is_refused(arguments: Any, options: Any, words: str) -> None:
    with pytest.raises(nw.errors.NoisewrightError, match=words):
        nw.audit(*arguments, **options)


def test_an_error_of_the_client_is_the_callers_to_see() -> None:
    def broken(value: int, count: int) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        nw.audit(broken, [0, 1])
