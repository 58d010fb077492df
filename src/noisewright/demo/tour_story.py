"""A walk in sentences, from a mechanism to a caught forgery."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import certify
from noisewright.demo.narrator import Narrator
from noisewright.errors import InputError
from noisewright.mechanisms import Mechanism, geometric
from noisewright.privacy import tight_epsilon, verify
from noisewright.spaces import Counts

_DRAWS = 1_000_000


def tell_tour(out: Path, *, narrator: Narrator) -> None:
    """Build a mechanism, prove it, certify it, sample it, and catch a forgery; write to `out`."""
    say, heading = narrator.say, narrator.heading
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make the folder {out}: {problem.strerror}.") from problem

    heading("1. A mechanism")
    say(
        "Eight people were asked a question, and we want to publish how many said yes without "
        "revealing what any of them said. The geometric mechanism adds noise to the count and "
        "keeps it between 0 and 8."
    )
    mechanism = geometric(Counts(8), epsilon="0.5")
    for line in _picture(mechanism.matrix):
        say(line)
    truth = mechanism.matrix[3, 3]
    say(f"If 3 people said yes, it answers 3 with probability {truth:.3f}.")

    heading("2. Its guarantee")
    verdict = verify(mechanism, epsilon="0.5")
    least = tight_epsilon(mechanism)
    say(
        f"{verdict} This was decided on the integers that are sampled, not on rounded "
        f"probabilities. No smaller epsilon holds: the least is {least!r}."
    )
    too_much = verify(mechanism, epsilon="0.49")
    say(f"Claim a little more privacy, and you are shown why it does not hold. {too_much}")

    heading("3. A certificate that needs no trust in us")
    path = certify(mechanism).save(out / "geometric.json")
    say(f"The proof's data is in {path}.")
    narrator.check(path)

    heading("4. Noise")
    say(_speed(mechanism))

    heading("5. A forgery")
    forged = _forge(path, out / "forged.json")
    say(
        "Someone makes the truthful answer to the count 3 slightly more likely, by one part in "
        "2^30, takes that from another answer so that the row still adds up, and refreshes the "
        "digests."
    )
    narrator.check(forged)

    heading("What next")
    say(f"Both certificates are in {out}. Read them: they are plain JSON.")
    say(f"Ask about your own mechanism: {narrator.program} verify matrix.csv --epsilon 1")


def _picture(matrix: NDArray[np.float64]) -> Iterator[str]:
    """Yield the mechanism: a row for each true count, darker where the answer is likelier."""
    shades = " ░▒▓█"
    top = matrix.max()
    yield "          answer 0 … 8"
    for count, row in enumerate(matrix):
        # The square root brings out the faint parts, as eyes and heatmaps do.
        cells = "".join(shades[min(4, int(5 * (p / top) ** 0.5))] * 2 for p in row)
        yield f"  {count} said yes  │{cells}│"


def _speed(mechanism: Mechanism) -> str:
    start = time.perf_counter()
    drawn = mechanism.sample(np.full(_DRAWS, 3))
    seconds = time.perf_counter() - start
    share = float((drawn == 3).mean())
    return (
        f"A million answers to the count 3 took {seconds * 1000:.0f} ms, with randomness from "
        f"AES keyed by the operating system. {share:.1%} of them are 3; the table says "
        f"{mechanism.matrix[3, 3]:.1%}."
    )


def _forge(path: Path, target: Path) -> Path:
    document = json.loads(path.read_text(encoding="utf-8"))
    row = document["mechanism"]["weights"][3]
    step = int(row[3], 16) >> 30
    row[3] = f"{int(row[3], 16) + step:x}"
    row[4] = f"{int(row[4], 16) - step:x}"

    def digest(section: Any) -> str:
        text = json.dumps(section, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    document.pop("digest")
    document["digests"]["mechanism"] = digest(document["mechanism"])
    document["digest"] = digest(document)
    target.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return target
