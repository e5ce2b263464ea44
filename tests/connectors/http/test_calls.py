"""Errors for an answer of an unexpected shape."""

import pytest
from pydantic import BaseModel

from connectors.http.calls import Call, Response, understand
from connectors.http.errors import Doubtful, Unreadable
from connectors.http.wire_trace import Wire


class Thing(BaseModel):
    id: int


def answer(data, *, is_write):
    call = Call(method="POST", path="/api/v1/things", is_write=is_write)
    return Response(call=call, status=200, headers={}, data=data, is_json=True, wire=Wire(requests=1))


def test_understand_returns_the_parsed_answer():
    assert understand(answer({"id": 3}, is_write=True), Thing.model_validate).id == 3


@pytest.mark.parametrize(("is_write", "kind"), [(True, Doubtful), (False, Unreadable)])
def test_a_write_that_is_not_understood_was_still_done(is_write, kind):
    with pytest.raises(kind) as caught:
        understand(answer({"id": "000.000.001-91"}, is_write=is_write), Thing.model_validate)
    assert type(caught.value) is kind
    assert caught.value.detail == "answer not understood: id int_parsing"
    assert caught.value.__cause__ is None
    assert caught.value.wire.requests == 1


@pytest.mark.parametrize(
    "parse", [lambda data: data["gone"], lambda data: int(data["text"]), lambda data: data["text"] + 1]
)
def test_any_error_of_a_parser_is_unreadable(parse):
    with pytest.raises(Unreadable):
        understand(answer({"text": "x"}, is_write=False), parse)
