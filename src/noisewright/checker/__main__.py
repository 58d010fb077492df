"""The command line of the checker."""

import json
import sys
from dataclasses import asdict

from . import Report, check_file

_USAGE = (
    "Run `python checker.pyz a.json [b.json ...] [--json]`: "
    "exit status 0 proven, 1 not, 2 unreadable."
)


def main(arguments: list[str]) -> int:
    """Check files, print what was found, and return the exit status."""
    reports = {name: check_file(name) for name in arguments if name not in ("--json", "--help")}
    if not reports:
        print(_USAGE)
    for name, report in reports.items():
        if "--json" in arguments:
            print(json.dumps({"file": name, **asdict(report)}))
        else:
            print(_in_words(name, report))
    parts = {failure.part for report in reports.values() for failure in report.failures}
    if "format" in parts or {*arguments} <= {"--json"}:
        return 2
    return 0 if all(reports.values()) else 1


def _in_words(name: str, report: Report) -> str:
    lines = [f"{name}: {'proven' if report else 'NOT PROVEN'}", *report.proved]
    lines += [f"FAILED {failure.part}: {failure.message}" for failure in report.failures]
    return "\n  ".join(lines).encode("ascii", "backslashreplace").decode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
