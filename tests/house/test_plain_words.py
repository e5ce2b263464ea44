"""Names and sentences of the code keep to plain technical English: words that only this project understood stay out."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.house import tree

# `told` and `said` replace a text, a remark, a row or an output, `standing` a status: name that.
PRIVATE = frozenset(
    {
        "told",
        "said",
        "sayings",
        "saying",
        "standing",
        "standings",
        "taking",
        "takings",
        "kin",
        "shelf",
        "shelved",
        "crew",
    }
)
PARTS = re.compile(r"[A-Z]?[a-z]+")
# Each word as the whole part of a name or a text: `kin` stands in every `kind`.
_EITHER_CASE = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in sorted(PRIVATE))
ANYWHERE = re.compile(rf"(?:{_EITHER_CASE})(?![a-z])|\b(?:{'|'.join(sorted(PRIVATE)).upper()})")
IN_TEXT = re.compile(r"\b(told|said|sayings|kin|shelf|crew)\b", re.IGNORECASE)


def findings(path: str, text: str) -> list[str]:
    """Return each place where an identifier, a docstring or a comment of a module has a private word."""
    if not ANYWHERE.search(text):
        return []  # tokens cost a hundred times as much
    return [*_in_tokens(path, text), *_in_docstrings(path, text)]


def _in_tokens(path: str, text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and PRIVATE.intersection(map(str.lower, PARTS.findall(token.string))):
            yield f"{path}:{token.start[0]} {token.string}"
        elif token.type == tokenize.COMMENT and (found := IN_TEXT.search(token.string)):
            yield f"{path}:{token.start[0]} comment: {found[0]}"


def _in_docstrings(path: str, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        # a string on its own documents a module, a class, a function or the constant before it
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and (found := IN_TEXT.search(node.value.value))
        ):
            yield f"{path}:{node.lineno} docstring: {found[0]}"


def test_no_module_has_a_private_word() -> None:
    found = [
        finding
        for path in tree.modules()
        if path != "tests/house/test_plain_words.py"
        for finding in findings(path, tree.text(path))
    ]
    assert not found, tree.listing(found)


def test_names_comments_and_docstrings_are_seen() -> None:
    for line in (
        "said = 1",
        "def _is_told(): ...",
        "class SaidTax: ...",
        "# a sheet that was told of",
        '"""Is told."""',
    ):
        assert findings("x.py", line), line


def test_texts_and_longer_words_are_allowed() -> None:
    assert findings("x.py", 'kind = "said"  # of some kind\nmistaking = kinship = 1\n') == []
