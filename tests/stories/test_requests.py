"""The provider accepts what the rules compose: two independent implementations agree on every amount."""

from datetime import date
from typing import Any

import pytest

from connectors.nfse.issuing.invoices import AMOUNTS, note_body
from connectors.nfse.issuing.parties import customer_body, customer_data
from connectors.nfse.issuing.templates import service_template
from domain import money
from domain.cities import city_of
from domain.documents import Document
from domain.issuing import ServiceInvoice
from domain.parties import TakerData
from domain.services.invoices import compose_invoice
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate
from tests.sandboxes import RIO, SAO_PAULO, RunningSandbox, running_sandbox

CENTS = (99, 9_999, 21_504, 21_505, 66_666, 66_667, 100_000, 140_866, 123_456_789)
TAKER = TakerData(
    document=Document("cnpj", "12ABC34501DE35"),
    name="Padaria São João Ltda",
    emails=("financeiro@padaria.example",),
    phone="11912345678",
    street="Rua das Flores",
    number="S/N",
    city_code="3550308",
    city="São Paulo",
    state="SP",
    zip_code="01310100",
)


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox(in_thread=True) as running:
        yield running


@pytest.fixture(scope="module")
def taker_id(sandbox) -> int:
    status, taker, _ = sandbox.call("POST", "/api/v1/takers", customer_body(TAKER))
    assert status == 201, taker
    assert customer_data(taker) == TAKER
    return int(taker["id"])


def templates_of(sandbox: RunningSandbox, emitter: int) -> list[dict[str, Any]]:
    status, found, _ = sandbox.call("GET", f"/api/v1/service-values?emitter_id={emitter}")
    assert (status, len(found["collection"])) == (200, 5)
    return list(found["collection"])


def composed(emitter: dict[str, Any], template: ServiceTemplate, cents: int, taker_id: int) -> ServiceInvoice:
    city = city_of(str(emitter["city_code"]))
    assert city is not None
    invoice = compose_invoice(
        ServiceLine(service_cents=cents, taker=TAKER, competence=date(2026, 11, 1), send_to_taker=True, reference="12"),
        emitter_cnpj=emitter["cnpj"],
        city=city,
        taker_remote_id=taker_id,
        template=template,
        is_confirmed=True,
    )
    assert isinstance(invoice, ServiceInvoice), invoice
    return invoice


@pytest.mark.parametrize("emitter_id", [RIO, SAO_PAULO])
def test_every_amount_comes_back_as_it_was_sent(sandbox, taker_id, emitter_id):
    _, emitter, _ = sandbox.call("GET", f"/api/v1/emitters/{emitter_id}")
    _, batch, _ = sandbox.call("POST", "/api/v1/batches", {"emitter_id": emitter_id, "name": "requests"})
    number = 0
    for body in templates_of(sandbox, emitter_id):
        for cents in CENTS:
            number += 1
            invoice = composed(emitter, service_template(body), cents, taker_id)
            place = {"batch_id": batch["id"], "serie": "F", "number": number}
            dated = {
                "emission_date": "2026-11-20T10:00:00-03:00",
                **note_body(invoice.content, emitter_id=emitter["id"]),
                **place,
            }
            status, note, _ = sandbox.call("POST", "/api/v1/nfse", dated)
            assert (status, note["status"], note["is_complete"]) == (201, "created", True), note
            answered = {ours: money.from_wire(note["service_values"][wire]) for ours, wire in AMOUNTS.items()}
            assert answered == invoice.amounts.to_json(), (body["name"], cents)


@pytest.mark.parametrize("emitter_id", [RIO, SAO_PAULO])
def test_the_providers_own_calculation_agrees(sandbox, taker_id, emitter_id):
    _, emitter, _ = sandbox.call("GET", f"/api/v1/emitters/{emitter_id}")
    for body in templates_of(sandbox, emitter_id):
        for cents in CENTS:
            ours = composed(emitter, service_template(body), cents, taker_id).amounts.liquid_cents
            path = f"/api/v1/service-values/{body['id']}/calculation-liquid-amount"
            status, answer, _ = sandbox.call("POST", path, {"service_amount": money.to_wire(cents)})
            assert status == 200, answer
            assert money.from_wire(answer["liquid_amount"]) == ours, (body["name"], cents)
