#!/usr/bin/env bash
# Make sure that there is a Java for Spark: use the one that is there, install Debian's where we may,
# or say what to install and end with 1.
set -euo pipefail
package=openjdk-17-jre-headless

has_java() {
    local command version
    command=${JAVA_HOME:+$JAVA_HOME/bin/}java
    version=$("$command" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1) || return 1
    [ "${version:-0}" -ge 17 ]
}

if has_java; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -e /etc/debian_version ]; then
    echo "Java is missing: installing Debian's $package."
    apt-get update -qq >/dev/null || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || true
fi
if ! has_java; then
    echo "Spark runs on Java 17 or newer, which was not found. Install it (on Debian or Ubuntu:" >&2
    echo "sudo apt-get install $package), or set JAVA_HOME to the folder of one you have." >&2
    exit 1
fi
