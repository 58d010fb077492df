#!/usr/bin/env bash
# Make sure that the programs some tests drive are there: install Debian's where we may, or say what
# to install and which tests are left out. Never fails: the tests that need one say so, too.
set -euo pipefail

is_there() {
    # PostgreSQL keeps its programs in a folder of their own, by version.
    local program PATH=$PATH
    for program in /usr/lib/postgresql/*/bin; do
        PATH=$PATH:$program
    done
    for program in "$@"; do
        command -v "$program" >/dev/null && return
    done
    return 1
}

# need PACKAGE "What is left out" PROGRAM [OTHER NAMES OF THE PROGRAM]
need() {
    local package=$1 what=$2
    shift 2
    is_there "$@" && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -e /etc/debian_version ]; then
        echo "$1 is missing: installing Debian's package $package."
        apt-get update -qq >/dev/null || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || true
    fi
    is_there "$@" ||
        echo "$what are left out. To run them, install $package (on Debian or Ubuntu: sudo apt-get install $package)."
}

need chromium "The tests that look at pages in a browser" chromium chromium-browser chrome
need strace "The tests that replay a loss of power" strace
need nodejs "The tests of the JavaScript client outside of browsers" node
need gcc "The tests of the client in C" gcc
need postgresql "The tests of ledgers and tables in PostgreSQL" initdb
