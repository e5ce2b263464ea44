"""What moves a sent note forward, and what its city rejects."""

import time

import pytest

from tests.sandboxes import SAO_PAULO

CPF = {"cpf": "00000000191", "social_reason": "Pessoa"}
FEDERAL = {"pis_percentage": "0.65"}


def until_processed(provider, batch):
    for _ in range(500):
        shown = provider.get(f"batches/{batch}")
        if shown["status"] == "processed":
            return shown
        time.sleep(0.01)
    raise AssertionError("not processed")


def test_time_brings_notes_on(provider):
    provider.switch(advance="seconds", advance_seconds=0.1)
    batch = provider.filled_batch(2)
    assert provider.post(f"batches/{batch}/send")[1]["status"] == "scheduled"
    assert until_processed(provider, batch)["properties"]["accepted"] == 2


def test_clock_brings_notes_on(provider):
    provider.switch(advance="seconds", advance_seconds=3600)
    batch = provider.filled_batch(1)
    provider.post(f"batches/{batch}/send")
    assert provider.get(f"batches/{batch}")["status"] == "scheduled"
    provider.control("clock", {"ahead_s": 3600})
    assert provider.get(f"batches/{batch}")["status"] == "processed"


def test_reads_advance_notes(provider):
    provider.switch(advance="looks", advance_looks=3)
    batch = provider.filled_batch(2)
    provider.post(f"batches/{batch}/send")
    looks = [provider.get(f"batches/{batch}")["status"] for _ in range(3)]
    assert looks == ["processing", "processing", "processed"]


def test_city_may_be_slow_with_some_notes(provider):
    provider.faults({"operation": "city", "kind": "city_slow", "seconds": 3600, "count": 1})
    batch = provider.filled_batch(3)
    provider.post(f"batches/{batch}/send")
    shown = provider.get(f"batches/{batch}")
    assert (shown["status"], shown["properties"]["accepted"], shown["properties"]["processing"]) == ("processing", 2, 1)
    provider.control("clock", {"ahead_s": 3601})
    assert provider.get(f"batches/{batch}")["status"] == "processed"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"service_values": {"service_item_code": "99999"}}, "E30"),
        ({"taker": CPF, "service_values": FEDERAL}, "E916"),
    ],
)
def test_city_rejects(provider, changes, code):
    provider.post_note(1, **changes)
    note = provider.get("nfse/1")
    assert (note["status"], note["errors"][0]["code"], note["nfse_number"]) == ("rejected", code, None)
    assert set(note["errors"][0]) == {"code", "description", "tip"}


def test_sao_paulo_takes_federal_retentions_from_people(provider):
    taker = CPF | {"address": {"state": "SP", "city": "São Paulo"}}
    provider.post_note(1, emitter=SAO_PAULO, taker=taker, service_values=FEDERAL)
    assert provider.get("nfse/1")["status"] == "accepted"


def test_share_of_rejections_is_repeatable(provider):
    def rejected():
        provider.control("reset")
        provider.switch(advance="at_once", rejection_share=0.3, rejection_seed=7)
        batch = provider.filled_batch(40)
        provider.post(f"batches/{batch}/send")
        provider.get(f"batches/{batch}")
        return {note["number"]: note["errors"] for note in provider.record()["notes"] if note["status"] == "rejected"}

    once = rejected()
    assert 4 <= len(once) <= 20
    assert once == rejected()


def test_sao_paulo_silently_cancels_the_earlier_invoice(provider):
    provider.post_note(1, emitter=SAO_PAULO)
    assert provider.get("nfse/1")["status"] == "accepted"
    provider.post_note(1, emitter=SAO_PAULO)
    assert provider.get("nfse/2")["status"] == "accepted"
    assert provider.get("nfse/1")["status"] == "cancelled"
    assert provider.violations() == ["duplicate_rps", "issued_twice", "silently_cancelled"]


def test_invoice_numbers_follow_each_other(provider):
    batch = provider.filled_batch(3)
    provider.post(f"batches/{batch}/send")
    provider.get(f"batches/{batch}")
    assert [note["nfse_number"] for note in provider.record()["notes"]] == ["1", "2", "3"]
    assert len({note["nfse_key"] for note in provider.record()["notes"]}) == 3
