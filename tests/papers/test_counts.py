"""The quick version of the count paper's page: numbers, verdicts, pictures, data, and the verb.

Exact numbers are asserted as such. What is simulated is compared with its exact value by the
run itself; here a disagreement of six standard errors fails.
"""

import html
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from noisewright.cli import reproduce as verb
from noisewright.errors import InputError, MissingPartError
from papers import data_files
from papers.claims import Claim, Verdict, judge, overall, stated
from papers.counts.experiment import Errors, beyond, exact_errors, rmse
from papers.counts.optima import best, closed_sets, costs
from papers.counts.plain_program import optimum
from papers.counts.run import PAPER
from tests.cli.conftest import Program, noisewright, shell
from tests.papers.reading import assert_pages_hold_everything

__all__ = ["noisewright", "shell"]

HOLD = {
    "definition-1",
    "equation-2",
    "exponential-em",
    "range-queries",
    "example-1",
    "lemma-1",
    "lemma-3",
    "fact-1",
    "lemma-2",
    "fig-3",
    "theorem-5",
    "theorem-6",
    "fig-5",
    "derivable-em",
    "derivable-optima",
    "fig-14",
}
FAIL = {"derivable-wm"}
MORE = {"theorem-1", "behaviors", "worst-case", "staircase", "column-privacy", "section-8-whole"}
PART = {
    "n-ary-response",
    "equation-3",
    "fig-7",
    *(f"fig-{k}" for k in (11, 12, 13, 15, 16, 17, 18)),
}
"""Figures 7 and 10 to 18 have several sentences; 10 is about data that a test has not."""


def person(*, age: int, female: bool, rich: bool) -> str:
    cells = ["x"] * 15
    cells[0], cells[9] = str(age), "Female" if female else "Male"
    cells[4], cells[12], cells[10] = str(9 + 5 * rich), str(30 + age // 3), "0"
    cells[14] = ">50K" if rich else "<=50K"
    return ", ".join(cells)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up file in the form of adult.data; nobody in it exists."""
    generator = np.random.default_rng(0)
    rows = [
        person(age=int(age), female=bool(f < 0.33), rich=bool(r < 0.24))
        for age, f, r in zip(
            generator.integers(17, 80, 600),
            generator.random(600),
            generator.random(600),
            strict=True,
        )
    ]
    path = tmp_path_factory.mktemp("data") / "adult.data"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counts")


@pytest.fixture(scope="module")
def claims(out: Path, people: Path) -> Mapping[str, Claim]:
    return PAPER.reproduce(out, data=people, quick=True)


def test_every_figure_and_result_of_the_paper_is_there(claims: Mapping[str, Claim]) -> None:
    wanted = {f"fig-{k}" for k in range(1, 19)} | {f"theorem-{k}" for k in range(1, 7)}
    wanted |= {f"lemma-{k}" for k in range(1, 6)} | {f"definition-{k}" for k in range(1, 5)}
    wanted |= {"example-1", "equation-2", "equation-3", "n-ary-response", "exponential-em"}
    wanted |= {"staircase", "worst-case", "off-by-one", "column-privacy", "range-queries"}
    assert wanted <= claims.keys()


def test_verdicts(claims: Mapping[str, Claim]) -> None:
    by_verdict = {v: {n for n, c in claims.items() if c.verdict is v} for v in Verdict}
    assert by_verdict[Verdict.HOLDS] - {"off-by-one"} == HOLD
    assert by_verdict[Verdict.MORE] == MORE
    assert by_verdict[Verdict.NOT_RUN] == set()
    # What holds on Adult itself need not hold on the made-up file.
    assert by_verdict[Verdict.FAILS] - {"section-8", "section-8-trees"} == FAIL
    assert by_verdict[Verdict.PART] - {"fig-10", "off-by-one"} == PART
    assert by_verdict[Verdict.TIES] - {"fig-10", "off-by-one"} == {"similar"}
    for name, claim in claims.items():
        assert claim.says, name
        assert claim.finds, name
        assert claim.instead or claim.verdict in (Verdict.HOLDS, Verdict.NOT_RUN), name


def test_truth_probabilities_of_figure_7_belong_to_10_11(claims: Mapping[str, Claim]) -> None:
    numbers = claims["fig-7"].numbers
    assert (round(numbers["em"], 3), round(numbers["gm"], 3)) == (0.224, 0.238)
    assert (round(numbers["em_at_0.9"], 3), round(numbers["gm_at_0.9"], 3)) == (0.226, 0.242)


def test_scores_at_n_20(claims: Mapping[str, Claim]) -> None:
    numbers = claims["fig-9"].numbers
    assert numbers["GM_20"] == pytest.approx(0.952381, abs=5e-7)
    assert numbers["WH_20"] == pytest.approx(0.952381, abs=5e-7)
    assert numbers["WM_20"] == pytest.approx(0.964137, abs=5e-7)
    assert numbers["EM_20"] == pytest.approx(0.970988, abs=5e-7)


def test_errata_in_numbers(claims: Mapping[str, Claim]) -> None:
    assert claims["fig-1"].numbers["always_2_from"] == pytest.approx(0.773303, abs=1e-6)
    assert claims["fig-1"].numbers["l01"] == pytest.approx(0.62, abs=1e-9)
    assert claims["fig-2"].numbers["within_1"] == pytest.approx(0.664717, abs=1e-6)
    assert claims["similar"].numbers["em_extra_l2"] == pytest.approx(0.69, abs=0.005)
    assert claims["similar"].numbers["least_extra_l2"] == pytest.approx(0, abs=1e-6)
    assert claims["example-1"].numbers["odds"] == 18
    assert claims["fig-8"].numbers["threshold"] == pytest.approx(6.333, abs=1e-3)
    assert claims["fig-8"].numbers["wh_cost"] == pytest.approx(0.863636, abs=1e-6)
    assert claims["theorem-1"].numbers["skewed_cost"] > 0.01
    printed = claims["theorem-2"].numbers
    assert printed["printed_rm"] < printed["row_monotone"] - 0.01
    odd = claims["lemma-5"].numbers
    assert odd["odd_7_printed"] < odd["odd_7_true"]
    response = claims["n-ary-response"].numbers
    assert (round(response["l1_8_1"], 2), round(response["gm_8_1"], 2)) == (2.49, 0.70)
    priors = claims["behaviors"].numbers
    assert (priors["values_L0"], priors["values_rising with the count"]) == (4, 7)
    derivable = claims["derivable-wm"].numbers
    assert derivable["WH"] == derivable["cases"] > derivable["WM"] > 0
    assert derivable["n4"] > 1e-3


def test_sentences_are_told_one_by_one(out: Path, claims: Mapping[str, Claim]) -> None:
    page = (out / "claims.html").read_text(encoding="utf-8")
    text = (out / "claims.md").read_text(encoding="utf-8")
    for name in ("fig-7", *(f"fig-{k}" for k in range(10, 19))):
        sentences = claims[name].sentences
        assert claims[name].verdict is overall(sentences), name
        for sentence in sentences:
            assert html.escape(sentence.says, quote=False) in page
            assert f"| {sentence.finds} | {sentence.verdict.value} |" in text
            if sentence.verdict not in (Verdict.HOLDS, Verdict.MORE):
                assert sentence.instead in claims[name].instead, sentence.says


def test_column_monotone_mechanisms_do_not_favor_the_ends(claims: Mapping[str, Claim]) -> None:
    # For input 2 of 4, an optimum under WH + RM + CM is flat: 2/5 for both ends together.
    assert claims["fig-7"].numbers["wm_ends_for_2"] == pytest.approx(0.4, abs=1e-6)
    said = [s for s in claims["fig-7"].sentences if "favor" in s.says]
    assert [s.verdict for s in said] == [Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS]


def test_simulation_agrees_with_the_exact_values(claims: Mapping[str, Claim]) -> None:
    for name in (f"fig-{k}" for k in range(10, 19)):
        assert "Simulation and exact values agree" in claims[name].finds, name


def test_the_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    assert_pages_hold_everything(out, claims)


def test_without_the_data_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "BESIDE", tmp_path / "nowhere")
    claim = PAPER.reproduce(tmp_path, quick=True, only=["adult"])["fig-10"]
    assert claim.verdict is Verdict.NOT_RUN
    assert "adult.data" in claim.finds
    assert "--data" in claim.finds


@pytest.mark.parametrize("content", ["", "1, 2, 3\n"])
def test_a_file_that_is_not_adult_is_refused_before_any_work(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"is not adult\.data"):
        PAPER.reproduce(tmp_path / "out", data=path, quick=True)
    with pytest.raises(InputError, match="cannot read"):
        PAPER.reproduce(tmp_path / "out", data=tmp_path / "missing", quick=True)
    assert not (tmp_path / "out").exists()


def test_an_unknown_claim_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no claim 'fig-19'.*binomial.*fig-18"):
        PAPER.select(["fig-19"])
    assert list(PAPER.select(["fig-9", "fig-8"])) == ["fig-8", "fig-9"]


def test_a_sentence_that_is_not_so_is_not_written() -> None:
    assert stated("So it is.", True) == "So it is."
    with pytest.raises(ArithmeticError, match="no longer true: So it is"):
        stated("So it is.", False)


def test_verdicts_come_from_the_checks() -> None:
    assert judge(True) is Verdict.HOLDS
    assert judge(False, corrected=True) is Verdict.CORRECTED
    assert judge(False) is Verdict.FAILS


def test_errors_of_a_mechanism_by_hand() -> None:
    matrix = np.array([[0.75, 0.25], [0.5, 0.5]])
    exact = exact_errors(matrix, np.array([0.4, 0.6]))
    assert exact.tolist() == pytest.approx([0.3, 0.6, 0.1])
    weights = np.array([0.4, 0.6])
    measured = Errors(np.stack([exact, exact]), exact, 10, weights).measure(rmse)
    assert (measured.mean, measured.off) == (pytest.approx(0.4**0.5), 0)
    wrong = Errors(np.array([[1.0, 0, 0], [1.0, 0, 0]]), exact, 10, weights).measure(beyond(0))
    assert wrong.off == pytest.approx(0.6 / (0.24 / 20) ** 0.5)


def test_the_plain_program_is_a_second_opinion() -> None:
    assert len(closed_sets()) == 36
    for codes in ((), ("WH",), ("F",), ("RM", "CM")):
        plain = optimum(3, 0.8, costs(3, "L2"), codes).value
        assert best(3, "0.8", "L2", codes).loss == pytest.approx(plain, abs=1e-8)


def test_the_verb(noisewright: Program, tmp_path: Path) -> None:
    said = noisewright("reproduce", "counts", "--quick", "--only", "fig-7", "--out", "page")
    assert said.code == 0, said
    assert "holds in part" in said.out
    assert (tmp_path / "page" / "claims.html").exists()
    wrong = noisewright("reproduce", "counts", "--only", "fig-70")
    assert wrong.code == 2
    assert "no claim 'fig-70'" in wrong.err


def test_without_a_checkout_the_verb_says_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verb, "__file__", str(tmp_path / "a" / "b" / "c" / "reproduce.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingPartError, match="Clone the Noisewright repository"):
        verb.find_checkout("counts")


def test_the_script_takes_the_same_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PAPER.main(["--quick", "--only", "lemma-3", "--out", str(tmp_path)]) == 0
    assert PAPER.main(["--only", "nothing", "--out", str(tmp_path)]) == 2
    assert "there is no claim" in capsys.readouterr().err
