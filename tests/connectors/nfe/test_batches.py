"""Batches of product invoices."""

import pytest
from pydantic import BaseModel

from connectors.http.errors import Doubtful, Refused
from connectors.nfe.invoices import ExtensionsOff
from connectors.nfe.payloads.documents import NfceBatch, NfeBatch, SignedNfceBatch, SignedNfeBatch
from tests.connectors.nfe.samples import RIO, SECRETS, content

MODELS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "nfe": (NfeBatch, SignedNfeBatch),
    "nfce": (NfceBatch, SignedNfceBatch),
}


def batch(kind, numbers=(1, 2), *, is_signed=False, **more):
    documents = [content() for _ in numbers]
    for document, number in zip(documents, numbers, strict=True):
        document["dados_gerais"] |= {"nfe_numero": number} | (SECRETS if kind == "nfce" else {})
    body = {"lote": 41, "serie": 8, "sincronicidade": 0, "uf": 33, f"{kind}s": documents} | more
    return MODELS[kind][is_signed].model_validate(body | ({"xml_assinado": "<lote/>"} if is_signed else {}))


def calls(client, kind):
    return client.nfe_batches if kind == "nfe" else client.nfce_batches


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
@pytest.mark.parametrize("is_signed", [False, True])
def test_a_batch_issues_each_of_its_documents(ask, sandbox, kind, is_signed):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        post = calls(client, kind).authorize if is_signed else calls(client, kind).create
        made = await post(RIO, batch(kind, is_signed=is_signed))
        return made, [await client.of_kind(kind).read(RIO, each.id) for each in made.documents]

    made, found = ask(talk)
    assert (made.key, [each.status for each in made.documents]) == (None, ["processing", "processing"])
    assert [(invoice.serie, invoice.number, invoice.status) for invoice in found] == [
        (8, 1, "succeeded"),
        (8, 2, "succeeded"),
    ]


def test_a_single_invoice_is_issued_only_if_it_asks_at_once(ask, sandbox):
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        made = await client.nfe_batches.create(RIO, batch("nfe", (1,), sincronicidade=1))
        return await client.nfe.read(RIO, made.documents[0].id)

    assert ask(talk).status == "succeeded"
    with pytest.raises(ValueError, match="lone_batch"):
        batch("nfe", (2,))
    content = batch("nfe", (2, 3)).model_dump(mode="json", exclude_none=True)
    content["nfes"].pop()
    url, header = f"/api/v1/organizations/{RIO}/nfe_batch", {"Authorization": "Token token=sandbox-product-token"}
    assert sandbox._exchange("POST", url, {"nfe_batch": content}, header)[0] == 201
    ask(lambda client: client.organizations.all())
    assert "452" in sandbox.record()["product_invoices"][1]["errors"][0]


def test_one_bad_item_refuses_all_of_them(ask, sandbox):
    wrong = batch("nfe").model_copy(update={"uf": 333})
    with pytest.raises(Refused) as caught:
        ask(lambda client: client.nfe_batches.create(RIO, wrong))
    assert "errors.uf" in caught.value.messages
    assert sandbox.record()["product_invoices"] == []


def test_a_batch_without_an_answer_is_doubtful(ask, sandbox):
    sandbox.faults({"operation": "nfce_batch.authorize", "kind": "lose_answer"})
    with pytest.raises(Doubtful):
        ask(lambda client: client.nfce_batches.authorize(RIO, batch("nfce", is_signed=True)))
    assert len(sandbox.record()["product_invoices"]) == 2


@pytest.mark.parametrize("fields", [{"nfces": None, "nfes": [{"id": 7, "status": "processing"}]}, {"nfces": []}])
def test_the_documents_are_found_under_either_name(ask, sandbox, fields):
    sandbox.faults({"operation": "nfce_batch.create", "kind": "altered", "fields": {"nfce_batch": fields}})
    made = ask(lambda client: client.nfce_batches.create(RIO, batch("nfce")))
    assert len(made.documents) == len(fields.get("nfes", []))


def test_extensions_off_or_another_kind_is_refused(ask, sandbox):
    for kind in ("nfe", "nfce"):
        with pytest.raises(ExtensionsOff):
            ask(lambda client, kind=kind: calls(client, kind).create(RIO, batch(kind)), extensions=False)
        post = batch(kind, is_signed=True)
        ask(lambda client, kind=kind, post=post: calls(client, kind).authorize(RIO, post), extensions=False)
    with pytest.raises(ValueError, match="another kind"):
        ask(lambda client: client.nfce_batches.create(RIO, batch("nfe")))
