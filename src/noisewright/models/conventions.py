"""What all models have: the job of `fit`, and what scikit-learn expects of a classifier.

In that job rows are counted, and once it is proven and paid for, counted with noise.

Functions of scikit-learn ask for a few methods and never for a base class. `__init__` only stores
what was given; everything that `fit` learns ends in an underscore.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.certificates import Certificate
from noisewright.errors import InputError, ParameterError
from noisewright.exact import Number
from noisewright.given import several
from noisewright.mechanisms import Guarantee
from noisewright.models.reader import Domain, Reader
from noisewright.public import public_methods
from noisewright.sampling import Source, source_or_default
from noisewright.synthetic import Drawn, NoisySteps, Schedule, Tallies
from noisewright.transaction import Job, LedgerLike, Payment, Progress, Subject, transact


@public_methods
@dataclass(eq=False, repr=False)
class Conventions(ABC):
    """Parameters by name, copies that are not fitted, and the accuracy as `score`."""

    domain: Domain
    _: KW_ONLY
    label: Any
    epsilon: Number
    delta: Number = 0
    smoothing: Number = 1
    ledger: LedgerLike
    dataset: str | None = None
    progress: Progress | None = None
    source: Source | None = None
    classes_: NDArray[Any] = field(init=False)

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; what was fitted before stays as it is until the next `fit`."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}."
                )
            setattr(self, name, value)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely label of each row."""
        likely = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likely]

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each of `classes_`, row by row."""

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of rows whose label is predicted right.

        It is about the rows that are given: on private rows it is not for release.
        """
        found, labels = self.predict(X), np.asarray(several(y, name="y", of="labels"))
        if labels.shape != found.shape:
            raise InputError(f"X has {len(found):,} rows; y must be a list of as many labels.")
        weights: Any = sample_weight
        return float(np.average(found == labels, weights=weights))

    def _transact(self, job: FitJob) -> Drawn:
        """Count as the job says, once it is proven and paid for."""
        drawn = transact(
            job,
            ledger=self.ledger,
            dataset=self.dataset,
            progress=self.progress,
            source=self.source,
        )
        self.spends_ = drawn.spends
        self.notes_ = job.notes
        self.certificate_ = job.certificate
        self.private_ = source_or_default(self.source).private
        self.guarantee_ = job.certificate.guarantee
        return drawn

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(f"this {type(self).__name__} is not fitted yet. Call fit first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "guarantee_")

    def __sklearn_clone__(self) -> Self:
        # Values are frozen, and a ledger or a source of bits must not be doubled.
        return type(self)(**self.get_params())

    def __sklearn_tags__(self) -> Any:
        utils: Any = importlib.import_module("sklearn.utils")
        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True, one_d_labels=True),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=utils.ClassifierTags(),
            input_tags=utils.InputTags(categorical=True, string=True),
            # Fits differ: their noise does.
            non_deterministic=True,
            no_validation=True,
        )

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if name not in ("domain", "ledger", "progress", "source") and value is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def not_fitted(words: str) -> InputError:
    """Return the error of a model that was not fitted: scikit-learn's too, once that is loaded."""
    theirs: Any = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return InputError(words)
    # Made here and now, so it is pickled by how it was made.
    again = {"__reduce__": lambda self: (not_fitted, self.args)}
    return type("NotFittedError", (InputError, theirs.NotFittedError), again)(words)


class Counter(Protocol):
    """What counts with noise, as its schedule says: a synthesizer, of which no rows are asked."""

    @property
    def schedule(self) -> Schedule:
        """All that will be done to the data."""
        ...

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Do the steps of the schedule; the budget must have been debited."""
        ...


@final
@dataclass
class FitJob(Job[Drawn]):
    """Lets `count` count the rows that a model learns from; `counter` adds noise, for so many rows.

    The rows of a fit may be any part of a table, so that they have no fingerprint.
    """

    what: str
    price: Guarantee
    reader: Reader
    count: Callable[[Progress | None, Source | None], Tallies]
    counter: Callable[[int], Counter]
    source: Source | None
    notes: tuple[str, ...] = ()
    certificate: Certificate = field(init=False)
    _tallies: Tallies = field(init=False)
    _counter: Counter = field(init=False)

    @property
    def subject(self) -> Subject:
        """Whose rows they are, if a person may have several."""
        return Subject(person=self.reader.person_column)

    def check(self, progress: Progress | None) -> None:
        """Count every row, without randomness."""
        self._tallies = self.count(progress, self.source)
        if not self._tallies.rows:
            raise InputError("there are no rows to learn from.")

    def prove(self) -> Certificate:
        """Prove the schedule."""
        self._counter = self.counter(self._tallies.rows)
        self.certificate = self._counter.schedule.certificate
        return self.certificate

    def draw(self, progress: Progress | None) -> Drawn:
        """Draw the noise of all counts; no rows are made here."""
        steps = NoisySteps(self._tallies, self._counter.schedule, self.source, progress)
        return self._counter.make(steps, 0)

    def note(self, made: Any, payment: Payment) -> Any:
        """Keep what is to be said about the debit."""
        self.notes = tuple(payment.notes)
        return made
