"""The documents name only files that exist, and link only to pages that exist."""

import re
from pathlib import PurePosixPath
from typing import get_args

import pytest

from configs.sections import Topic
from tests.house import tree

PAGES = [path for path in tree.files() if path.endswith(".md") and (path.startswith("docs/") or "/" not in path)]
NAMED = re.compile(r"`((?:[a-z_]+/)+(?:[\w.-]+\.(?:py|toml|yaml|md))?)`")
# `compose_invoice` (`domain/services/invoices.py`), or `tasks/staff/identity.py:identify`
DEFINED = re.compile(r"`(\w+)`[,\s]*\(`((?:[a-z_]+/)+\w+\.py)`|`((?:[a-z_]+/)+\w+\.py):(\w+)`")
LINK = re.compile(r"\]\((?!#|[a-z]+:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES)
def test_page_names_only_files_that_exist(page: str) -> None:
    files = set(tree.files())
    folders = {f"{parent}/" for path in files for parent in PurePosixPath(path).parents}
    lost = [
        name for name in NAMED.findall(tree.text(page)) if name not in files | folders and not name.startswith("var/")
    ]
    assert not lost, lost


def undefined(page: str) -> list[str]:
    """Return the names that a page puts into a module which does not define them."""
    found = [(each[0] or each[3], each[1] or each[2]) for each in DEFINED.findall(page)]
    return [f"{name} in {path}" for name, path in found if not tree.defines(path, name)]


@pytest.mark.parametrize("page", PAGES)
def test_page_names_only_functions_that_exist(page: str) -> None:
    assert undefined(tree.text(page)) == []


def test_a_name_that_moved_is_seen() -> None:
    known = "`compose_invoice` (`domain/services/invoices.py`), `tasks/staff/identity.py:identify`"
    assert undefined(known) == []
    moved = known.replace("invoices", "codes").replace("identity", "codes")
    assert undefined(moved) == ["compose_invoice in domain/services/codes.py", "identify in tasks/staff/codes.py"]


@pytest.mark.parametrize("page", PAGES)
def test_page_links_to_what_exists(page: str) -> None:
    here = PurePosixPath(page).parent
    lost = [link for link in LINK.findall(tree.text(page)) if not (tree.ROOT / here / link).exists()]
    assert not lost, lost


def test_the_runbook_says_what_to_do_about_each_alert() -> None:
    found = set(re.findall(r"^\| `(\w+)` \|", tree.text("docs/runbook.md"), re.MULTILINE))
    assert found == set(get_args(Topic))
