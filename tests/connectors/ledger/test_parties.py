"""The account a ledger belongs to, and parties as last seen."""

import pytest

from connectors.ledger import parties
from domain.problems import FaturistaError
from tests.connectors.ledger import scene as scenes


def test_a_ledger_belongs_to_the_account_it_was_first_used_with(ledger):
    assert ledger.read(parties.account_of) is None
    assert ledger.write(parties.bind_account, uuid="u-1", name="Marés") is True
    assert ledger.write(parties.bind_account, uuid="u-1", name="renamed") is False
    with pytest.raises(FaturistaError) as caught:
        ledger.write(parties.bind_account, uuid="u-2", name="Aurora")
    assert caught.value.problem.code == "ledger.other_account"
    assert ledger.read(parties.account_of) == ("u-1", "Marés")


def test_parties_are_brought_up_to_date_and_keep_their_ids(ledger):
    emitter, template, takers = ledger.write(scenes.add_parties)
    assert ledger.write(scenes.add_parties) == (emitter, template, takers)
    same = ledger.write(
        parties.upsert_emitter,
        remote_id=11, cnpj="99000001000101", name="Marés S.A.", city_code="3304557", is_active=False,
    )  # fmt: skip
    seen = ledger.read(parties.emitter_of, emitter)
    assert same == emitter
    assert (seen.name, seen.is_active) == ("Marés S.A.", False)
    assert ledger.read(parties.emitter_by_cnpj, "99000001000101") == seen
    assert ledger.read(parties.emitters_all) == [seen]
    assert ledger.read(parties.emitter_by_cnpj, "0") is None
    with pytest.raises(LookupError):
        ledger.read(parties.emitter_of, 99)


def test_takers_and_templates_are_found_by_what_the_row_says(ledger):
    _, template, takers = ledger.write(scenes.add_parties)
    found = ledger.read(parties.taker_ids, ["99000002000100", "99000002000101", "0"])
    assert found == {"99000002000100": takers[0], "99000002000101": takers[1]}
    assert ledger.read(parties.takers_by_ids, takers[:1])[takers[0]].remote_id == 100
    known = ledger.read(parties.templates_by_ids, [template, 99])
    assert {found: (each.name, each.body) for found, each in known.items()} == {template: ("Consultoria", {"id": 21})}


def test_a_template_may_be_renamed_and_a_taker_may_change_hands_at_the_provider(ledger):
    emitter, template, takers = ledger.write(scenes.add_parties)
    renamed = ledger.write(parties.upsert_template, emitter_id=emitter, name="New name", remote_id=21, body={})
    changed = ledger.write(
        parties.upsert_taker, document="99000002000999", remote_id=100, name="T", body={}, is_complete=False
    )
    assert renamed != template
    assert changed not in takers


def test_a_company_has_a_place_for_each_kind_that_it_issues(ledger):
    seen = {"remote_id": 11, "cnpj": "99000001000101", "name": "Marés", "city_code": "3304557", "is_active": True}
    ids = {kind: ledger.write(parties.upsert_emitter, **seen, kind=kind) for kind in ("nfe", "nfce")}
    ids["service"] = ledger.write(parties.upsert_emitter, **seen)
    assert len(set(ids.values())) == 3
    for kind, emitter in ids.items():
        assert ledger.write(parties.upsert_emitter, **(seen | {"name": "new name"}), kind=kind) == emitter
        found = ledger.read(parties.emitter_by_cnpj, seen["cnpj"], kind)
        assert (found.id, found.kind, found.name) == (emitter, kind, "new name")
    assert ledger.read(parties.emitter_by_cnpj, seen["cnpj"]).kind == "service"
