"""What a disk may hold after a loss of power: recorded system calls, replayed in other orders.

`recorded` runs a program under strace and keeps what it does to the files below a folder. A state
after a crash is what was synced before it, and any part of the rest: a write may be lost while a
later one is kept, and so may a name. Nothing but a sync orders anything, as POSIX has it; real file
systems promise more.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_CALLS = (
    "openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,"
    "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,lseek,close,dup,dup2,"
    "dup3,copy_file_range,sendfile"
)
_REFUSED = {"writev", "pwritev", "fallocate", "truncate", "copy_file_range", "sendfile"}
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += +(-?\d+)")
_NUMBER = re.compile(r"^(-?\w+)(?:<((?:\\x[0-9a-f]{2})*)>)?")


@dataclass(frozen=True)
class Step:
    """One thing done to a disk: data of a file (`file`), or a name in a folder (`folder`)."""

    kind: str
    file: int = 0
    folder: str = ""
    name: str = ""
    before: str = ""
    at: int = 0
    data: bytes = b""


@dataclass
class Recording:
    """All steps in their order. A sync is a step too, and so is what the program said meanwhile."""

    root: str
    steps: list[Step] = field(default_factory=list[Step])

    def pending(self, point: int) -> list[int]:
        """Return which of the first so many steps no sync has covered."""
        synced_files, synced_folders, found = set[int](), set[str](), list[int]()
        for place in range(point - 1, -1, -1):
            step = self.steps[place]
            if step.kind == "sync":
                synced_files.add(step.file)
            elif step.kind == "sync folder":
                synced_folders.add(step.folder)
            elif step.kind in ("write", "truncate"):
                if step.file not in synced_files:
                    found.append(place)
            elif step.kind != "said" and step.folder not in synced_folders:
                found.append(place)
        return found[::-1]

    def said(self, point: int) -> list[str]:
        """Return what the program had said by then."""
        return [step.name for step in self.steps[:point] if step.kind == "said"]

    def names(self, point: int, lost: Collection[int] = ()) -> dict[str, bytes]:
        """Return the files and their content after so many steps, without those that were lost."""
        names, contents = dict[str, int](), dict[int, bytearray]()
        for place, step in enumerate(self.steps[:point]):
            if place in lost:
                continue
            content = contents.setdefault(step.file, bytearray())
            if step.kind == "write":
                content.extend(bytes(max(0, step.at + len(step.data) - len(content))))
                content[step.at : step.at + len(step.data)] = step.data
            elif step.kind == "truncate":
                content.extend(bytes(max(0, step.at - len(content))))
                del content[step.at :]
            elif step.kind == "name":
                names[step.name] = step.file
                if names.get(step.before) == step.file:
                    del names[step.before]
            elif step.kind == "unname" and names.get(step.name) == step.file:
                del names[step.name]
        return {name: bytes(contents.get(file, b"")) for name, file in names.items()}

    def write_state(self, folder: Path, point: int, lost: Collection[int]) -> None:
        """Put such a state into an empty folder."""
        for name, content in self.names(point, lost).items():
            place = folder / os.path.relpath(name, self.root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def recorded(script: str, root: Path, said: Path) -> Recording:
    """Run a Python script under strace; what it writes to the file `said` are its words."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("needs: strace")
    log = said.with_suffix(".strace")
    options = [
        "-f",
        "--seccomp-bpf",
        "-y",
        "-xx",
        "-s",
        "100000000",
        "-e",
        f"trace={_CALLS}",
        "-o",
        str(log),
    ]
    done = subprocess.run(
        [strace, *options, sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    if "ptrace" in done.stderr and done.returncode:
        pytest.skip("needs: the right to trace a process")
    assert done.returncode == 0, done.stderr
    reader = _Reader(Recording(str(root)), str(said))
    with open(log, encoding="ascii") as lines:
        for line in _whole(lines):
            reader.read(line)
    return reader.recording


def _whole(lines: Iterator[str]) -> Iterator[str]:
    """Join calls that another thread's call interrupts in the log."""
    begun = dict[str, str]()
    for line in lines:
        thread, _, rest = line.partition(" ")
        rest = rest.lstrip()
        if rest.rstrip().endswith("<unfinished ...>"):
            begun[thread] = rest.rstrip().removesuffix("<unfinished ...>")
        elif rest.startswith("<... "):
            yield f"{thread} {begun.pop(thread, '')}{rest.partition('resumed>')[2]}"
        else:
            yield line


class _Reader:
    """Turns the lines of strace into steps."""

    def __init__(self, recording: Recording, said: str) -> None:
        self.recording = recording
        self._said = said
        self._names = dict[str, int]()
        self._open = dict[int, tuple[str, int]]()
        self._at = dict[int, int]()
        self._folders = {recording.root}
        self._files = 0

    def read(self, line: str) -> None:
        match = _LINE.match(line)
        if match is None or int(match[4]) < 0:
            return
        name, arguments, answer = match[2], match[3], int(match[4])
        parts = _split(arguments)
        handler: Callable[[list[str], int], None] | None = getattr(self, f"call_{name}", None)
        if name in _REFUSED and self._file(parts) is not None:
            raise AssertionError(f"{name} is not understood here")
        if handler is not None:
            handler(parts, answer)

    def _is_ours(self, path: str) -> bool:
        return path == self.recording.root or path.startswith(f"{self.recording.root}/")

    def _file(self, parts: list[str]) -> tuple[str, int] | None:
        return self._open.get(_number(parts))

    def _step(self, kind: str, **options: Any) -> None:
        self.recording.steps.append(Step(kind, **options))

    def _name(self, path: str, file: int, before: str = "") -> None:
        if before:
            self._names.pop(before, None)
        self._names[path] = file
        self._step("name", file=file, folder=os.path.dirname(path), name=path, before=before)

    def call_openat(self, parts: list[str], answer: int) -> None:
        path = _path(parts[0], parts[1])
        flags = parts[2]
        self._open.pop(answer, None)
        if path == self._said:
            self._open[answer] = (path, -1)
        elif path in self._folders:
            self._open[answer] = (path, 0)
        elif self._is_ours(path):
            if path not in self._names:
                assert "O_CREAT" in flags, path
                self._files += 1
                self._name(path, self._files)
            file = self._names[path]
            self._open[answer] = (path, file)
            if "O_TRUNC" in flags:
                self._step("truncate", file=file, at=0)
            assert "O_APPEND" not in flags, path
            self._at[answer] = 0

    def call_mkdir(self, parts: list[str], answer: int) -> None:
        self._folders.add(_path("AT_FDCWD", parts[0]))

    def call_mkdirat(self, parts: list[str], answer: int) -> None:
        self._folders.add(_path(parts[0], parts[1]))

    def call_close(self, parts: list[str], answer: int) -> None:
        self._open.pop(_number(parts), None)

    def call_dup(self, parts: list[str], answer: int) -> None:
        assert self._file(parts) is None, "a file that is opened once is closed once here"

    call_dup2 = call_dup3 = call_dup

    def call_lseek(self, parts: list[str], answer: int) -> None:
        if self._file(parts) is not None:
            self._at[_number(parts)] = answer

    def call_write(self, parts: list[str], answer: int) -> None:
        known = self._file(parts)
        if known is None:
            return
        data = _bytes(parts[1])[:answer]
        if known[1] == -1:
            self._step("said", name=data.decode().strip())
            return
        number = _number(parts)
        self._step("write", file=known[1], at=self._at[number], data=data)
        self._at[number] += answer

    def call_pwrite64(self, parts: list[str], answer: int) -> None:
        known = self._file(parts)
        if known is not None:
            self._step("write", file=known[1], at=int(parts[3]), data=_bytes(parts[1])[:answer])

    def call_ftruncate(self, parts: list[str], answer: int) -> None:
        known = self._file(parts)
        if known is not None:
            self._step("truncate", file=known[1], at=int(parts[1]))

    def call_fsync(self, parts: list[str], answer: int) -> None:
        known = self._file(parts)
        if known is not None and known[1]:
            self._step("sync", file=known[1])
        elif known is not None:
            self._step("sync folder", folder=known[0])

    call_fdatasync = call_fsync

    def call_rename(self, parts: list[str], answer: int) -> None:
        self._renamed(_path("AT_FDCWD", parts[0]), _path("AT_FDCWD", parts[1]))

    def call_renameat(self, parts: list[str], answer: int) -> None:
        self._renamed(_path(parts[0], parts[1]), _path(parts[2], parts[3]))

    call_renameat2 = call_renameat

    def _renamed(self, old: str, new: str) -> None:
        if old in self._names:
            self._name(new, self._names[old], before=old)

    def call_link(self, parts: list[str], answer: int) -> None:
        old, new = (_path("AT_FDCWD", part) for part in parts[:2])
        if old in self._names:
            self._name(new, self._names[old])

    def call_linkat(self, parts: list[str], answer: int) -> None:
        old, new = _path(parts[0], parts[1]), _path(parts[2], parts[3])
        if old in self._names:
            self._name(new, self._names[old])

    def call_unlink(self, parts: list[str], answer: int) -> None:
        self._unnamed(_path("AT_FDCWD", parts[0]))

    def call_unlinkat(self, parts: list[str], answer: int) -> None:
        self._unnamed(_path(parts[0], parts[1]))

    def _unnamed(self, path: str) -> None:
        file = self._names.pop(path, None)
        if file is not None:
            self._step("unname", file=file, folder=os.path.dirname(path), name=path)


def _number(parts: list[str]) -> int:
    match = _NUMBER.match(parts[0])
    return int(match[1]) if match is not None and match[1].isdigit() else -1


def _split(arguments: str) -> list[str]:
    # Texts are hexadecimal, so a comma always parts two arguments.
    return [part.strip() for part in arguments.split(",")]


def _bytes(text: str) -> bytes:
    match = _TEXT.search(text)
    return b"" if match is None else bytes.fromhex(match[1].replace("\\x", ""))


def _path(folder: str, name: str) -> str:
    path = os.fsdecode(_bytes(name))
    if os.path.isabs(path):
        return os.path.normpath(path)
    at = _NUMBER.match(folder)
    base = bytes.fromhex(at[2].replace("\\x", "")) if at is not None and at[2] else b"/"
    return os.path.normpath(os.path.join(os.fsdecode(base), path))
