"""Constants as data and as HTML fragments, and shapes that are neither."""

import pytest

from connectors.http.errors import Unreadable


def test_codes_are_read_with_their_labels(ask):
    found = ask(lambda client: client.notes.constants("street_type", "status"))
    assert set(found) == {"street_type", "status"}
    assert found["street_type"]["AVN"] == "Avenida"
    assert len(ask(lambda client: client.notes.constants())) > 5


def test_html_constants_are_returned_as_text(ask):
    found = ask(lambda client: client.notes.constants_html("rps_type"))
    assert found["rps_type"].startswith("<option")
    assert set(ask(lambda client: client.emitters.constants_html())) == {"code_tax_regime", "emission_kind"}


@pytest.mark.parametrize("odd", [{"status": ["created"]}, {"status": "created"}])
def test_an_answer_without_a_table_of_labels_is_unreadable(ask, sandbox, odd):
    sandbox.faults({"operation": "notes.constants", "kind": "altered", "fields": odd})

    async def talk(client):
        with pytest.raises(Unreadable):
            await client.notes.constants("status")

    ask(talk)


def test_data_instead_of_html_is_unreadable(ask, sandbox):
    sandbox.faults({"operation": "notes.constants", "kind": "altered", "fields": {"status": {"created": "Criada"}}})

    async def talk(client):
        with pytest.raises(Unreadable):
            await client.notes.constants_html("status")

    ask(talk)
