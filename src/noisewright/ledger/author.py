"""Who writes an entry, unless the caller says it."""

from __future__ import annotations

import getpass
import os
import socket


def user_at_host() -> str:
    """Return user@host, as the operating system names them."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        user = f"uid-{os.getuid()}" if hasattr(os, "getuid") else "unknown"
    return "".join(c if c.isprintable() else "?" for c in f"{user}@{socket.gethostname()}")
