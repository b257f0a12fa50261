"""Generated requests (schemathesis): no status 500, and every response as it is described."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from serving import EVERY, PUBLIC, serving

from discreet.service.openapi import document

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NORMAL, FULL = 200, 5_000  # cases
SCHEMA = schemathesis.openapi.from_dict(document())
SCHEMA.config.update(base_url="http://service")
OPERATIONS = [each.ok() for each in SCHEMA.get_all_operations()]


def cases():
    """Return cases of all operations, of which two thirds are as described."""
    modes = (GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE)

    def of(pair):
        operation, mode = pair
        return operation.as_strategy(generation_mode=mode)

    return st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(modes)).flatmap(of)


def play(folder, number):
    """Send so many cases to a service with a run of every problem, which half of them name."""
    with serving(folder) as client:
        for problem, (spec, *_) in EVERY.items():
            assert client.put(f"/v1/runs/{problem}", spec | PUBLIC).status_code == 201
        task = {"dimension": 2, "horizon": 1000, "epsilon": 1.0}
        assert client.put("/v1/tasks/t", task).status_code == 201
        statuses = []

        @settings(
            max_examples=number,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(cases(), st.sampled_from([*EVERY, ""]), st.sampled_from(["admin", "admin", "", "x"]))
        def each(case, run, who):
            if run and "run" in (case.path_parameters or {}):
                case.path_parameters["run"] = run
            if "task" in (case.path_parameters or {}) and run:
                case.path_parameters["task"] = "t"
            sent = case.as_transport_kwargs(base_url="http://service")
            sent.pop("cookies", None)
            if who == "admin":
                sent["headers"]["Authorization"] = f"Bearer {client.token}"
            elif who:
                sent["headers"]["Authorization"] = f"Bearer {who}"
            files = sent.pop("files", None)
            assert files is None
            data = sent.pop("data", None)
            if data is not None:
                sent["content"] = data
            response = client.wait(client.http.request(**sent))
            statuses.append(response.status_code)
            case.validate_response(response, checks=CHECKS)

        each()
        return statuses


def test_generated_requests_are_answered_as_described(tmp_path):
    statuses = play(tmp_path, NORMAL)
    assert len(statuses) >= NORMAL
    assert max(statuses) < 500
    assert {200, 201, 401, 404, 422} <= set(statuses)


@pytest.mark.full
def test_five_thousand_generated_requests_are_answered_as_described(tmp_path):
    statuses = play(tmp_path, FULL)
    assert len(statuses) >= FULL
    assert max(statuses) < 500
