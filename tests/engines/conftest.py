"""Assertions of the conformance suite explain themselves as those of test modules do."""

import pytest

pytest.register_assert_rewrite("tests.engines.conformance")
