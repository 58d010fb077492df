"""Counts of public groups: the right mechanism for each size, answers in range, honest errors."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError, UnidentifiableError
from noisewright.mechanisms import Geometric, Table
from noisewright.queries import GroupDesigns, design_groups
from noisewright.queries.groups.output_readings import read_outputs, squared_errors
from noisewright.randomness import SeededSource

SIZES = {"north": 3, "south": 8, "east": 3, "nobody": 0, "west": 1}
LEVEL = Fraction(19, 20)
ASKED: list[dict[str, Any]] = [
    {},
    {"loss": "L1"},
    {"loss": "L2", "prior": "0.2"},
    {"loss": "L1", "goal": "worst"},
    {"properties": "all"},
    {"delta": "1/50"},
    {"mechanism": "GM"},
    {"mechanism": "EM"},
    {"mechanism": "WM"},
    {"mechanism": "UM"},
]


def rows_of(table: Table) -> list[list[Fraction]]:
    return [[Fraction(w, table.total) for w in row] for row in table.weights.tolist()]


def tables(groups: GroupDesigns) -> dict[int, Table]:
    return {size: one.mechanism.table() for size, one in groups.by_size.items()}


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_each_size_has_the_mechanism_that_was_asked_for(asked: dict[str, Any]) -> None:
    groups = design_groups(SIZES, epsilon="1/2", **asked)
    assert sorted(groups.by_size) == [1, 3, 8]
    named = {"GM": nw.geometric, "EM": nw.explicit_fair}
    name = asked.get("mechanism", "design")
    for size, table in tables(groups).items():
        space = nw.Counts(size)
        if name in named:
            assert table == named[name](space, epsilon="1/2")
        elif name == "UM":
            assert table == nw.uniform(space)
        else:
            wm: dict[str, Any] = {"properties": ("WH", "RM", "CM")}
            options = wm if name == "WM" else dict(asked)
            if "prior" in options:
                options["prior"] = nw.priors.binomial(size, options["prior"])
            assert table == nw.design(space, epsilon="1/2", **options).mechanism
            one = groups.by_size[size]
            assert one.bound is not None
            assert one.loss is not None
            assert one.bound <= one.loss <= one.bound * (1 + 1e-9)
    assert groups.guarantee.epsilon == nw.accounting.Epsilon.of(0 if name == "UM" else "1/2")


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_changing_one_answer_changes_no_set_of_answers_by_more_than_is_claimed(
    asked: dict[str, Any],
) -> None:
    """All tables of counts of three groups, all changes of one answer, all outputs."""
    groups = design_groups({"a": 1, "b": 2, "c": 2}, epsilon="1/2", **asked)
    laws = [rows_of(tables(groups)[size]) for size in groups.sizes.values()]
    claim = groups.guarantee
    power = Fraction(claim.epsilon.ratio_bounds(192)[0], 1 << 192)
    outputs = list(itertools.product(*(range(len(law)) for law in laws)))

    def chance(counts: tuple[int, ...], output: tuple[int, ...]) -> Fraction:
        found = Fraction(1)
        for law, count, one in zip(laws, counts, output, strict=True):
            found *= law[count][one]
        return found

    for counts in outputs:
        for place in range(len(laws)):
            other = tuple(c + (n == place) for n, c in enumerate(counts))
            if other not in outputs:
                continue
            for x, z in ((counts, other), (other, counts)):
                excess = sum(max(Fraction(0), chance(x, y) - power * chance(z, y)) for y in outputs)
                assert excess <= claim.delta + Fraction(1, 2**50)


def test_what_is_certified_is_what_is_drawn_from() -> None:
    groups = design_groups(SIZES, alpha="1/2", loss="L1", properties={"CM"})
    document = groups.certificate.document
    parts = document["mechanism"]["parts"]
    assert [part["groups"] for part in parts] == [1, 2, 1]
    assert [part["mechanism"] for part in parts] == [
        groups.by_size[size].mechanism.describe() for size in (1, 3, 8)
    ]
    assert set(document["claims"]["properties"]) >= {"CM", "CH", "WH"}
    assert all("optimality" in part for part in parts)
    report = nw.check(groups.certificate)
    assert report
    for size in (1, 3, 8):
        held = "Property CM holds: an output is less likely the farther it is from the input."
        assert f"Groups of {size}: {held}" in report.proved
    assert any(line.startswith("Groups of 8: Its expected loss is") for line in report.proved)
    said = "for changing the answer of one person, whose group and its size are public"
    assert str(groups.certificate.unit) == said
    assert said in report.proved[-1]
    assert not any(name in groups.certificate.to_json() for name in SIZES)


def test_a_long_line_is_the_formula_also_in_the_certificate() -> None:
    sizes = {n: n for n in (2, 129, 50_000, 10**15)}
    groups = design_groups(sizes, epsilon="1/10")
    assert isinstance(groups.by_size[2].mechanism, Table)
    for size in (129, 50_000, 10**15):
        assert isinstance(groups.by_size[size].mechanism, Geometric)
    assert nw.check(groups.certificate)
    assert groups.properties == frozenset()
    drawn = groups.draw({129: 3, 50_000: 25_000, 10**15: 10**15, 2: 1})
    assert ((drawn >= 0) & (drawn <= groups.people)).all()
    found = groups.estimate(drawn)
    assert (found.lows <= found.values).all()
    assert (found.highs >= found.values).all()
    small, large = groups.predict()[1], nw.geometric(nw.Counts(129), epsilon="1/10", table=True)
    assert small.loss == pytest.approx(nw.loss(large), rel=1e-12)
    assert small.truth == pytest.approx(1 - nw.loss(large), rel=1e-12)
    assert small.rmse >= nw.analysis.rmse(large)


def test_properties_of_long_lines_need_a_table() -> None:
    groups = design_groups({"a": 200}, epsilon=1, mechanism="GM", properties={"S", "RM"})
    assert isinstance(groups.by_size[200].mechanism, Table)
    assert {"S", "RM"} <= groups.properties
    with pytest.raises(TooLargeError):
        design_groups({"a": 5000}, epsilon=1, loss="L1")


class TestDrawing:
    groups = design_groups(SIZES, epsilon=20)

    def test_groups_come_in_their_order(self) -> None:
        counts = {"south": 7, "north": 1, "east": 2, "west": 1}
        assert self.groups.draw(counts).tolist() == [1, 7, 2, 0, 1]
        assert self.groups.draw([1, 7, 2, 0, 1]).tolist() == [1, 7, 2, 0, 1]

    def test_counts_that_disagree_with_the_public_sizes_are_clamped(self) -> None:
        ends = [3, 8, 3, 0, 1]
        assert self.groups.draw(dict.fromkeys(SIZES, 10**30) | {"else": 4}).tolist() == ends
        assert self.groups.draw(dict.fromkeys(SIZES, -(10**30))).tolist() == [0] * 5
        for kind, most in (("u1", 255), ("u8", 2**64 - 1), ("i1", 127), ("i8", 2**63 - 1)):
            assert self.groups.draw(np.full(5, most, dtype=kind)).tolist() == ends
        assert self.groups.draw(np.full(5, -(2**63))).tolist() == [0] * 5

    def test_a_step_of_the_data_is_a_step_of_what_is_drawn_from(self) -> None:
        """In every type of number, also around the size of a large group."""
        groups = design_groups({"large": 1000, "small": 2}, epsilon=1)
        for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"):
            info = np.iinfo(kind)
            near = {0, 1, 127, 231, 232, 254, 255, 999, 1000, 1001, info.min, info.max}
            for count in near:
                if info.min <= count < info.max:
                    one, more = (
                        groups._clamp(np.array([c, c], dtype=kind)) for c in (count, count + 1)
                    )
                    assert ((more - one >= 0) & (more - one <= 1)).all()
                    assert one.tolist() == [min(max(count, 0), 1000), min(max(count, 0), 2)]

    @pytest.mark.parametrize("wrong", [[1, 2], [0.5] * 5, [True] * 5, "counts", None])
    def test_what_is_no_list_of_counts_is_refused(self, wrong: Any) -> None:
        with pytest.raises(InputError, match="one for each group"):
            self.groups.draw(wrong)

    def test_the_same_seed_draws_the_same(self) -> None:
        groups = design_groups(SIZES, epsilon="1/10", mechanism="EM")
        one, same, other = (
            groups.draw([1, 4, 2, 0, 1], SeededSource(seed)).tolist() for seed in "aab"
        )
        assert one == same != other


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("size", [1, 2, 5, 11])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
def test_intervals_cover_every_count_exactly(
    asked: dict[str, Any], size: int, epsilon: str
) -> None:
    table = tables(design_groups({"a": size}, epsilon=epsilon, **asked))[size]
    read = read_outputs(table, np.arange(size + 1), LEVEL)
    assert (read.lows >= 0).all()
    assert (read.highs <= size).all()
    for count, row in enumerate(rows_of(table)):
        covered = sum(p for y, p in enumerate(row) if read.lows[y] <= count <= read.highs[y])
        assert covered >= LEVEL


@pytest.mark.parametrize("mechanism", ["EM", "GM", "WM"])
def test_intervals_are_no_wider_than_need_be(mechanism: str) -> None:
    """By all runs of outputs of each count: none that is shorter, or as short, is as likely."""
    table = tables(design_groups({"a": 10}, epsilon=2, mechanism=mechanism))[10]
    read = read_outputs(table, np.arange(11), LEVEL)
    counts: dict[int, list[int]] = {y: [] for y in range(11)}
    for count, row in enumerate(rows_of(table)):
        runs = [range(a, b + 1) for a in range(11) for b in range(a, 11)]
        enough = [run for run in runs if sum(row[y] for y in run) >= LEVEL]
        best = min(enough, key=lambda run: (len(run), -sum(row[y] for y in run), run.start))
        for y in best:
            counts[y].append(count)
    for y, found in counts.items():
        assert (read.lows[y], read.highs[y]) == (min(found), max(found))
    assert (read.highs - read.lows).max() < 10


@pytest.mark.parametrize("epsilon", ["1/20", "1/2", "3", "40"])
@pytest.mark.parametrize("confidence", ["1/2", "19/20", "999/1000"])
def test_the_formula_says_what_the_table_says(epsilon: str, confidence: str) -> None:
    space, level = nw.Counts(30), Fraction(confidence)
    formula = nw.geometric(space, epsilon=epsilon, table=False)
    table = nw.geometric(space, epsilon=epsilon, table=True)
    assert isinstance(formula, Geometric)
    assert isinstance(table, Table)
    outputs = np.arange(31)
    short, long = (read_outputs(one, outputs, level) for one in (formula, table))
    for count, row in enumerate(rows_of(table)):
        held = (short.lows <= count) & (count <= short.highs)
        assert sum(p for p, inside in zip(row, held, strict=True) if inside) >= level
    if level > Fraction(1, 2):
        # Half of all draws may be clamped, and then a table needs few outputs.
        widths = [(one.highs - one.lows).mean() for one in (short, long)]
        assert max(widths) <= min(widths) * 1.15 + 0.5
    np.testing.assert_allclose(short.unbiased, long.unbiased, atol=1e-8)
    assert (short.standard_errors >= long.standard_errors - 1e-9).all()
    assert (short.unbiased_errors >= long.unbiased_errors - 1e-6).all()


@pytest.mark.parametrize("asked", [{}, {"mechanism": "EM"}, {"mechanism": "WM"}], ids=str)
def test_unbiased_estimates_have_the_true_count_as_their_mean(asked: dict[str, Any]) -> None:
    groups = design_groups({"a": 7, "b": 4}, epsilon="1/2", **asked)
    for size, table in tables(groups).items():
        read = read_outputs(table, np.arange(size + 1), LEVEL)
        np.testing.assert_allclose(table.matrix @ read.unbiased, np.arange(size + 1), atol=1e-8)
        spread = table.matrix @ read.unbiased**2 - np.arange(size + 1) ** 2
        np.testing.assert_allclose(squared_errors(table, read.unbiased), spread, atol=1e-6)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_squared_errors_are_right_on_average(asked: dict[str, Any]) -> None:
    """Over counts that are equally likely, and the outputs that they have."""
    table = tables(design_groups({"a": 6}, epsilon="1/2", **asked))[6]
    read = read_outputs(table, np.arange(7), LEVEL)
    away = (np.arange(7) - np.arange(7)[:, None]) ** 2
    mean = (table.matrix * away).sum() / 7
    assert table.matrix.mean(axis=0) @ read.standard_errors**2 == pytest.approx(mean)


def test_totals_are_unbiased_and_honest_about_their_error() -> None:
    """Over all outputs of three groups: the mean, and the mean of the squared standard error."""
    groups = design_groups({"a": 2, "b": 3, "c": 0, "d": 2}, epsilon=1)
    laws = {size: table.matrix for size, table in tables(groups).items()}
    mean = square = 0.0
    truth = (1, 3, 2)
    for drawn in itertools.product(range(3), range(4), range(3)):
        chance = float(
            np.prod([laws[n][t, y] for n, t, y in zip((2, 3, 2), truth, drawn, strict=True)])
        )
        found = groups.total([drawn[0], drawn[1], 0, drawn[2]])
        mean += chance * float(found.unbiased[0])
        square += chance * float(found.unbiased[0] - 6) ** 2
        assert 0 <= found.lows[0] <= found.values[0] <= found.highs[0] <= 7
    assert mean == pytest.approx(6)
    assert 0.5 * square < float(groups.total([1, 2, 0, 1]).standard_errors[0]) ** 2 < 2 * square
    with pytest.raises(UnidentifiableError, match="mechanism='GM'"):
        design_groups({"a": 2}, epsilon=1, mechanism="UM").total([1])


def test_estimates_of_all_groups_at_once() -> None:
    groups = design_groups(SIZES, epsilon=1)
    found = groups.estimate([3, 0, 1, 0, 1], confidence=0.9)
    assert found.values.tolist() == [3, 0, 1, 0, 1]
    assert (found.lows[3], found.highs[3], found.standard_errors[3]) == (0, 0, 0)
    one = read_outputs(groups.by_size[3].mechanism, np.array([3, 1]), Fraction(9, 10))
    assert found.lows[[0, 2]].tolist() == one.lows.tolist()
    assert found.unbiased[[0, 2]].tolist() == one.unbiased.tolist()
    for wrong in ([4, 0, 1, 0, 1], [3, 0, 1, 1, 1], [-1, 0, 0, 0, 0], [1], [0.5] * 5):
        with pytest.raises(InputError, match=r"draw\(\) returned"):
            groups.estimate(wrong)


def test_predictions_are_what_the_tables_have() -> None:
    groups = design_groups(SIZES, epsilon="1/2", mechanism="EM", loss="L1")
    one = groups.predict()[1]
    table = groups.by_size[3].mechanism
    assert (one.size, one.groups, one.bound) == (3, 2, None)
    assert one.loss == nw.loss(table, "L1")
    assert one.rmse == pytest.approx(nw.analysis.rmse(table))
    assert one.truth == pytest.approx(1 - nw.loss(table, "L0"))
    assert one.rmse <= one.worst_rmse <= 3
    assert 0 < one.width <= 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sizes": {}}, "no group with people"),
        ({"sizes": {"a": 0}}, "no group with people"),
        ({"sizes": {"a": -1}}, "size of group 'a'"),
        ({"sizes": {"a": 1.5}}, "size of group 'a'"),
        ({"sizes": [3, 4]}, "mapping from groups"),
        ({"mechanism": "best"}, "mechanism is 'best'"),
        ({"mechanism": "EM", "delta": "1/10"}, "needs no delta"),
        ({"mechanism": "GM", "properties": {"F"}}, "has not F for a group of 3 people"),
        ({"epsilon": 0}, "uniform"),
        ({"epsilon": 0, "mechanism": "WM"}, "'UM'"),
        ({"loss": "L7"}, "L7"),
        ({"prior": 2}, "between 0 and 1"),
        ({"prior": lambda n: [1]}, "weights"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    options: dict[str, Any] = {"sizes": {"a": 3}, "epsilon": 1, **given}
    with pytest.raises(ParameterError, match=words):
        design_groups(options.pop("sizes"), **options)


def test_long_names_mean_the_same() -> None:
    for short, long in (("GM", "geometric"), ("EM", "explicit_fair"), ("UM", "uniform")):
        one, other = (
            tables(design_groups({"a": 4}, epsilon=1, mechanism=m)) for m in (short, long)
        )
        assert one == other


def test_a_designs_table_that_lacks_privacy_is_not_certified() -> None:
    groups = design_groups({"a": 2, "b": 3}, epsilon=1)
    weaker = design_groups({"b": 3}, epsilon="11/10")
    forged = GroupDesigns(groups.sizes, groups.guarantee, {**groups.by_size, **weaker.by_size})
    with pytest.raises(nw.errors.CertificateError, match=r"groups of 3: epsilon"):
        _ = forged.certificate
