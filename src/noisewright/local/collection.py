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
from noisewright.exact import Number
from noisewright.files import save_whole
from noisewright.given import flag
from noisewright.local.client import CollectionClient
from noisewright.local.families.family import ByteStream
from noisewright.local.lifetime import Lifetime, lifetime_of
from noisewright.local.memo import Memo
from noisewright.local.randomizer import ReportRandomizer
from noisewright.local.reports import Reports
from noisewright.local.server import CollectionServer
from noisewright.local.shuffled_reports import ShuffledReports, shuffle_reports
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods
from noisewright.spaces import Space

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
    randomizer: ReportRandomizer
    sends: Literal["one", "all"] = "one"
    keeps_answers: bool = True
    """Whether a memo keeps what is sent, so that sending it again tells nothing new."""

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

    def encode_one(self, value: Any) -> Any:
        """Return the code of one value; quicker than of many where a collection can."""
        return self.encode([value])[0]

    @abstractmethod
    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        """Return what counts of so many reports tell."""

    @abstractmethod
    def plan(self, *, people: int, **options: Any) -> Any:
        """Return what to expect of so many people, before anybody is asked."""

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Any:
        """Return which values are told from noise."""
        raise ParameterError(f"{self!r} does not detect values.")

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> Any:
        """Return how far so large a share of fake devices can push answers."""
        raise ParameterError(f"there is no bound on the effect of fake reports on {self!r}.")

    def reading(self) -> dict[str, Any] | None:
        """Return how clients in other languages find the code of a value, as `encode` does.

        None if they cannot; else what `READINGS` in `elsewhere/client.js` takes. Without "values"
        in it, the values are those of the settings.
        """
        return None

    def examples(self, most: int) -> list[Any]:
        """Return up to so many values, first and last among them, for test vectors."""
        space = getattr(self, "space", None)
        if not isinstance(space, Space):
            raise ParameterError(f"there are no examples of values of {self!r}.")
        codes = sorted({round(i * (space.size - 1) / (most - 1)) for i in range(most)})
        return [space.point(code) for code in codes]

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
            **({} if self.reading() is None else {"reading": self.reading()}),
            "randomizer": self.randomizer.describe_for_clients(),
            "bytes": self.randomizer.length,
            "claims": self.guarantee.describe(),
        }

    @cached_property
    def canonical(self) -> str:
        """The specification as the one text that its digest is taken of, in ASCII."""
        return json.dumps(self.specification, sort_keys=True, separators=(",", ":"))

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the specification."""
        return hashlib.sha256(self.canonical.encode()).digest()

    def reports(self, values: Any, *, source: sampling.Source | None = None) -> Reports:
        """Return a report for each value, drawn independently: one for each person."""
        return Reports(self, self.randomizer.draw(self.encode(values), source))

    def draw_payload(self, value: Any, stream: ByteStream, memo: Memo | None) -> bytes:
        """Return what a device sends of a value, without its frame: the answer in its memo, if any.

        Collections whose devices keep something else than their answer draw it in their own way.
        """
        code, made = self.encode_one(value), self.randomizer
        if memo is None:
            return made.draw_one(code, stream)
        return memo.answer(code.tobytes(), lambda: made.draw_one(code, stream), length=made.length)

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
        return save_whole(path, self.canonical.encode(), what="the specification", error=InputError)

    def lifetime(
        self, *, reports: int, values: int = 1, memo: bool = True, reports_a_day: int = 1
    ) -> Lifetime:
        """Return the privacy loss of a person: of one report, of a day, and of all reports.

        Requires: `values`, how many different values the person has in all that time, at most.
        Ensures: without a memo, T reports cost T ε, which is also what the least ε of them grows
        by. With a memo, c different values cost c ε, for persons whose values change at the same
        times; a memo does not hide when a value changes.
        """
        return lifetime_of(self, reports, values, flag(memo, name="memo"), reports_a_day)

    def spec(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write what programs in other languages need to send reports, and return the folder.

        Ensures: `collection.json` (its SHA-256 is the digest), `vectors.json` (test vectors),
        `client.js` (browsers and Node), `client.c` for reports that are one coin or a row of bits,
        and a README. Each file is written whole or not at all; what is there already is kept
        unless `overwrite` says otherwise.
        """
        from noisewright.local.elsewhere.folder import write_folder

        return write_folder(self, folder, overwrite=flag(overwrite, name="overwrite"))

    def shuffled(self, *, people: int, delta: Number) -> ShuffledReports:
        """Return what holds if reports are handed on in random order, one of each person.

        That is against whoever sees nothing else: neither who sent a report nor when, nor the
        random number of its frame, which must be left out or drawn afresh.
        """
        return shuffle_reports(self, people=people, delta=delta)

    def certificate(self) -> Certificate:
        """Return the proof of the guarantee, proven again by the stand-alone checker."""
        return certify_collection(list(self.parts()), sends=self.sends, guarantee=self.guarantee)


def read_name(name: Any) -> str:
    """Read the name of a collection."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not _is_utf8(name):
        raise ParameterError(
            f"name must be a text of at most {LONGEST_NAME} characters that tells collections "
            "with the same settings apart."
        )
    return name


def _is_utf8(text: str) -> bool:
    """Tell whether a text can be written: half a character, from an odd file name, cannot."""
    return text.isascii() or text.encode(errors="replace").decode() == text
