"""`noisewright check`: re-prove certificates with the stand-alone checker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright import checker
from noisewright.cli.say import answer, say
from noisewright.errors import CertificateError

EPILOG = (
    "Examples: [cyan]noisewright check m.json[/cyan] · "
    "[cyan]noisewright check *.json --json[/cyan] · "
    "[cyan]python checker.py m.json[/cyan] does the same without this package."
)


def check(
    certificates: Annotated[
        list[Path], typer.Argument(help="Certificates to prove again.", show_default=False)
    ],
    digest: Annotated[
        str | None,
        typer.Option(
            help="The digest that the certificate must have, as its publisher announced it."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Prove certificates again, from their files alone.

    Exit codes: 0 all claims are proven, 1 some claim is not, 2 a file is no certificate.

    Examples:
      noisewright check m.json

      noisewright check *.json --json
    """
    worst = 0
    answers: list[dict[str, Any]] = []
    for path in certificates:
        report = checker.check_file(str(path))
        failures = [(failure.part, failure.message) for failure in report.failures]
        if digest is not None and not any(part in ("file", "format") for part, _ in failures):
            failures += _other_digest(path, digest)
        unreadable = any(part in ("file", "format") for part, _ in failures)
        worst = max(worst, 2 if unreadable else 1 if failures else 0)
        answers.append(
            {
                "certificate": str(path),
                "holds": not failures,
                "proved": list(report.proved),
                "failures": [{"part": part, "message": text} for part, text in failures],
            }
        )
    if as_json:
        answer({"holds": worst == 0, "certificates": answers})
    else:
        for one in answers:
            _tell(one)
    raise typer.Exit(worst)


def _other_digest(path: Path, digest: str) -> list[tuple[str, str]]:
    import json

    try:
        found = str(json.loads(path.read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise CertificateError(f"cannot read the digest of {path}.") from problem
    wanted = digest.removeprefix("sha256:").strip().lower()
    if found == wanted:
        return []
    return [
        (
            "digest",
            f"the certificate's digest is {found}, not the announced {wanted}: this is "
            "another certificate",
        )
    ]


def _tell(one: dict[str, Any]) -> None:
    say(
        f"{one['certificate']}: {'proven.' if one['holds'] else 'NOT proven.'}",
        style="bold green" if one["holds"] else "bold red",
    )
    for sentence in one["proved"]:
        say(f"  {sentence}")
    for failure in one["failures"]:
        say(f"  {failure['part']}: {failure['message']}", style="red")
