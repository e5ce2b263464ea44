"""A city hall that is down for a day: its notes wait, show that, and are decided afterwards."""

import pytest

from tests.sandboxes import RIO, SAO_PAULO

DAY_S = 86_400


@pytest.mark.parametrize("advance", ["seconds", "looks", "at_once"])
def test_notes_wait_for_their_city(provider, advance):
    provider.switch(advance=advance, advance_seconds=10, advance_looks=2)
    provider.faults({"operation": "city", "kind": "city_down", "city_code": 3304557})
    batches = [provider.filled_batch(2, emitter) for emitter in (RIO, SAO_PAULO)]
    for batch in batches:
        provider.post(f"batches/{batch}/send")
    provider.control("clock", {"ahead_s": 60})
    shown = [[provider.get(f"batches/{batch}")["status"] for _ in range(5)][-1] for batch in batches]
    assert shown == ["processing", "processed"]
    notes = provider.get(f"batches/{batches[0]}/nfse")["collection"]
    assert {(note["status"], note["errors"][0]["code"]) for note in notes} == {("processing", "500")}
    provider.control("clock", {"ahead_s": DAY_S})
    assert [provider.get(f"batches/{batches[0]}")["status"] for _ in range(3)][-1] == "processed"
    notes = provider.get(f"batches/{batches[0]}/nfse")["collection"]
    assert [(note["status"], note["errors"]) for note in notes] == [("accepted", [])] * 2
    noted = {fault["kind"] for fault in provider.record(requests=True)["applied_faults"]}
    assert noted == {"city_down"}
