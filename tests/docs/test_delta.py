"""What δ is: said in one place, correctly, and quoted by everything that explains it.

P(A | x) ≤ e^ε P(A | x') + δ. It is not the probability that the privacy loss exceeds ε.
"""

import json
import re
from pathlib import Path

import pytest

import noisewright as nw
from noisewright.meanings import DELTA, DELTA_IS_NOT

HERE = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for folder in ("src", "docs", "papers", "benchmarks", "examples", "README.md")
    for path in ([HERE / folder] if folder.endswith(".md") else (HERE / folder).rglob("*"))
    if path.suffix in {".py", ".md", ".json", ".toml", ".html", ".js", ".jinja"}
)

_NUMBER = r"(?:epsilon|ε|the promise|the guarantee|privacy)"
WRONG = re.compile(
    rf"(?:chance|probability|likelihood|risk|odds)\s+(?:that|with which|by which|of)\s+"
    rf"(?:the\s+promise\s+of\s+|the\s+guarantee\s+of\s+)?{_NUMBER}(?:'s promise)?\s+"
    rf"(?:\w+\s+){{0,3}}(?:fail|broken|exceeded|violated|break|does not hold|holds not)"
    rf"|{_NUMBER}\s+(?:may\s+)?fails?\s+with\s+(?:a\s+)?probability"
    rf"|(?:hold|holds|private|promise|promised)\s+(?:\w+\s+){{0,2}}"
    rf"(?:except with|with)\s+probability\s+(?:at\s+least\s+)?(?:1\s*[-−]\s*)?(?:delta|δ)"
    rf"|up to a probability of \{{?(?:delta|δ)",
    re.IGNORECASE,
)


def test_the_wrong_explanation_is_recognized() -> None:
    for wrong in (
        "The chance that epsilon may fail.",
        "The probability that epsilon may fail; 0 for never.",
        "It bounds the probability that the promise of epsilon fails",
        "The probability by which the promise of epsilon may be exceeded: 0, or",
        "A probability by which the promise may be exceeded.",
        "ε-private except with probability δ",
        "the promise holds with probability 1 − δ",
        "likely, up to a probability of {delta_text(guarantee)}",
    ):
        assert WRONG.search(wrong), wrong
    assert not WRONG.search(f"{DELTA} {DELTA_IS_NOT}")


def test_nobody_explains_delta_as_a_chance_of_failing() -> None:
    found = {
        path.relative_to(HERE).as_posix(): match.group()
        for path in PAGES
        if (match := WRONG.search(" ".join(_text(path).replace('"', " ").split())))
    }
    assert not found


def test_whoever_explains_delta_quotes_the_one_home() -> None:
    from noisewright.report.rendering import load_templates

    glossary = load_templates().get_template("pieces.html.jinja").module.privacy_words()
    assert f"{DELTA} {DELTA_IS_NOT}" in glossary.unescape()
    schema = HERE / "src/noisewright/schemas/plan-1.json"
    plan = json.loads(schema.read_text(encoding="utf-8"))
    assert plan["properties"]["delta"]["description"].startswith(DELTA)
    with pytest.raises(nw.errors.ParameterError, match=re.escape(DELTA)):
        nw.randomized_response(nw.Categories(["a", "b"]), epsilon=1, delta=2)
    homes = [path for path in PAGES if path.suffix == ".py" and "may exceed e^ep" in _text(path)]
    assert [path.name for path in homes] == ["meanings.py"]
    for file in ("ledger", "options", "plan", "synthesize", "verify"):
        assert "DELTA" in _text(HERE / f"src/noisewright/cli/{file}.py"), file
    for verb in ("bound", "design_answers", "design_curve"):
        assert "delta: DeltaOption" in _text(HERE / f"src/noisewright/cli/{verb}.py"), verb


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_loss_may_exceed_epsilon_far_more_often_than_delta() -> None:
    """P = (.6, .4), Q = (.4, .6), e^ε = 1.25: δ = .1, the loss exceeds ε with probability .6."""
    coin = nw.from_matrix(nw.Categories(["a", "b"]), [[6, 4], [4, 6]])
    assert nw.tight_delta(coin, epsilon=nw.accounting.Epsilon.of(alpha="4/5")) == pytest.approx(
        0.1, abs=1e-12
    )
    exceeds = sum(p for p, q in zip(*coin.matrix, strict=True) if p > 1.25 * q)
    assert exceeds == pytest.approx(0.6, abs=1e-12)
