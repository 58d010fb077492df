"""What it costs to show keys that nobody declared, each kept by a coin of its own.

**Statement.** A key that n people have is kept with probability π(n) = coins[n] / 2^k, by a coin of
its own; with the last of the coins if more people have it. Keys that are not kept are not shown at
all. If one person more or less with a key changes its coin by no more than (ε, δ) allows, in both
directions, then showing the kept keys costs (m ε, m δ), where m is how many coins a person moves:
`groups` if people are added or removed, twice as many if they are replaced.

**Why.** A coin has two outcomes, and what decides is Σ max(0, p − e^ε q) ≤ δ over both of them (see
`numbers.py`), for n and n + 1 people, in both directions. From the last coin on there is nothing to
compare. All other keys have the same coins on both sides, and are independent. Coins that do move
are independent of each other, so that their costs add up (basic composition; Dwork and Roth 2014,
Theorem 3.16). Replacing a person takes one from at most `groups` keys and gives one to at most as
many others. A key that nobody has must never be kept, π(0) = 0: it could not be told from all the
other keys that there might be, and is not in the data to be drawn for.

The coins of Desfontaines, Voss, Gipson and Mandayam (2022) are the largest that pass.

**On trust.** That each person counts once for a key, and for no more than `groups` of them.
"""

from fractions import Fraction
from typing import Any

from .claim import PrivacyClaim
from .document import is_type, read_fields
from .numbers import LARGEST_EXPONENT, Number, find_excess, read_positive
from .report import Findings, fail, need

_SELECTION = "groups: whole, epsilon: fraction, delta: fraction, log2_total: whole, coins: list"
_CHANGES = {"add or remove": 1, "replace": 2}
_MOST_COINS = 2**16 + 1
_MOST_LOG2_TOTAL = 2**12


def prove_keys(claim: PrivacyClaim) -> Findings:
    """Prove what showing keys costs, and nothing else."""
    _, selection = read_fields(claim.mechanism, "mechanism", "form: keys, selection: object")
    shapes = [f"relation: one person, change: {change}" for change in _CHANGES]
    shapes += [f"{shape}, rows: whole" for shape in shapes]
    _, change, *rows = read_fields(claim.neighbors, "neighbors", *shapes)
    # What holds for all rows of a person holds for people of one row.
    need(rows in ([], [1]), "neighbors", f"found {rows} rows of a person; need 1, or any number")
    epsilon, delta = cost_of_keys(selection, change, "selection")
    groups = selection["groups"]
    yield f"Assuming: a person counts once for a key, and for at most {groups} of them."
    yield (
        f"Coins of keys with one person more or less pass, both ways; a person moves at most "
        f"{groups * _CHANGES[change]} of them, and the others are independent."
    )
    if not claim.covers(Number(epsilon)):
        fail("epsilon", f"{Number(epsilon)} is needed; claimed is {claim.epsilon}")
    if min(delta, Fraction(1)) > claim.delta:
        fail("delta", f"{Number(delta)} is needed; claimed is {Number(claim.delta)}")


def cost_of_keys(selection: Any, change: str, name: str) -> tuple[Fraction, Fraction]:
    """Return the ε and the δ that showing the kept keys costs, for this change of a person."""
    groups, epsilon, delta, k, coins = read_fields(selection, name, _SELECTION)
    one, lost = read_positive(epsilon, name), read_positive(delta, name)
    ok = one <= LARGEST_EXPONENT and lost < 1 and groups > 0 and change in _CHANGES
    need(ok, name, f"need epsilon up to {LARGEST_EXPONENT}, delta below 1, and groups")
    need(0 < k <= _MOST_LOG2_TOTAL, name, f"found log2_total {k}; need 1 to {_MOST_LOG2_TOTAL}")
    ok = 0 < len(coins) <= _MOST_COINS and all(is_type("hex", coin) for coin in coins)
    need(ok, name, f"need 1 to {_MOST_COINS} coins, in lowercase hex digits")
    total, weights = 2**k, [int(coin, 16) for coin in coins]
    need(max(weights) <= total, name, f"a coin is above 2^{k}")
    need(weights[0] == 0, name, "a key that nobody has must never be kept")
    for n in range(len(weights) - 1):
        for here, there in ((n, n + 1), (n + 1, n)):
            p, q = ([weights[i], total - weights[i]] for i in (here, there))
            if find_excess(p, q, Number(one), lost * total) is not None:
                found = f"the coins of {here} and {there} people differ by more than epsilon "
                fail(name, f"{found}{Number(one)} and delta {Number(lost)} allow")
    moved = groups * _CHANGES[change]
    return moved * one, moved * lost
