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


def test_closing_everything_is_not_offered(ledger):
    with pytest.raises(ValueError):
        ledger.write(incidents.close_incidents, by="ana")
