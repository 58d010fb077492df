"""Saving a certificate: the file is the old one or the new one, whatever happens meanwhile."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import noisewright as nw
from noisewright.errors import CertificateError, NotPrivateError
from noisewright.files import write_whole

OLD = nw.certify(nw.geometric(nw.Counts(3), epsilon=1))
NEW = nw.certify(nw.geometric(nw.Counts(60), epsilon="1/3"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = OLD.save(tmp_path / "m.json")
    assert NEW.save(str(path)) == path
    assert path.read_text(encoding="utf-8") == NEW.to_json()
    assert names(tmp_path) == ["m.json"]


def test_the_mode_is_what_the_user_asked_for(tmp_path: Path) -> None:
    """New files follow the umask, as with plain writing; the umask itself is not touched."""
    for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
        script = (
            f"import os; os.umask({mask}); from noisewright.files import write_whole;"
            f"write_whole({str(tmp_path / f'{mask}')!r}, b'x'); print(os.umask(0))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        assert (tmp_path / f"{mask}").stat().st_mode & 0o777 == mode
        assert done.stdout.strip() == str(mask)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "m.json"
    link.symlink_to("real/m.json")
    OLD.save(link)
    NEW.save(link)
    assert link.is_symlink()
    assert (tmp_path / "real" / "m.json").read_text(encoding="utf-8") == NEW.to_json()


def test_a_long_name_is_no_problem_until_it_is_too_long(tmp_path: Path) -> None:
    assert OLD.save(tmp_path / ("n" * 250 + ".json")).exists()
    with pytest.raises(CertificateError, match="too long"):
        OLD.save(tmp_path / ("n" * 300))


def in_no_folder(tmp_path: Path) -> Path:
    return tmp_path / "nowhere" / "m.json"


def under_a_file(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    return tmp_path / "file" / "m.json"


def a_folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def in_proc(tmp_path: Path) -> Path:
    return Path("/proc/m.json")


def the_root(tmp_path: Path) -> Path:
    return Path("/")


@pytest.mark.parametrize("where", [in_no_folder, under_a_file, a_folder, in_proc, the_root])
def test_a_place_that_cannot_be_written_is_named_with_what_to_do(
    where: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = where(tmp_path)
    before = names(tmp_path)
    with pytest.raises(CertificateError, match="Choose a folder") as problem:
        OLD.save(path)
    assert str(path) in str(problem.value)
    assert "noisewright-" not in str(problem.value)
    assert names(tmp_path) == before
    assert not list(Path("/").glob(".noisewright-*"))


def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    """As a user without rights: root first becomes one, after it has loaded everything."""
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "m.json").write_text("old", encoding="utf-8")
    folder.chmod(0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    script = (
        "import os, sys; import noisewright as nw\n"
        "from noisewright.errors import CertificateError\n"
        "certificate = nw.certify(nw.geometric(nw.Counts(3), epsilon=1))\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "try: certificate.save(sys.argv[1])\n"
        "except CertificateError as problem: print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder / "m.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Permission denied" in done.stdout
    assert (folder / "m.json").read_text(encoding="utf-8") == "old"


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    """The kernel refuses to grow files beyond a limit, as a full disk does."""
    path = OLD.save(tmp_path / "m.json")
    script = (
        "import resource, signal, sys; import noisewright as nw\n"
        "from noisewright.errors import CertificateError\n"
        "certificate = nw.certify(nw.geometric(nw.Counts(60), epsilon='1/3'))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: certificate.save(sys.argv[1])\n"
        "except CertificateError as problem: sys.exit(str(problem))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write the certificate to")
    assert "File too large" in done.stderr
    assert path.read_text(encoding="utf-8") == OLD.to_json()
    assert names(tmp_path) == ["m.json"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096


def test_a_failed_proof_leaves_the_old_file(tmp_path: Path) -> None:
    path = OLD.save(tmp_path / "m.json")
    with pytest.raises(NotPrivateError):
        nw.certify(nw.geometric(nw.Counts(60), epsilon="1/3"), epsilon="1/4").save(path)
    assert path.read_text(encoding="utf-8") == OLD.to_json()


def test_an_interrupted_write_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.json"
    write_whole(path, b"old")

    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["m.json"]


def test_killed_at_any_moment_the_file_is_one_of_the_two(tmp_path: Path) -> None:
    """A child rewrites the file without end and is killed; only stray temporary files may stay."""
    path = tmp_path / "m.json"
    one, other = b"1" * 3_000_000, b"2" * 2_000_000
    script = (
        "import sys; from noisewright.files import write_whole\n"
        "one, other = b'1' * 3_000_000, b'2' * 2_000_000\n"
        "write_whole(sys.argv[1], one); print('ready', flush=True)\n"
        "while True:\n"
        "    write_whole(sys.argv[1], other); write_whole(sys.argv[1], one)\n"
    )
    for _ in range(12):
        child = subprocess.Popen(
            [
                sys.executable,
                "-S",
                "-c",
                f"import sys; sys.path[:0] = {sys.path!r}\n{script}",
                path,
            ],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(random.random() * 0.05)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert path.read_bytes() in (one, other)
        for stray in tmp_path.iterdir():
            assert stray == path or stray.name.startswith(".noisewright-")
