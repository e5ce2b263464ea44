"""Only the provider's own answer decides, over real sockets: answers of gateways beside those of each system."""

import asyncio
import json

import pytest

from connectors.http.error_bodies import DEFAULT
from connectors.http.errors import Broken, Conflict, Denied, Disturbed, Doubtful, NotFound, Refused, Unreadable
from connectors.identity.client import DIALECT as IDENTITY
from connectors.nfe.client import DIALECT as PRODUCTS
from connectors.orders.client import DIALECT as ORDERS
from tests.connectors.http.sockets import Connection, http, serving, session_to

HTML = "Content-Type: text/html"
PLAIN = "Content-Type: text/plain; charset=utf-8"
PAGE = b"<html><body><h1>Not Found</h1></body></html>"
LOGIN = b"<html><body><form action=/login><input name=password></form></body></html>"
DIALECTS = {"services": DEFAULT, "products": PRODUCTS, "identity": IDENTITY, "orders": ORDERS}
REFUSALS = (400, 401, 404, 405, 406, 409, 410, 413, 418, 422)

PAGES = {f"a page {status}": http(status, PAGE, HTML) for status in (*REFUSALS, 403, 451)}
OTHERS = {
    "a login page": http(200, LOGIN, HTML),
    "a login page called JSON": http(200, LOGIN),
    "no route matched": http(404, b'{"message":"no Route matched with those values"}'),
    "a gateway's framework": http(404, b'{"detail":"Not Found"}'),
    "its own fields": http(404, b'{"timestamp":"x","status":404,"error":"Not Found","path":"/"}'),
    "an error object": http(404, b'{"error":{"code":5,"message":"not found"}}'),
    "plain text": http(404, b"404 page not found\n", PLAIN),
    "words of another type": http(404, b'{"detail":"Not found"}', HTML),
    "words without a type": http(404, b'{"detail":"Not found"}', "Content-Type:"),
    "an empty page": http(404, b"", HTML),
    "an empty answer": http(404, b"", "Content-Type:"),
    "an empty object": http(422, b"{}"),
    "a message": http(422, b'{"message":"blocked"}'),
    "a text under a field": http(422, b'{"service_values":"blocked"}'),
    "a list of numbers": http(422, b'{"fields":[1,2]}'),
    "errors with other keys": http(422, b'{"errors":["x"],"request_id":["1"],"error_code":"WAF"}'),
    "a bare number": http(409, b"409"),
    "cut JSON": http(422, b'{"serie":["ta'),
    "a web address": http(403, b'{"message":"Forbidden"}'),
    "nothing at all": http(401, b"", "Content-Type:"),
    "to the login": http(302, b"", "Location: https://login.example/", HTML),
    "to https": http(301, b"", "Location: https://127.0.0.1/api/v1/nfse/7", HTML),
    "to itself": http(307, b"", "Location: /api/v1/nfse/7"),
}


def asked(raw, dialect, ask):
    """Return the error of one call to a server that answers with these bytes."""

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                await connection.request()
                await connection.send(raw)

        async with serving(behave) as server, session_to(server.base_url) as session:
            session.dialect = dialect
            with pytest.raises(Exception) as caught:
                await ask(session)
            return caught.value, len(server.requests)

    return asyncio.run(main())


def read(session):
    return session.read("GET", "/api/v1/nfse/7")


def post(session):
    return session.write("POST", "/api/v1/nfse", b"{}", expect=frozenset({201}))


def delete(session):
    return session.write("DELETE", "/api/v1/nfse/7", None, expect=frozenset({204}), foreseen=frozenset({404, 409}))


@pytest.mark.parametrize("system", DIALECTS)
@pytest.mark.parametrize("words", [*PAGES, *OTHERS])
def test_a_gateways_answer_decides_nothing(words, system):
    raw = {**PAGES, **OTHERS}[words]
    assert type(asked(raw, DIALECTS[system], read)[0]) in (Broken, Unreadable)
    for write in (post, delete):
        error, requests = asked(raw, DIALECTS[system], write)
        assert (type(error), requests) == (Doubtful, 1)


OWN = {
    "services: absent": (DEFAULT, http(404, b'{"detail":"Not found"}'), NotFound, NotFound),
    "services: token": (DEFAULT, http(401, b'{"detail":"Bad credentials"}'), Denied, Denied),
    "services: method": (DEFAULT, http(405, b'{"detail":"Method not allowed."}'), Unreadable, Disturbed),
    "services: fields": (DEFAULT, http(422, b'{"cnpj":["exists"]}'), Refused, Refused),
    "services: nested": (DEFAULT, http(422, b'{"taker":{"address":[{"city":["needed"]}]}}'), Refused, Refused),
    "services: sent": (DEFAULT, http(422, b'{"rps":["sent already"]}'), Refused, Disturbed),
    "products: list": (PRODUCTS, http(422, b'{"errors":[{"ncm":["bad"]}],"error_details":[]}'), Refused, Refused),
    "products: object": (PRODUCTS, http(422, b'{"errors":{"ncm":["bad"]}}'), Refused, Refused),
    "products: text": (PRODUCTS, http(422, b'{"errors":"ncm bad"}'), Refused, Refused),
    "products: texts": (PRODUCTS, http(422, b'{"errors":["ncm bad"]}'), Refused, Refused),
    "products: token": (PRODUCTS, http(401, b'{"errors":"Bad credentials"}'), Denied, Denied),
    "products: absent": (PRODUCTS, http(404, b'{"detail":"Not found"}'), NotFound, NotFound),
    "identity: absent": (IDENTITY, http(404, '"Conta não encontrada."'.encode()), NotFound, NotFound),
    "identity: twice": (IDENTITY, http(409, b'"exists"'), Conflict, Conflict),
    "identity: owner": (IDENTITY, http(406, b'"owner"'), Refused, Refused),
    "identity: fields": (IDENTITY, http(400, b'{"field_errors":{"roles":["x"]},"errors":["y"]}'), Refused, Refused),
    "identity: page": (IDENTITY, http(403, b"", "Content-Type: text/html; charset=utf-8"), Denied, Denied),
    "orders: absent": (ORDERS, http(404, b"", "Content-Type: application/json; charset=utf-8"), NotFound, NotFound),
    "orders: twice": (ORDERS, http(409, b'{"errors":["exists"]}'), Conflict, Conflict),
    "orders: stranger": (ORDERS, http(403, b'{"detail":"no"}'), Denied, Denied),
}


@pytest.mark.parametrize("words", OWN)
def test_the_providers_own_words_count(words):
    dialect, raw, of_read, of_delete = OWN[words]
    assert type(asked(raw, dialect, read)[0]) is of_read
    assert type(asked(raw, dialect, delete)[0]) is of_delete


@pytest.mark.parametrize("system", DIALECTS)
def test_words_of_one_system_are_not_anothers(system):
    """A bare JSON string is a 404 of the identity service only, an empty JSON body one of the order service."""
    bare, empty = http(404, b'"gone"'), http(404, b"")
    assert (type(asked(bare, DIALECTS[system], delete)[0]) is NotFound) == (system == "identity")
    assert (type(asked(empty, DIALECTS[system], delete)[0]) is NotFound) == (system == "orders")


@pytest.mark.parametrize(
    ("words", "of_identity"),
    [("A lista não tem esta página", NotFound), ("This list has no such page.", NotFound)]
    + [(words, Broken) for words in ("Not Found", "Page not found", "No route matched", "")],
)
def test_a_missing_page_of_a_list_is_named_by_the_identity_service(words, of_identity):
    """A gateway's words would end the list too early; about a single record they prove nothing either."""
    raw = http(404, json.dumps({"detail": words}).encode())

    def page(session):
        return session.read("GET", "/organizations/api/accounts/", {"limit": 20, "page": 3})

    assert {name: type(asked(raw, dialect, page)[0]) for name, dialect in DIALECTS.items()} == {
        **dict.fromkeys(DIALECTS, Broken),
        "identity": of_identity,
    }
    assert type(asked(raw, IDENTITY, read)[0]) is Broken


def test_an_empty_page_is_a_404_where_a_call_documents_it():
    def paper(session):
        return session.read("GET", "/api/v1/nfse/7/pdf", expect=frozenset({302}), has_bare_404=True)

    assert type(asked(http(404, b"", HTML), DEFAULT, paper)[0]) is NotFound
    assert type(asked(http(404, PAGE, HTML), DEFAULT, paper)[0]) is Broken


def test_the_error_says_that_the_words_are_not_the_providers():
    error, _ = asked(http(404, json.dumps({"message": "no route"}).encode()), DEFAULT, delete)
    assert error.detail == "status 404 in a body that the provider does not write"
