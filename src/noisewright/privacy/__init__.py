"""What a mechanism guarantees: profile, verification, audits, sufficient sets, composition."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
