"""ε of RAPPOR after one report, T reports and for life: the paper's formulas, and brute force."""

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError

HALF: dict[str, Any] = {"bits": 128, "hashes": 2, "cohorts": 8, "p": "1/2", "q": "3/4"}


def close(epsilon: nw.accounting.Epsilon | None, value: float) -> bool:
    assert epsilon is not None
    return abs(float(epsilon) - value) < 5e-4


def test_one_report_and_a_lifetime_as_the_paper_has_them() -> None:
    """Theorem 1 and 2: ε∞ = 2h ln((1 − f/2) / (f/2)), ε₁ = h ln(q*(1 − p*) / (p*(1 − q*)))."""
    half, more = nw.local.rappor(f="1/2", **HALF), nw.local.rappor(f="3/4", **HALF)
    assert half.epsilon_one == nw.accounting.Epsilon.log(Fraction(5929, 2025))
    assert close(half.epsilon_one, 1.0743)
    assert close(more.epsilon_one, 0.5343)
    assert half.epsilon_forever == nw.accounting.Epsilon.log(Fraction(81))
    assert close(more.epsilon_forever, 2.0433)
    assert (half.chance_set, half.chance_unset) == (Fraction(11, 16), Fraction(9, 16))


@pytest.mark.parametrize(
    ("reports", "epsilon"), [(1, 1.074), (2, 2.017), (5, 3.656), (10, 4.299), (30, 4.394)]
)
def test_the_curve_between_them(reports: int, epsilon: float) -> None:
    made = nw.local.rappor(f="1/2", **HALF)
    assert close(made.epsilon_after(reports=reports), epsilon)


def test_basic_one_time_rappor_costs_ln_3() -> None:
    basic = nw.local.rappor(candidates=["a", "b", "c"], f=0, p="1/2", q="3/4")
    assert str(basic.epsilon_one) == "ln(3)"
    assert basic.epsilon_forever is None
    sent = nw.local.rappor(bits=8, hashes=1, f="1/2")
    assert sent.epsilon_one == sent.epsilon_forever == nw.accounting.Epsilon.log(Fraction(9))


def law_of_filter(places: frozenset[int], bits: int, chances: tuple[Fraction, ...]) -> list[Any]:
    """P(sequence of T reports | filter) for all sequences of all bits; chances are f, p, q, T."""
    f, p, q, reports = chances
    bit_laws: list[list[Fraction]] = []
    for bit in range(bits):
        one = 1 - f / 2 if bit in places else f / 2
        law = []
        for ones in itertools.product((0, 1), repeat=int(reports)):
            high = math.prod((q if x else 1 - q for x in ones), start=Fraction(1))
            low = math.prod((p if x else 1 - p for x in ones), start=Fraction(1))
            law.append(one * high + (1 - one) * low)
        bit_laws.append(law)
    return [math.prod(law) for law in itertools.product(*bit_laws)]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_output_tells_two_filters_apart_better_and_one_attains_it(data: st.DataObject) -> None:
    """Every sequence of reports, every two filters of 1 to h bits: the largest ratio is e^ε(T)."""
    bits, reports = data.draw(st.sampled_from([(2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3)]))
    hashes = data.draw(st.integers(1, 4))
    chance = st.fractions(0, 1, max_denominator=9)
    f = data.draw(chance.filter(bool))
    p, q = sorted(data.draw(st.lists(chance, min_size=2, max_size=2, unique=True)))
    filters = [
        frozenset(places)
        for size in range(1, min(hashes, bits) + 1)
        for places in itertools.combinations(range(bits), size)
    ]
    laws = [law_of_filter(one, bits, (f, p, q, Fraction(reports))) for one in filters]
    largest = max(
        Fraction(a) / Fraction(b)
        for x, z in itertools.product(laws, repeat=2)
        for a, b in zip(x, z, strict=True)
        if b
    )
    assert not any(a and not b for x in laws for z in laws for a, b in zip(x, z, strict=True))
    made = nw.local.rappor(bits=bits, hashes=hashes, f=f, p=p, q=q)
    found = made.epsilon_after(reports=reports)
    assert found is not None
    assert (found.power or 1) == largest


@given(st.fractions("1/9", "8/9", max_denominator=9), st.integers(1, 6), st.integers(2, 9))
def test_it_grows_towards_that_of_a_lifetime(f: Fraction, hashes: int, bits: int) -> None:
    made = nw.local.rappor(bits=bits, hashes=hashes, f=f, p="2/5", q="4/5")
    curve = [made.epsilon_after(reports=t) for t in (1, 2, 4, 8, 60)]
    forever = made.epsilon_forever
    assert forever is not None
    assert all(a is not None and b is not None and a < b for a, b in itertools.pairwise(curve))
    assert curve[-1] is not None
    assert curve[-1] < forever
    assert float(forever) - float(curve[-1]) < 1e-3 * float(forever)


def test_without_a_permanent_response_reports_add_up() -> None:
    made = nw.local.rappor(bits=8, hashes=2, f=0, p="1/4", q="3/4")
    assert made.epsilon_after(reports=5) == made.leak.after(1).times(5)  # type: ignore[union-attr]
    certain = nw.local.rappor(bits=8, hashes=2, f=0)
    assert certain.epsilon_one is None


@pytest.mark.parametrize("reports", [1, 7, 40, None])
def test_certificates_are_proven(reports: int | None) -> None:
    made = nw.local.rappor(f="0.45", bits=64, hashes=2, p="0.39", q="0.61")
    certificate = made.certify(reports=reports)
    assert nw.check(certificate)
    expected = made.epsilon_forever if reports is None else made.epsilon_after(reports=reports)
    assert expected is not None
    assert float(certificate.guarantee.epsilon) == pytest.approx(float(expected), rel=1e-12)
    assert "never changes" in str(certificate.unit)


def test_what_has_no_finite_epsilon_has_no_certificate() -> None:
    made = nw.local.rappor(bits=8, f=0, p="1/2", q="3/4")
    assert nw.check(made.certify(reports=3))
    with pytest.raises(ParameterError, match="no finite epsilon"):
        made.certify()
    with pytest.raises(TooLargeError, match="epsilon_forever"):
        nw.local.rappor(f="1/2", **HALF).epsilon_after(reports=10**6)


def test_a_certificate_is_not_loaded_as_a_mechanism(tmp_path: object) -> None:
    path = nw.local.rappor(f="1/2", **HALF).certify().save(f"{tmp_path}/rappor.json")
    with pytest.raises(nw.errors.CertificateError, match="report after report"):
        nw.load(path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"f": 2}, "f is 2"),
        ({"f": "-1/2"}, "f is -0.5"),
        ({"p": "3/4", "q": "1/2"}, "0 <= p < q <= 1"),
        ({"p": "1/2", "q": "1/2"}, "0 <= p < q <= 1"),
        ({"bits": 1}, "bits is 1"),
        ({"bits": None}, "bits is missing"),
        ({"hashes": 0}, "hashes is 0"),
        ({"cohorts": 0}, "cohorts is 0"),
        ({"candidates": ["a", "b"]}, "together with bits"),
        ({"f": float("nan")}, "finite"),
    ],
)
def test_what_is_no_rappor(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        nw.local.rappor(**{"f": "1/2", **HALF, **given})  # type: ignore[arg-type]
