"""Integers and instants of an answer: what neither database nor calendar can hold is refused in words."""

from datetime import UTC, datetime

import pytest
from pydantic import BaseModel, ValidationError

from connectors.http.wire_values import (
    Integer,
    bare_document,
    read_id,
    read_instant,
    read_integer,
    read_object,
    text_or_none,
)
from domain.competence import BRASILIA

LARGEST = 2**63 - 1


class Record(BaseModel):
    id: Integer


@pytest.mark.parametrize("value", [LARGEST, -LARGEST, 0])
def test_an_integer_of_64_bits_is_read(value: int):
    assert (read_id(value), read_integer(str(value)), Record(id=value).id) == (value, value, value)


@pytest.mark.parametrize("value", [LARGEST + 1, -LARGEST - 1, 10**30])
def test_a_larger_integer_is_refused(value: int):
    for read in (read_id, read_integer):
        with pytest.raises(ValueError, match="64 bits"):
            read(value)
    with pytest.raises(ValueError, match="64 bits"):
        read_integer(str(value))
    with pytest.raises(ValidationError):
        Record(id=value)


@pytest.mark.parametrize("value", [True, "7", 7.0, None])
def test_an_id_is_an_integer_and_nothing_like_it(value: object):
    with pytest.raises(TypeError):
        read_id(value)


@pytest.mark.parametrize("value", [True, 1.0, None, [1]])
def test_what_is_no_integer(value: object):
    with pytest.raises(TypeError):
        read_integer(value)


@pytest.mark.parametrize(
    "text", ["2026-11-20T12:00:00-03:00", "2026-11-20T15:00:00Z", "2026-11-20T15:00:00+00:00", "2026-11-20 12:00:00"]
)
def test_an_instant_without_an_offset_means_brasilia(text: str):
    assert read_instant(text) == datetime(2026, 11, 20, 15, tzinfo=UTC)


@pytest.mark.parametrize("text", ["9999-12-31 23:59:59", "9999-12-31T23:59:59-03:00", "9999-12-31T21:00:00"])
def test_the_calendars_last_hours_mean_never(text: str):
    assert read_instant(text) == datetime.max.replace(tzinfo=UTC)
    assert read_instant(text).astimezone(BRASILIA).year == 9999


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"])
def test_an_instant_before_the_calendar_is_refused(text: str):
    with pytest.raises(ValueError, match="calendar"):
        read_instant(text)


def test_documents_and_keys_are_bare_text():
    assert bare_document("99.000.051/0001-80") == "99000051000180"
    assert bare_document("12.abc.345/01de-35") == "12ABC34501DE35"
    assert bare_document(99000051000180) == "99000051000180"
    assert [bare_document(each) for each in (None, "", "  ")] == [None] * 3


def test_absent_texts_come_as_null_or_empty():
    assert [text_or_none(value) for value in (None, "", "x", 7)] == [None, None, "x", "7"]


def test_an_object_is_an_object():
    assert read_object({"a": 1}) == {"a": 1}
    for wrong in (None, ["x"], "x"):
        with pytest.raises(TypeError):
            read_object(wrong)
