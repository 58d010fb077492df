"""Every exception that Noisewright raises on purpose.

    NoisewrightError
    ├── InputError (ValueError)          something given is not usable
    │   ├── ParameterError               epsilon, delta, alpha, a size, a scale …
    │   ├── SpaceError                   points, metric or neighbors do not fit together
    │   │   └── OutsideSpaceError        an input that is not a point of the space
    │   ├── TableError                   a matrix that is not a mechanism
    │   ├── DataError                    a table or file that cannot be read as one
    │   └── UnidentifiableError          an answer that the released data cannot give
    ├── TooLargeError (ValueError)       asked to enumerate or tabulate something absurd
    ├── NotPrivateError                  a proof failed; carries its witness
    ├── DesignError                      no mechanism was found
    │   ├── InfeasibleError              none satisfies all constraints
    │   ├── UnsolvedError                the solver gave up
    │   └── UnrepairedError              its answer could not be proven
    ├── EntropyError (RuntimeError)      randomness that may not be used here
    ├── CertificateError (ValueError)    a certificate that cannot be read or written
    ├── BudgetError                      a budget does not allow this
    │   ├── OverBudgetError              more than is left; carries what is left
    │   ├── UnitError                    a promise about rows, for an account of persons, say
    │   └── UnknownDatasetError          no budget under this name, or for this data
    ├── LedgerError                      a ledger that cannot be read or written
    │   ├── AlteredLedgerError           its entries are not what was written; carries which
    │   └── UnconfirmedError             what was to be recorded is there, or may be
    ├── EngineError (RuntimeError)       what runs a release, such as Spark, does not work
    ├── TargetError (OSError)            a place where a release cannot be written
    ├── ReleaseError                     files that are no release, or not the one they say
    └── MissingPartError (ImportError)   an optional dependency is not installed

and one warning, SeveralCountsWarning (UserWarning): counts of several groups, given to a mechanism
whose promise is about one of them.

Messages say what was given, what is required and what to do. They show positions of
records, never the records themselves.
"""

from __future__ import annotations


class NoisewrightError(Exception):
    """The root of everything that Noisewright raises on purpose."""


class InputError(NoisewrightError, ValueError):
    """Something given is not usable as it is."""


class ParameterError(InputError):
    """A number such as epsilon, delta or a size is out of its range."""


class SpaceError(InputError):
    """Points, metric and neighbors do not fit together."""


class OutsideSpaceError(SpaceError):
    """An input is not a point of the space; `why` says what is wrong with it.

    Messages count rows from 1; `row` is the position, from 0, so that `table[row]` is the row.
    """

    def __init__(self, message: str, *, row: int | None = None, why: str = "") -> None:
        super().__init__(message)
        self.row = row
        self.why = why


class TableError(InputError):
    """A matrix is not a mechanism: negative, NaN, ragged, or rows that do not sum to one."""


class DataError(InputError):
    """A table or a file cannot be read as one; `row` rows could be, if known.

    It is the position of the first one that could not, from 0; messages count rows from 1.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class UnidentifiableError(InputError):
    """Released data cannot tell these answers apart; `combinations` holds what cannot be told."""

    def __init__(self, message: str, *, combinations: object = None) -> None:
        super().__init__(message)
        self.combinations = combinations


class TooLargeError(NoisewrightError, ValueError):
    """Enumerating or tabulating this would be absurd; `size` says how many."""

    def __init__(self, message: str, *, size: int) -> None:
        super().__init__(message)
        self.size = size


class NotPrivateError(NoisewrightError):
    """A claimed guarantee is false; `witness` shows the inputs and the event."""

    def __init__(self, message: str, *, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class DesignError(NoisewrightError):
    """No mechanism was found for a design problem."""


class InfeasibleError(DesignError):
    """No mechanism satisfies all constraints; `conflict` names a smallest set that conflicts.

    It holds codes of properties, "privacy" and "outputs"; it is empty where nobody looked.
    """

    def __init__(self, message: str, *, conflict: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.conflict = conflict


class UnsolvedError(DesignError):
    """The solver gave up."""


class UnrepairedError(DesignError):
    """A solver's answer could not be turned into a proven table."""


class EntropyError(NoisewrightError, RuntimeError):
    """A source of randomness was refused, for example a seeded one where a ledger pays."""


class CertificateError(NoisewrightError, ValueError):
    """A certificate cannot be read, written or trusted."""


class BudgetError(NoisewrightError):
    """A budget does not allow what was asked for."""


class OverBudgetError(BudgetError):
    """A spend exceeds what is left; `left` and `asked` are guarantees. Nothing was recorded."""

    def __init__(self, message: str, *, left: object = None, asked: object = None) -> None:
        super().__init__(message)
        self.left = left
        self.asked = asked


class UnitError(BudgetError):
    """A promise is in another unit than the account, and cannot be converted. Nothing was recorded.

    The unit of an account says what one person is in the data: a row, or the rows that a column
    names as theirs.
    """


class UnknownDatasetError(BudgetError):
    """The ledger has no budget under this name, or for this data."""


class LedgerError(NoisewrightError):
    """A ledger cannot be opened, read or written."""


class AlteredLedgerError(LedgerError):
    """Entries were edited, deleted or reordered; `entry` is the number of the first such one."""

    def __init__(self, message: str, *, entry: int | None = None) -> None:
        super().__init__(message)
        self.entry = entry


class UnconfirmedError(LedgerError):
    """A commit failed after it was made, or perhaps so: the message says what is on record."""


class EngineError(NoisewrightError, RuntimeError):
    """What runs a release, such as Spark, does not work as it has to."""


class TargetError(NoisewrightError, OSError):
    """A release cannot be written where it was asked for."""


class ReleaseError(NoisewrightError):
    """The files of a release are missing, or are not what was released."""


class PlanWarning(UserWarning):
    """Something to think about twice before a plan is carried out; nothing was spent yet."""


class MissingPartError(NoisewrightError, ImportError):
    """A library is not installed; the message says how to get it."""


class SeveralCountsWarning(UserWarning):
    """Counts of several groups were given to a mechanism whose promise is about one of them."""
