"""Which request gets which fault."""

import pytest

from connectors.emulation.faults import Faults
from connectors.emulation.request_journal import SCHEMA
from connectors.emulation.state_file import Store


def faults(*rules):
    made = Faults(Store(None, SCHEMA), lambda: 0.0)
    made.replace(list(rules))
    return made


def chosen(made, operation, times):
    return [bool(made.choose(operation)) for _ in range(times)]


def test_a_fault_strikes_once_by_default():
    assert chosen(faults({"operation": "notes.create", "kind": "late"}), "notes.create", 3) == [True, False, False]


def test_count_and_after():
    made = faults({"operation": "notes.create", "kind": "late", "count": 2, "after": 1})
    assert chosen(made, "notes.create", 5) == [False, True, True, False, False]
    assert (made.rules[0]["seen"], made.rules[0]["applied"]) == (5, 2)


def test_share_is_repeatable_and_about_right():
    rule = {"operation": "notes.create", "kind": "late", "share": 0.1, "seed": 3}
    first = chosen(faults(rule), "notes.create", 1000)
    assert first == chosen(faults(rule), "notes.create", 1000)
    assert first != chosen(faults(rule | {"seed": 4}), "notes.create", 1000)
    assert 60 <= sum(first) <= 140
    assert sum(chosen(faults(rule | {"count": 5}), "notes.create", 1000)) == 5


@pytest.mark.parametrize(
    ("pattern", "operation", "matches"),
    [
        ("*", "notes.create", True),
        ("*", "city", False),
        ("notes.*", "notes.read", True),
        ("notes.*", "batches.notes", False),
        ("notes.create", "notes.read", False),
    ],
)
def test_a_rule_matches_operations_by_pattern(pattern, operation, matches):
    assert chosen(faults({"operation": pattern, "kind": "late"}), operation, 1) == [matches]


def test_first_rule_wins_and_all_have_seen():
    made = faults({"operation": "*", "kind": "late"}, {"operation": "notes.*", "kind": "slow", "after": 1})
    kinds = [(made.choose("notes.read") or {}).get("kind") for _ in range(3)]
    assert kinds == ["late", "slow", None]
    assert made.rules[1]["seen"] == 3


def test_counts_are_kept_in_the_store():
    made = faults({"operation": "*", "kind": "late", "count": 2})
    made.choose("notes.read")
    resumed = Faults(made._store, lambda: 0.0)
    assert chosen(resumed, "notes.read", 2) == [True, False]


def test_each_applied_fault_is_noted():
    made = faults({"operation": "notes.*", "kind": "late", "count": 2}, {"operation": "city", "kind": "city_down"})
    chosen(made, "notes.read", 3)
    made.outage(1, "note 7")
    noted = made._store.all("SELECT operation, kind, details FROM applied_faults ORDER BY id")
    assert noted == [
        ("notes.read", "late", "{}"),
        ("notes.read", "late", "{}"),
        ("city", "city_down", '{"subject": "note 7"}'),
    ]


def test_a_city_is_down_for_its_time_and_alone():
    clock = [100.0]
    made = Faults(Store(None, SCHEMA), lambda: clock[0])
    made.replace([{"operation": "city", "kind": "city_down", "city_code": 3304557, "seconds": 60}])
    assert made.choose("city") is None
    assert (made.outage(3304557, "a"), made.outage(3550308, "b")) == (160.0, None)
    clock[0] = 160.0
    assert made.outage(3304557, "a") is None
    assert made.rules[0]["applied"] == 1


@pytest.mark.parametrize(
    "rule",
    [
        "late",
        {"kind": "late"},
        {"operation": "*", "kind": "nonsense"},
        {"operation": "*", "kind": "late", "shares": 1},
        {"operation": "notes.create", "kind": "city_slow"},
        {"operation": "city", "kind": "late"},
        {"operation": "notes.create", "kind": "webhook_drop"},
        {"operation": "*", "kind": "late", "seconds": "soon"},
        {"operation": "*", "kind": "late", "count": True},
        {"operation": "*", "kind": "late", "seconds": -1},
        {"operation": "*", "kind": "altered", "fields": "all"},
        {"operation": "*", "kind": "content_type", "media": 1},
    ],
)
def test_meaningless_rules_are_refused(rule):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        faults(rule)
