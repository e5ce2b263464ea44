"""The page of operations is complete and true: an existing command and a test reach each operation."""

from tests.house import operations_page, tree
from tests.house.test_operations import SYSTEMS, operations


def test_the_list_names_only_what_exists() -> None:
    assert operations_page.unknown() == []


def test_every_documented_operation_is_reached() -> None:
    documented = {
        name for system in SYSTEMS for name, entry in operations(system).items() if not entry.get("extension")
    }
    assert not documented - operations_page.reached().keys()


def test_the_page_is_made_from_the_tables() -> None:
    written = tree.text(operations_page.PAGE)
    assert written == operations_page.page(), "run python -m tests.house.operations_page"
