"""Altair, loaded when a chart is drawn, and its renderer in a process of its own.

vl-convert runs JavaScript in V8, which ends its whole process where memory is limited (`ulimit -v`,
some containers): nothing can be caught. The process is started once, draws one chart after the
other, and ends with this one.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from functools import cache
from typing import Any

from noisewright.errors import EngineError, MissingPartError

_ADVICE = "which is not installed: pip install 'noisewright[charts]'."
_PROGRAM = """
import base64, json, sys
sys.path[:] = json.loads(sys.argv[1])
import vl_convert
for line in sys.stdin.buffer:
    name, arguments, options = json.loads(line)
    try:
        made = getattr(vl_convert, name)(*arguments, **options)
        made = made.encode() if isinstance(made, str) else made
        said = {"made": base64.b64encode(made).decode()}
    except Exception as problem:
        said = {"failed": type(problem).__name__}
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""

_ENDED = (
    "the program that draws charts (vl-convert) ended without an answer. It needs some gigabytes "
    "of address space: raise the limit on memory (ulimit -v), or draw on another machine."
)


class Renderer:
    """Calls functions of vl-convert in another process; one that ended is not started again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._process = 0
        atexit.register(self.close)

    def call(self, name: str, *arguments: Any, **options: Any) -> bytes:
        """Return what a function of vl-convert makes, texts in UTF-8; EngineError if nothing."""
        with self._lock:
            child = self._start()
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                child.stdin.write(json.dumps([name, arguments, options]).encode() + b"\n")
                child.stdin.flush()
                said = child.stdout.readline()
            except OSError:
                said = b""
        if not said:
            raise EngineError(_ENDED)
        answer = json.loads(said)
        if "failed" in answer:
            raise EngineError(f"vl-convert could not draw this chart ({answer['failed']}).")
        return base64.b64decode(answer["made"])

    def _start(self) -> subprocess.Popen[bytes]:
        # After a fork the pipes belong to the parent.
        if self._child is None or self._process != os.getpid():
            self._child = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._process = os.getpid()
        return self._child

    def close(self) -> None:
        """End the process."""
        child = self._child
        if child is None or self._process != os.getpid():
            return
        self._child = None
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        child.wait()


def load_altair() -> Any:
    """Return the charting library, or say how to install it."""
    try:
        import altair
    except ImportError as problem:
        raise MissingPartError(f"charts are drawn with Altair, {_ADVICE}") from problem
    return altair


def load_renderer() -> Renderer:
    """Return what makes pictures and offline pages of charts, or say how to install it."""
    if importlib.util.find_spec("vl_convert") is None:
        raise MissingPartError(f"charts are saved with vl-convert, {_ADVICE}")
    return _renderer()


@cache
def _renderer() -> Renderer:
    return Renderer()
