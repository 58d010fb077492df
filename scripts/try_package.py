"""Try an installed Noisewright as a newcomer would: `clean/bin/python scripts/try_package.py`.

Every Python block and every `$ noisewright` line of README.md runs in an empty folder, then
`noisewright demo` does. The environment has the wheel and what it asks for, and nothing else: the
studio, which is an extra, says how to get it.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import noisewright as nw  # noqa: E402
from tests.docs.pages import blocks  # noqa: E402

PROMPT = "$ noisewright "
PROGRAM = Path(sys.executable).parent / "noisewright"


def run(command: str, *, refused: str | None = None) -> None:
    """Run the program that was installed; end where it fails, or is not refused in these words."""
    done = subprocess.run([PROGRAM, *shlex.split(command)], capture_output=True, text=True)
    said = " ".join(done.stderr.split())
    if (refused not in said) if refused else done.returncode:
        raise SystemExit(f"noisewright {command} ended with {done.returncode}:\n{done.stderr}")


def main() -> None:
    """Run the examples and the demo."""
    if Path(str(nw.__file__)).is_relative_to(ROOT / "src"):
        raise SystemExit("this is the source tree: install the wheel into another environment.")
    namespace: dict[str, object] = {"__name__": "__main__"}
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in blocks(ROOT / "README.md"):
            if block.language == "python":
                source = "\n" * (block.line - 1) + block.text
                exec(compile(source, "README.md", "exec", dont_inherit=True), namespace)
                ran += 1
            elif block.language == "console":
                lines = block.text.replace("\\\n", " ").splitlines()
                commands = [line for line in lines if line.startswith(PROMPT)]
                for line in commands:
                    run(line.removeprefix(PROMPT))
                ran += len(commands)
        run("demo")
        run("studio --no-browser --port 0", refused="pip install 'noisewright[studio]'")
        os.chdir(ROOT)
    version = sys.version.split()[0]
    print(f"Python {version}: {ran} examples of README.md and the demo run.", file=sys.stderr)


if __name__ == "__main__":
    main()
