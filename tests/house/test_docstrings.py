"""Every module has a sentence about its purpose."""

import ast
import re

from tests.house import tree

TO_DO = re.compile(r"\b(TODO|FIXME|XXX|TBD)\b")


def test_every_module_says_what_it_is_for() -> None:
    silent = [path for path in tree.modules() if len((ast.get_docstring(tree.syntax(path)) or "").split()) < 3]
    assert not silent, tree.listing(silent)


def test_no_module_holds_a_note_to_do_it_later() -> None:
    later = [path for path in tree.modules() if TO_DO.search(tree.text(path)) and not path.startswith("tests/house/")]
    assert not later, tree.listing(later)
