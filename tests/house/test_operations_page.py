"""The page of operations is true: every operation, and existing commands and flows."""

from tests.house import operations_page, tree


def test_the_list_names_only_what_exists() -> None:
    assert operations_page.unknown() == []


def test_the_page_is_made_from_the_tables() -> None:
    written = tree.text(operations_page.PAGE)
    assert written == operations_page.page(), "run python -m tests.house.operations_page"
