"""`noisewright check`: re-prove certificates with the stand-alone checker."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from noisewright.cli.options import JsonOption
from noisewright.cli.say import answer, say
from noisewright.errors import InputError
from noisewright.exact import parse_json
from noisewright.files import read_whole

_ASSUMING = "Assuming: "
"""How a sentence of the checker begins that it takes on trust."""

_BESIDE = (".synthesis.json", ".recipe.json", ".report.html", ".evaluation-NOT-FOR-RELEASE.json")
"""How the names of files end that lie beside a certificate, apart from the data."""


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
    as_json: JsonOption = False,
) -> None:
    """Prove certificates again, from their files alone.

    Exit codes: 0 all claims are proven, 1 some claim is not, 2 a file is not a certificate.

    Examples:
      noisewright check m.json
      noisewright check *.json --json
      noisewright check m.json --digest 9f86d08…  (all 64 digits, from a place you trust)
      python checker.pyz m.json    (without this package: see noisewright checker)
    """
    from noisewright import checker

    if digest is not None and len(certificates) > 1:
        raise InputError("--digest is about one certificate; check the files one by one.")
    worst = 0
    answers: list[dict[str, Any]] = []
    for path in certificates:
        report = checker.check_file(str(path))
        failures = [(failure.part, failure.message) for failure in report.failures]
        if any(part == "format" for part, _ in failures) and not _is_certificate(path):
            failures = [*_better(path), *failures][:1]
        if digest is not None and not any(part in ("file", "format") for part, _ in failures):
            failures += _other_digest(path, digest)
        unreadable = any(part in ("file", "format") for part, _ in failures)
        worst = max(worst, 2 if unreadable else 1 if failures else 0)
        answers.append(
            {
                "certificate": str(path),
                "holds": not failures,
                "proved": [line for line in report.proved if not line.startswith(_ASSUMING)],
                "assuming": [
                    line.removeprefix(_ASSUMING)
                    for line in report.proved
                    if line.startswith(_ASSUMING)
                ],
                "failures": [{"part": part, "message": text} for part, text in failures],
            }
        )
    if as_json:
        answer({"holds": worst == 0, "certificates": answers})
    else:
        for one in answers:
            _tell(one)
    raise typer.Exit(worst)


def _is_certificate(path: Path) -> bool:
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        return parse_json(read_whole(path), what="it")["format"] == "noisewright-certificate"
    return False


def _better(path: Path) -> list[tuple[str, str]]:
    """Say which file was meant, where one lies beside that is a certificate."""
    if not path.exists():
        return [("file", "there is no such file; check the path")]
    if not path.is_file():
        return []
    stem = next((path.name.removesuffix(end) for end in _BESIDE if path.name.endswith(end)), None)
    meant = path.with_name(f"{path.stem if stem is None else stem}.certificate.json")
    if _is_certificate(meant):
        return [("format", f"it is not a certificate; the certificate is {str(meant)!r}")]
    with contextlib.suppress(OSError):
        try:
            read_whole(path).decode()
        except UnicodeDecodeError:
            return [("format", "it is not a certificate: certificates are JSON")]
    return []


def _other_digest(path: Path, digest: str) -> list[tuple[str, str]]:
    wanted = digest.strip().removeprefix("sha256:").lower()
    if len(wanted) != 64 or not set(wanted) <= set("0123456789abcdef"):
        raise InputError(
            f"--digest is {digest!r}; give all 64 hexadecimal digits that were announced."
        )
    found = str(parse_json(read_whole(path), what="it")["digest"])
    if found == wanted:
        return []
    return [
        (
            "digest",
            f"the certificate's digest is {found}, not the announced {wanted}: this is a "
            "different certificate",
        )
    ]


def _tell(one: dict[str, Any]) -> None:
    say(
        f"{one['certificate']}: {'proven.' if one['holds'] else 'NOT proven.'}",
        style="bold green" if one["holds"] else "bold red",
    )
    for sentence in one["proved"]:
        say(f"  {sentence}")
    for sentence in one["assuming"]:
        say(f"  {_ASSUMING}{sentence}", style="yellow")
    for failure in one["failures"]:
        say(f"  {failure['part']}: {failure['message']}", style="red")
