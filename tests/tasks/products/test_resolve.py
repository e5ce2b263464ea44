"""The seller: each organization is looked up once, and its two kinds of invoices stay separate."""

import pytest

from connectors.ledger import parties
from tasks.runtime import Runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.domain.products.orders_of_a_shop import PERSON
from tests.tasks.rows import company
from tests.tasks.store import FIRST_ROW, RIO_SHOP, SAO_PAULO_SHOP, Store, nfe_of, sale, sales


def test_each_organization_is_asked_for_once(each_store: Store):
    store = each_store
    paulistano = [sale(n, emitter_cnpj=SAO_PAULO_SHOP) for n in (8, 9)]
    reading = store.read_sheet(*sales(3), *paulistano)
    result = store.run(resolve_rows, reading)
    assert dict(result.counts) == {"resolved": 5, "refused": 0}
    emitters = {emitter.id: emitter for emitter in store.read(parties.emitters_all)}
    assert [emitters[row.emitter_id].cnpj for row in store.rows(reading) if row.emitter_id] == (
        [RIO_SHOP] * 3 + [SAO_PAULO_SHOP] * 2
    )
    assert store.asked("organizations.list") == 2
    assert store.writes() == []


def test_an_organization_that_the_provider_does_not_know(store: Store):
    unknown = company(7).number
    reading = store.read_sheet(sale(1), sale(2, emitter_cnpj=unknown), sale(2, emitter_cnpj=unknown))
    assert dict(store.run(resolve_rows, reading).counts) == {"resolved": 1, "refused": 2}
    assert store.problems(reading) == {FIRST_ROW + 1: ["emitter.unknown"], FIRST_ROW + 2: ["emitter.unknown"]}
    problem = store.rows(reading)[1].problems[0]
    assert (problem.field, problem.where.row, problem.params) == ("emitter_cnpj", FIRST_ROW + 1, {"cnpj": unknown})


def test_an_organization_without_a_certificate_cannot_issue(store: Store):
    fresh = company(8).number
    registered = _registered(store, fresh)
    reading = store.read_sheet(sale(1, emitter_cnpj=fresh))
    store.run(resolve_rows, reading)
    assert store.problems(reading) == {FIRST_ROW: ["emitter.no_certificate"]}

    async def upload(runtime: Runtime) -> None:
        await nfe_of(runtime).organizations.upload_certificate(registered, pfx=b"pfx", password="secret")

    store.run(upload)
    later = store.read_sheet(sale(1, emitter_cnpj=fresh))
    assert dict(store.run(resolve_rows, later).counts) == {"resolved": 1, "refused": 0}


@pytest.mark.parametrize("names", ["table", "examples"])
def test_an_organization_is_known_under_either_names(store: Store, names: str):
    store.sandbox.switch(product_names=names)
    reading = store.read_sheet(sale(1))
    assert dict(store.run(resolve_rows, reading).counts) == {"resolved": 1, "refused": 0}


def test_an_organizations_two_kinds_have_separate_numbers(each_store: Store):
    store = each_store
    over_the_counter = [sale(order, kind="nfce") for order in (11, 12, 13)]
    _, batches = store.sold(*sales(2), *over_the_counter)
    assert [(store.batch(each).kind, [note.number for note in store.notes(each)]) for each in batches] == [
        ("nfe", [1, 2]),
        ("nfce", [1, 2, 3]),
    ]
    for batch in batches:
        store.run(stage_batch, batch)
    store.approve()
    for batch in batches:
        store.run(release_batch, batch)
    assert [(each["kind"], each["number"]) for each in store.held()] == [
        ("nfe", 1),
        ("nfe", 2),
        ("nfce", 1),
        ("nfce", 2),
        ("nfce", 3),
    ]
    assert store.record()["violations"] == []


def test_an_orders_kind_on_one_line_applies_to_all(store: Store):
    reading = store.read_sheet(sale(1, kind=None, taker=PERSON), sale(1, kind="nfce"))
    store.run(resolve_rows, reading)
    assert len({row.emitter_id for row in store.rows(reading)}) == 1
    store.run(assemble_rows, reading)
    assert [batch.kind for batch in store.batches_of(reading)] == ["nfce"]


def test_resolved_again_nothing_changes(store: Store):
    reading = store.read_sheet(*sales(2))
    store.run(resolve_rows, reading)
    before = store.rows(reading)
    assert dict(store.run(resolve_rows, reading).counts) == {"resolved": 0, "refused": 0}
    assert store.rows(reading) == before


def _registered(store: Store, cnpj: str) -> int:
    fields = {
        "codigo_regime_tributario": 1,
        "razao_social": "Loja Nova Ltda",
        "cnpj": cnpj,
        "nome_fantasia": "Loja Nova",
        "inscricao_estadual": cnpj[:9],
        "email": "fiscal@nova.example",
        "address": {
            "address": "Rua da Quitanda",
            "number": "100",
            "district": "Centro",
            "city": "Rio de Janeiro",
            "city_code": 3304557,
            "state": "RJ",
            "zipcode": "20050002",
        },
    }

    async def create(runtime: Runtime) -> int:
        return (await nfe_of(runtime).organizations.create(fields)).id

    return store.run(create)
