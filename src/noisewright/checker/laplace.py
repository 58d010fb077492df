"""Proof for discrete Laplace noise on a grid, which is given by its formula.

**Statement.** The noise is Z steps, P(Z = z) proportional to a^|z| with a = e^−decay. For
neighbors at most t steps apart it is ε-private if ε ≥ t decay. For a smaller ε it is (ε,
δ)-private if

    f(i) = a^(i+1) + e^ε a^(t−i) ≥ (1 − δ) (1 + a)   for each i = 0, ..., t − 1.

**Why.** Take inputs 0 and t. The likelihood ratio of an output falls as the output grows, so the
worst sets are the half lines of outputs up to i. On them

    P(up to i | 0) = 1 − a^(i+1) / (1 + a),   P(up to i | t) = a^(t−i) / (1 + a),

and P(· | 0) − e^ε P(· | t) ≤ δ is the inequality above. f is convex in i, and least at the real
number i = (t − 1 − ε / decay) / 2, so the whole numbers next to it decide; some more of them are
tested, which does no harm. Inputs further apart are worse: f falls as t grows. Moving outputs to
the ends of the grid reveals no more (see `grids.py`).
"""

from fractions import Fraction

from .claim import PrivacyClaim
from .document import read_fields
from .grids import read_grid
from .numbers import FIRST_BITS, LARGEST_EXPONENT, Number, read_number
from .report import Findings, fail, need

_PART = "mechanism"
_SHAPE = "form: noise, inputs: object, outputs: object, decay: object"
_MOST_BITS = 2**15


def prove_laplace(claim: PrivacyClaim) -> Findings:
    """Prove that half lines differ by no more than ε and δ allow."""
    *_, section = read_fields(claim.mechanism, _PART, _SHAPE)
    last, steps = read_grid(claim)
    decay = read_number(section, _PART)
    message = "noise needs two points, and a decay above 0 that is not absurdly large"
    if decay is None or last == 0 or not _is_sensible(decay, steps):
        fail(_PART, message)
    cost = decay.times(steps)
    if claim.epsilon is not None and not claim.covers(cost):
        small = claim.epsilon.value < LARGEST_EXPONENT
        need(small, "epsilon", f"must be below {LARGEST_EXPONENT}")
        need(claim.delta > 0, "epsilon", f"{cost} is needed; claimed is {claim.epsilon}")
        for i in _lines_to_test(steps, claim.epsilon, decay):
            if not _is_enough(decay, claim.epsilon, i, steps, claim.delta):
                fail(
                    "delta",
                    f"outputs up to {i} steps above the lower of two inputs {steps} steps apart "
                    f"need more than {Number(claim.delta)} with epsilon {claim.epsilon}",
                )
    yield f"On inputs {steps} steps apart, half lines differ by no more than the claim allows."


def _is_sensible(decay: Number, steps: int) -> bool:
    whole = decay.ratio == 1 or steps < LARGEST_EXPONENT
    return whole and steps * decay.value < LARGEST_EXPONENT and decay > Number(Fraction(0))


def _lines_to_test(steps: int, epsilon: Number, decay: Number) -> range:
    """Return the whole numbers from 0 to steps − 1 around where f is least."""
    # 20 digits are near enough: what they may be off by is in the slack.
    middle = (steps - 1 - Fraction(str(epsilon)) / Fraction(str(decay))) / 2
    slack = 2 + steps // 2**45
    first, last = int(middle) - slack, int(middle) + slack
    return range(min(max(first, 0), steps - 1), min(max(last, 0), steps - 1) + 1)


def _is_enough(decay: Number, epsilon: Number, i: int, steps: int, delta: Fraction) -> bool:
    """Decide f(i) ≥ (1 − δ)(1 + a), enclosing both sides more closely until it is certain."""
    bits = FIRST_BITS
    while True:
        near, far, a = (_inverse_power(decay.times(k), bits) for k in (i + 1, steps - i, 1))
        low, high, scale = epsilon.power_bounds(bits)
        least = near[0] + far[0] * Fraction(low, scale)
        most = near[1] + far[1] * Fraction(high, scale)
        if least >= (1 - delta) * (1 + a[1]):
            return True
        if most < (1 - delta) * (1 + a[0]):
            return False
        need(bits < _MOST_BITS, "delta", "is too close to what is needed to be told apart")
        bits *= 2


def _inverse_power(number: Number, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of e^−number."""
    low, high, scale = number.power_bounds(bits)
    return Fraction(scale, high), Fraction(scale, low)
