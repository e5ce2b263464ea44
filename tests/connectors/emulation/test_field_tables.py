"""Requests made normal, or refused, by a documented table."""

import pytest

from connectors.emulation.field_tables import REQUIRED, Field, Table, check


def table(**rows):
    return Table({name: Field(name=name, **row) for name, row in rows.items()}, {})


def check_one(value, **row):
    clean, errors = check(table(it=row), {"it": value})
    return errors["it"][0] if errors else clean["it"]


@pytest.mark.parametrize(
    ("value", "row", "normal"),
    [
        (1310100, {"type": "string"}, "1310100"),
        ("0105", {"type": "string", "max": 4}, "0105"),
        ("12", {"type": "integer", "digits": 2}, 12),
        (5, {"type": "number", "precision": (5, 2)}, "5.00"),
        (0.65, {"type": "number", "precision": (5, 2)}, "0.65"),
        ("007.500", {"type": "number", "precision": (5, 2)}, "7.50"),
        ("6201-5/00", {"type": "number"}, "6201-5/00"),
        ("3304557", {"type": "number"}, 3304557),
        ("0111301", {"type": "number"}, "0111301"),
        (3304557, {"type": "integer", "digits": 7, "min": 7}, 3304557),
        (
            "0A0B0C0D-0000-4000-8000-000000000001",
            {"type": "string", "format": "uuid"},
            "0a0b0c0d-0000-4000-8000-000000000001",
        ),
        ("-7.5", {"type": "number", "precision": (5, 2), "signed": True}, "-7.50"),
        ("-0", {"type": "number", "precision": (5, 2), "signed": True}, "0.00"),
        ("true", {"type": "boolean"}, True),
        ("2026-11-20T10:00:00Z", {"type": "date"}, "2026-11-20"),
        ("2026-11-20T10:00:00Z", {"type": "date-time"}, "2026-11-20T10:00:00Z"),
        (["a"], {"type": "array", "items": ("a", "b")}, ["a"]),
        ({"x": 1}, {"type": "object"}, {"x": 1}),
    ],
)
def test_a_value_is_normalised(value, row, normal):
    assert check_one(value, **row) == normal


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (True, {"type": "string"}),
        ("12345", {"type": "string", "max": 4}),
        (True, {"type": "integer"}),
        ("1x", {"type": "integer"}),
        (100, {"type": "integer", "digits": 2}),
        (330455, {"type": "integer", "digits": 7, "min": 7}),
        ("0a0b0c0d-0000-4000-8000-00000000000", {"type": "string", "format": "uuid"}),
        (4, {"type": "integer", "allowed": (1, 2, 3)}),
        ("1.005", {"type": "number", "precision": (5, 2)}),
        ("1000.00", {"type": "number", "precision": (5, 2)}),
        ("1,00", {"type": "number", "precision": (5, 2)}),
        ("-1.00", {"type": "number", "precision": (5, 2)}),
        ("sim", {"type": "boolean"}),
        ("20/11/2026", {"type": "date"}),
        (20261120, {"type": "date-time"}),
        (["c"], {"type": "array", "items": ("a", "b")}),
        ("x", {"type": "object"}),
        ("a\0b", {"type": "string"}),
        (10**18, {"type": "integer"}),
        ("9" * 5_000, {"type": "integer"}),
        (float("inf"), {"type": "number"}),
        ("0001-01-01T00:00:00+14:00", {"type": "date-time"}),
        ("9999-12-31T23:59:59", {"type": "date-time"}),
    ],
)
def test_refused(value, row):
    assert check_one(value, **row).endswith(".")


@pytest.mark.parametrize(
    "row",
    [
        {"type": "integer"},
        {"type": "number"},
        {"type": "number", "precision": (5, 2)},
        {"type": "boolean"},
        {"type": "date"},
        {"type": "date-time"},
        {"type": "array"},
        {"type": "object"},
        {"type": "string", "format": "uuid"},
        {"type": "string", "allowed": ("company", "person")},
    ],
)
@pytest.mark.parametrize("value", ["", None])
def test_an_empty_text_that_is_no_free_text_is_absent(row, value):
    rows = table(it=row, text={"type": "string"})
    assert check(rows, {"it": value, "text": ""}) == ({"text": ""}, {})
    assert check(table(it={**row, "required": True}), {"it": value}) == ({}, {"it": [REQUIRED]})


def test_required_fields_are_named_all_at_once():
    fields = table(
        a={"type": "string", "required": True},
        b={"type": "string", "required": True, "default": "RUA"},
        c={"type": "string", "required_unless": "d"},
        d={"type": "string", "required_unless": "c"},
    )
    assert check(fields, {"a": None})[1] == {"a": [REQUIRED], "c": [REQUIRED], "d": [REQUIRED]}
    assert check(fields, {"a": "x", "d": "y"})[1] == {}
    assert check(fields, {"d": "y"}, required=())[1] == {}
    assert check(fields, {}, required=("b",))[1] == {"b": [REQUIRED]}


def test_unknown_null_and_skipped_keys_are_dropped():
    fields = table(a={"type": "string"}, b={"type": "string"})
    assert check(fields, {"a": None, "b": 1.5, "z": 9}, skip=("b",)) == ({}, {})
