"""The account of a ledger, and parties as last seen."""

from datetime import UTC, datetime, timedelta

import pytest

from connectors.ledger import parties
from domain.problems import FaturistaError
from tests.connectors.ledger import scene as scenes

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


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
        remote_id=11, cnpj="99000001000101", name="Marés S.A.", city_code="3304557", is_active=False, **scenes.STAGED,
    )  # fmt: skip
    seen = ledger.read(parties.emitter_of, emitter)
    assert same == emitter
    assert (seen.name, seen.is_active) == ("Marés S.A.", False)
    assert ledger.read(parties.emitter_by_cnpj, "99000001000101", "nfse") == seen
    assert ledger.read(parties.emitters_all) == [seen]
    assert ledger.read(parties.emitter_by_cnpj, "0", "nfse") is None
    with pytest.raises(LookupError):
        ledger.read(parties.emitter_of, 99)


def test_takers_and_templates_are_found_by_what_the_row_says(ledger):
    _, template, takers = ledger.write(scenes.add_parties)
    asked = ["99000002000100", "99000002000101", "0"]
    found = ledger.read(parties.taker_ids, asked, "nfse", since=LONG_AGO)
    assert found == {"99000002000100": takers[0], "99000002000101": takers[1]}
    assert ledger.read(parties.taker_ids, asked, "nfse", since=datetime.now(UTC) + timedelta(days=1)) == {}
    assert {
        number: each.id for number, each in ledger.read(parties.takers_by_documents, asked, "nfse").items()
    } == found
    assert ledger.read(parties.takers_by_ids, takers[:1])[takers[0]].remote_id == 100
    known = ledger.read(parties.templates_by_ids, [template, 99])
    assert {found: (each.name, each.body) for found, each in known.items()} == {template: ("Consultoria", {"id": 21})}


def test_a_template_and_a_taker_may_change_at_the_provider(ledger):
    emitter, template, takers = ledger.write(scenes.add_parties)
    renamed = ledger.write(parties.upsert_template, emitter_id=emitter, name="New name", remote_id=21, body={})
    changed = ledger.write(
        parties.upsert_taker,
        issuer="nfse",
        document="99000002000999",
        remote_id=100,
        name="T",
        body={},
        is_complete=False,
    )
    assert renamed != template
    assert changed not in takers


def test_an_incomplete_taker_is_read_again(ledger):
    seen = {"issuer": "nfse", "document": "99000002000999", "remote_id": 100, "name": "T", "body": {}}
    ledger.write(parties.upsert_taker, **seen, is_complete=False)
    assert ledger.read(parties.taker_ids, [seen["document"]], "nfse", since=LONG_AGO) == {}


def test_a_company_has_a_place_for_each_issuer(ledger):
    seen = {"remote_id": 11, "cnpj": "99000001000101", "name": "Marés", "city_code": "3304557", "is_active": True}
    issuers = [
        scenes.STAGED,
        {"kind": "service", "issuer": "national", "is_staged": False},
        {"kind": "nfe", "issuer": "nfe", "is_staged": False},
        {"kind": "nfce", "issuer": "nfce", "is_staged": False},
    ]
    ids = [ledger.write(parties.upsert_emitter, **seen, **issuer) for issuer in issuers]
    assert len(set(ids)) == len(issuers)
    for issuer, emitter in zip(issuers, ids, strict=True):
        assert ledger.write(parties.upsert_emitter, **(seen | {"name": "new name"}), **issuer) == emitter
        found = ledger.read(parties.emitter_by_cnpj, seen["cnpj"], issuer["issuer"])
        assert (found.id, found.name) == (emitter, "new name")
        assert {"kind": found.kind, "issuer": found.issuer, "is_staged": found.is_staged} == issuer


def test_a_customer_has_a_place_in_each_issuers_register(ledger):
    values = {"document": "99000002000999", "name": "T", "body": {}, "is_complete": True}
    ids = {
        issuer: ledger.write(parties.upsert_taker, issuer=issuer, remote_id=number, **values)
        for number, issuer in enumerate(("nfse", "national"), start=7)
    }
    assert len(set(ids.values())) == 2
    for issuer, taker in ids.items():
        assert ledger.read(parties.taker_ids, ["99000002000999"], issuer, since=LONG_AGO) == {"99000002000999": taker}


def test_names_and_ids_make_one_family_of_a_templates_records(ledger):
    emitter, first, _ = ledger.write(scenes.add_parties)

    def seen(name: str, remote_id: int) -> int:
        return int(ledger.write(parties.upsert_template, emitter_id=emitter, name=name, remote_id=remote_id, body={}))

    renamed = seen("New name", 21)
    other = seen("Other", 40)
    again = seen("new  NAME", 22)
    families = ledger.read(parties.template_families)
    assert families[renamed] == families[again] == families[first]
    assert (families[first].id, families[first].names) == (first, {"Consultoria", "New name", "new  NAME"})
    assert (families[other].id, families[other].names) == (other, {"Other"})
    assert ledger.read(parties.former_template_ids, emitter, "new name") == {21, 22}
    joined = seen("Other", 22)
    families = ledger.read(parties.template_families)
    assert {families[each].id for each in (first, renamed, other, again, joined)} == {first}
    assert {each.name for each in ledger.read(parties.templates_of, emitter)} == {"Other", "New name"}
    assert ledger.read(parties.template_names, None) == ["New name", "Other"]
    assert ledger.read(parties.template_names, ["0"]) == []


def test_a_companys_templates_of_one_name_are_one_at_all_issuers(ledger):
    staged, _, _ = ledger.write(scenes.add_parties)
    cnpj = ledger.read(parties.emitter_of, staged).cnpj
    values = {"remote_id": 90, "cnpj": cnpj, "name": "x", "city_code": "3304557", "is_active": True}
    issuer = {"kind": "service", "issuer": "national", "is_staged": False}
    other = ledger.write(parties.upsert_emitter, **values, **issuer)
    elsewhere = ledger.write(parties.upsert_emitter, **(values | {"cnpj": "99000002000148", "remote_id": 91}), **issuer)
    seen = [
        (staged, "Alone", 50),
        (other, "New", 7),
        (other, "CONSULTORIA", 8),
        (other, "New", 8),
        (elsewhere, "New", 7),
    ]
    for emitter, name, remote_id in seen:
        ledger.write(parties.upsert_template, emitter_id=emitter, name=name, remote_id=remote_id, body={})
    found = ledger.read(parties.families_by_name)
    assert set(found) == {(cnpj, name) for name in ("alone", "consultoria", "new")} | {("99000002000148", "new")}
    assert found[cnpj, "new"] == found[cnpj, "consultoria"]
    assert len(set(found.values())) == 3


def test_another_providers_ids_join_no_templates(ledger):
    emitter, first, _ = ledger.write(scenes.add_parties)
    ledger.write(parties.forget_template_ids, emitter)
    other = ledger.write(parties.upsert_template, emitter_id=emitter, name="Other", remote_id=21, body={})
    again = ledger.write(parties.upsert_template, emitter_id=emitter, name="Consultoria", remote_id=7, body={})
    families = ledger.read(parties.template_families)
    assert families[again] == families[first] != families[other]
