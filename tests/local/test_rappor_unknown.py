"""Texts that nobody listed, and two variables of the same people.

Draws are not seeded; what is asserted fails by chance less often than once in 10^10 runs.
"""

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, ParameterError
from noisewright.local.rappor.joint import likelihoods, most_likely_joint, most_likely_shares

MADE = nw.local.rappor(bits=16, hashes=2, cohorts=4, f="1/4", p="1/4", q="3/4", name="a")
FIRST, SECOND = ["a", "b", "c"], ["x", "y"]


def test_likelihoods_are_ratios_of_probabilities() -> None:
    """Against the product over all bits of P(bit | value), divided by that of an empty filter."""
    reports = MADE.reports(FIRST * 20)
    rows = likelihoods(MADE, reports, FIRST, others=False)
    dense = reports.dense(slice(None))
    high, low = float(MADE.chance_set), float(MADE.chance_unset)
    for i in range(60):
        for column, text in enumerate(FIRST):
            places = MADE.positions(text, cohort=int(reports.cohorts[i]))
            chance = np.full(16, low)
            chance[places] = high
            by_hand = np.prod(np.where(dense[i], chance, 1 - chance))
            empty = np.prod(np.where(dense[i], low, 1 - low))
            assert rows[i, column] == pytest.approx(by_hand / empty, rel=1e-12)


def test_others_are_the_mean_over_all_filters() -> None:
    reports = MADE.reports(["anything"] * 5)
    found = likelihoods(MADE, reports, ["a"], others=True)[:, -1]
    high, low = float(MADE.chance_set), float(MADE.chance_unset)
    ratio = np.array([1 - high, high]) / np.array([1 - low, low])
    dense = reports.dense(slice(None))
    for row, value in zip(dense, found, strict=True):
        pairs = [ratio[row[i]] * ratio[row[j]] for i in range(16) for j in range(16)]
        assert value == pytest.approx(np.mean(pairs), rel=1e-12)


def test_em_finds_the_maximum() -> None:
    """No share can be moved to another cell with a gain: scores are at most 1, and 1 if present."""
    chance = np.random.default_rng(4)
    first, second = chance.exponential(size=(500, 3)), chance.exponential(size=(500, 4))
    joint = most_likely_joint(first, second)
    mixture = ((first @ joint) * second).sum(axis=1)
    scores = first.T @ (second / mixture[:, None]) / 500
    assert joint.sum() == pytest.approx(1)
    assert scores.max() < 1 + 1e-3
    assert np.abs(scores[joint > 1e-3] - 1).max() < 1e-3
    flat = most_likely_shares((first[:, :, None] * second[:, None, :]).reshape(500, 12))
    assert np.abs(flat.reshape(3, 4) - joint).max() < 1e-3


def draw_pairs(people: int, together: float) -> tuple[list[str], list[str]]:
    chance = np.random.default_rng()
    first = chance.choice(3, people, p=[0.5, 0.3, 0.2])
    second = np.where(chance.random(people) < together, first % 2, chance.integers(0, 2, people))
    return [FIRST[i] for i in first], [SECOND[i] for i in second]


def test_independent_variables_pass_and_others_do_not() -> None:
    """p-values below 0.01 in 150 tests: 1.5 expected, and 15 or more below 1e-10."""
    low = 0
    for _ in range(150):
        values = draw_pairs(2000, 0.0)
        reports = MADE.reports(values[0]), MADE.reports(values[1])
        found = MADE.associate(MADE, reports=reports, candidates=(FIRST, SECOND), others=False)
        assert found.freedom == 2
        assert [axis.name for axis in found.estimate.axes] == ["a (1)", "a (2)"]
        low += found.p_value < 0.01
    assert low < 15
    values = draw_pairs(20_000, 0.5)
    reports = MADE.reports(values[0]), MADE.reports(values[1])
    assert MADE.associate(MADE, reports=reports, candidates=(FIRST, SECOND)).p_value < 1e-6


def test_joint_shares_have_the_errors_that_they_state() -> None:
    """z² of six shares in 60 collections: its mean is near 1 (a deviation of 0.09 or so)."""
    truth = np.array([[0.5, 0], [0, 0.3], [0.2, 0]]) * 0.4
    truth += 0.6 * np.outer([0.5, 0.3, 0.2], [0.5, 0.5])
    squares = []
    for _ in range(60):
        values = draw_pairs(8000, 0.4)
        reports = MADE.reports(values[0]), MADE.reports(values[1])
        found = MADE.associate(MADE, reports=reports, candidates=(FIRST, SECOND), others=False)
        squares.append(((found.estimate.values - truth) / found.estimate.standard_errors) ** 2)
    assert 0.3 < np.mean(squares) < 1.9


def test_basic_variables_need_no_candidates() -> None:
    basic = nw.local.rappor(candidates=SECOND, f="1/4", name="b")
    values = draw_pairs(20_000, 0.6)
    found = MADE.associate(
        basic,
        reports=(MADE.reports(values[0]), basic.reports(values[1])),
        candidates=(FIRST, None),
    )
    assert found.estimate.values.shape == (4, 2)
    assert found.estimate.axes[0].labels[-1] == "(others)"
    assert found.p_value < 1e-6
    assert "chi-squared" in repr(found)


def test_what_cannot_be_associated() -> None:
    one, two = MADE.reports(["a"] * 3), MADE.reports(["a"] * 2)
    with pytest.raises(InputError, match="the same people"):
        MADE.associate(MADE, reports=(one, two), candidates=(FIRST, FIRST))
    with pytest.raises(ParameterError, match="candidates are missing"):
        MADE.associate(MADE, reports=(one, one))
    many = [str(i) for i in range(60)]
    with pytest.raises(ParameterError, match="pairs"):
        MADE.associate(MADE, reports=(one, one), candidates=(many, many))


PART = nw.local.rappor(bits=64, hashes=2, cohorts=8, f=0, p="1/5", q="4/5")
FOUND = nw.local.discovery(alphabet="abcdefgh", length=6, whole=PART, part=PART)
WORDS = ["abcdef", "badge", "hgfedc", "cabbag"]


def test_texts_that_nobody_listed_are_discovered() -> None:
    texts = [WORDS[i] for i in np.random.default_rng().choice(4, 30_000, p=[0.4, 0.3, 0.2, 0.1])]
    reports = FOUND.reports(texts)
    found = FOUND.discover(reports)
    assert set(found.found) >= {"abcdef", "badge ", "hgfedc", "cabbag"}
    assert len(found.found) <= 6
    assert len(found.candidates) < 2000
    assert not found.cut
    assert found.decoded is not None
    assert abs(found.decoded.estimate["abcdef"].value - 0.4) < 0.06
    assert [set(pair) <= {0, 1, 2} for pair in reports.positions[:50].tolist()] == [True] * 50
    assert (reports.positions[:, 0] < reports.positions[:, 1]).all()


def test_noise_alone_has_no_texts() -> None:
    blind = nw.local.rappor(bits=64, hashes=2, cohorts=8, f="99/100", p="1/5", q="4/5")
    made = nw.local.discovery(alphabet="ab", length=4, whole=blind, part=blind)
    found = made.discover(made.reports(["abba"] * 300), level=1e-12)
    assert found.found == []


def test_a_text_and_two_of_its_parts_cost_three_times() -> None:
    one, all_three = PART.epsilon_one, FOUND.epsilon_after(reports=1)
    assert one is not None
    assert all_three == one.times(3)
    assert FOUND.epsilon_forever is None
    certificate = FOUND.certify(reports=2)
    assert nw.check(certificate)
    assert len(certificate.document["mechanism"]["parts"]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"length": 5}, "multiple of 2"),
        ({"length": 2}, "length is 2"),
        ({"alphabet": "aa"}, "different letters"),
        ({"alphabet": "".join(map(chr, range(97, 300)))}, "at most 20,000"),
        ({"fill": ""}, "single"),
        ({"whole": nw.local.rappor(candidates=["a", "b"], f="1/2")}, "basic"),
        ({"part": 3}, "part is"),
    ],
)
def test_what_is_no_discovery(given: dict[str, object], words: str) -> None:
    fine = {"alphabet": "abc", "length": 4, "whole": PART, "part": PART}
    with pytest.raises(ParameterError, match=words):
        nw.local.discovery(**{**fine, **given})  # type: ignore[arg-type]


def test_letters_outside_of_the_alphabet_are_not_shown() -> None:
    with pytest.raises(DataError, match="row 2") as problem:
        FOUND.reports(["abc", "secret!"])
    assert "secret" not in str(problem.value)
    with pytest.raises(InputError, match="no reports"):
        FOUND.discover(FOUND.reports([]))
