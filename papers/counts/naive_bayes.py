"""Section 8: naive Bayes from counts of small groups, released by GM, WM or EM.

Everybody's data is protected by the same ε in all ways that are compared: a person is in one
group and in one cell of each of F tables, and being replaced changes two cells of each. With
α = e^-ε₀ for a cell that is 2Fε₀ in all. `PrivateNaiveBayes` gets that ε for its one release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Claim, Grid, Picture, Setting, judge, listed
from papers.counts.optima import for_l0
from papers.counts.people import HOW, LABEL, Array, Pair, People, adult, made_up, released
from papers.data_files import ADULT
from papers.page import write_csv

SIZE = 8
ALPHAS = ("0.99", "0.9", "0.8", "2/3", "0.5", "0.3", "0.1", "0.01")
SHOWN = ALPHAS[1:]
NONE, ONCE = "without privacy", "PrivateNaiveBayes"
MECHANISMS = ("GM", "WH", "WM", "EM")
LOSS = "log loss"
MEASURES = ("accuracy", LOSS)
CLOSE = 0.02
"""Log losses closer than this count as alike."""

Scores = dict[tuple[str, str, str, str], dict[str, float]]
"""By data, α, mechanism and how groups are added up: the mean accuracy and log loss."""


def cost(people: People, alpha: str) -> float:
    """Return the ε of everything that is released about a person who may be replaced."""
    return 2 * (len(people.sizes) - 1) * -math.log(float(Fraction(alpha)))


def features(people: People) -> list[str]:
    """Return all columns but the label."""
    return [name for name in people.sizes if name != LABEL]


def judged(logs: Array, labels: NDArray[np.int64]) -> dict[str, float]:
    """Return accuracy and the mean of −log P(true label)."""
    return {
        "accuracy": float((logs.argmax(axis=1) == labels).mean()),
        LOSS: float(-logs[np.arange(len(labels)), labels].mean()),
    }


def predicted(tables: Mapping[Pair, Array], people: People) -> Array:
    """Return log P(label | features) of naive Bayes with one added to each count."""
    # Each table has an estimate of how many have each label; none knows better than another.
    labels = np.maximum(np.mean([table.sum(axis=1) for table in tables.values()], axis=0), 1)
    logs = np.tile(np.log(labels / labels.sum()), (people.rows, 1))
    for (_, name), table in tables.items():
        shares = np.maximum(table, 0) + 1
        shares /= shares.sum(axis=1, keepdims=True)
        logs += np.log(shares).T[people.codes[name]]
    return logs - np.logaddexp.reduce(logs, axis=1)[:, None]


def compared(people: People, repetitions: int, alphas: tuple[str, ...]) -> Scores:
    """Learn and test in all ways, on the same splits."""
    found: dict[tuple[str, str, str, str], list[dict[str, float]]] = {}
    pairs = [(LABEL, name) for name in features(people)]
    for repetition in range(repetitions):
        learned, tested = people.split(repetition, SIZE)
        labels = tested.codes[LABEL]
        exact = judged(predicted({p: learned.table(p) for p in pairs}, tested), labels)
        for alpha in alphas:
            where = f"{people.name}/{alpha}/{repetition}"
            found.setdefault((people.name, alpha, NONE, HOW[0]), []).append(exact)
            model = nw.models.PrivateNaiveBayes(
                people.domain,
                label=LABEL,
                epsilon=cost(people, alpha),
                source=nw.randomness.SeededSource(f"section 8/{where}"),
                ledger=None,
            ).fit({name: learned.codes[name] for name in people.sizes})
            logs = model.predict_log_proba({n: tested.codes[n] for n in features(people)})
            found.setdefault((people.name, alpha, ONCE, HOW[0]), []).append(judged(logs, labels))
            for name, mechanism in for_l0(SIZE, alpha).items():
                if name not in MECHANISMS:
                    continue
                tables = {
                    pair: released(
                        learned, pair, mechanism, seed=f"section 8/{where}/{name}/{pair}"
                    )
                    for pair in pairs
                }
                for how in HOW:
                    sums = {pair: ways[how] for pair, ways in tables.items()}
                    scores = judged(predicted(sums, tested), labels)
                    found.setdefault((people.name, alpha, name, how), []).append(scores)
    return {key: _means(scores) for key, scores in found.items()}


def _means(scores: list[dict[str, float]]) -> dict[str, float]:
    means = {name: float(np.mean([one[name] for one in scores])) for name in scores[0]}
    spread = [one[LOSS] for one in scores]
    return {**means, "error": float(np.std(spread, ddof=1) / math.sqrt(len(spread)))}


def population(setting: Setting) -> list[People]:
    """Return the people to learn from: made up, few and many, and Adult if it is here."""
    path = setting.data.get(ADULT.name)
    found = [made_up(rows) for rows in setting.pick((2_000, 30_000), (1_000,))]
    return [*found, *([] if path is None else [adult(path)])]


def rows_for_charts(scores: Scores) -> list[dict[str, Any]]:
    """Return the scores as rows; what does not depend on how groups are added up is in both."""
    rows: list[dict[str, Any]] = []
    for (data, alpha, name, how), found in scores.items():
        for panel in HOW if name in (NONE, ONCE) else (how,):
            rows.append({"data": data, "α": alpha, "from": name, "groups": panel, **found})
    return rows


def _cell(scores: Scores, where: tuple[str, str, str], how: str, measure: str) -> object:
    """Return a score for a table; without groups there is one way to add them up."""
    found = scores.get((*where, how))
    return "" if found is None else found[measure]


def _for_empty(name: str, alpha: str) -> float:
    """Return the mean output of a mechanism for a group in which nobody is in the cell."""
    return float(np.asarray(for_l0(SIZE, alpha)[name].matrix)[0] @ np.arange(SIZE + 1))


def section_8(setting: Setting) -> Claim:
    """GM and WM alike, EM weaker, all weaker than without privacy; and one release for all."""
    repetitions = setting.pick(10, 2)
    alphas = setting.pick(ALPHAS, ("0.9", "2/3", "0.1"))
    everybody = population(setting)
    scores: Scores = {}
    for people in everybody:
        scores |= compared(people, repetitions, alphas)
    rows = rows_for_charts(scores)
    shown = [row for row in rows if row["from"] != "WH" and row["α"] in SHOWN]
    pictures: list[Picture] = []
    for measure in reversed(MEASURES):
        file = f"section-8-{measure.replace(' ', '-')}.png"
        chart = loss_curves(
            shown, x="α", y=measure, color="from", column="data", row="groups", shared_y=False
        )
        save_chart(chart, setting.out / file)
        pictures.append(
            Picture(
                file,
                f"{measure.capitalize()} on people who were not learned from. Above, outputs are "
                "added up as they are; below, after making them unbiased. WH and α = 0.99 are "
                "in the file only.",
            )
        )

    def extra(data: str, alpha: str, name: str, how: str = HOW[0]) -> float:
        """How much log loss is added to that without privacy."""
        return scores[data, alpha, name, how][LOSS] - scores[data, alpha, NONE, HOW[0]][LOSS]

    cases = [(people.name, alpha) for people in everybody for alpha in alphas]
    alike = [c for c in cases if extra(*c, "WM") - extra(*c, "GM") <= CLOSE]
    nearer = [
        c for c in cases if extra(*c, "WM") - extra(*c, "GM") <= extra(*c, "EM") - extra(*c, "WM")
    ]
    weaker = [c for c in cases if extra(*c, "EM") >= max(2 * extra(*c, "GM"), CLOSE)]
    ordered = all(
        extra(*c, "GM") <= extra(*c, "WM") + CLOSE and extra(*c, "WM") <= extra(*c, "EM") + CLOSE
        for c in cases
    )
    low = [a for a in alphas if max(extra(p.name, a, "GM") for p in everybody) < CLOSE]
    high = [a for a in alphas if min(extra(p.name, a, "GM") for p in everybody) > CLOSE]
    once = [extra(*case, ONCE) for case in cases]
    cheaper = all(extra(*c, ONCE) < extra(*c, "GM") for c in cases if c[1] in high)
    above = [
        c
        for c in cases
        if scores[*c, "GM", HOW[0]]["accuracy"] >= scores[*c, NONE, HOW[0]]["accuracy"] + 0.005
    ]
    closer = [c for c in cases if extra(*c, "GM", HOW[1]) < extra(*c, "GM")]
    at = "0.9"
    table = [
        [
            *(people.name, name, "" if name == NONE else cost(people, at)),
            *(_cell(scores, (people.name, at, name), how, m) for how in HOW for m in MEASURES),
        ]
        for people in everybody
        for name in (NONE, ONCE, *MECHANISMS)
    ]
    return Claim(
        "Section 8",
        "naive Bayes from private counts",
        "Initial experiments, without numbers: results from GM and WM were of similar quality, "
        "those for EM much weaker; all were much weaker than without privacy unless α was very "
        "low. Averaging over many groups increases confidence. Novel mechanisms are needed.",
        f"Groups of {SIZE}, every cell of label × feature released in each group; a fifth of the "
        f"people held out, {repetitions} splits. Everything that is compared has the same ε for "
        f"one replaced person, 2F ln(1/α): at α = 0.9 that is "
        + listed(f"{cost(p, at):.2f} ({p.name})" for p in everybody)
        + f". Of {len(cases)} cases (data, α), with outputs added up as the paper says: WM's log "
        f"loss is within {CLOSE} of GM's in {len(alike)}, and nearer to GM's than to EM's in "
        f"{len(nearer)}. EM adds at least twice as much to the loss as GM in {len(weaker)}. GM's "
        f"loss is within {CLOSE} of that without privacy for α = {listed(low)}, and beyond on all "
        f"data for α = {listed(high)}. Accuracy suffers less than the loss: if all counts are "
        "raised alike, probabilities are wrong and the larger one is still the larger one. Where "
        "columns depend on each other that even helps, since naive Bayes counts their votes twice: "
        f"the accuracy of GM is at least half a point above that without privacy in {len(above)} "
        f"of {len(cases)} cases. "
        f"Averaging does not help against that bias: for an empty cell at α = {at} the mean output "
        f"is {_for_empty('GM', at):.2f} (GM), {_for_empty('WM', at):.2f} (WM) and "
        f"{_for_empty('EM', at):.2f} (EM) of {SIZE}. Making outputs unbiased before adding helps "
        f"GM in {len(closer)} of {len(cases)} cases; in the others, where it hurts, α is "
        + listed(a for a in alphas if any(c[1] == a for c in cases if c not in closer))
        + ". It is the groups that cost: counted once over everybody with the same ε "
        "(`PrivateNaiveBayes`) the loss is at most "
        f"{max(once):.3f} above that without privacy.",
        judge(
            len(alike) == len(weaker) == len(cases) and not cheaper,
            corrected=ordered and cheaper and bool(high),
        ),
        ("GM is best, then WM, then EM, up to 0.02, if outputs are added up. " if ordered else "")
        + (
            "No novel mechanism is needed where one holder has all data: release each cell once "
            "over everybody, not in every group. Groups are for data that nobody may put together."
            if cheaper
            else "Releasing each cell once over everybody is not always better."
        ),
        pictures=tuple(pictures),
        grids=(
            Grid(
                "α = 0.9; outputs added up as they are, and after making them unbiased",
                (
                    *("data", "from", "ε per person"),
                    *(f"{measure}, {how}" for how in HOW for measure in MEASURES),
                ),
                table,
            ),
        ),
        files=(write_csv(setting.out / "section-8.csv", rows),),
        numbers={
            **{
                f"{name}_{how.replace(' ', '_')}_extra": max(
                    extra(*c, name, how) for c in cases if c[1] == at
                )
                for name in ("GM", "WM", "EM")
                for how in HOW
            },
            "once_extra": max(once),
        },
    )


CLAIMS = {"section-8": section_8}
