"""A collection: what devices send about one question, and what a server may conclude."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.certificates import Certificate, certify_collection
from noisewright.errors import InputError, ParameterError
from noisewright.files import save_whole
from noisewright.local.client import CollectionClient
from noisewright.local.randomizer import Randomizer
from noisewright.local.reports import Reports
from noisewright.local.server import CollectionServer
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods

FORMAT = "noisewright-collection"
LONGEST_NAME = 200


@public_methods
class Collection(ABC):
    """A question to people whose devices randomize the answer before it leaves them.

    `randomizer` is what a device does, and `guarantee` what holds for it: for replacing the value
    of one person by any other, for one report, whoever sees it. `name` tells collections with the
    same settings apart. Devices and servers agree on the `digest` of the specification, which every
    report carries.
    """

    name: str
    randomizer: Randomizer
    sends: Literal["one", "all"] = "one"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        public_methods(cls)

    @property
    def guarantee(self) -> Guarantee:
        """What holds for the report of one person, for replacing their value by any other."""
        return self.randomizer.guarantee

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return what the specification says beyond the randomizer: kind, values, method."""

    @abstractmethod
    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return the codes of values, or raise OutsideSpaceError."""

    @abstractmethod
    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        """Return what counts of so many reports tell."""

    @abstractmethod
    def plan(self, *, people: int, **options: Any) -> Any:
        """Return what to expect of so many people, before anybody is asked."""

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        """Return which values are told from noise."""
        raise ParameterError(f"{self!r} does not look for values.")

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> Any:
        """Return how far so large a share of fake devices can push answers."""
        raise ParameterError(f"there is no bound on what fake devices do to {self!r}.")

    def parts(self) -> Iterable[tuple[dict[str, Any], Guarantee]]:
        """Return what a certificate says of the report: one part, unless there are several."""
        yield self.randomizer.describe(), self.randomizer.guarantee

    @cached_property
    def specification(self) -> dict[str, Any]:
        """Everything that clients and servers must agree on, as JSON values."""
        return {
            "format": FORMAT,
            "version": 1,
            "name": self.name,
            **self.settings(),
            "randomizer": self.randomizer.describe(),
            "bytes": self.randomizer.length,
            "claims": self.guarantee.describe(),
        }

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the specification."""
        text = json.dumps(self.specification, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).digest()

    def reports(self, values: Any, *, source: sampling.Source | None = None) -> Reports:
        """Return a report for each value, drawn independently: one for each person."""
        return Reports(self, self.randomizer.draw(self.encode(values), source))

    def client(
        self,
        *,
        memo: str | os.PathLike[str] | None = None,
        source: sampling.Source | None = None,
    ) -> CollectionClient:
        """Return what runs on a person's device.

        With `memo`, a file, the answer to each value is drawn once and sent again from memory.
        """
        return CollectionClient(self, memo=memo, source=source)

    def server(self, state: str | os.PathLike[str] | None = None) -> CollectionServer:
        """Return a server with nothing counted, or one that goes on from a saved state."""
        if state is None:
            return CollectionServer(self)
        try:
            data = Path(state).read_bytes()
        except OSError as error:
            raise InputError(f"{state} cannot be read: {error.strerror}.") from None
        return CollectionServer.from_bytes(data, self, what=str(state))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the specification; `nw.local.open_collection` reads it."""
        text = json.dumps(self.specification, indent=1, ensure_ascii=False) + "\n"
        return save_whole(path, text.encode(), what="the specification", error=InputError)

    def certificate(self) -> Certificate:
        """Return the proof of the guarantee, proven again by the stand-alone checker."""
        return certify_collection(list(self.parts()), sends=self.sends, guarantee=self.guarantee)


def read_name(name: Any) -> str:
    """Read the name of a collection."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise ParameterError(
            f"name must be a text of at most {LONGEST_NAME} characters that tells collections "
            "with the same settings apart."
        )
    return name
