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
    stop "Noisewright needs Python 3.11 or newer; ${PYTHON:-python3} is $("${PYTHON:-python3}" --version 2>&1 || true)." \
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

python=$(find_python)
version=$("$python" -c 'import platform; print(platform.python_version())')

if ! can_make_venv "$python"; then
    package="python${version%.*}-venv"
    if is_debian_root; then
        install_venv_module "$package"
    fi
    can_make_venv "$python" ||
        stop "$python ($version) cannot make virtual environments: its venv or ensurepip module is missing." \
            "Install it (on Debian or Ubuntu: sudo apt-get install $package), then run make setup again."
fi

echo "Making $venv with Python $version."
"$python" -m venv --clear "$venv"

echo "Installing noisewright[$extras] into it; the first time this takes a minute or two."
"$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input \
    --constraint constraints.txt --editable ".[$extras]" ||
    stop "The installation failed; the lines above say why. Fix the cause and run make again."
