"""The version, in one place; pyproject.toml reads it from here."""

__version__ = "0.1.0"


def version_line() -> str:
    """What the program says about itself when asked for its version."""
    return f"noisewright {__version__}"
