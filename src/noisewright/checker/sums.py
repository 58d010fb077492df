"""The mean of the positive part of a sum of many independent numbers, bounded from above.

**Statement.** Let G₁, …, Gₙ be independent with one law: values with masses, and 0 with the rest.
`mean_of_sum` returns no less than (1/n) E[max(0, G₁ + … + Gₙ)]. For several laws with one mean it
returns no less than for any of them.

**Why.** Write X ≤ Y if E f(X) ≤ E f(Y) for every f that is convex and does not fall. Sums keep this
order: add one number after the other, and each time f(· + the others) is such a function again.
max(0, ·) is one as well. Everything done to a law here makes it larger in this order:

* a value between two points of a grid is split onto them in such a way that the mean stays;
* a mass is rounded up, and masses may so sum to more than 1 (max(0, ·) is not negative): what lies
  at 0 is not less for it;
* the lowest values, together at most `tail`, move up to the lowest that is kept;
* of several laws, E max(0, G − t) is taken at its largest for each t on the grid: that is convex
  in t again, and its second differences are the masses of a law that is above all of them.

At first the rarest gains are left out: high ones with the mass m in all and the mean g. The sum is
at most that of the positive gains, so where one of the n gains is among these it adds no more than
g + n m E[max(0, G)] to the result. The lowest gains move up to the lowest that is kept.

The highest sums, together at most `tail`, are set aside with everything that is added to them
later; in the end they count with the largest sum there can be, `top`.

The sum of 2k numbers is that of k numbers twice, so a few dozen steps suffice for any n. A product
of two laws is one product of two long integers, with a slot of `width` bytes for each mass.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import ceil

from .report import need

Law = list[tuple[Fraction, Fraction]]
"""Values and their masses; what the masses lack of 1 lies at 0."""

_MOST_POINTS = 1024
_MOST_AT_FIRST = 2**14
_ROUNDED = Fraction(1, 2**96)
"""By more than this the masses of a law were not rounded up, all together."""


@dataclass(frozen=True)
class _Grid:
    """Masses over 2^bits at first · step, (first + 1) · step, …; and `aside` at up to `top`."""

    step: Fraction
    first: int
    masses: list[int]
    aside: int
    top: Fraction
    bits: int


def mean_of_sum(laws: list[Law], n: int, step: Fraction, aim: Fraction) -> Fraction:
    """Return a bound on (1/n) E[max(0, G₁ + … + Gₙ)]; tails of less than `aim` may be set aside."""
    cores = [_core_of(law, n, aim / 2**12) for law in laws]
    laws, extra = [core for core, _ in cores], max(more for _, more in cores)
    widest = max((abs(value) for law in laws for value, _ in law), default=Fraction(0))
    ok = step > 0 and 2 * widest <= step * _MOST_AT_FIRST
    need(ok, "mechanism", f"the step must be above 0, and not too fine: at most {_MOST_AT_FIRST}")
    bits = 48 + n.bit_length() + (ceil(1 / aim) * ceil(widest + 1)).bit_length()
    one = _largest([_split(law, step, bits) for law in laws])
    share = (aim * 2**bits / (2**13 * max(one.top, Fraction(1)) * n)).__floor__()
    power, copies = one, 1
    for digit in f"{n:b}"[1:]:
        power, copies = _add(power, power, share * copies), 2 * copies
        while one.step < power.step:
            one = _coarsen(one)
        if digit == "1":
            power, copies = _add(power, one, share * copies), copies + 1
    above = sum((power.first + i) * m for i, m in enumerate(power.masses) if power.first + i > 0)
    return (above * power.step + power.aside * power.top) / (n * 2**bits) + extra


def _core_of(law: Law, n: int, most: Fraction) -> tuple[Law, Fraction]:
    """Return a law without its rarest gains, and how much these add to the result at most."""
    ordered = sorted(law)
    gain, mean = (sum(v * m for v, m in law if v > least) for least in (0, -(2**999)))
    extra, low = Fraction(0), Fraction(0)
    while ordered and ordered[-1][0] > 0:
        value, mass = ordered[-1]
        more = extra + mass * (value + n * gain)
        if more > most:
            break
        extra, ordered = more, ordered[:-1]
    start, moved = 0, Fraction(0)
    for value, mass in ordered[:-1]:
        moved -= value * mass
        if value >= 0 or moved > abs(mean) / 2**14:
            break
        start, low = start + 1, low + mass
    kept = ordered[start:]
    return [(value, mass + (low if i == 0 else 0)) for i, (value, mass) in enumerate(kept)], extra


def _split(law: Law, step: Fraction, bits: int) -> _Grid:
    rest = max(1 - sum(mass for _, mass in law), Fraction(0)) + _ROUNDED
    spots = [(value // step, value / step - value // step, mass) for value, mass in law]
    first, last = (end([0, *(at for at, _, _ in spots)]) for end in (min, max))
    masses = [0] * (last - first + 2)
    for at, part, mass in [*spots, (0, Fraction(0), rest)]:
        masses[at - first] += ceil(mass * (1 - part) * 2**bits)
        masses[at - first + 1] += ceil(mass * part * 2**bits)
    return _Grid(step, first, masses, 0, (last + 1) * step, bits)


def _largest(laws: list[_Grid]) -> _Grid:
    first = min(law.first for law in laws) - 1
    size = max(law.first + len(law.masses) for law in laws) - first + 1
    most = [0] * size
    for law in laws:
        before, after = law.first - first, size - len(law.masses) - law.first + first
        masses = [0] * before + law.masses + [0] * after
        beyond = accumulate(reversed(masses))  # from the right: the masses from here on,
        excess = [0, *accumulate(beyond)]  # and the mean of max(0, G − t), in steps, one further
        most = [max(pair) for pair in zip(most, reversed(excess[:size]), strict=True)]
    bends = [most[i - 1] - 2 * most[i] + most[i + 1] for i in range(1, size - 1)]
    bends[0] += max(0, max(sum(law.masses) for law in laws) - sum(bends))
    top = max(law.top for law in laws)
    return replace(laws[0], first=first + 1, masses=bends, top=top)


def _add(a: _Grid, b: _Grid, tail: int) -> _Grid:
    masses = [-(-mass >> a.bits) for mass in _multiply(a.masses, b.masses)]
    aside = -(-(a.aside * (sum(b.masses) + b.aside) + b.aside * sum(a.masses)) >> a.bits)
    low = next((i for i, m in enumerate(accumulate(masses)) if m > tail), len(masses) - 1)
    cut = next((i for i, m in enumerate(accumulate(reversed(masses))) if m > tail), 0)
    cut = min(cut, len(masses) - 1 - low)
    kept = masses[low : len(masses) - cut]
    kept[0] += sum(masses[:low])
    aside += sum(masses[len(masses) - cut :])
    added = _Grid(a.step, a.first + b.first + low, kept, aside, a.top + b.top, a.bits)
    while len(added.masses) > _MOST_POINTS:
        added = _coarsen(added)
    return added


def _coarsen(law: _Grid) -> _Grid:
    """Double the step: every second point is split onto its two neighbors."""
    first = law.first // 2
    masses = [0] * ((law.first + len(law.masses)) // 2 - first + 2)
    for at, mass in enumerate(law.masses, law.first):
        masses[at // 2 - first] += ceil(Fraction(mass, 2)) if at % 2 else mass
        masses[at // 2 - first + 1] += -(-mass // 2) if at % 2 else 0
    top = law.top + law.step
    return replace(law, step=2 * law.step, first=first, masses=masses, top=top)


def _multiply(a: list[int], b: list[int]) -> list[int]:
    """Return the sums of a[i] b[j] with i + j = 0, with i + j = 1, and so on."""
    largest = max(a) * max(b) * min(len(a), len(b))
    width = largest.bit_length() // 8 + 1
    x, y = (
        int.from_bytes(b"".join(m.to_bytes(width, "little") for m in c), "little") for c in (a, b)
    )
    size = len(a) + len(b) - 1
    slots = (x * y).to_bytes(size * width, "little")
    return [int.from_bytes(slots[i : i + width], "little") for i in range(0, size * width, width)]
