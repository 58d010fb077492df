#!/usr/bin/env bash
# Make sure that the programs some tests drive are there: install Debian's where we may, or say what
# to install and which tests are left out. Never fails: the tests that need one say so, too.
set -euo pipefail

# need PROGRAM "What is left out" [PACKAGE, where its name is another]
need() {
    local program=$1 what=$2 package=${3:-$1}
    command -v "$program" >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -e /etc/debian_version ]; then
        echo "$program is missing: installing Debian's package."
        apt-get update -qq >/dev/null || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || true
    fi
    command -v "$program" >/dev/null ||
        echo "$what are left out. To run them, install $program (on Debian or Ubuntu: sudo apt-get install $package)."
}

need chromium "The tests that look at pages in a browser"
need strace "The tests that replay a loss of power"
need node "The tests of the JavaScript client outside of browsers" nodejs
need gcc "The tests of the client in C"
