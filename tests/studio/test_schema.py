"""Whatever the API's own description allows, and much that it does not: no answer is a 500."""

import json
import warnings
from contextlib import suppress
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode

from tests.studio.conftest import RunningStudio

EXAMPLES = 4
"""For each address, of what its description allows and of what it does not; always the same."""

THERE = {
    "file": "survey.csv",
    "plan": "plan.toml",
    "codebook": "codes.csv",
    "output": "answer.csv",
    "epsilon": "1",
    "delta": "0",
}


def _aim(body: Any) -> Any:
    """Name what exists, so that a request gets further than to a missing file."""
    if not isinstance(body, dict):
        return body
    aimed: dict[str, Any] = {}
    for name, value in body.items():
        there = THERE.get(name)
        aimed[name] = there if there and isinstance(value, str) else _aim(value)
    return aimed


def test_no_request_makes_the_studio_fail(studio: RunningStudio) -> None:
    seen: dict[str, set[int]] = {}
    with studio.browser() as client:
        studio.plan(client)
        studio.grant(client)
        schema = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())

        def send(case: Any) -> None:
            wanted: dict[str, Any] = case.as_transport_kwargs(base_url=studio.origin)
            name, plain = f"{case.method} {case.path}", wanted.get("json")
            # Advice on what exists would predict errors in other processes for a while.
            aimed = plain if case.path == "/api/advice" else _aim(plain)
            for body in [plain] if aimed == plain else [aimed, plain]:
                content = wanted.get("data") if body is None else json.dumps(body).encode()
                try:
                    answer = client.request(
                        wanted["method"],
                        wanted["url"].removeprefix(studio.origin),
                        params=wanted.get("params"),
                        content=content if isinstance(content, bytes | str) else None,
                        headers={"content-type": "application/json"},
                    )
                except (ValueError, httpx.InvalidURL):
                    continue  # no client can send it
                seen.setdefault(name, set()).add(answer.status_code)
                assert answer.status_code < 500, (name, body, wanted.get("params"), answer.text)
                assert answer.status_code < 400 or answer.json()["error"]

        quietly = settings(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        )
        for mode in GenerationMode:
            for found in schema.get_all_operations():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    operation: Any = found.ok()  # pyright: ignore[reportAttributeAccessIssue]
                    strategy = operation.as_strategy(generation_mode=mode)
                    # What takes nothing cannot be given the wrong thing.
                    with suppress(Unsatisfiable):
                        quietly(given(strategy)(send))()
    assert len(seen) >= 18, "every address was asked"
    assert len([name for name, found in seen.items() if 200 in found]) >= 6, seen
