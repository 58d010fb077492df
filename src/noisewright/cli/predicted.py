"""The errors of a synthetic table, before it is made and after: said, or answered in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noisewright.cli.say import answer, say

if TYPE_CHECKING:
    from noisewright.synthetic import WorkloadErrors

_MOST_SAID = 5


def tell_prediction(errors: WorkloadErrors, *, as_json: bool) -> None:
    """Say how large errors will be, and that nothing was spent."""
    if as_json:
        answer(
            {
                "method": errors.method,
                "people": errors.people,
                "expected_error": errors.expected,
                "to_choose": errors.to_choose,
                "errors": plain_errors(errors),
                "remarks": list(errors.remarks),
            }
        )
        return
    for line in str(errors).splitlines():
        say(line)
    say("Nothing was drawn, written or spent.", style="bold green")


def tell_worst(errors: WorkloadErrors) -> None:
    """Say which parts of the workload are off most, by what was expected."""
    worst = errors.worst(_MOST_SAID)
    if len(worst) < 2:
        return
    say("  Worst parts (expected; found):")
    for part in worst:
        after = "not counted together" if part.found is None else f"{part.found:.3g}"
        say(f"    {part.name} ({part.queries:,} cells): {part.expected:.3g}; {after}")


def plain_errors(errors: WorkloadErrors) -> list[dict[str, Any]]:
    """Return the errors part by part as plain values."""
    return [
        {
            "of": part.name,
            "columns": list(part.columns),
            "queries": part.queries,
            "expected": part.expected,
            "counted": part.counted,
            "found": part.found,
            "in_workload": part.in_workload,
        }
        for part in errors.parts
    ]
