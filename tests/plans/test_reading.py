"""Plans as text: every plan comes back as it was, and every mistake is named with its place."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, NoisewrightError

NAMES = st.one_of(
    st.sampled_from(["version", "columns", "use", "a.b", "ünï", "x y", '"', "\n", "#"]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=6),
)
LABELS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
EXACT = st.fractions(Fraction(1, 50), 8, max_denominator=60)


def distinct(labels: list[Any]) -> list[Any]:
    seen = {(isinstance(label, bool), label): label for label in labels}
    return list(seen.values())


@st.composite
def spaces(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["categories", "counts", "interval", "subsets"]))
    if kind == "categories":
        return nw.Categories(distinct(draw(st.lists(LABELS, min_size=2, max_size=6).filter(
            lambda found: len(distinct(found)) > 1
        ))))  # fmt: skip
    if kind == "counts":
        return nw.Counts(draw(st.integers(1, 100)), neighbors="replace")
    if kind == "interval":
        low, step = draw(st.fractions(-9, 9, max_denominator=9)), draw(EXACT)
        return nw.Interval(low, low + draw(st.integers(1, 30)) * step, step=step)
    items = distinct(draw(st.lists(LABELS, min_size=1, max_size=5)))
    return nw.Subsets(items, largest=draw(st.one_of(st.none(), st.integers(1, 5))))


@st.composite
def columns(draw: st.DrawFn) -> Any:
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(["drop", "public"]))
    space = draw(spaces())
    given: dict[str, Any] = {}
    if draw(st.booleans()):
        given["share"] = draw(EXACT)
    if isinstance(space, nw.Interval) and draw(st.booleans()):
        given |= {"outside": "clamp", "off_grid": "round"}
    if isinstance(space, nw.Categories) and draw(st.booleans()):
        given |= {"null": draw(st.sampled_from(space.labels)), "other": "elsewhere"}
    return nw.Column(space, **given)


@st.composite
def plans(draw: st.DrawFn) -> nw.Plan:
    named = draw(st.dictionaries(NAMES, columns(), max_size=5))
    named[draw(NAMES)] = nw.Column(["x", "y"])
    private = [name for name, treatment in named.items() if isinstance(treatment, nw.Column)]
    small: list[str] = []
    for name in private:
        column: Any = named[name]
        if not isinstance(column.space, nw.Subsets) and column.space.size < 40:
            small.append(name)
    together = [tuple(small[:2])] if len(small) > 1 and draw(st.booleans()) else []
    person = None
    if "who" not in named and draw(st.booleans()):
        person = nw.Person("who", rows=draw(st.integers(1, 5)), keep="first")
    return nw.Plan(
        named,
        epsilon=draw(EXACT),
        together=together,
        person=person,
        order=draw(st.sampled_from(["kept", "shuffled"])),
        others=draw(st.sampled_from(["error", "drop"])),
        title=draw(st.text(st.characters(codec="utf-8"), max_size=9)),
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_a_plan_comes_back_as_it_was(plan: nw.Plan) -> None:
    text = plan.to_toml()
    again = nw.Plan.from_toml(text)
    assert again == plan
    assert again.to_toml() == text
    assert again.guarantee == plan.guarantee
    assert plan.guarantee.epsilon.compare(nw.accounting.Epsilon.of(plan.epsilon)) == 0
    assert len(plan.words()) >= len(plan.parts) + 4


HEAD = "version = 1\nepsilon = 1\n"
JOB = '[columns.job]\nspace = "categories"\nlabels = ["a", "b"]\n'


MISTAKES = [
    ("", "says version = None"),
    ("version = 1\n", "has no .columns"),
    ("version 1\n", r"is not TOML.*line 1, column 9"),
    (HEAD + JOB + JOB, r"is not TOML.*twice.*line 6"),
    (HEAD + "[columns]\n", "has no .columns"),
    (HEAD.replace("epsilon", "epsilom") + JOB, "Did you mean 'epsilon'"),
    (HEAD + JOB.replace("labels", "lables"), "column 'job'.*Did you mean 'labels'"),
    (HEAD + JOB.replace("labels", "labels.x"), r"labels is a section.*write \[columns"),
    (HEAD + JOB + '[columns.a.b]\nuse = "drop"\n', r'column .a.: .*write \[columns."….b"\]'),
    (HEAD + JOB + "[columns.b]\n", "column 'b': it needs space"),
    (HEAD + JOB + 'mechanism = "laplace"\n', "is not for Categories"),
    (HEAD + JOB + 'mechanism = ["response"]\n', "mechanism is"),
    (HEAD + JOB + "share = true\n", "share is True"),
    (HEAD + JOB + 'outside = "clamp"\n', "must be 'error'"),
    (HEAD.replace("1\n", "0\n", 2).replace("version = 0", "version = 1") + JOB, "above 0"),
    (HEAD.replace("epsilon = 1", "epsilon = -1") + JOB, "above 0"),
    (HEAD.replace("epsilon = 1", "epsilon = inf") + JOB, "not finite"),
    (HEAD.replace("epsilon = 1", "epsilon = nan") + JOB, "not finite"),
    (HEAD.replace("epsilon = 1", "epsilon = [1]") + JOB, "epsilon is of type list"),
    (HEAD + 'together = ["job"]\n' + JOB, "at least two columns"),
    (HEAD + "together = [[1, 2]]\n" + JOB, "names of columns"),
    (HEAD + "delta = 2\n" + JOB, "between 0 and 1"),
    (HEAD + JOB + "epsilon = 3\n", "ask for epsilon=3"),
    (HEAD + JOB.replace('["a", "b"]', '["a", "a"]'), "given twice"),
    (HEAD + JOB.replace('["a", "b"]', '["a"]'), "column 'job' can hold only one value"),
    (HEAD + '[columns.n]\nspace = "counts"\nn = 0\n', "must be at least 1"),
    (HEAD + '[columns.n]\nspace = "interval"\nlow = 0\nhigh = 1\nstep = 0.3\n', "whole number"),
    (HEAD + '[columns.n]\nspace = "interval"\nlow = 0\nstep = 0.3\n', "high is missing"),
    (HEAD + '[person]\ncolumn = "job"\nrows = 2\n' + JOB, "would name them"),
    (HEAD + "[person]\nrows = 2\n" + JOB, "person: column is missing"),
    (HEAD + "person = 3\n" + JOB, "write .person"),
    (HEAD + "estimates = [3]\n" + JOB, "estimate 1: write"),
    (HEAD + "[[estimates]]\nweight = 1\n" + JOB, "of is missing"),
    (HEAD + '[[estimates]]\nof = "jib"\n' + JOB, "'jib', which the plan does not randomize"),
    (HEAD + '[[estimates]]\nof = "job"\nwhy = 1\n' + JOB, "has no setting"),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_mistakes_are_named_with_their_place(text: str, said: str) -> None:
    with pytest.raises(NoisewrightError, match=said):
        nw.Plan.from_toml(text)


@pytest.mark.parametrize("epsilon", ['"1/3"', "1e-12", "50", '"1e-30"', "0.1", '"7/3"'])
def test_any_epsilon_is_taken_at_its_word(epsilon: str) -> None:
    text = HEAD.replace("epsilon = 1", f"epsilon = {epsilon}") + JOB
    plan = nw.Plan.from_toml(text)
    assert plan.guarantee == nw.accounting.Guarantee(Fraction(epsilon.strip('"')))
    assert plan.words(rows=100)
    assert nw.Plan.from_toml(plan.to_toml()) == plan


def test_huge_domains() -> None:
    million = nw.Plan({"n": nw.Column(nw.Counts(10**6), mechanism="response")}, epsilon=1)
    assert "from 0 to 1,000,000" in million.words()[1]
    assert nw.Plan.from_toml(million.to_toml()) == million
    grid = nw.Plan({"x": nw.Column(nw.Interval(0, 10**9, step="0.01"))}, epsilon=1)
    assert "in steps of 0.01" in grid.words(rows=10)[1]
    many = nw.Column(nw.Counts(10**7), mechanism="response")
    with pytest.raises(InputError, match="would almost never be released"):
        nw.Plan({"a": many, "b": many}, epsilon=1, together=[("a", "b")])


def test_columns_named_like_keywords() -> None:
    names = ["version", "columns", "person", "neighbors", "metric", "self", "epsilon"]
    plan = nw.Plan({name: nw.Column(["x", "y"]) for name in names}, epsilon=1)
    assert nw.Plan.from_toml(plan.to_toml()) == plan
    assert json.dumps(list(plan.private)) == json.dumps(names)
    assert plan.certify()


def test_a_column_of_a_group_may_not_have_half_of_a_budget() -> None:
    pair = {"a": nw.Column(["x", "y"], epsilon=1), "b": nw.Column(["x", "y"])}
    with pytest.raises(InputError, match="give it to all"):
        nw.Plan(pair, epsilon=3, together=[("a", "b")])
    both = {name: nw.Column(["x", "y"], epsilon=1) for name in pair}
    plan = nw.Plan({**both, "c": nw.Column(["x", "y"])}, epsilon=3, together=[("a", "b")])
    assert [part.guarantee.epsilon.rational for part in plan.parts] == [2, 1]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"a": "1/3", "b": "1/7"}, [Fraction(1, 3), Fraction(1, 7)]),
        ({"a": 5}, [5, 1]),
        ({"a": "0.1", "b": "0.2", "c": "0.7"}, [Fraction(1, 10), Fraction(1, 5)]),
    ],
)
def test_given_weights_divide_exactly(shares: dict[str, Any], expected: list[Any]) -> None:
    made = {name: nw.Column(["x", "y"], share=shares.get(name)) for name in "abc"}
    plan = nw.Plan(made, epsilon="10/3")
    spent = [part.guarantee.epsilon.rational for part in plan.parts]
    assert sum(spent) == Fraction(10, 3)
    assert spent[0] / spent[1] == Fraction(expected[0]) / Fraction(expected[1])
