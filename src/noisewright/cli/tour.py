"""`noisewright tour`: a walk in sentences, from a mechanism to a caught forgery."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright.cli.checker import say_what_the_checker_says
from noisewright.cli.say import heading, say

HELP = """Build a mechanism, prove it, certify it, sample it, and catch a forgery.

\b
Examples:
  noisewright tour
  noisewright tour --out /tmp/tour
"""

_DRAWS = 1_000_000


def tour(
    out: Annotated[Path, typer.Option(help="The folder for what the tour writes.")] = Path(
        "noisewright-tour"
    ),
) -> None:
    """Build a mechanism, prove it, certify it, sample it, and catch a forgery."""
    import noisewright as nw
    from noisewright.errors import InputError

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make the folder {out}: {problem.strerror}.") from problem

    heading("1. A mechanism")
    say(
        "Eight people were asked a question, and we want to publish how many said yes without "
        "giving any of them away. The geometric mechanism adds noise to the count and keeps it "
        "between 0 and 8."
    )
    mechanism = nw.geometric(nw.Counts(8), epsilon="0.5")
    _picture(mechanism.matrix)
    truth = mechanism.matrix[3, 3]
    say(f"If 3 people said yes, it answers 3 with probability {truth:.3f}.")

    heading("2. Its guarantee")
    verdict = nw.verify(mechanism, epsilon="0.5")
    least = nw.tight_epsilon(mechanism)
    say(
        f"{verdict} This was decided on the integers that are sampled, not on rounded "
        f"probabilities. No smaller epsilon would do: the least is {least!r}."
    )
    too_much = nw.verify(mechanism, epsilon="0.49")
    say(f"Claim a little more and you are told why not. {too_much}")

    heading("3. A certificate that needs no trust in us")
    path = nw.certify(mechanism).save(out / "geometric.json")
    say(f"The proof's data is in {path}.")
    say_what_the_checker_says(path)

    heading("4. Noise")
    _sample(mechanism)

    heading("5. A forgery")
    forged = _forge(path, out / "forged.json")
    say(
        "Someone makes the truthful answer to the count 3 slightly more likely, by one part in "
        "2^30, takes that from another answer so that the row still adds up, and refreshes the "
        "digests."
    )
    say_what_the_checker_says(forged)

    heading("What next")
    say(f"Both certificates are in {out}. Read them: they are plain JSON.")
    program = "noisewright" if shutil.which("noisewright") else sys.argv[0]
    say(f"Ask about your own mechanism: {program} verify matrix.csv --epsilon 1")


def _picture(matrix: Any) -> None:
    """Draw the mechanism: a row for each true count, darker where the answer is likelier."""
    shades = " ░▒▓█"
    top = matrix.max()
    say("          answer 0 … 8")
    for count, row in enumerate(matrix):
        # The square root brings out the faint parts, as eyes and heatmaps do.
        cells = "".join(shades[min(4, int(5 * (p / top) ** 0.5))] * 2 for p in row)
        say(f"  {count} said yes  │{cells}│")


def _sample(mechanism: Any) -> None:
    import numpy as np

    start = time.perf_counter()
    drawn = mechanism.sample(np.full(_DRAWS, 3))
    seconds = time.perf_counter() - start
    share = float((drawn == 3).mean())
    say(
        f"A million answers to the count 3 took {seconds * 1000:.0f} ms, with randomness from "
        f"AES keyed by the operating system. {share:.1%} of them are 3; the table says "
        f"{mechanism.matrix[3, 3]:.1%}."
    )


def _forge(path: Path, target: Path) -> Path:
    import hashlib

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
