"""Altair, loaded when a chart is drawn, and charts as files: pictures, pages, specifications.

Pages need no network. Pictures are drawn in another process: vl-convert runs JavaScript in V8,
which ends its whole process where memory is limited (`ulimit -v`, some containers): nothing can be
caught. The process is started once, draws one chart after the other, and ends with this one.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import html
import importlib.util
import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

from noisewright.errors import EngineError, InputError, MissingPartError
from noisewright.files import write_whole
from noisewright.report.texts import writable

_ADVICE = "which comes with noisewright and is missing here: pip install"
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
        raise MissingPartError(f"charts are drawn with Altair, {_ADVICE} altair.") from problem
    return altair


def load_renderer() -> Renderer:
    """Return what makes pictures and offline pages of charts, or say how to install it."""
    if importlib.util.find_spec("vl_convert") is None:
        raise MissingPartError(f"charts are saved with vl-convert, {_ADVICE} vl-convert-python.")
    return _renderer()


@cache
def _renderer() -> Renderer:
    return Renderer()


FORMATS = (".png", ".svg", ".html", ".json")

_SCALE = 2
"""Pixels of a PNG for each pixel of the chart: sharp on paper and on fine screens."""

# The menu offers the picture, not the link that would send the data to an editor on the web.
_EMBED = '{"renderer": "svg", "actions": {"export": true, "source": false, "compiled": false, \
"editor": false}}'

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 1.5rem; background: #fff; }}</style>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {embed}).catch(console.error);</script>
</body>
</html>
"""


def require_format(path: str | os.PathLike[str]) -> str:
    """Return the ending of a path that a chart can be saved to, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"cannot save a chart as {os.fspath(path)!r}: its name must end in "
            f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
    return suffix


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file; its ending says how: .png, .svg, .html or .json (Vega-Lite).

    Ensures: the file is whole or not there. A page holds everything it needs, so that it
    opens without a network and calls nobody.
    """
    suffix = require_format(path)
    alt = load_altair()
    if not isinstance(chart, alt.TopLevelMixin):
        raise InputError(f"save_chart takes an Altair chart; got {type(chart).__name__}.")
    data = _render(alt, chart, suffix)
    try:
        write_whole(path, data)
    except OSError as problem:
        raise InputError(
            f"cannot write {os.fspath(path)}: {problem.strerror}. Give a path in a folder that "
            "exists and that you may write to."
        ) from problem


def _render(alt: Any, chart: Any, suffix: str) -> bytes:
    if suffix == ".json":
        return chart.to_json(indent=None).encode()
    renderer = load_renderer()
    # vl-convert brings several versions of Vega-Lite; the chart is written for one of them.
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    spec = _make_writable(chart.to_dict())
    if suffix == ".png":
        return renderer.call("vegalite_to_png", spec, vl_version=version, scale=_SCALE)
    if suffix == ".svg":
        return renderer.call("vegalite_to_svg", spec, vl_version=version)
    return _page(spec, renderer.call("javascript_bundle", vl_version=version).decode()).encode()


def _page(spec: dict[str, Any], library: str) -> str:
    title = spec.get("title", "Chart")
    if isinstance(title, dict):
        title = title.get("text", "Chart")
    # A label may hold "</script>"; the escape keeps it text and means the same to JavaScript.
    written = json.dumps(spec).replace("<", "\\u003c")
    return _PAGE.format(title=html.escape(str(title)), library=library, spec=written, embed=_EMBED)


def _make_writable(spec: Any) -> Any:
    """Return the specification of a chart with all of its text writable."""
    if isinstance(spec, str):
        return writable(spec)
    if isinstance(spec, dict):
        entries: dict[Any, Any] = spec  # pyright: ignore[reportUnknownVariableType]
        return {writable(key): _make_writable(value) for key, value in entries.items()}
    if isinstance(spec, list):
        items: list[Any] = spec  # pyright: ignore[reportUnknownVariableType]
        return [_make_writable(value) for value in items]
    return spec
