"""What a reader of a release should do: check the proof, analyze properly, compare the files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation import channel_of, coins_of
from noisewright.meanings import DELTA, DELTA_IS_NOT
from noisewright.mechanisms import SetMechanism
from noisewright.report.markup import (
    Heading,
    Markup,
    bullets,
    code_block,
    definitions,
    joined,
    label,
    paragraph,
    table,
    text,
)
from noisewright.report.numerals import digits_for, number
from noisewright.report.release.columns import Answered
from noisewright.report.release.facts import ReleaseFacts, ReleaseFile
from noisewright.report.strips import StripScale, axis, two_dots

_MOST_SHOWN = 6


def naive_shares(one: Answered) -> list[float] | None:
    """Return the shares that a plain count of the released values would give; None if unknown.

    They follow from the unbiased estimate: it was made from them, by a map that can be undone.
    """
    estimate, mechanism = one.estimate, one.mechanism
    if estimate.what != "share" or len(estimate.axes) != 1 or estimate.method != "unbiased":
        return None
    if isinstance(mechanism, SetMechanism):
        coins = coins_of(mechanism)
        return (coins.absent + coins.gap * estimate.values).tolist()
    if isinstance(mechanism, CurveNoise) or estimate.values.size != mechanism.space.size:
        return None
    try:
        channel = channel_of(mechanism)
        if channel.outputs != channel.inputs:
            return None
        return channel.push(estimate.values, 0).tolist()
    except NoisewrightError:
        return None


def example(found: Sequence[Answered]) -> tuple[Answered, list[float]] | None:
    """Return the column in which a plain count errs most, and what it would say."""
    most, chosen = 0.0, None
    for one in found:
        naive = naive_shares(one)
        if naive is None or one.estimate.withheld.any():
            continue
        apart = float(np.abs(np.asarray(naive) - one.estimate.values).max())
        if apart > most:
            most, chosen = apart, (one, naive)
    return chosen


def how_wrong(one: Answered, naive: list[float]) -> Markup:
    """Return a small picture of what a plain count would say beside what is estimated."""
    values = one.estimate.values
    order = np.argsort(-np.abs(np.asarray(naive) - values), kind="stable")[:_MOST_SHOWN]
    places = sorted(order.tolist())
    scale = StripScale.over([*values[places].tolist(), *(naive[place] for place in places)])
    digits = min(digits_for(one.estimate.standard_errors[places].tolist(), percent=True), 2)
    rows = [
        [
            label(one.estimate.axes[0].labels[place]),
            two_dots(scale, float(values[place]), naive[place]),
            text(number(naive[place], digits, percent=True)),
            text(number(float(values[place]), digits, percent=True)),
        ]
        for place in places
    ]
    headings = (
        Heading(label(one.estimate.axes[0].name)),
        Heading(axis(scale, percent=True), kind="strip"),
        Heading(text("plain count (wrong)"), number=True),
        Heading(text("estimate"), number=True),
    )
    key = (
        '<ul class="key"><li><svg aria-hidden="true" viewBox="0 0 12 12"><circle class="naive" '
        'cx="6" cy="6" r="4"/></svg>what counting the released values would say</li><li><svg '
        'aria-hidden="true" viewBox="0 0 12 12"><circle class="dot" cx="6" cy="6" r="5"/></svg>'
        "the estimate</li></ul>"
    )
    return joined(
        [
            table(headings, rows, caption=text(f"Counting is biased: {one.name}")),
            Markup(key),
        ]
    )


def how_to_analyze(facts: ReleaseFacts, found: Sequence[Answered]) -> Markup:
    """Say how the data are to be read, with the lines to type."""
    data = shlex.quote(facts.data)
    chosen = example(found)
    column = facts.plan.private[0] if chosen is None else chosen[0].name
    return joined(
        [
            Markup(
                '<div class="note">'
                + paragraph(
                    text(
                        "Do not tabulate, average or plot the released values of private columns "
                        "as if they were data. Noise pulls every share towards the others, and "
                        "single rows mean nothing. Estimates undo this on average, and say how "
                        "sure they are."
                    )
                )
                + "</div>"
            ),
            Markup("") if chosen is None else how_wrong(*chosen),
            paragraph(text("On the command line, without any other file:")),
            code_block(
                [
                    f"noisewright estimate {data}",
                    f"noisewright estimate {data} --of {shlex.quote(column)} --about people",
                ],
                about="commands that estimate",
            ),
            paragraph(text("In Python:")),
            code_block(
                [
                    "import noisewright as nw",
                    "",
                    f"release = nw.results.Release.open({facts.data!r})",
                    f"print(release.estimate({column!r}))   # with intervals",
                    f"print(release.estimate({column!r}, about='people', together=True))",
                    'release.estimate("pairs").save("tables.csv")   # all columns and pairs',
                ],
                about="lines of Python that estimate",
            ),
            bullets(
                text(words)
                for words in (
                    'about="people" is about the people in the file, with their cells as each '
                    'column reads them: only noise is counted as error. about="population" adds '
                    "the error of having sampled these people.",
                    "An interval is meant for one answer. Of a hundred 95% intervals about five "
                    "miss; together=True widens a table's intervals so that all hold at once.",
                    "A share below 0% or above 100% is no mistake: it is what makes averages of "
                    'many estimates right. method="likelihood" gives shares inside the range.',
                    "Whatever is computed from the released file is free: it costs no privacy, "
                    "however often and by whomever it is done.",
                )
            ),
        ]
    )


def how_to_check(facts: ReleaseFacts) -> Markup:
    """Say how the proof is checked again."""
    certificate = shlex.quote(certificate_name(facts.files) or "private.certificate.json")
    return joined(
        [
            paragraph(
                text(
                    "The guarantee is not a matter of trust. The certificate holds every "
                    "probability that was used, as whole numbers; a checker proves from them that "
                    "the claimed ε and δ hold. Compare the digest with one that you got from the "
                    "publisher by another way."
                )
            ),
            code_block(
                [f"noisewright check {certificate} \\", f"  --digest {facts.certificate_digest}"],
                about="command that checks the certificate",
            ),
            paragraph(
                text(
                    "Without this program: checker.py, with formula_checker.py and "
                    "curve_checker.py beside it, are short files that need nothing but Python’s "
                    "standard library."
                )
            ),
            code_block([f"python checker.py {certificate}"], about="the stand-alone checker"),
            definitions(
                [
                    (
                        text("digest of the certificate"),
                        Markup(f"<code>{text(facts.certificate_digest)}</code>"),
                    ),
                    (text("digest of the plan"), Markup(f"<code>{facts.plan.digest}</code>")),
                ]
            ),
            paragraph(
                text(
                    "A certificate proves what the mechanism guarantees. It cannot prove that the "
                    "file was drawn from this mechanism and no other, or that nothing else was "
                    "published about the same people: for these, the publisher answers."
                ),
                kind="soft",
            ),
        ]
    )


def certificate_name(files: Sequence[ReleaseFile]) -> str | None:
    """Return the name of the certificate among the files of a release, if it is there."""
    return next((file.name for file in files if file.name.endswith(".certificate.json")), None)


def files_table(files: Sequence[ReleaseFile]) -> Markup:
    """List the files of a release with their digests."""
    if not files:
        return paragraph(text("The released table was kept in memory; no files were written."))
    headings = (
        Heading(text("file")),
        Heading(text("what it is"), kind="words"),
        Heading(text("size"), number=True),
        Heading(text("SHA-256"), kind="digest"),
    )
    rows = [
        [
            Markup(f"<code>{label(file.name)}</code>"),
            text(file.what),
            text("" if file.size is None else size_text(file.size)),
            Markup(f"<code>{text(file.sha256)}</code>" if file.sha256 else ""),
        ]
        for file in files
    ]
    digested = [shlex.quote(file.name) for file in files if file.sha256]
    return joined(
        [
            table(headings, rows, caption=text("Files that belong together; keep them together")),
            code_block([f"sha256sum {' '.join(digested)}"], about="command that prints the digests")
            if digested
            else "",
        ]
    )


def size_text(size: int) -> str:
    """Return a number of bytes in units that people read."""
    amount, unit = float(size), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.3g} {unit}"


PRIVACY_WORDS = (
    (
        "differential privacy",
        "A promise about a procedure: its results would be nearly as likely if one person’s "
        "data were replaced by any other data.",
    ),
    (
        "ε (epsilon)",
        "How nearly: probabilities change by a factor of at most e^ε. Small is private. The ε "
        "of several releases about the same people add up.",
    ),
    ("δ (delta)", f"{DELTA} {DELTA_IS_NOT} 0 unless stated."),
)
"""What every page explains."""


def glossary() -> Markup:
    """Explain the words that the page uses."""
    words = (
        *PRIVACY_WORDS,
        (
            "mechanism",
            "The procedure that turns a true value into a published one, by known probabilities.",
        ),
        (
            "randomized response",
            "Tell the truth with a known probability, otherwise any other answer. A coin toss "
            "protects each person, and averages out over many.",
        ),
        ("budget", "How much ε and δ the publisher allows to be spent on a group of people."),
        (
            "standard error",
            "About two times out of three an estimate lies within one standard error of the "
            "truth, and 19 times out of 20 within two.",
        ),
        (
            "interval",
            "A range around an estimate that holds the truth with the stated probability.",
        ),
        (
            "expected and typical error",
            "Expected errors follow from a formula before any release. Typical errors are those of "
            "many releases simulated as if the estimates were the truth; no raw data are used.",
        ),
        (
            "certificate",
            "A file with the mechanism’s exact probabilities and claims, to be proven by anyone.",
        ),
    )
    return definitions((text(term), text(meaning)) for term, meaning in words)
