"""Where a release is written before it gets its names: a hidden folder beside them.

A reader never sees half a release. Everything is written and synced in a folder of its own, then
renamed: the recipe first, the data last. So data under its final name is whole, and what belongs
to it lies beside it.

The folder's name follows from the target's stem, which names all files of a release, and its owner
holds a lock on it: a second release to the same names is refused while the first one is at work.
The operating system takes the lock back when a process ends, however it ends, so that a folder left
by a killed one is told from a living one's, and removed. Where folders cannot be locked each run
has a name of its own, and nothing is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from noisewright.errors import TargetError
from noisewright.files import sync_folder

_PREFIX = ".noisewright-release-"
_ATTEMPTS, _PAUSE = 40, 0.01
_NAME = re.compile(re.escape(_PREFIX) + r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Staging:
    """A folder that this process holds, in which the files of one release are made."""

    folder: Path
    lock: int | None

    def path(self, name: str) -> Path:
        """Return where a file lies until it is renamed."""
        return self.folder / name

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the release and sync it."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return path

    @contextlib.contextmanager
    def writing(self, target: Path) -> Generator[None]:
        """Let errors speak of the target, which the user knows, and not of this folder."""
        try:
            yield
        except TargetError as problem:
            hidden, shown = str(self.path(target.name)), str(target)
            if hidden not in str(problem):
                raise
            raise _reword(problem, str(problem).replace(hidden, shown)) from None
        except OSError as problem:
            raise _reword(problem, str(cannot_write(target, problem))) from problem

    def publish(self, *names: str) -> None:
        """Rename the files into place, in this order; the data comes last.

        Ensures: when this returns, the names are on disk. A name that has a file is replaced.
        """
        place = self.folder.parent
        for name in names:
            _replace(self.path(name), place / name, aside=self.path(f"replaced-{name}"))
        # Windows has no folders to open, and some network drives refuse to sync them.
        with contextlib.suppress(OSError):
            sync_folder(place)

    def close(self) -> None:
        """Remove the folder and let go of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.lock is not None:
            os.close(self.lock)


@contextlib.contextmanager
def staging_beside(target: Path) -> Generator[Staging]:
    """Give a folder beside the target; it is gone at the end of the block, whatever happens.

    Ensures: this process may write where the target will lie, or TargetError.
    """
    if not target.parent.is_dir():
        raise no_folder(target)
    remove_stale(target.parent)
    try:
        staging = _new(target)
    except TargetError:
        raise
    except OSError as problem:
        raise cannot_write(target, problem) from problem
    try:
        yield staging
    finally:
        staging.close()


def remove_stale(place: Path) -> list[Path]:
    """Remove the folders of releases whose process is gone; return them."""
    removed: list[Path] = []
    with contextlib.suppress(OSError):
        for folder in [path for path in place.iterdir() if _NAME.fullmatch(path.name)]:
            with contextlib.suppress(OSError):
                lock = _lock(folder)
                if lock is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(lock)
                    removed.append(folder)
    return removed


def no_folder(target: Path) -> TargetError:
    """Return what to tell someone whose target lies in no folder."""
    return TargetError(
        f"cannot write {str(target)!r}: there is no folder {str(target.parent)!r}. Make it, or "
        "choose another place."
    )


def cannot_write(target: Path, problem: OSError) -> TargetError:
    """Return what to tell someone whose target cannot be written."""
    return TargetError(
        f"cannot write {str(target)!r}: {problem.strerror}. Choose a folder that has room and that "
        "you may write to."
    )


def _reword(problem: OSError, message: str) -> TargetError:
    """Return the error in other words, with what was noted on it."""
    error = TargetError(message)
    for note in getattr(problem, "__notes__", []):
        error.add_note(note)
    return error


def _new(target: Path) -> Staging:
    place, name = target.parent, os.fsencode(target.stem)
    own = place / f"{_PREFIX}{hashlib.sha256(name).hexdigest()[:16]}"
    for _ in range(_ATTEMPTS):
        # Only what exists already is somebody else's: where no folder can be made, that is said.
        with contextlib.suppress(FileExistsError):
            own.mkdir()
            with contextlib.suppress(BlockingIOError, FileNotFoundError):
                lock = _lock(own)
                if lock is not None:
                    return Staging(own, lock)
                own.rmdir()
                own = place / f"{_PREFIX}{os.urandom(8).hex()}"
                own.mkdir()
                return Staging(own, None)
        # Someone who cleans up may hold it for a moment; a release holds it for longer.
        remove_stale(place)
        time.sleep(_PAUSE)
    raise TargetError(
        f"another process is writing {str(target)!r} right now. Wait for it, or choose another "
        "name."
    )


def _lock(folder: Path) -> int | None:
    """Lock a folder and return it, open; None where folders cannot be locked.

    A folder that another process holds raises BlockingIOError; one that is gone FileNotFoundError.
    """
    try:
        import fcntl
    except ImportError:
        return None
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(number), os.stat(folder)):
            raise FileNotFoundError
    except (BlockingIOError, FileNotFoundError):
        os.close(number)
        raise
    except OSError:
        os.close(number)
        return None
    return number


def _replace(source: Path, target: Path, *, aside: Path) -> None:
    """Rename a file or a folder; an old folder is put aside first, because it is not replaced."""
    if not (source.is_dir() and target.is_dir()):
        os.replace(source, target)
        return
    os.replace(target, aside)
    try:
        os.replace(source, target)
    except BaseException:
        os.replace(aside, target)
        raise
