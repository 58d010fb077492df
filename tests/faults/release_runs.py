"""Real release processes, started quickly: forked from one that has loaded everything.

Run as a program it reads one JSON object a line and answers with one. It has no threads when it
forks: everything is imported, nothing is used. What everything is, one release in a child tells.
"""

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE = 5


class Runs:
    """A process that forks releases on demand."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, **command: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(command, default=str), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def whole(self, **release: Any) -> dict[str, Any]:
        """Run one release to its end: how long it took, and what it said."""
        return self.ask(work="whole", release=release)

    def killed(self, after: float, **release: Any) -> bool:
        """Run one release and kill it after some seconds; False if it had ended before."""
        return self.ask(work="killed", release=release, after=after)

    def step(self, number: int, **release: Any) -> bool:
        """Let a release kill itself before its n-th system call about files; False if it ended."""
        return self.ask(work="step", release=release, number=number)

    def limited(self, megabytes: float, **release: Any) -> str:
        """Run one release that gets so much more memory, and return what it said, if anything."""
        return self.ask(work="limited", release=release, megabytes=megabytes)

    def race(self, releases: list[dict[str, Any]]) -> list[str]:
        """Run several at once; return what each of them said."""
        return self.ask(work="race", releases=releases)


@contextlib.contextmanager
def release_runs() -> Generator[Runs]:
    """Start a process that is ready to fork."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )
    try:
        yield Runs(process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=60)


def said(release: dict[str, Any]) -> str:
    import noisewright as nw

    written = {name: release.pop(name) for name in ("what", "overwrite") if name in release}
    out = nw.planning.Output(release.pop("out"), report=False, **written)
    try:
        nw.release(release.pop("data"), release.pop("plan"), out=out, **release)
    except nw.errors.NoisewrightError as problem:
        return f"{type(problem).__name__}: {problem}"
    except MemoryError:
        return "not enough memory"
    return "released"


def forked(
    release: dict[str, Any], *, die_before: int | None = None, megabytes: float | None = None
) -> tuple[int, int]:
    """Start a release; return its process and the end of the pipe on which it speaks."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        if die_before is not None:
            die_at(die_before)
        if megabytes is not None:
            limit_memory(megabytes)
        os.write(writing, said(release).encode())
    except BaseException as problem:
        os.write(writing, f"BUG {problem!r}".encode())
    finally:
        os._exit(0)


def limit_memory(megabytes: float) -> None:
    """Let this process have so much more address space than it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + int(megabytes * (1 << 20))
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def die_at(number: int) -> None:
    """Make the n-th call that changes a folder or syncs a file the last thing not to happen."""
    left = number

    def counted(call: Any) -> Any:
        def counting(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return counting

    for name in ("fsync", "link", "mkdir", "rename", "replace", "rmdir", "unlink"):
        setattr(os, name, counted(getattr(os, name)))
    # A ledger's commits happen inside of SQLite: before and after each of them counts as well.
    from noisewright.ledger.locked_transactions import Database

    write = counted(Database.write)
    after = counted(lambda: None)

    def both(*arguments: Any, **options: Any) -> Any:
        answer = write(*arguments, **options)
        after()
        return answer

    setattr(Database, "write", both)  # noqa: B010 - the checker would ask for its exact type


def outcome(child: int, reading: int) -> tuple[str, bool]:
    with open(reading, encoding="utf-8") as pipe:
        words = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return words, status == -signal.SIGKILL


def answer(command: dict[str, Any]) -> Any:
    if command["work"] == "race":
        started = [forked(release) for release in command["releases"]]
        return [outcome(*one)[0] for one in started]
    if command["work"] == "step":
        return outcome(*forked(command["release"], die_before=command["number"]))[1]
    if command["work"] == "limited":
        child, reading = forked(command["release"], megabytes=command["megabytes"])
        # Arrow waits for ever for a thread that the system could not start.
        if not select.select([reading], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
        return outcome(child, reading)[0]
    begin = time.perf_counter()
    child, reading = forked(command["release"])
    if command["work"] == "killed":
        time.sleep(command["after"])
        os.kill(child, signal.SIGKILL)
        return outcome(child, reading)[1]
    words, _ = outcome(child, reading)
    return {"said": words, "seconds": time.perf_counter() - begin}


def load_all() -> None:
    """Import all that a release imports, so that those that are killed spend their time on work."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            from tests.releases.survey import make_survey

            with tempfile.TemporaryDirectory() as folder:
                survey = make_survey(Path(folder), rows=300)
                places = {"data": survey.csv, "plan": survey.plan, "ledger": survey.ledger}
                words = said({**places, "out": survey.out})
            os.write(writing, "\n".join([words, *sys.modules]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    words, *names = outcome(child, reading)[0].splitlines()
    assert words == "released"
    for name in names:
        if name.partition(".")[0] not in ("__main__", "tests"):
            with contextlib.suppress(ImportError):  # some are parts that others make up
                importlib.import_module(name)


def main() -> None:
    load_all()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
