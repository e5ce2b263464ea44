"""Cancellations and corrections, with plain HTTP requests."""

import pytest

REASON = {"motivo": "Cliente desistiu da compra"}


def patch(shop, kind, key, act, body):
    return shop.ask("PATCH", f"/61/{kind}/{key}/{act}", body)


@pytest.mark.parametrize("body", [REASON, {"nfe": REASON}])
def test_the_reason_is_taken_bare_or_under_the_kind(shop, body):
    made = shop.posted()
    shop.found(made)
    assert patch(shop, "nfe", made, "cancel", body) == (200, {"nfe": {"id": made, "status": "cancelled"}})
    found = shop.found(made)
    assert (found["status"], len(found["access_key"])) == ("cancelled", 44)
    assert found["data"]["resposta_emissao"]["chave_acesso"] == found["access_key"]


@pytest.mark.parametrize("body", [None, {}, {"motivo": ""}, [], {"nfe": []}])
def test_a_cancellation_needs_no_reason_a_correction_its_text(shop, body):
    made = shop.posted()
    shop.found(made)
    status, answer = patch(shop, "nfe", made, "correction", body)
    assert (status, [*answer["errors"][0]]) == (422, ["correcao"])
    assert patch(shop, "nfe", made, "cancel", body)[0] == 200


@pytest.mark.parametrize("act", ["cancel", "correction"])
def test_an_event_may_be_decided_later(shop, act):
    made = shop.posted()
    shop.found(made)
    shop.switch(product_events="later", product_advance="looks", product_advance_looks=2)
    body = {**REASON, "correcao": "Leia-se caneca azul"}
    assert patch(shop, "nfe", made, act, body) == (200, {"nfe": {"id": made, "status": "processing"}})
    assert patch(shop, "nfe", made, act, body)[0] == 422
    first, last = shop.found(made), shop.found(made)
    assert (first["status"], len(first["access_key"])) == ("processing", 44)
    assert last["status"] == {"cancel": "cancelled", "correction": "corrected"}[act]
    assert last["data"]["resposta_emissao"] == first["data"]["resposta_emissao"]


@pytest.mark.parametrize("body", [{"motivo": "curto"}, {"motivo": "x" * 256}])
def test_the_reason_has_its_size(shop, body):
    made = shop.posted()
    shop.found(made)
    status, answer = patch(shop, "nfe", made, "cancel", body)
    assert (status, [*answer["errors"][0]]) == (422, ["motivo"])


def test_once_is_enough_and_what_was_cancelled_is_not_corrected(shop):
    made = shop.posted()
    shop.found(made)
    patch(shop, "nfe", made, "cancel", REASON)
    for act, body in (("cancel", REASON), ("correction", {"correcao": "Leia-se caneca azul"})):
        status, answer = patch(shop, "nfe", made, act, body)
        assert (status, answer["errors"]) == (422, [{"status": ["a nota não está autorizada"]}])


def test_only_an_nfe_is_corrected_and_only_with_extensions(shop):
    made = shop.posted("nfce")
    assert patch(shop, "nfce", made, "correction", {"correcao": "Leia-se caneca azul"})[0] == 404
    shop.switch(product_extensions="off")
    assert patch(shop, "nfce", made, "cancel", REASON)[0] == 404
