"""Section 2.4: the price of chocolate, the exponential mechanism, and why it is private."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge
from papers.survey.charts import lines

SEED = 20170504
PRICES = ("1.0", "3.0", "3.1", "3.2")
BIDS = ("1.0", "1.0", "1.0", "3.1")
PRINTED = {"1.0": "3.0", "3.0": "3.0", "3.1": "3.1", "3.2": "0.0"}
NEAR = 1e-12
DATABASES = nw.Categories(["0.0", *PRICES]) ** 4


# All databases are listed, so that bids are read a million times.
WORTH = {f"{tenths / 10:.1f}": Fraction(tenths, 10) for tenths in range(33)}


def revenue(bids: Sequence[str], price: str) -> Fraction:
    """What is earned at this price: everybody who bids as much buys one."""
    worth = WORTH[price]
    return worth * sum(WORTH[bid] >= worth for bid in bids)


REVENUES = [revenue(BIDS, price) for price in PRICES]


def probabilities(qualities: Sequence[Fraction], factor: float) -> list[float]:
    """Definition 2.5 as it is written, in doubles."""
    powers = [math.exp(factor * float(quality)) for quality in qualities]
    return [power / sum(powers) for power in powers]


def example_2_1(setting: Setting) -> Claim:
    """At 1.0 all four buy."""
    del setting
    rows = [
        [price, PRINTED[price], f"{float(found):.1f}"]
        for price, found in zip(PRICES, REVENUES, strict=True)
    ]
    wrong = [price for price, printed, found in rows if printed != found]
    best = PRICES[REVENUES.index(max(REVENUES))]
    return Claim(
        "Example 2.1",
        "what the chocolate earns",
        "A, B and C bid 1.0 each and D bids 3.1. At 3.1 the revenue is 3.1, at 3.0 and at 1.0 it "
        "is 3.0, at 3.2 it is 0.",
        f"At {', '.join(wrong)} all four buy, so the revenue is {float(REVENUES[0]):.1f}, and "
        f"{best} is the best price. The others are as printed.",
        judge(not wrong, corrected=wrong == ["1.0"] and best == "1.0"),
        instead="At 1.0 the revenue is 4.0, the highest of all.",
        grids=(Grid("Revenue", ("price", "printed", "found"), rows),),
        numbers={"revenue_at_1": float(REVENUES[0])},
    )


GRID = list(WORTH)


def noise_on_prices(setting: Setting) -> Claim:
    """The best price with noise is worse than any price; a private choice is better."""
    values = ["0.0", *PRICES]

    def best_price(bids: Sequence[str]) -> Fraction:
        return Fraction(max(PRICES, key=lambda price: revenue(bids, price)))

    moved = max(
        abs(best_price(bids) - best_price((other, *bids[1:])))
        for bids in product(values, repeat=4)
        for other in values
    )
    earned = [revenue(BIDS, price) for price in GRID]
    blind = float(sum(earned)) / len(GRID)
    rows: list[dict[str, object]] = []
    at_1: dict[str, float] = {}
    worse = better = True
    for epsilon in setting.pick([0.25, 0.5, 1, 2, 4, 8, 16], [1, 8]):
        prices = nw.Interval(0, "3.2", step="0.1")
        noisy = nw.laplace(
            prices, epsilon=epsilon, sensitivity=moved, form="truncated", table=True
        ).matrix[prices.code(1)]
        found = {
            "noise on the best price": sum(
                float(p) * float(r) for p, r in zip(noisy, earned, strict=True)
            ),
            "any price, blindly": blind,
            "exponential, 33 prices": nw.exponential(
                GRID, earned, sensitivity="3.2", epsilon=epsilon
            ).expected_quality,
            "noise on the revenues, 33 prices": nw.select.noisy_max(
                GRID, earned, sensitivity="3.2", epsilon=epsilon, step="0.1"
            ).expected_quality,
            "exponential, 4 prices": nw.exponential(
                PRICES, REVENUES, sensitivity="3.2", epsilon=epsilon
            ).expected_quality,
        }
        worse &= found["noise on the best price"] < found["exponential, 33 prices"]
        better &= found["noise on the revenues, 33 prices"] > found["exponential, 33 prices"]
        rows.extend({"ε": epsilon, "how": n, "revenue": r} for n, r in found.items())
        at_1 = found if epsilon == 1 else at_1
    chart = lines(
        rows,
        x="ε",
        y="revenue",
        color="how",
        x_title="ε",
        y_title="expected revenue",
        log_x=True,
    )
    save_chart(chart, setting.out / "noise-on-prices.png")
    return Claim(
        "Section 2.4",
        "noise on the answer destroys it",
        "Adding noise directly to the best response would completely destroy its accuracy; the "
        "exponential mechanism offers a safe solution.",
        f"The best of the four prices moves by up to {float(moved):g} when a bid is replaced. With "
        "Laplace noise for that, on a grid of 33 prices from 0 to 3.2, it earns "
        f"{at_1['noise on the best price']:.3f} at ε = 1: less than a price drawn blindly, "
        f"{blind:.3f}. The exponential mechanism earns {at_1['exponential, 33 prices']:.3f} on the "
        "same grid, which is not much more, and "
        f"{at_1['exponential, 4 prices']:.3f} if four good prices are known beforehand. It is the "
        "place of the noise that matters: added to the revenue of each price, of which the largest "
        f"is taken, it earns {at_1['noise on the revenues, 33 prices']:.3f}.",
        judge(worse and at_1["noise on the best price"] < blind, more=better),
        instead="Noise on the price destroys it; noise on the qualities, before the choice, is "
        "about as good as the exponential mechanism, and a little better here.",
        pictures=(Picture("noise-on-prices.png", "Expected revenue; the best price earns 4.0."),),
        numbers={"noise": at_1["noise on the best price"], "blind": blind},
    )


def equation_1(setting: Setting) -> Claim:
    """The sensitivity of revenue is the highest price."""
    del setting
    values = ["0.0", *PRICES]
    largest = max(
        abs(revenue(bids, price) - revenue((other, *bids[1:]), price))
        for bids in product(values, repeat=4)
        for other in values
        for price in PRICES
    )
    left_out = max(
        abs(revenue(bids, price) - revenue(bids[1:], price))
        for bids in product(values, repeat=4)
        for price in PRICES
    )
    return Claim(
        "Equation (1)",
        "the sensitivity",
        "Δ is the largest change of the quality of a candidate between two databases at distance "
        "1.",
        f"Over all {len(values) ** 4} databases of four bids: {float(largest):g}, whether a bid is "
        f"replaced or left out ({float(left_out):g}). It is the highest price, which one more "
        "buyer adds.",
        judge(largest == left_out == Fraction("3.2")),
        numbers={"sensitivity": float(largest)},
    )


def definition_2_5(setting: Setting) -> Claim:
    """The probabilities of the prices at ε = 1."""
    del setting
    by_hand = probabilities(REVENUES, 1 / 6.4)
    choice = nw.exponential(PRICES, REVENUES, sensitivity="3.2", epsilon=1)
    found = [choice.probability(price) for price in PRICES]
    same = all(abs(a - b) < 1e-12 for a, b in zip(by_hand, found, strict=True))
    rows = [[price, float(r), p] for price, r, p in zip(PRICES, REVENUES, found, strict=True)]
    return Claim(
        "Definition 2.5",
        "the exponential mechanism",
        "Pr[r] ∝ exp(ε q(x, r) / (2Δ)).",
        f"At ε = 1 the price 1.0 is drawn with probability {found[0]:.6f}, 3.2 still with "
        f"{found[3]:.6f}. What is drawn are integer weights; they differ from the formula in "
        "doubles by less than 1e-12.",
        judge(same),
        grids=(Grid("ε = 1", ("price", "revenue", "probability"), rows),),
        numbers={"best_price": found[0]},
    )


def _expected(row: Sequence[float]) -> float:
    return sum(p * float(r) for p, r in zip(row, REVENUES, strict=True))


def theorem_1(setting: Setting) -> Claim:
    """Private, and for the chocolate far more than asked: calibration uses what is left."""
    epsilons = setting.pick([0.25, 0.5, 1, 2, 4], [1])
    rows: list[dict[str, object]] = []
    table: list[list[object]] = []
    holds, better = True, True
    numbers: dict[str, float] = {}
    code = DATABASES.code(BIDS)
    for epsilon in epsilons:
        made = {
            "as printed": nw.select.choice_table(
                DATABASES, revenue, candidates=PRICES, epsilon=epsilon, monotonic=False
            ),
            "calibrated": nw.select.choice_table(
                DATABASES, revenue, candidates=PRICES, epsilon=epsilon, calibrated=True
            ),
            "permute and flip": nw.select.choice_table(
                DATABASES, revenue, candidates=PRICES, method="permute_and_flip", epsilon=epsilon
            ),
        }
        earned = {name: _expected(m.matrix[code].tolist()) for name, m in made.items()}
        costs = {name: nw.tight_epsilon(m) for name, m in made.items()}
        holds &= all(nw.verify(m, epsilon=epsilon).holds for m in made.values())
        better &= earned["calibrated"] > earned["as printed"]
        for name in made:
            rows.append({"ε": epsilon, "mechanism": name, "revenue": earned[name]})
            table.append([epsilon, name, costs[name], earned[name]])
        if epsilon == 1:
            numbers = {
                "realized": costs["as printed"],
                "earned": earned["as printed"],
                "earned_calibrated": earned["calibrated"],
            }
    chart = loss_curves(rows, x="ε", y="revenue", color="mechanism", y_title="expected revenue")
    save_chart(chart, setting.out / "theorem-1.png")
    return Claim(
        "Theorem 1",
        "the exponential mechanism is ε-private",
        "M_E preserves (ε, 0)-differential privacy.",
        "Tables over all 625 databases of four bids are proven ε-private, every neighbor and every "
        f"output. The printed factor wastes budget here: at ε = 1 it needs only ε = "
        f"{numbers['realized']:.3f}. The revenue at every price moves the same way when a bid "
        "changes, so the 2 is not needed, and the largest factor that is still private earns "
        f"{numbers['earned_calibrated']:.3f} instead of {numbers['earned']:.3f} at the same ε.",
        judge(holds, more=better),
        instead="Where all databases can be listed, use the largest factor at which ε holds.",
        pictures=(Picture("theorem-1.png", "Expected revenue; the best price earns 4.0."),),
        grids=(Grid("What is spent and earned", ("ε", "mechanism", "needs", "earns"), table),),
        numbers=numbers,
    )


def theorem_1_proof(setting: Setting) -> Claim:
    """Each line of the chain, over all neighbors: where budget is lost."""
    rows: list[list[object]] = []
    chain = True
    lost: dict[str, float] = {}
    cases: dict[str, tuple[NDArray[np.float64], list[tuple[int, int]], float]] = {
        "chocolate": _chocolate(),
        # All other candidates rise while the first one falls.
        "the worst case, 4 candidates": (_opposed(4), [(0, 1)], 1.0),
        "the worst case, 1,000 candidates": (_opposed(1000), [(0, 1)], 1.0),
    }
    for name, (qualities, pairs, delta) in cases.items():
        for epsilon in setting.pick((0.5, 1.0, 4.0), (1.0,)):
            weights = np.exp(epsilon * qualities / (2 * delta))
            sums = weights.sum(axis=1)
            raised = np.exp(epsilon * (qualities + delta) / (2 * delta)).sum(axis=1)
            x, y = np.array([*pairs, *(pair[::-1] for pair in pairs)]).T
            direct = (weights[x] / sums[x, None]) / (weights[y] / sums[y, None])  # (2)
            first = weights[x] / weights[y]  # (3), (4)
            second = sums[y] / sums[x]  # (3)
            bound = raised[x] / sums[x]  # (5)
            half = math.exp(epsilon / 2)  # (6)
            chain &= bool(
                np.allclose(direct, first * second[:, None], rtol=NEAR)
                and (second <= bound * (1 + NEAR)).all()
                and np.allclose(bound, half, rtol=NEAR)
                and (first <= half * (1 + NEAR)).all()
            )
            logs = [float(np.log(part.max())) for part in (direct, first, second)]
            rows.append([name, epsilon, *logs, epsilon])
            if epsilon == 1:
                lost[name] = logs[0]
    return Claim(
        "Proof of Theorem 1, (2) to (7)",
        "the chain of inequalities",
        "The ratio is a product of two factors (3). The second is at most (5), where every quality "
        "is raised by Δ. Each factor is at most e^(ε/2).",
        "Every line, for all ordered pairs of neighbors: (2) = (3); (3) ≤ (4) · (5); (5) is "
        "e^(ε/2) exactly, not only at most; (4) ≤ e^(ε/2). For the chocolate both factors come "
        "close to e^(ε/2), but never in the same pair, so that at ε = 1 the ratio is at most e to "
        f"the {lost['chocolate']:.3f}. If one candidate gains Δ and all others lose it, the "
        f"bound is nearly attained: {lost['the worst case, 1,000 candidates']:.4f} with 1,000 "
        "candidates. So the 2 is needed in general.",
        judge(chain, more=lost["the worst case, 1,000 candidates"] > 0.99),
        instead="(5) may be written with =. The bound is approached as candidates become many.",
        grids=(
            Grid(
                "Logarithms of the largest value over all pairs of neighbors",
                ("qualities", "ε", "ratio (2)", "first factor (4)", "second factor", "bound (7)"),
                rows,
            ),
        ),
        numbers=lost,
    )


def _chocolate() -> tuple[NDArray[np.float64], list[tuple[int, int]], float]:
    """The revenues of all databases of four bids, and which of these are neighbors."""
    databases = list(product(["0.0", *PRICES], repeat=4))
    place = {bids: code for code, bids in enumerate(databases)}
    pairs = [
        (code, place[(*bids[:k], other, *bids[k + 1 :])])
        for bids, code in place.items()
        for k in range(4)
        for other in ("0.0", *PRICES)
        if other > bids[k]
    ]
    found = [[float(revenue(bids, price)) for price in PRICES] for bids in databases]
    return np.array(found), pairs, 3.2


def _opposed(candidates: int) -> NDArray[np.float64]:
    """Two databases: between them one quality rises by 1 and all others fall by 1."""
    up = np.zeros(candidates)
    up[0] = 1
    down = np.ones(candidates)
    down[0] = 0
    return np.stack([up, down])


CLAIMS: Mapping[str, Check] = {
    "example-2-1": example_2_1,
    "noise-on-prices": noise_on_prices,
    "equation-1": equation_1,
    "definition-2-5": definition_2_5,
    "theorem-1": theorem_1,
    "theorem-1-proof": theorem_1_proof,
}
