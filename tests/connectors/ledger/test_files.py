"""A file is identified by its bytes; its readings are counted."""

import pytest

from connectors.ledger import files
from domain.problems import FaturistaError


def receive(ledger, sha256="ab" * 32, name="nov.xlsx"):
    return ledger.write(files.receive, sha256=sha256, name=name, size_bytes=3, kind="xlsx")


def test_the_same_bytes_are_the_same_file(ledger):
    first = receive(ledger)
    again = receive(ledger, name="copy of nov.xlsx")
    assert (first.is_new, again.is_new) == (True, False)
    assert (again.id, again.name) == (first.id, "nov.xlsx")


def test_readings_are_counted_file_by_file(ledger):
    one, two = receive(ledger), receive(ledger, "cd" * 32)
    ids = [ledger.write(files.begin_reading, each.id, operator="ana", options={"x": 1}) for each in (one, two, one)]
    assert [ledger.read(files.reading_of, each).ordinal for each in ids] == [1, 1, 2]
    assert ledger.read(files.last_reading, one.id) is None
    ledger.write(files.end_reading, ids[0], {"sheet": "S"})
    # The newest has not ended.
    assert ledger.read(files.last_reading, one.id).id == ids[0]
    assert [ledger.write(files.count_and_lock_readings, each.id) for each in (one, two)] == [1, 0]
    ended = ledger.read(files.reading_of, ids[0])
    assert (ended.options, ended.understood) == ({"x": 1}, {"sheet": "S"})
    assert ledger.read(files.file_of_reading, ids[1]).sha256 == "cd" * 32
    with pytest.raises(FaturistaError):
        ledger.read(files.reading_of, 99)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "inbox"),
        ({"sender": "Equipe Sul"}, "inbox"),
        ({"dropper": "maria"}, "maria"),
        ({"dropper": "maria", "sender": "maria"}, "maria"),
        ({"dropper": "share", "sender": "Equipe Sul"}, "Equipe Sul (share)"),
    ],
)
def test_a_dropped_sheet_names_its_person_first(ledger, options, name):
    reading = ledger.write(files.begin_reading, receive(ledger).id, operator="inbox", options=options)
    assert ledger.read(files.reading_of, reading).dropped_by == name


def test_a_file_is_found_by_digest_beginning_id_or_name(ledger):
    old, other = receive(ledger, "ab1" + "0" * 61), receive(ledger, "ab2" + "0" * 61)
    newer = receive(ledger, "ab1" + "1" * 61, name="other.xlsx")
    find = files.find_file
    assert ledger.read(find, sha256=old.sha256).id == old.id
    assert ledger.read(find, sha256="AB2000").id == other.id
    assert ledger.read(find, sha256="ab1111").id == newer.id
    assert ledger.read(find, sha256="ab10") is None
    assert ledger.read(find, sha256="%%%%%%") is None
    assert ledger.read(find, file_id=other.id).id == other.id
    assert ledger.read(find, name="nov.xlsx").id == other.id
    assert ledger.read(find, name="none") is None


def test_a_beginning_that_two_digests_share_finds_neither(ledger):
    receive(ledger, "abcdef1" + "0" * 57)
    receive(ledger, "abcdef2" + "0" * 57)
    assert ledger.read(files.find_file, sha256="abcdef") is None


def test_an_idle_reading_goes_to_one_of_two(ledger):
    reading = ledger.write(files.begin_reading, receive(ledger).id, operator="ana", options={})
    ledger.write(files.leave, reading, worker="nobody")
    ledger.write(files.record_heartbeat, reading, worker="there:1-1")
    assert not ledger.write(files.claim_reading, reading, worker="here:1-1", idle_s=60)
    ledger.write(files.leave, reading, worker="there:1-1")
    assert ledger.write(files.claim_reading, reading, worker="here:1-1", idle_s=60)
    assert not ledger.write(files.claim_reading, reading, worker="there:1-1", idle_s=60)
    assert ledger.write(files.claim_reading, reading, worker="here:1-1", idle_s=60), "its own next station"
    assert ledger.write(files.claim_reading, reading, worker="there:1-1", idle_s=0), "its term has passed"
