"""The command line: one file per verb."""

from __future__ import annotations


def main() -> None:
    """Run the program `noisewright`."""
    import io
    import os
    import signal
    import sys

    if hasattr(signal, "SIGPIPE"):
        # A reader that has seen enough (head, less) ends the program quietly, as it ends others.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without some character shows a question mark instead of an error.
            stream.reconfigure(errors="replace")
    if sys.argv[1:] == ["--version"]:
        # Programs that look for this one ask it first, and should not wait for all verbs.
        from noisewright.version import version_line

        try:
            print(version_line(), flush=True)
        except OSError as problem:
            print(
                f"noisewright: cannot write to standard output: {problem.strerror}.",
                file=sys.stderr,
            )
            os._exit(2)  # What could not be printed would be tried again.
        sys.exit(0)
    try:
        # Loading takes longest, so someone who changes their mind does it here.
        from noisewright.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        print("noisewright: interrupted.", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError as problem:
        # Some of the answer is missing, which nobody sees in a file that is full.
        print(f"noisewright: cannot write to standard output: {problem.strerror}.", file=sys.stderr)
        os._exit(code or 2)
    sys.exit(code)


__all__ = ["main"]
