"""Call everything that is public with odd values, one at a time: a result or an error of ours.

    python -m tests.faults.odd_calls              all of it, some minutes
    python -m tests.faults.odd_calls laplace      what has this in its name
    python -m tests.faults.odd_calls "" 2/4       the second of four pieces

Calls run in a child process that is started again after one that takes too long or kills it. An
error is one of `noisewright.errors` with a sentence, or a TypeError about the arguments' names.
"""

import inspect
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import noisewright as nw
from tests.faults.odd_subjects import CALLS, GOOD, RESULTS, public_names, result
from tests.faults.odd_values import ODD, OwnError

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 10.0
MEMORY = 4 << 30

# Abstract, or only made by functions: what they hold is not what a user types.
PUBLIC = public_names()
MADE = {name for name, value in PUBLIC.items() if inspect.isclass(value) and name not in CALLS}
LEFT_OUT: set[str] = set()


@dataclass(frozen=True)
class Case:
    """One call: what is called, which of its arguments is odd, and how."""

    subject: str
    parameter: str
    odd: str

    def __str__(self) -> str:
        return f"{self.subject}({self.parameter}={self.odd})"


def cases() -> Iterator[Case]:
    """List all calls, in an order that stays."""
    for name in sorted(CALLS):
        for parameter in _parameters(PUBLIC[name]):
            if f"{name}.{parameter}" not in LEFT_OUT:
                yield from (Case(name, parameter, odd) for odd in ODD)
    for name in sorted(RESULTS):
        kind = type(result(name))
        for method in sorted(dir(kind)):
            if method.startswith("_") or method in LEFT_OUT:
                continue
            member = inspect.getattr_static(kind, method)
            subject = f"{name}.{method}"
            if not callable(getattr(member, "__func__", member)):
                yield Case(subject, "", "")
                continue
            parameters = _parameters(getattr(kind, method), bound=_is_method(member))
            yield Case(subject, "", "")
            for parameter in parameters:
                yield from (Case(subject, parameter, odd) for odd in ODD)


def _is_method(member: Any) -> bool:
    return not isinstance(member, staticmethod | classmethod)


def _parameters(function: Any, *, bound: bool = False) -> list[str]:
    found = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    plain = [p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    return plain + [f"*{p.name}" for p in found if p.kind == p.VAR_POSITIONAL]


def _call(case: Case) -> Any:
    if "." not in case.subject:
        function = PUBLIC[case.subject]
        args, kwargs = CALLS[case.subject]()
    else:
        name, method = case.subject.split(".")
        function = getattr(result(name), method)
        if not callable(function):
            return function
        args, kwargs = (), _required(function)
    if not case.parameter:
        return function(*args, **kwargs)
    odd = ODD[case.odd]()
    if case.parameter.startswith("*"):
        return function(odd, **kwargs)
    signature = inspect.signature(function)
    names = list(signature.parameters)
    place = names.index(case.parameter)
    if place < len(args):
        return function(*args[:place], odd, *args[place + 1 :], **kwargs)
    if signature.parameters[case.parameter].kind == inspect.Parameter.POSITIONAL_ONLY:
        return function(odd, **kwargs)
    if case.parameter in {"alpha", "epsilon"}:
        # One of the two is given.
        kwargs.pop("epsilon", None)
    return function(*args, **{**kwargs, case.parameter: odd})


def _required(function: Any) -> dict[str, Any]:
    found = inspect.signature(function).parameters.values()
    usual = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: GOOD.get(p.name, 1) for p in found if p.default is p.empty and p.kind in usual}


_ARITY = re.compile(r"argument|keyword")


def outcome(case: Case) -> str | None:
    """Return what is wrong with how a call ended; None if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _call(case)
    except nw.errors.NoisewrightError as problem:
        words = str(problem)
        if len(words) < 12 or " " not in words:
            return f"{type(problem).__name__} without a sentence: {words!r}"
        return None
    except OwnError:
        return None
    except TypeError as problem:
        if str(problem) == "Sized() takes no arguments":
            return None  # a class in place of a function: the caller's own error, too
        if _ARITY.search(str(problem)) and len(traceback.extract_tb(problem.__traceback__)) <= 3:
            return None
        return _raw(problem)
    except BaseException as problem:
        return _raw(problem)
    return None


def _raw(problem: BaseException) -> str:
    where = "?"
    for frame in traceback.extract_tb(problem.__traceback__):
        if "/noisewright/" in frame.filename:
            where = f"{frame.filename.split('/noisewright/')[-1]}:{frame.lineno}"
    try:
        words = str(problem)[:120]
    except BaseException:
        words = "?"
    return f"{type(problem).__name__} at {where}: {words}"


def _child(wanted: str, piece: str, start: int) -> None:
    """Run cases from one on; say before each which it is, and after it what is wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    place = tempfile.mkdtemp()
    os.chdir(place)
    nw.certify(nw.geometric(nw.Counts(3), epsilon=1)).save("m.json")
    for number, case in enumerate(selected(wanted, piece)):
        if number < start:
            continue
        out.write(f"{number}\n")
        out.flush()
        problem = outcome(case)
        if problem is not None:
            out.write(json.dumps(problem) + "\n")
            out.flush()
    out.write("done\n")
    out.flush()


def selected(wanted: str = "", piece: str = "1/1") -> list[Case]:
    """Return the cases that have this in their name; of four pieces, each has every fourth."""
    which, pieces = map(int, piece.split("/"))
    return [case for case in cases() if wanted in case.subject][which - 1 :: pieces]


def search(
    wanted: str = "",
    *,
    piece: str = "1/1",
    seconds: float = SECONDS,
    say: Callable[[str], None] = lambda words: None,
) -> dict[Case, str]:
    """Return what is wrong with which call."""
    import select

    listed = selected(wanted, piece)
    found: dict[Case, str] = {}
    start = 0
    while start < len(listed):
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.faults.odd_calls",
                "--child",
                wanted,
                piece,
                str(start),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdout is not None
        at, buffer, ready = start, b"", False
        while True:
            # The first answer waits for imports.
            limit = seconds if ready else seconds + 60
            if not select.select([child.stdout], [], [], limit)[0]:
                found[listed[at]] = f"no answer in {seconds:g} s"
                say(f"{listed[at]}: {found[listed[at]]}")
                child.kill()
                start = at + 1
                break
            chunk = os.read(child.stdout.fileno(), 1 << 16)
            if not chunk:
                found[listed[at]] = f"the process ended with {child.wait()}"
                say(f"{listed[at]}: {found[listed[at]]}")
                start = at + 1
                break
            ready = True
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                text = line.decode()
                if text == "done":
                    start = len(listed)
                elif text.isdigit():
                    at = int(text)
                else:
                    found[listed[at]] = json.loads(text)
                    say(f"{listed[at]}: {found[listed[at]]}")
            if start >= len(listed):
                break
        child.kill()
        child.wait()
        child.stdout.close()
    return found


def main() -> int:
    """Search, and count what was found by place."""
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return 0
    began = time.monotonic()
    wanted, piece = (*sys.argv[1:], *["", "1/1"][len(sys.argv) - 1 :])
    found = search(wanted, piece=piece, say=lambda words: print(words, flush=True))
    print(f"{len(selected(wanted, piece)):,} calls in {time.monotonic() - began:.0f} s")
    for place, count in Counter(words.split(":")[0] for words in found.values()).most_common():
        print(f"{count:6} {place}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
