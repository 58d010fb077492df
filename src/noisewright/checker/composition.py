"""What a total of ε or ρ implies: (ε, δ).

**Parts of ε that are all the same.** k adaptive steps that are each ε₁-private are, together,
(ε, δ)-private if

    δ ≥ Σ_i C(k, i) max(0, e^((k−i) ε₁) − e^(ε + i ε₁)) / (1 + e^ε₁)^k

(Kairouz, Oh and Viswanath 2015, Theorem 3.3). This allows an ε below the sum k ε₁.

**A total of ρ** (zero-concentrated privacy) implies (ε, δ)-privacy for

    δ = e^((a−1)(a ρ − ε)) (1 − 1/a)^(a−1) / a,   for every order a > 1

of Rényi divergences (Canonne, Kamath and Steinke 2020, Proposition 12). The certificate names one
order. With x = (a−1) (ε − a ρ + ln(a / (a−1))) + ln(a), what is to be shown is x ≥ −ln(δ), which
is e^x δ ≥ 1.

In both, each power and logarithm is rounded to the side that makes the claim harder to prove.
"""

from fractions import Fraction

from .claim import PrivacyClaim
from .numbers import LARGEST_EXPONENT, Number, exp_bounds, log_below, read_positive
from .report import Findings, fail, need

MOST_EQUAL = 2**12


def prove_equal_parts(claim: PrivacyClaim, each: Fraction, k: int) -> str:
    """Prove that k steps, of `each` ε, imply the claim, by optimal composition."""
    assert claim.epsilon is not None
    ok = k <= MOST_EQUAL and k * each <= LARGEST_EXPONENT
    message = f"need at most {MOST_EQUAL} of them, and a total of at most {LARGEST_EXPONENT}"
    need(ok, "steps", message)
    bits = 512
    low, high = exp_bounds(each, bits)
    lows, highs = [1 << bits], [1 << bits]  # of e^(i each), in units of 2^-bits
    for _ in range(k):
        lows.append(lows[-1] * low >> bits)
        highs.append(-(-highs[-1] * high >> bits))
    power, _, scale = claim.epsilon.power_bounds(bits)
    ways, above = 1, 0
    for i in range(k + 1):
        above += ways * max(0, highs[k - i] - lows[i] * power // scale)
        ways = ways * (k - i) // (i + 1)
    if above << bits * (k - 1) > claim.delta * ((1 << bits) + low) ** k:
        found = f"{Number(claim.delta)} is not enough for {k} steps of {Number(each)}"
        fail("delta", f"{found} and epsilon {claim.epsilon}")
    return "Equal parts compose to no more than the claimed epsilon and delta."


def prove_rho(claim: PrivacyClaim, rho: Fraction, order: str) -> Findings:
    """Prove that ρ implies the claim, by the one order that the certificate names."""
    if claim.epsilon is None:
        return
    a = read_positive(order, "order")
    if a <= 1:
        fail("order", f"found {Number(a)}; need an order above 1")
    delta = claim.delta
    epsilon = claim.epsilon.value + log_below(claim.epsilon.ratio)
    x = (a - 1) * (epsilon - a * rho + log_below(a / (a - 1))) + log_below(a)
    enough = delta == 1
    if 0 < delta < 1 and x > 0:
        x = min(x, Fraction((1 / delta).__ceil__().bit_length()))  # e^that is above 1 / delta
        enough = exp_bounds(x, 256)[0] * delta >= 1 << 256
    if not enough:
        found = f"order {Number(a)} does not show that {Number(delta)} is enough"
        fail("delta", f"{found} for rho {Number(rho)} and epsilon {claim.epsilon}")
    yield "This rho implies the claimed epsilon and delta."
