"""Several mechanisms in one table."""

import pytest

import noisewright as nw


def named() -> dict[str, nw.Mechanism | nw.results.Design]:
    space, alpha = nw.Counts(8), "0.62"
    return {
        "GM": nw.geometric(space, alpha=alpha),
        "EM": nw.explicit_fair(space, alpha=alpha),
        "best L2": nw.design(space, alpha=alpha, loss="L2", properties="all"),
    }


def test_each_cell_is_what_its_own_function_says() -> None:
    prior = nw.priors.binomial(8, "0.3")
    for row in nw.analysis.compare(named(), losses=["L0", "L1", "L2", "L0,2"], prior=prior).rows():
        one = named()[row["mechanism"]]
        mechanism = one.mechanism if isinstance(one, nw.results.Design) else one
        for goal in ("expected", "worst"):
            for loss in ("L0", "L1", "L2", "L0,2"):
                assert row[f"{goal} {loss}"] == nw.loss(mechanism, loss, goal=goal, prior=prior)
        assert row["truth"] == pytest.approx(1 - row["expected L0"], rel=1e-14)
        assert row["epsilon"] == nw.tight_epsilon(mechanism.table())
        assert set(row["properties"]) == nw.properties(mechanism)


def test_the_explicit_fair_mechanism_loses_69_percent_more() -> None:
    rows = {row["mechanism"]: row for row in nw.analysis.compare(named(), losses=["L2"]).rows()}
    ratio = rows["EM"]["expected L2"] / rows["best L2"]["expected L2"]
    assert round(100 * (ratio - 1)) == 69
    assert set(rows["EM"]["properties"]) == {*rows["best L2"]["properties"], "OD"}


def test_one_goal_can_be_chosen() -> None:
    (row, *_) = nw.analysis.compare(named(), losses=("L1",), goal="worst").rows()
    assert list(row) == ["mechanism", "worst L1", "truth", "epsilon", "properties"]


def test_outputs_that_are_other_points_have_no_truth() -> None:
    halved = nw.geometric(nw.Counts(3), epsilon=1).then(lambda count: "low" if count < 2 else "up")

    def far(count: int, output: str) -> int:
        return int((count < 2) != (output == "low"))

    comparison = nw.analysis.compare({"halved": halved}, losses=[far])
    (row,) = comparison.rows()
    assert row["truth"] is None
    assert row["expected far"] == nw.loss(halved, far)
    assert str(comparison).splitlines()[-1].split()[-2:] == [f"{row['epsilon']:.6g}", "none"]


def test_the_text_is_aligned() -> None:
    lines = str(nw.analysis.compare(named())).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("mechanism  expected L0  worst L0")
    where = lines[0].index("properties")
    assert [line[where:] for line in lines[2:]] == [
        "RH RM WH S",
        "RH RM CH CM F WH S OD",
        "RH RM CH CM F WH S",
    ]


def test_what_cannot_be_compared_is_refused() -> None:
    one, other = nw.uniform(nw.Counts(2)), nw.uniform(nw.Counts(3))
    with pytest.raises(nw.errors.InputError, match="same inputs"):
        nw.analysis.compare({"one": one, "other": other})
    with pytest.raises(nw.errors.InputError, match="names with mechanisms"):
        nw.analysis.compare({})
    with pytest.raises(nw.errors.ParameterError, match="list of losses"):
        nw.analysis.compare({"one": one}, losses="L0")
    with pytest.raises(nw.errors.ParameterError, match="called 'L0'"):
        nw.analysis.compare({"one": one}, losses=["L0", "L0"])
