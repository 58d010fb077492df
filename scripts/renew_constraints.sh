#!/usr/bin/env bash
# Rewrite constraints.txt: the newest versions that fit pyproject.toml, as names and versions.
# Run it on the oldest Python we support, so that every version exists for the newer ones too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"${PYTHON:-python3}" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input \
    --editable ".[dev,bench,fuzz,site,spark]" build pipx twine uv
"$scratch/venv/bin/python" -m pip list --disable-pip-version-check --exclude-editable \
    --exclude pip --exclude setuptools --format freeze 2>/dev/null |
    LC_ALL=C sort --ignore-case >constraints.txt
echo "constraints.txt now pins $(wc -l <constraints.txt) packages."
