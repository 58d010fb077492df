#!/usr/bin/env bash
# Make a virtual environment and install this project into it, editable and pinned.
#   scripts/make_venv.sh .venv dev
# PYTHON names the interpreter; without it the first of python3, python3.13, python3.12 and
# python3.11 that is new enough is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$1 extras=$2

stop() {
    printf '%s\n' "$@" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

can_make_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

is_debian_root() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -e /etc/debian_version ]
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    local wanted=${PYTHON:-python3} found="not there"
    if command -v "$wanted" >/dev/null; then
        found=$("$wanted" --version 2>&1)
    fi
    stop "Noisewright needs Python 3.11 or newer; $wanted is $found." \
        "Install one (on Debian 12 or Ubuntu 24.04: apt-get install python3 python3-venv)" \
        "or name one you have: make PYTHON=/path/to/python3.12 setup"
}

install_venv_module() {
    local package=$1
    echo "Python's venv module is missing: installing Debian's $package."
    apt-get update -qq >/dev/null || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null ||
        stop "apt-get could not install $package. Install it by hand, then run make setup again."
}

version_of() {
    "$1" -c 'import platform; print(platform.python_version())' 2>/dev/null
}

python=$(find_python)
# In an activated environment python3 is the one we may be about to replace: use what it stands on.
python=$("$python" -c 'import sys; print(sys._base_executable)')
version=$(version_of "$python")

if ! can_make_venv "$python"; then
    package="python${version%.*}-venv"
    if is_debian_root; then
        install_venv_module "$package"
    fi
    can_make_venv "$python" ||
        stop "$python ($version) cannot make virtual environments: its venv or ensurepip module is missing." \
            "Install it (on Debian or Ubuntu: sudo apt-get install $package), then run make setup again."
fi

if [ "$(version_of "$venv/bin/python" || true)" = "$version" ]; then
    echo "Bringing $venv up to date."
else
    echo "Making $venv with Python $version."
    "$python" -m venv --clear "$venv"
    echo "Installing noisewright[$extras] into it: this takes a minute or two."
fi

in_venv() {
    "$venv/bin/python" -m "$@"
}

# uv installs the same versions in a third of the time. It does not read pip's settings: where
# those name an index of their own, and where uv cannot be had, pip does it.
install_with_uv() {
    ! in_venv pip config list 2>/dev/null | grep -qE '\.(index-url|no-index|proxy)=' &&
        in_venv pip install "${quiet[@]}" --constraint constraints.txt uv 2>/dev/null &&
        in_venv uv pip install -qq --python "$venv/bin/python" "${wanted[@]}" 2>/dev/null
}

quiet=(-qq --disable-pip-version-check --no-input)
wanted=(--constraint constraints.txt --editable ".[$extras]")
# What is imported is compiled at its first use, in either case.
install_with_uv || in_venv pip install "${quiet[@]}" --no-compile "${wanted[@]}" ||
    stop "The installation failed; the lines above say why. Fix the cause and run make again."
