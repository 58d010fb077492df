"""What a browser is told when something goes wrong: the library's own sentences, and no cell.

Messages of other libraries may quote a cell, so that an unexpected error is told by its type and
place only, as on the command line.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from noisewright.errors import BudgetError, InputError, NoisewrightError


class RefusalError(InputError):
    """A request that is not carried out; `status` is the code of the answer."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def sentence_of(problem: BaseException) -> str:
    """Return what may be said of an error: everything of ours, and of others only the place."""
    notes: list[str] = getattr(problem, "__notes__", [])
    if isinstance(problem, NoisewrightError):
        return " ".join([str(problem), *notes])
    if isinstance(problem, OSError) and problem.strerror is not None:
        name = "" if problem.filename is None else f"{Path(str(problem.filename)).name}: "
        return " ".join([f"{name}{problem.strerror}.", *notes])
    if isinstance(problem, MemoryError):
        return " ".join(["this machine has too little memory for that.", *notes])
    steps = traceback.extract_tb(problem.__traceback__)
    ours = [step for step in steps if "noisewright" in Path(step.filename).parts]
    last = (ours or [*steps] or [None])[-1]
    where = "" if last is None else f" in {Path(last.filename).name}, line {last.lineno}"
    return " ".join(
        [
            f"{type(problem).__name__}{where}.",
            *notes,
            "This is a bug in noisewright, not a mistake of yours; please report it.",
        ]
    )


def refuse(message: str, status: int) -> JSONResponse:
    """Return an answer that says what went wrong."""
    return JSONResponse({"error": message}, status_code=status)


def register_failures(app: FastAPI, *, root: str = "") -> None:
    """Let every error of the routes become such an answer, with names as the folder has them."""

    def failure(message: str, status: int) -> JSONResponse:
        return refuse(message.replace(f"{root}/", "") if root else message, status)

    async def tell(request: Request, problem: Exception) -> JSONResponse:
        if isinstance(problem, RefusalError):
            return failure(str(problem), problem.status)
        if isinstance(problem, NoisewrightError):
            return failure(sentence_of(problem), 409 if isinstance(problem, BudgetError) else 400)
        if isinstance(problem, HTTPException):
            return failure(str(problem.detail), problem.status_code)
        if isinstance(problem, RequestValidationError):
            return failure(_which_field(problem), 422)
        known = isinstance(problem, OSError | MemoryError)
        return failure(sentence_of(problem), 400 if known else 500)

    for kind in (NoisewrightError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, tell)


def _which_field(problem: RequestValidationError) -> str:
    """Name the fields at fault, without what was sent."""
    said: list[str] = []
    for one in problem.errors()[:5]:
        place: list[Any] = [part for part in one.get("loc", ()) if part != "body"]
        said.append(f"{'.'.join(map(str, place)) or 'the body'}: {one.get('msg', 'not valid')}")
    return f"the request cannot be read: {'; '.join(said)}."
