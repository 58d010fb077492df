"""Section 2.4: the exponential mechanism, the price of chocolate, the utility theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random

import noisewright as nw
from noisewright.report import loss_curves, save_chart
from papers.claims import Check, Claim, Grid, Picture, Setting, judge

SEED = 20170504
PRICES = ("1.0", "3.0", "3.1", "3.2")
BIDS = ("1.0", "1.0", "1.0", "3.1")
PRINTED = {"1.0": "3.0", "3.0": "3.0", "3.1": "3.1", "3.2": "0.0"}
DATABASES = nw.Categories(["0.0", *PRICES]) ** 4


def revenue(bids: Sequence[str], price: str) -> Fraction:
    """What is earned at this price: everybody who bids as much buys one."""
    return Fraction(price) * sum(Fraction(bid) >= Fraction(price) for bid in bids)


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
            "as printed": nw.exponential(
                PRICES, revenue, space=DATABASES, epsilon=epsilon, monotonic=False
            ),
            "calibrated": nw.exponential(
                PRICES, revenue, space=DATABASES, epsilon=epsilon, calibrated=True
            ),
            "permute and flip": nw.permute_and_flip(
                PRICES, revenue, space=DATABASES, epsilon=epsilon
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


def _far(qualities: Sequence[int], chances: Sequence[float], distance: float) -> float:
    best = max(qualities)
    return sum(p for p, q in zip(chances, qualities, strict=True) if q <= best - distance)


def theorem_2(setting: Setting) -> Claim:
    """How far from the best, on random qualities; with and without ties."""
    random = Random(SEED)
    cases = setting.pick(3000, 200)
    tried = kept = inverse = 0
    closest = 0.0
    for _ in range(cases):
        qualities = [random.randint(-9, 9) for _ in range(random.randint(1, 12))]
        epsilon, t = random.uniform(0.05, 6), random.uniform(0.01, 5)
        chances = probabilities([Fraction(q) for q in qualities], epsilon / 2)
        for best in {1, qualities.count(max(qualities))}:
            distance = 2 / epsilon * (math.log(len(qualities) / best) + t)
            far = _far(qualities, chances, distance)
            tried += 1
            kept += far <= math.exp(-t) * (1 + 1e-12)
            closest = max(closest, far / math.exp(-t))
            ours = nw.utility_bound(len(qualities), epsilon=epsilon, beta=math.exp(-t), best=best)
            needed = nw.epsilon_for_utility(
                len(qualities), within=distance, beta=math.exp(-t), best=best
            )
            inverse += abs(ours / distance - 1) < 1e-9 and abs(needed / epsilon - 1) < 1e-9
    return Claim(
        "Theorem 2, Corollary 2.1",
        "the choice is close to the best",
        "Pr[q ≤ OPT − 2Δ/ε · (ln(|R| / |R_OPT|) + t)] ≤ e^-t; and with |R_OPT| ≥ 1, "
        "Pr[q ≥ OPT − 2Δ/ε · (ln|R| + t)] ≥ 1 − e^-t.",
        f"{tried:,} checks on random qualities (seed {SEED}), the theorem with all ties and the "
        f"corollary: it holds in {kept:,}. The probability came to {closest:.3f} of the bound at "
        "most. The ε that makes the choice within a distance of the best is the same formula "
        f"solved for ε; the two functions agree with it in {inverse:,} cases.",
        judge(kept == tried == inverse),
        numbers={"tried": float(tried), "kept": float(kept), "closest": closest},
    )


CLAIMS: Mapping[str, Check] = {
    "example-2-1": example_2_1,
    "equation-1": equation_1,
    "definition-2-5": definition_2_5,
    "theorem-1": theorem_1,
    "theorem-2": theorem_2,
}
