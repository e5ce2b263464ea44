"""Requests byte for byte as HTTP libraries of other languages send them: the sandbox accepts each like ours."""

import base64
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from connectors.identity.emulator.seed import account_uuid
from tests.connectors.nfe import samples as products
from tests.sandboxes import TOKEN, RunningSandbox, note_body, running_sandbox

TAKER = {"cnpj": "99777001000104", "social_reason": "Ação/Reação São João Ltda", "fancy_name": None}
_BASIC = base64.b64encode(f"{TOKEN}:x".encode()).decode()
_PATIENCE_S = 300


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with running_sandbox(in_thread=True) as running:
        yield running


def by_curl_of_php(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of cURL: letters and slashes escaped; a body over a kilobyte waits for 100 Continue."""
    text = json.dumps(TAKER, indent=400).replace("/", "\\/").encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {_BASIC}\r\nAccept: */*\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\nExpect: 100-continue\r\n\r\n"
    yield head.encode()
    yield text


def by_fetch_of_node(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of fetch: letters as UTF-8, header names in lower case, any compression accepted."""
    text = json.dumps(TAKER, ensure_ascii=False, separators=(",", ":")).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: keep-alive\r\nauthorization: Basic {_BASIC}\r\n"
    head += "content-type: application/json;charset=UTF-8\r\naccept: application/json, text/plain, */*\r\n"
    head += "accept-language: *\r\nsec-fetch-mode: cors\r\naccept-encoding: identity\r\n"
    head += f"content-length: {len(text)}\r\n\r\n"
    yield head.encode() + text


def by_http_client_of_dotnet(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of `PostAsJsonAsync`: a chunked body with letters beyond ASCII escaped."""
    text = json.dumps(TAKER).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {_BASIC}\r\n"
    head += "Transfer-Encoding: chunked\r\nContent-Type: application/json; charset=utf-8\r\n\r\n"
    yield head.encode()
    for part in (text[:40], text[40:], b""):
        yield f"{len(part):X}\r\n".encode() + part + b"\r\n"


def exchanged(sandbox: RunningSandbox, send: Callable[[str], Iterator[bytes]]) -> tuple[int, Any]:
    """Return status and JSON of the answer to the parts of one request."""
    where = urlsplit(sandbox.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=_PATIENCE_S) as line:
        file = line.makefile("rb")
        for part in send(where.netloc):
            line.sendall(part)
            if b"Expect: 100-continue" in part:
                assert file.readline().startswith(b"HTTP/1.1 100 ")
                assert file.readline() == b"\r\n"
        status = int(file.readline().split()[1])
        headers = dict(row.decode().strip().lower().split(": ", 1) for row in iter(file.readline, b"\r\n"))
        raw = file.read(int(headers.get("content-length", 0)))
        file.close()
    return status, json.loads(raw) if raw else None


@pytest.mark.parametrize("send", [by_curl_of_php, by_fetch_of_node, by_http_client_of_dotnet])
def test_a_taker_is_made_as_it_was_asked_for(sandbox: RunningSandbox, send) -> None:
    sandbox.control("reset")
    status, body = exchanged(sandbox, lambda host: send(host, "/api/v1/takers"))
    assert status == 201, body
    _, found, _ = sandbox.call("GET", f"/api/v1/takers/{body['id']}")
    assert (found["cnpj"], found["social_reason"]) == (TAKER["cnpj"], TAKER["social_reason"])


# ---------------------------------------------------------------- requests of published clients, one by one

JSON_HEAD = "Content-Type: application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as a published client of one language sends it, and the status of the documented answer.

    `body` None sends neither a body nor a `Content-Length`.
    """

    method: str
    path: str
    headers: tuple[str, ...]
    body: Any = None
    status: int = 200

    def parts(self, host: str) -> Iterator[bytes]:
        raw = None if self.body is None else b"" if self.body == "" else json.dumps(self.body).encode()
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {host}", *self.headers]
        lines += [] if raw is None else [f"Content-Length: {len(raw)}"]
        yield "\r\n".join([*lines, "", ""]).encode() + (raw or b"")

    def answer(self, sandbox: RunningSandbox) -> Any:
        """Return the JSON of the answer, which must have the documented status."""
        status, found = exchanged(sandbox, self.parts)
        assert status == self.status, found
        return found


def basic(pair: str) -> str:
    return f"Authorization: Basic {base64.b64encode(pair.encode()).decode()}"


SERVICES = (basic(f"{TOKEN}:x"), "Accept: application/json", JSON_HEAD)
ORDERS = (basic("sandbox-consumer:sandbox-secret"), "Accept: application/json", JSON_HEAD)
IDENTITY = (basic("sandbox-application:sandbox-secret"), "Accept: application/json", JSON_HEAD)
PRODUCTS = (f"authorization: Token {products.TOKEN}", "content-type: application/json;charset=utf-8")
GO = (f"Authorization: Bearer {products.TOKEN}", "User-Agent: Go-http-client/1.1", "Accept-Encoding: identity")


def test_a_patch_without_a_body_changes_nothing(sandbox):
    before = sandbox.call("GET", "/api/v1/emitters/1")[1]
    asked = Request(method="PATCH", path="/api/v1/emitters/1", headers=(SERVICES[0], "Accept: application/json"))
    assert asked.answer(sandbox) == before


def test_a_filter_may_have_letters_and_spaces(sandbox):
    sandbox.call("POST", "/api/v1/service-values", {"emitter_id": 1, "name": "Serviço à distância"})
    path = "/api/v1/service-values?name=Servi%C3%A7o%20%C3%A0%20dist%C3%A2ncia"
    assert Request(method="GET", path=path, headers=SERVICES).answer(sandbox)["count"] == 1


def test_a_note_with_numbers_for_texts_and_an_instant_for_a_day_is_taken(sandbox):
    """Nested tax amounts as floats, a serie as a number, minutes without seconds, keys that nobody documents."""
    values: dict[str, Any] = {"service_amount": 1000.0, "calculation_base": 1000.0, "iss_amount": 50.0}
    values |= {"iss_percentage": 5.0, "pis_amount": 0, "city_code": "3304557", "id": ""}
    body = note_body(None, service_values=values, serie=1, batch_name="Lote", rps_type=1)
    body |= {"emission_date": "2026-11-20T13:00Z", "competence": "2026-11-20T13:00Z"}
    note = Request(method="POST", path="/api/v1/nfse", headers=SERVICES, body=body, status=202).answer(sandbox)
    assert (note["serie"], note["service_values"]["iss_amount"], note["competence"]) == ("1", "50.00", "2026-11-20")


def test_an_incomplete_note_has_defaults_and_nulls(sandbox):
    body = {"emitter_id": 1, "serie": "a", "allow_incomplete": True}
    note = Request(method="POST", path="/api/v1/nfse", headers=SERVICES, body=body, status=201).answer(sandbox)
    values = note["service_values"]
    assert (values["retained_iss"], values["deduction_amount"], values["iss_amount"]) == (False, "0.00", None)


def test_the_orders_of_a_page_are_asked_for_in_the_body_of_a_get(sandbox):
    body = {"page": 2, "limit": 3}
    found = Request(method="GET", path="/api/orders/essencial/", headers=ORDERS, body=body).answer(sandbox)
    every = Request(method="GET", path="/api/orders/essencial/?limit=6", headers=ORDERS).answer(sandbox)
    assert found == every[3:6]


def test_an_order_takes_a_document_with_its_punctuation(sandbox):
    order = Request(method="GET", path="/api/orders/essencial/", headers=ORDERS).answer(sandbox)[0]
    body = {"document_number": "990.000.001-30", "identity": "5f0c7a52-99a1-4b0e-8c3e-0000000000aa"}
    body |= {"client_email": "pagador@cliente.example", "client_name": "Ana Prado"}
    path = f"/api/orders/essencial/{order['number']}/"
    changed = Request(method="PUT", path=path, headers=ORDERS, body=body, status=201).answer(sandbox)
    assert (changed["document_number"], changed["user_code"]) == ("99000000130", order["user_code"])


def test_an_account_is_not_changed_by_an_empty_object(sandbox):
    path = f"/organizations/api/accounts/{account_uuid(1)}/"
    refused = Request(method="PUT", path=path, headers=IDENTITY, body={}, status=400).answer(sandbox)
    assert list(refused) == ["field_errors"]
    assert list(refused["field_errors"]) == ["plan_slug"]


def test_an_nfce_is_issued_in_a_batch_read_and_cancelled(sandbox):
    """A get and a cancellation have `{}` as their body; an NFC-e leaves out what every NFC-e has."""
    sandbox.switch(product_advance="at_once")
    sale = products.content()
    sale["dados_gerais"] |= products.SECRETS
    del sale["dados_gerais"]["indicador_consumidor_final"], sale["cliente"]["indicador_inscricao_estadual"]
    batch = {"lote": "1", "sincronicidade": "1", "uf": "33", "serie": "9", "engine_de_calculo": "", "nfces": [sale]}
    home = f"/api/v1/organizations/{products.RIO}"
    body = {"nfce_batch": batch}
    made = Request(method="POST", path=f"{home}/nfce_batch", headers=PRODUCTS, body=body, status=201).answer(sandbox)
    (posted,) = made["nfce_batch"]["nfces"]
    path = f"{home}/nfce/{posted['id']}"
    found = Request(method="GET", path=path, headers=PRODUCTS, body={}).answer(sandbox)["nfce"]
    assert (posted["status"], found["status"]) == ("processing", "succeeded")
    gone = Request(method="PATCH", path=f"{path}/cancel", headers=PRODUCTS, body={}).answer(sandbox)["nfce"]
    assert gone == {"id": posted["id"], "status": "cancelled"}


def test_a_list_of_product_invoices_is_read_until_a_page_is_empty(sandbox):
    sandbox.switch(product_advance="at_once")
    home = f"/api/v1/organizations/{products.SAO_PAULO}/nfe"
    for number in range(1, 13):
        sale = products.content()
        sale["dados_gerais"] |= {"serie": 9, "nfe_numero": number}
        Request(method="POST", path=home, headers=PRODUCTS, body={"nfe": sale}, status=201).answer(sandbox)
    pages = [
        Request(method="GET", path=f"{home}?starting_at=2020/01/01&page={page}", headers=GO).answer(sandbox)["nfe"]
        for page in (1, 2, 3)
    ]
    assert [len(page) for page in pages] == [10, 2, 0]
    assert len({invoice["id"] for page in pages for invoice in page}) == 12
