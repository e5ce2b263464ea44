"""A taker is one taker, however far apart in a large file its rows are."""

from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import SAO_PAULO, company, line, taker
from tests.tasks.services.test_paging import MORE_THAN_A_PART
from tests.tasks.workshop import Workshop, fault

_BETWEEN = [line(99, emitter_cnpj=None)] * MORE_THAN_A_PART


def test_distant_rows_contradict_complete_and_share_a_look_up(shop: Workshop):
    first = [line(1), line(2, taker=taker(2, street=None, name=None)), line(3), line(4, template_name="Nenhum")]
    last = [
        line(1, taker=taker(1, name="Outro Nome Ltda")),
        line(2, emitter_cnpj=SAO_PAULO),
        line(3, service_cents=1),
        line(4, template_name="Nenhum"),
    ]
    reading = shop.reading(*first, *_BETWEEN, *last)
    shop.run(resolve_rows, reading)
    found, after = shop.problems(reading), 5 + len(first) + len(_BETWEEN)
    assert found[5] == found[after] == ["taker.conflict"]
    assert {row: codes for row, codes in found.items() if row in {6, 7, after + 1, after + 2}} == {}
    assert found[8] == found[after + 3] == ["template.unknown"]
    # Both of its rows make the second taker, and nobody is looked up twice.
    assert (shop.asked("takers.list"), shop.asked("takers.create")) == (3, 2)
    assert shop.asked("emitters.list") == 2
    # A missing name is searched once among all of its emitter's.
    assert shop.asked("service_values.list") == 4
    _, made, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(2).number}")
    assert made["collection"][0]["address"]["street"] == "Rua das Laranjeiras"


def test_a_refused_request_is_not_repeated(shop: Workshop):
    shop.sandbox.faults(fault("takers.create", "reset_before", count=3))
    shop.set(NFSE__IN_FLIGHT=1)
    reading = shop.reading(line(1), *_BETWEEN, line(1, service_cents=1))
    shop.run(resolve_rows, reading)
    found = shop.problems(reading)
    assert found[5] == found[6 + len(_BETWEEN)] == ["taker.not_created"]
    assert shop.asked("takers.create") == 3


def test_a_refused_look_up_gives_the_rows_of_that_customer_a_reason(shop: Workshop):
    shop.sandbox.faults(fault("takers.list", "status_422"))
    shop.set(NFSE__IN_FLIGHT=1)
    reading = shop.reading(line(1), line(2), line(3), line(1, service_cents=1))
    shop.run(resolve_rows, reading)
    assert shop.asked("takers.create") == 2
    assert shop.problems(reading) == {5: ["provider.refused_field"], 8: ["provider.refused_field"]}
