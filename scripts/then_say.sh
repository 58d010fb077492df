#!/usr/bin/env bash
# Run a command and print what it said when it is done, so that several can run side by side.
set -uo pipefail
said=$("$@" 2>&1)
code=$?
printf '%s:\n%s\n' "${*##*/}" "$said"
exit "$code"
