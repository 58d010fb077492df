"""The command line: one file per verb."""

from __future__ import annotations


def main() -> None:
    """Run the program `noisewright`."""
    import sys

    try:
        # Loading takes longest, so someone who changes their mind does it here.
        from noisewright.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        print("noisewright: interrupted.", file=sys.stderr)
    sys.exit(code)


__all__ = ["main"]
