"""Every value that a record's field refuses has words of the catalogue, in the operator's language, and no others."""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from connectors.http.auth import BasicToken
from connectors.http.session import HttpSession
from connectors.identity import resources as identity
from connectors.identity.client import IdentityClient
from connectors.nfe import resources as nfe
from connectors.nfe.client import NfeClient
from connectors.nfse import resources as nfse
from connectors.nfse.client import NfseClient
from connectors.orders import resources as orders
from connectors.orders.client import OrdersClient
from domain.problems import InputError, Problem
from domain.resources import Resource, Write
from tests.connectors.nfe.samples import SECRETS, content

LAST_RESORT = "record_field.wrong"
VALUES: tuple[str, ...] = (
    "",
    " ",
    "x",
    "é",
    "a\0b",
    "-1",
    "0",
    "9",
    "1.5",
    "1,23456",
    "9" * 19,
    "9" * 400,
    "w" * 4_000,
    "2026-02-30",
)
VALUES += ("1999-01-01", "1999-01-01T10:00:00-03:00", "a@b", "00000000000", "11222333000182", "talvez", "a,,\0")
NESTED: tuple[Any, ...] = (None, True, -1, 1.5, "é", "\ud800", "w" * 4_000, [], {}, [1])
PLAIN = re.compile(r"[\w.@–-]*(?:, [\w.@–-]+)*")
"""A parameter without a sentence: a name, a number, or several. Only `text` repeats what somebody typed."""


def _resources() -> Iterator[Resource]:
    def session() -> HttpSession:
        # never opened: only the checks of the fields run
        return HttpSession("http://127.0.0.1:9", BasicToken("unused"))

    yield from nfse.resources(NfseClient(session()))
    yield from nfe.resources(NfeClient(session(), extensions=True))
    yield from orders.resources(OrdersClient(session()))
    yield from identity.resources(IdentityClient(session()))
    yield from identity.activations(IdentityClient(session()))


WRITES = [(each, verb, write) for each in _resources() for verb, write in each.writes.items() if write.fields]
FLAT = [pytest.param(write, id=f"{each.kind}-{verb}") for each, verb, write in WRITES if not each.is_document]
WHOLE = [pytest.param(write, each.kind, id=each.kind) for each, _, write in WRITES if each.is_document]


def _refused(write: Write, values: Mapping[str, str]) -> tuple[Problem, ...]:
    try:
        write.check(values)
    except InputError as error:
        return error.problem, *error.details
    return ()


def _strangers(problems: tuple[Problem, ...]) -> list[Problem]:
    """Return the problems without words of their own, and those with a sentence as a parameter."""
    entries = [Catalogue.load(language).entries for language in LANGUAGES]
    return [
        each
        for each in problems
        if not all(each.code in known for known in entries)
        or each.code == LAST_RESORT
        or not all(PLAIN.fullmatch(str(value)) for name, value in each.params.items() if name != "text")
    ]


@pytest.mark.parametrize("write", FLAT)
def test_a_wrong_value_of_each_field_has_words(write: Write) -> None:
    found = [*_refused(write, {})]
    for name in write.fields:
        refused = [_refused(write, {name: value}) for value in VALUES]
        assert any(refused), name
        found += [problem for problems in refused for problem in problems]
    assert not _strangers(tuple(found))


@pytest.mark.parametrize(("write", "kind"), WHOLE)
def test_a_wrong_value_within_a_document_has_words(write: Write, kind: str) -> None:
    document = _document(kind)
    assert not _refused(write, {"document": json.dumps(document)})
    refused = [_refused(write, {"document": json.dumps(wrong)}) for wrong in _spoilt(document)]
    assert len([each for each in refused if each]) > 500
    assert not _strangers(tuple(problem for problems in refused for problem in problems))


def _document(kind: str) -> dict[str, Any]:
    sort = "nfce" if "nfce" in kind else "nfe"
    secrets = SECRETS if sort == "nfce" else {}
    one: dict[str, Any] = content() | {
        "dados_gerais": content()["dados_gerais"] | {"serie": 7, "nfe_numero": 1} | secrets
    }
    if not kind.endswith("batch"):
        return one | {"xml_assinado": "<NFe>assinada</NFe>"}
    values = {"lote": 41, "serie": 8, "sincronicidade": 0, "uf": 33, "xml_assinado": "<lote/>"}
    return values | {f"{sort}s": [one, copy.deepcopy(one)]}


def _spoilt(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the document with each of its values replaced, removed, or beside a strange one."""
    yield document | {"strange": 1}
    for place in _places(document):
        for value in NESTED:
            wrong = copy.deepcopy(document)
            _parent(wrong, place)[place[-1]] = value
            yield wrong
        wrong = copy.deepcopy(document)
        del _parent(wrong, place)[place[-1]]
        yield wrong


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if place:
        yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*place, key))


def _parent(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place[:-1]:
        document = document[key]
    return document


def test_a_field_of_two_types_is_reported_by_its_own() -> None:
    write = next(write for each, verb, write in WRITES if (each.kind, verb) == ("taker", "change"))
    (problem,) = _refused(write, {"address.zip_code": "24020-000"})[1:]
    assert (problem.code, problem.params["name"]) == ("record_field.digit_text", "address.zip_code")
