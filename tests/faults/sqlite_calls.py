"""Faults in SQLite's own calls to the system, which it lets a test replace one by one."""

import ctypes
import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        *[(f"method_{n}", ctypes.c_void_p) for n in range(13)],
        ("set_system_call", ctypes.c_void_p),
    ]


_SETTER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Vfs), ctypes.c_char_p, ctypes.c_void_p)
_OPEN_FOLDER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int))
_REMOVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, use_errno=True)


@contextmanager
def failing_folder_sync(which: int) -> Generator[list[str]]:
    """Let the sync of a folder fail, the `which`-th from now on (from 1); give all of them.

    SQLite opens a folder only to sync it. It gets a pipe instead, which cannot be synced.
    """
    asked: list[str] = []

    def opened(path: bytes, number: Any) -> int:
        asked.append(os.fsdecode(path))
        if len(asked) == which:
            number[0], writing = os.pipe()
            os.close(writing)
        else:
            number[0] = os.open(os.path.dirname(path) or b".", os.O_RDONLY | os.O_CLOEXEC)
        return 0

    with _replaced(b"openDirectory", _OPEN_FOLDER(opened)):
        yield asked


@contextmanager
def failing_removal(which: int) -> Generator[list[str]]:
    """Let the removal of a file fail, the `which`-th from now on (from 1); give all of them."""
    asked: list[str] = []

    def removed(path: bytes) -> int:
        asked.append(os.fsdecode(path))
        if len(asked) == which:
            ctypes.set_errno(errno.EIO)
            return -1
        os.unlink(path)
        return 0

    with _replaced(b"unlink", _REMOVE(removed)):
        yield asked


@contextmanager
def _replaced(name: bytes, by: Any) -> Generator[None]:
    try:
        library = ctypes.CDLL("libsqlite3.so.0")
    except OSError:
        pytest.skip("needs: SQLite as a shared library")
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
    system = library.sqlite3_vfs_find(None)
    if system.contents.version < 3:
        pytest.skip("needs: a SQLite whose system calls can be replaced")
    set_call = _SETTER(system.contents.set_system_call)
    assert set_call(system, name, ctypes.cast(by, ctypes.c_void_p)) == 0
    try:
        yield
    finally:
        set_call(system, name, None)
