"""The data map against the ledger: a new table or column without a class of personal data fails."""

from configs.data_map import load_data_map
from connectors.ledger.mirror.tables import metadata
from tests.house import tree

TABLES, FOLDERS = load_data_map()


def test_every_table_of_the_ledger_is_in_the_map() -> None:
    assert set(metadata.tables) == set(TABLES), tree.listing(sorted(set(metadata.tables) ^ set(TABLES)))


def test_every_column_has_one_class() -> None:
    differing = [
        f"{name}.{column}"
        for name, table in metadata.tables.items()
        for column in {each.name for each in table.columns} ^ set(TABLES[name].columns)
    ]
    assert not differing, tree.listing(sorted(differing))


def test_columns_that_say_who_are_never_classed_as_nothing() -> None:
    suspicious = ("document", "cnpj", "client_", "content", "cells", "body", "approver", "operator", "because")
    kept = {"templates.body", "rate_limits.because", "batches.proven_by"}
    careless = [
        f"{name}.{column}"
        for name, entry in TABLES.items()
        for column, sort in entry.columns.items()
        if sort == "none" and (column.endswith("_by") or any(part in column for part in suspicious))
    ]
    assert set(careless) <= kept, tree.listing(careless)


def test_every_home_folder_with_personal_data_is_in_the_map() -> None:
    assert {"archive", "outbox", "copies", "detached", "exports", "persons"} <= set(FOLDERS)
