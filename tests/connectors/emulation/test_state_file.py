"""The state file and its sections."""

import sqlite3

import pytest

from connectors.emulation.resource_table import ResourceTable
from connectors.emulation.state_file import Store

KEYS = {"owner": "INTEGER", "name": "TEXT"}


@pytest.fixture
def store(tmp_path):
    made = Store(str(tmp_path / "state.db"), ResourceTable.schema("things", KEYS))
    yield made
    made.close()


def test_transaction_is_all_or_nothing(store):
    def write_and_fail():
        with store.transaction():
            store.set_setting("a", 1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert store.setting("a", None) is None


def test_state_survives_its_connection(tmp_path):
    path = str(tmp_path / "state.db")
    for _ in range(2):
        store = Store(path, "")
        store.set_setting("times", store.setting("times", 0) + 1)
        store.close()
    store = Store(path, "")
    assert store.setting("times", 0) == 2
    store.close()


def test_second_holder_of_the_file_is_refused(store, tmp_path):
    store.set_setting("a", 1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        Store(str(tmp_path / "state.db"), "")


def test_table_finds_exactly_and_never_gives_an_id_twice(store):
    table = ResourceTable(store, "things", KEYS)
    first = table.add({"owner": 1, "name": "Ação"})
    assert table.find({"owner": "1", "name": "Ação"}) == [first]
    assert table.find({"name": "A%"}) == []
    assert table.count({}) == 1
    table.replace(first | {"name": "B"})
    assert table.require(first["id"])["name"] == "B"
    assert [thing["name"] for thing in table.find({"name": "B"})] == ["B"]
    table.drop(first["id"])
    assert table.get(first["id"]) is None
    assert table.add({"owner": 1})["id"] == first["id"] + 1
    store.empty()
    table.forget()
    assert table.add({})["id"] == 1


def test_a_restored_store_continues_with_the_same_ids(store):
    table = ResourceTable(store, "things", KEYS)
    table.add({"owner": 1, "name": "A"})
    table.drop(table.add({"owner": 2, "name": "B"})["id"])
    store.set_setting("a", 1)
    content = store.content()
    later = [table.add({"owner": 3})["id"] for _ in range(2)]
    store.set_setting("a", 2)
    store.set_setting("b", 3)
    store.restore(content)
    assert store.content() == content
    assert (store.setting("a", None), store.setting("b", None)) == (1, None)
    assert table.add({"owner": 3})["id"] == later[0] == 3


def test_a_store_that_never_gave_an_id_is_restored(store):
    table = ResourceTable(store, "things", KEYS)
    content = store.content()
    table.add({"owner": 1})
    store.restore(content)
    assert table.add({"owner": 1})["id"] == 1
