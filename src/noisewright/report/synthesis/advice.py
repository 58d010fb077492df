"""What a reader of a synthetic table should know, do and check."""

from __future__ import annotations

import shlex

from noisewright.report.markup import (
    Markup,
    bullets,
    code_block,
    definitions,
    joined,
    label,
    paragraph,
    text,
)
from noisewright.report.release.advice import PRIVACY_WORDS, certificate_name
from noisewright.report.synthesis.facts import SynthesisFacts


def known_and_not(facts: SynthesisFacts) -> Markup:
    """Say which answers the table can give, and which it cannot."""
    if facts.errors.bound is not None:
        known = [text("Answers to the queries of the workload, within the bound above.")]
        unknown = [
            text(
                f"Everything else. The table has {facts.rows:,} "
                f"{'row' if facts.rows == 1 else 'rows'}, so that shares come in steps of "
                f"{100 / max(facts.rows, 1):.3g}%."
            )
        ]
        return _both(known, unknown)
    count = len(facts.varying)
    pairs = sum(pair <= set(facts.varying) for pair in facts.linked)
    possible = count * (count - 1) // 2
    known = [text("How often each value occurs in columns that were counted, within noise.")]
    if pairs:
        known.append(
            text(f"How columns go together that were counted together: {pairs:,} of {possible:,}.")
        )
    unknown: list[Markup] = []
    if pairs < possible:
        left = possible - pairs
        which = "two columns go" if possible == 1 else "one other pair of columns goes"
        if left > 1:
            which = f"{'other ' if pairs else ''}{left:,} pairs of columns go"
        unknown.append(
            text(
                f"How the {which} together. The rows show "
                "something there, which follows from the counted pairs alone: it may be far off, "
                "and none of the errors above covers it."
            )
        )
    if count > 2:
        unknown.append(
            text(
                "How three columns or more go together, unless they were counted together. A model "
                "that is fitted to these rows can be wrong with great confidence."
            )
        )
    unknown += [
        text(
            "Rare combinations. A cell with fewer people than the noise is wide may be empty here, "
            "or not empty here and empty in truth."
        ),
        text("Single rows. They belong to nobody, and none of them was copied from anybody."),
    ]
    unknown += [text(note) for note in facts.limits]
    return _both(known, unknown)


def _both(known: list[Markup], unknown: list[Markup]) -> Markup:
    return joined(
        ["<h3>Known</h3>", bullets(known), "<h3>Not known to be right</h3>", bullets(unknown)]
    )


def how_to_use(facts: SynthesisFacts) -> Markup:
    """Say how the table is to be read, with the lines to type."""
    name = facts.counted[0].name if facts.counted else ""
    lines = ["import noisewright as nw", "", f"made = nw.results.Synthesis.open({facts.data!r})"]
    if not facts.data:
        lines = ["made = nw.synthesize(…)   # as it was called for this table; it is in no file"]
    lines.append("print(made.table)   # the rows, as an Arrow table")
    items: list[str] = []
    if name:
        lines += [
            "for one in made.measurements:   # the noisy counts behind them",
            "    print(one.estimate)         # with standard errors and intervals",
        ]
        items.append(
            "For a number that matters, take the noisy counts rather than counting rows: they are "
            "right on average, and say how sure they are."
        )
    items += [
        "Standard errors and tests computed from synthetic rows as if these were people are too "
        "optimistic: they know nothing of the noise, nor of what the model leaves out.",
        "Try an analysis on these rows; confirm what matters by a private count of its own.",
        "Whatever is computed from these files is free: it costs no privacy, however often.",
    ]
    if facts.rows != facts.people:
        items.append(
            f"The table has {facts.rows:,} rows and stands for {facts.people:,}: compare shares, "
            "not counts. More rows than people add no knowledge."
        )
    return joined(
        [
            code_block(lines, about="lines of Python that read the table"),
            bullets(text(words) for words in items),
        ]
    )


def how_to_check_synthesis(facts: SynthesisFacts) -> Markup:
    """Say what can be checked, and what rests on trust."""
    parts: list[str] = _remade(facts)
    certificate = certificate_name(facts.files)
    if certificate:
        digest = facts.certificate_digest
        command = f"noisewright check {shlex.quote(certificate)}"
        parts += [
            paragraph(
                text(
                    "The certificate proves that the steps together give away no more than is "
                    "claimed. Compare its digest with one that you got by another way."
                )
            ),
            code_block(
                [f"{command} \\", f"  --digest {digest}"] if digest else [command],
                about="command that checks the certificate",
            ),
        ]
    parts.append(
        paragraph(
            text(
                "Nobody can see from a table that its noise was drawn as described, or that "
                "nothing else was published about the same people: for these, the publisher "
                "answers."
            ),
            kind="soft",
        )
    )
    return joined(parts)


def _remade(facts: SynthesisFacts) -> list[str]:
    """Say how the page is made again, and where the proof is if no file has it."""
    if not facts.data:
        words = (
            "The table is in memory alone: whoever made it has every step and what it spent as "
            "made.spends, and the proof as made.certificate. With out= they go into files."
        )
        digest = facts.certificate_digest
        said = f"The digest of its certificate is {digest}." if digest else ""
        return [paragraph(text(words)), paragraph(text(said)) if said else ""]
    words = (
        "The file beside the table names every step and what it spent, as fractions; opening it "
        "compares the SHA-256 of the table. This page can be made again from the two of them:"
    )
    command = f"noisewright report {shlex.quote(facts.data)}"
    return [
        paragraph(text(words)),
        code_block([command], about="command that makes this page again"),
    ]


def glossary_of_synthesis() -> Markup:
    """Explain the words that the page uses."""
    words = (
        (
            "synthetic row",
            "A row drawn by a model that was fitted to noisy counts. It is nobody’s.",
        ),
        *PRIVACY_WORDS,
        (
            "ρ (rho)",
            "Another measure of what is given away, in which many small steps add up to less; ε "
            "and δ follow from it.",
        ),
        (
            "noisy count",
            "How many people are in a cell, plus a random whole number of known spread. Right on "
            "average; it may be negative.",
        ),
        ("workload", "The tables and queries that the synthetic rows should answer well."),
        (
            "link",
            "Beside two columns of the tree: the share of synthetic rows that would have to change "
            "if the columns had nothing to do with each other. 0 is no link, 1 the strongest.",
        ),
    )
    return definitions((text(term), text(meaning)) for term, meaning in words)


def columns_listed(facts: SynthesisFacts, longest: int = 20) -> Markup:
    """Name the columns."""
    shown = [str(label(name, longest=40)) for name in facts.names[:longest]]
    more = len(facts.names) - longest
    return Markup(", ".join(shown) + (f" and {more:,} more" if more > 0 else ""))
