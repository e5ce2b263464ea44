"""Every code in use has its texts in every language and gets their parameters; and no text is unused."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from configs.catalogue import LANGUAGES, MESSAGES, Catalogue
from tests.house import tree

FROM_CONNECTOR_ERRORS = frozenset({"call", "facts"})
CODE = re.compile(r"[a-z_]+\.[a-z_.]+")
FROM_ROW = frozenset({"releasing"})
"""Parameter that `connectors.spreadsheets.row_parser` adds to a problem that holds a row."""

NEVER_ONE = frozenset({"cancel.several", "product.too_many_lines"})
"""Texts whose count is never 1."""
SAME_FOR_ONE = frozenset({"h", "min", "s", "de", "of", "mais", "more", "do", "enrolled", "moved"})
"""Words after a count that are the same for one and for more."""


@dataclass(frozen=True)
class Use:
    """One place that makes a problem. `params` None: the place does not spell them out, so they cannot be checked."""

    code: str
    where: str
    params: frozenset[str] | None


@cache
def uses() -> tuple[Use, ...]:
    return tuple(use for path in tree.modules(*tree.PACKAGES) for use in _uses_in(path))


def _uses_in(path: str) -> Iterator[Use]:
    for node in tree.nodes(path):
        if isinstance(node, ast.Call) and _name(node.func) == "Problem":
            for code in _texts(_argument(node, 0, "code")):
                given = _params(node)
                if given is not None and code.startswith("held."):
                    given |= FROM_ROW
                yield Use(code, f"{path}:{node.lineno}", given)
        elif isinstance(node, ast.Call) and _name(node.func) == "FieldFault":
            # `connectors.http.field_faults` adds the name of the field.
            params = frozenset({"name", *(str(each.arg) for each in node.keywords)})
            for code in _texts(_argument(node, 0, "code")):
                yield Use(code, f"{path}:{node.lineno}", params)
        elif isinstance(node, ast.Call) and _name(node.func) == "text":
            codes = filter(CODE.fullmatch, _texts(_argument(node, 0, "code")))
            yield from (Use(code, f"{path}:{node.lineno}", None) for code in codes)
        elif isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.AnnAssign | ast.Assign) and _is_error_code(line):
                    where = f"{path}:{line.lineno}"
                    yield from (Use(code, where, FROM_CONNECTOR_ERRORS) for code in _texts(line.value))


def _name(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    if len(call.args) > position:
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _is_error_code(node: ast.AnnAssign | ast.Assign) -> bool:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    return any(_name(target) == "code" for target in targets) and any("." in text for text in _texts(node.value))


def _texts(node: ast.expr | None) -> Iterator[str]:
    """Yield the code, or the codes of a choice between several."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _params(call: ast.Call) -> frozenset[str] | None:
    given, field = _argument(call, 3, "params"), _argument(call, 1, "field")
    names = {"field"} if field is not None and not (isinstance(field, ast.Constant) and field.value is None) else set()
    if given is None:
        return frozenset(names)
    if isinstance(given, ast.Dict) and all(isinstance(key, ast.Constant) for key in given.keys):
        return frozenset(names | {str(key.value) for key in given.keys if isinstance(key, ast.Constant)})
    return None


def test_every_language_has_the_same_codes_and_parameters() -> None:
    shapes = {
        language: {code: (entry.params, bool(entry.mend)) for code, entry in Catalogue.load(language).entries.items()}
        for language in LANGUAGES
    }
    first = shapes[LANGUAGES[0]]
    differing = [
        f"{language} {code}"
        for language, shape in shapes.items()
        for code in first.keys() | shape.keys()
        if first.get(code) != shape.get(code)
    ]
    assert not differing, tree.listing(sorted(differing))


def test_no_text_leaves_the_number_of_a_word_to_its_reader() -> None:
    """`{count:row|rows}` writes the word for a count; "row(s)" and a plain "{count} rows" do not."""
    texts = [
        f"{language} {code}: {entry.what}"
        for language in LANGUAGES
        for code, entry in Catalogue.load(language).entries.items()
        if _is_one_form(code, f"{entry.what} {entry.mend}")
    ]
    assert not texts, tree.listing(texts)


def _is_one_form(code: str, text: str) -> bool:
    counted = re.search(r"(?<!de )(?<!of )\{count\} ([^\W\d_]+)", text)
    is_counted = counted is not None and counted[1] not in SAME_FOR_ONE and code not in NEVER_ONE
    has_brackets = re.search(r"\w\((?:s|es|is|ns|ies|ões)\)", text) is not None
    return has_brackets or (is_counted and "{count:" not in text)


def test_the_catalogues_are_sorted() -> None:
    for language in LANGUAGES:
        codes = re.findall(r"^\[(.+)\]$", (MESSAGES / f"{language}.toml").read_text(encoding="utf-8"), re.MULTILINE)
        assert codes == sorted(codes), language


def test_every_code_in_use_has_its_words() -> None:
    entries = Catalogue.load().entries
    missing = sorted(f"{use.code}  {use.where}" for use in uses() if use.code not in entries)
    assert len(uses()) > 50
    assert not missing, tree.listing(missing)


def test_every_parameter_of_a_text_is_given_by_its_problem() -> None:
    entries = Catalogue.load().entries
    unfilled = [
        f"{use.code} {sorted(wanted)}  {use.where}"
        for use in uses()
        if use.params is not None and use.code in entries and (wanted := entries[use.code].params - use.params)
    ]
    assert not unfilled, tree.listing(sorted(unfilled))


def test_no_entry_is_idle() -> None:
    texts, patterns = _spelled_out()
    idle = [
        code
        for code in Catalogue.load().entries
        if code not in texts and not any(pattern.fullmatch(code) for pattern in patterns)
    ]
    assert not idle, tree.listing(sorted(idle))


def _spelled_out() -> tuple[set[str], list[re.Pattern[str]]]:
    """Return every text constant of the packages, and a pattern for each f-string (`f"tax.{name}_waived"`).

    A request for a whole family, `words("status")`, uses all its entries.
    """
    texts: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    for path in tree.modules(*tree.PACKAGES):
        for node in tree.nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.JoinedStr) and re.match(r"[a-z]+\.", _shape(node)):
                patterns.append(re.compile(_shape(node).replace(".", r"\.").replace("*", "[a-z_.]+")))
            elif isinstance(node, ast.Call) and _name(node.func) == "words":
                patterns += [re.compile(rf"{re.escape(family)}\..+") for family in _texts(_argument(node, 0, "family"))]
    return texts, patterns


def _shape(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
