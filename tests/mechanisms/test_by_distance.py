"""Constructors under neighbors="metric": a right claim, or a refusal that says what to do."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.certificates.loading import _space  # pyright: ignore[reportPrivateUsage]
from noisewright.errors import InputError, NotPrivateError, SpaceError
from tests.spaces.metrics import METRICS


def on(name: str) -> nw.Categories:
    metric = METRICS[name]
    return nw.Categories(range(len(metric)), metric=metric, neighbors="metric")


COUNTS = nw.Counts(6, neighbors="metric")
CLAIMED: dict[str, Any] = {
    "geometric": nw.geometric(COUNTS, epsilon="1/3"),
    "explicit fair": nw.explicit_fair(COUNTS, alpha="10/11"),
    "uniform": nw.uniform(on("star")),
    "response": nw.randomized_response(on("star"), epsilon=1),
    "response, alpha, half steps": nw.randomized_response(on("half steps"), alpha="1/3"),
    "response, delta": nw.randomized_response(on("uneven line"), epsilon=2, delta="1/10"),
    "exponential": nw.select.choice_table(COUNTS, lambda x, y: -abs(x - y), epsilon=1),
    "exponential, near points": nw.select.choice_table(
        on("half steps"), lambda x, y: -abs(x - y), epsilon="1/1000"
    ),
    "exponential, monotonic": nw.select.choice_table(
        COUNTS,
        lambda x, y: x if y == "many" else 0,
        candidates=["few", "many"],
        epsilon=1,
        monotonic=True,
    ),
    "post-processed": nw.geometric(COUNTS, epsilon=1).then(lambda count: count > 2),
    "mixture": nw.combine.mixture([nw.geometric(COUNTS, epsilon=1).table(), nw.uniform(COUNTS)]),
}


@pytest.mark.parametrize("name", CLAIMED)
def test_claims_hold(name: str) -> None:
    mechanism = CLAIMED[name]
    claim = mechanism.claim
    assert claim is not None
    assert nw.verify(mechanism, epsilon=claim.epsilon, delta=claim.delta).holds


@pytest.mark.parametrize("name", [name for name in CLAIMED if "response" in name or "fair" in name])
def test_claims_are_tight(name: str) -> None:
    mechanism = CLAIMED[name]
    claim = mechanism.claim
    assert nw.tight_epsilon(mechanism, delta=claim.delta) == pytest.approx(
        claim.epsilon.ceiling(), rel=1e-14
    )


def test_the_nearest_points_decide_randomized_response() -> None:
    found = nw.randomized_response(on("half steps"), epsilon=1)
    same = nw.randomized_response(nw.Categories(range(4)), epsilon="1/2")
    assert found.weights.tolist() == same.weights.tolist()


REFUSED: dict[str, Any] = {
    "geometric, discrete": lambda: nw.geometric(
        nw.Counts(4, neighbors="metric", metric="discrete"), epsilon=1
    ),
    "geometric, formula": lambda: nw.geometric(COUNTS, epsilon=1, table=False),
    "explicit fair, own metric": lambda: nw.explicit_fair(
        nw.Counts(4, neighbors="metric", metric=METRICS["star"]), epsilon=1
    ),
    "response, formula": lambda: nw.randomized_response(on("star"), epsilon=1, table=False),
    "discrete exponential": lambda: nw.discrete_exponential(on("star"), epsilon=1),
    "response bounds": lambda: nw.analysis.response_bounds(on("star"), epsilon=1),
    "curves": lambda: nw.Curves([0, 1], low=0, high=1, neighbors="metric"),
    "derivable": lambda: nw.analysis.is_derivable(nw.uniform(on("star")), alpha=0.5),
    "profile": lambda: nw.profile(CLAIMED["geometric"]),
    "compose": lambda: nw.compose(CLAIMED["geometric"], times=2),
    "tight ratio": lambda: nw.privacy.tight_ratio(CLAIMED["geometric"]),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_would_be_a_wrong_claim_is_refused(name: str) -> None:
    with pytest.raises((SpaceError, InputError)):
        REFUSED[name]()


def test_sensitivity_is_per_unit_of_distance() -> None:
    space = on("half steps")
    with pytest.raises(NotPrivateError, match="changes by 2 per unit of distance"):
        nw.select.choice_table(space, lambda x, y: -abs(x - y), epsilon=1, sensitivity=1)


def test_a_column_of_a_record_may_change_into_any_value() -> None:
    both = nw.combine.product(n=nw.geometric(nw.Counts(3, neighbors="metric"), epsilon="1/4"))
    assert nw.tight_epsilon(both) == pytest.approx(0.75, rel=1e-14)


@pytest.mark.parametrize(
    "space",
    [
        COUNTS,
        nw.Categories([0, 1], neighbors="metric"),
        on("star"),
        nw.Interval(0, 1, step="1/4", neighbors="metric"),
    ],
    ids=["counts", "discrete", "star", "interval"],
)
def test_the_relation_survives_a_certificate(space: Any) -> None:
    written = space.describe_neighbors()
    assert written["relation"] == "metric"
    points = list(space.points)
    for a, row in enumerate(written["distances"]):
        assert [Fraction(d) for d in row] == [space.distance(points[a], b) for b in points]
    assert _space(space.describe(), written) == space


def test_a_certificate_claims_the_least_epsilon_per_unit() -> None:
    space = on("half steps")
    own = nw.from_matrix(space, [[8, 4, 2, 2], [4, 8, 2, 2], [4, 4, 4, 4], [2, 2, 8, 4]])
    claimed = nw.certify(own).guarantee
    assert nw.verify(own, epsilon=claimed.epsilon).holds
    assert claimed.epsilon.ceiling() == pytest.approx(nw.tight_epsilon(own), rel=1e-15)


@pytest.mark.parametrize("name", CLAIMED)
def test_the_checker_proves_it_again_and_it_comes_back(name: str, tmp_path: Path) -> None:
    certificate = nw.certify(CLAIMED[name])
    assert nw.check(certificate)
    back = nw.load(certificate.save(tmp_path / "m.json"))
    assert back.weights.tolist() == CLAIMED[name].weights.tolist()
    assert back.space.describe_neighbors() == CLAIMED[name].space.describe_neighbors()
    claim = CLAIMED[name].claim
    # Where the checker has no roots, the claim is a rational that is larger by nothing to see.
    assert claim.epsilon <= certificate.guarantee.epsilon
    assert certificate.guarantee.epsilon.ceiling() == claim.epsilon.ceiling()


def test_a_wrong_distance_is_found_out() -> None:
    document = nw.certify(CLAIMED["response"]).document
    closer = json.loads(json.dumps(document))
    closer["neighbors"]["distances"][0][1] = closer["neighbors"]["distances"][1][0] = "1/3"
    assert not nw.check(closer)


def test_the_bound_of_a_design_is_in_its_certificate() -> None:
    found = nw.design(on("star"), epsilon="3/4", loss="distance", properties="F")
    certificate = nw.certify(found)
    assert nw.check(certificate)
    assert certificate.bound == pytest.approx(found.loss, rel=1e-9)
