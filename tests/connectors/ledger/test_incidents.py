"""Incidents: opened once, shown until a person closes them."""

import pytest

from connectors.ledger import incidents
from tests.connectors.ledger import scene as scenes


def test_the_same_incident_is_not_opened_twice_while_it_is_open(ledger):
    scene = ledger.write(scenes.furnish)
    about = {"code": "batch.foreign_note", "params": {"note": 7}, "batch_id": scene.batch_id}
    first = ledger.write(incidents.open_incident, **about)
    assert ledger.write(incidents.open_incident, **about) == first
    other = ledger.write(incidents.open_incident, **(about | {"params": {"note": 8}}))
    assert [each.id for each in ledger.read(incidents.incidents_open, scene.batch_id)] == [first, other]
    assert ledger.write(incidents.close_incidents, by="ana", incident_id=first) == 1
    assert ledger.write(incidents.open_incident, **about) not in {first, other}
    assert ledger.write(incidents.close_incidents, by="ana", batch_id=scene.batch_id) == 2
    assert ledger.read(incidents.incidents_open) == []
    assert [each.id for each in ledger.read(incidents.incidents_of, scene.batch_id)][:2] == [first, other]
    assert ledger.read(incidents.incidents_of, scene.batch_id + 1) == []


def test_a_seen_incident_is_not_reported_again(ledger):
    scene = ledger.write(scenes.furnish)
    about = {"code": "batch.note_differs", "params": {"number": 7}}
    assert ledger.write(incidents.open_incident_once, **about, batch_id=scene.batch_id)
    assert ledger.write(incidents.close_incidents, by="ana", batch_id=scene.batch_id) == 1
    assert not ledger.write(incidents.open_incident_once, **about, batch_id=scene.batch_id)
    assert ledger.write(incidents.open_incident_once, **about | {"params": {"number": 8}}, batch_id=scene.batch_id)
    # The same code for another batch is another incident, unless the incident belongs to no batch.
    other = ledger.write(scenes.furnish, sha256="b" * 64).batch_id
    assert not ledger.write(incidents.open_incident_once, **about, batch_id=other, is_anywhere=True)
    assert ledger.write(incidents.open_incident_once, **about, batch_id=other)


def test_a_kept_incident_follows_its_cause(ledger):
    batch_id = ledger.write(scenes.furnish).batch_id
    other = ledger.write(scenes.furnish, sha256="b" * 64).batch_id
    code = "batch.unreadable_notes"

    def shown(batch):
        return [each.params for each in ledger.read(incidents.incidents_open, batch) if each.code == code]

    ledger.write(incidents.open_incident, code="batch.stuck", params={}, batch_id=batch_id)
    ledger.write(incidents.keep_incident, code=code, params={"count": 9}, batch_id=other)
    for params, expected in (({"count": 2}, [{"count": 2}]), ({"count": 1}, [{"count": 1}]), (None, []), (None, [])):
        for _ in range(2):
            ledger.write(incidents.keep_incident, code=code, params=params, batch_id=batch_id)
            assert shown(batch_id) == expected
    closed = [each for each in ledger.read(incidents.incidents_of, batch_id) if each.code == code]
    assert [(each.params, each.closed_by) for each in closed] == [
        ({"count": 2}, incidents.BY_ITSELF),
        ({"count": 1}, incidents.BY_ITSELF),
    ]
    # Neither another code nor another batch is touched.
    assert [each.code for each in ledger.read(incidents.incidents_open, batch_id)] == ["batch.stuck"]
    assert shown(other) == [{"count": 9}]


def test_closing_everything_is_not_offered(ledger):
    with pytest.raises(ValueError):
        ledger.write(incidents.close_incidents, by="ana")
