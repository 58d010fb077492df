#!/usr/bin/env bash
# Build the sdist and the wheel into dist/, and try them as a newcomer would: the description of the
# package index, the examples of README.md and the demo, in a clean environment of each Python that
# we support and can find here; then the demo by uvx and by pipx. It needs a package index.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools=.venv-package/bin
quiet=(-qq --disable-pip-version-check --no-input)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# pyenv's programs on the path answer only for the version that is switched on.
find_python() {
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        "$candidate" -c 'import ensurepip' 2>/dev/null && echo "$candidate" && return
    done
    "$tools/uv" python find --no-project "$1" 2>/dev/null || "$tools/uv" python install -q "$1" &&
        "$tools/uv" python find --no-project "$1"
}

.venv/bin/python -m venv .venv-package
"$tools/python" -m pip install "${quiet[@]}" --constraint constraints.txt build pipx twine uv

rm -rf dist
"$tools/python" -m build --outdir dist . >"$scratch/build" 2>&1 || { cat "$scratch/build" && exit 1; }
"$tools/python" -m build --wheel --outdir "$scratch" . >"$scratch/build" 2>&1
wheel=$(echo dist/*.whl)
cmp "$wheel" "$scratch/$(basename "$wheel")"
echo "The wheel from the sdist is the wheel from this folder."
"$tools/twine" check --strict dist/*

for version in 3.11 3.12 3.13; do
    if ! python=$(find_python "$version" 2>/dev/null | head -n 1) || [ -z "$python" ]; then
        echo "Python $version is not here: not tried."
        continue
    fi
    "$python" -m venv "$scratch/$version"
    "$scratch/$version/bin/python" -m pip install "${quiet[@]}" "$wheel"
    "$scratch/$version/bin/python" scripts/try_package.py >/dev/null
done

wheel=$PWD/$wheel uvx=$PWD/$tools/uvx pipx=$PWD/$tools/pipx
cd "$scratch"
"$uvx" -q --from "$wheel" noisewright demo --people 2000 --out uvx >/dev/null
echo "uvx runs the demo."
PIPX_HOME=$scratch/pipx "$pipx" run --spec "$wheel" noisewright demo --people 2000 --out pipx-run >/dev/null
echo "pipx runs the demo."
