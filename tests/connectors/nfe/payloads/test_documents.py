"""Compare the payload models with the field tables, and with the emulator over a real socket."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from connectors.nfe.payloads import documents, field_types, general, goods, parties, taxes, transport
from connectors.nfe.payloads.documents import (
    Nfce,
    NfceBatch,
    Nfe,
    NfeBatch,
    SignedNfce,
    SignedNfceBatch,
    SignedNfeBatch,
)
from tests.connectors.nfe import examples
from tests.connectors.nfe.samples import TOKEN
from tests.sandboxes import running_sandbox

MODELS: dict[str, type[field_types.Group]] = {
    "nfe": documents.Nfe,
    "nfce": documents.Nfce,
    "nfe_signed": documents.SignedNfe,
    "nfce_signed": documents.SignedNfce,
    "nfe_batch": documents.NfeBatch,
    "nfce_batch": documents.NfceBatch,
    "nfe_batch_signed": documents.SignedNfeBatch,
    "nfce_batch_signed": documents.SignedNfceBatch,
    "cliente": parties.Customer,
    "cliente_nfce": parties.NfceCustomer,
    "endereco": parties.Address,
    "dados_gerais": general.General,
    "dados_gerais_nfce": general.NfceGeneral,
    "forma_de_pagamento": general.Payment,
    "cobranca": general.Billing,
    "duplicata": general.Instalment,
    "fatura": general.Bill,
    "informacoes_adicionais": general.Remarks,
    "retencao_tributos": general.Withholdings,
    "produto": goods.Product,
    "produto_nfce": goods.NfceProduct,
    "declaracao_importacao": goods.ImportDeclaration,
    "adicao": goods.Addition,
    "imposto_devolvido": goods.ReturnedTax,
    "tributacao": taxes.Taxation,
    "tributacao_nfce": taxes.NfceTaxation,
    "importacao": taxes.ImportTax,
    "icms": taxes.Icms,
    "icms_nfce": taxes.NfceIcms,
    "ipi": taxes.Ipi,
    "pis": taxes.Pis,
    "cofins": taxes.Cofins,
    "transporte": transport.Transport,
    "transporte_nfce": transport.NfceTransport,
    "retencao_icms": transport.WithheldIcms,
    "transportadora": transport.Carrier,
    "veiculo": transport.Vehicle,
    "volume": transport.Volume,
    "volume_nfce": transport.NfceVolume,
}
KIND_OF = {
    "string": field_types.Words,
    "integer": field_types.Whole,
    "number": field_types.Decimals,
    "date": field_types.Day,
    "date-time": field_types.Moment,
}
PLAIN = {table for table in MODELS if not table.startswith(("nfe", "nfce"))}


def leaves(annotation, metadata=()):
    """Yield every kind and model in an annotation, at any depth."""
    yield from (each for each in metadata if isinstance(each, tuple(KIND_OF.values())))
    if isinstance(annotation, type) and issubclass(annotation, field_types.Group):
        yield annotation
    for argument in get_args(annotation):
        yield from leaves(argument, getattr(argument, "__metadata__", ()))


def only(field: FieldInfo) -> Any:
    found = [*leaves(field.annotation, field.metadata)]
    return found[0] if found else None


@pytest.mark.parametrize("table", MODELS)
def test_a_model_has_the_fields_and_sizes_of_its_table(table):
    fields, groups, elements = (
        examples.fields_of(table),
        examples.groups_of(table),
        examples.DOCUMENT["elements"]["fields"],
    )
    model = MODELS[table]
    assert set(model.model_fields) == set(fields)
    for name, field in model.model_fields.items():
        entry, found = fields[name], only(field)
        assert field.is_required() == entry.get("required", False), name
        if name in groups:
            assert found is MODELS[groups[name]], name
            continue
        if entry["type"] == "boolean":
            continue
        entry = elements.get(name, entry)
        assert isinstance(found, KIND_OF[entry["type"]]), name
        sizes: Any = found
        limits = {
            "max": getattr(found, "longest", None),
            "min": max(getattr(found, "shortest", 1), getattr(found, "fewest", 1)),
            "digits": getattr(found, "digits", None) if entry["type"] == "integer" else None,
            "precision": [sizes.digits, sizes.places] if entry["type"] == "number" else None,
            "allowed": [*sizes.allowed] if getattr(found, "allowed", None) else None,
        }
        for key, value in limits.items():
            expected = entry.get(key, 1 if key == "min" else None)
            assert (key == "max" and entry.get("allowed")) or value == expected, (name, key)


def test_every_table_of_a_payload_has_a_model():
    tables = {table for table in MODELS for table in examples.groups_of(table).values()}
    assert tables <= set(MODELS)


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("table", sorted(PLAIN))
def test_a_model_accepts_all_fields_and_only_required_ones(table, is_whole):
    given = examples.group(table, is_whole=is_whole)
    again = MODELS[table].model_validate(MODELS[table].model_validate(given).content())
    assert again.content().keys() == given.keys()


# ---------------------------------------------------------------- beside the provider


@pytest.fixture(scope="module")
def provider():
    with running_sandbox(in_thread=True, product_advance="at_once") as sandbox:
        yield sandbox


def answer(provider, path, body):
    """Return status and JSON of a POST below the Rio shop."""
    url = f"/api/v1/organizations/61/{path}"
    return provider._exchange("POST", url, body, {"Authorization": f"Token token={TOKEN}"})[:2]


def accepts(model, content):
    try:
        return model.model_validate(content)
    except ValidationError:
        return None


SITUATIONS = [
    (kind, tax, code, way)
    for kind in ("nfe", "nfce")
    for tax in examples.TAXES
    for rule in examples.DOCUMENT[tax]["rules"].values()
    for code in rule["codes"]
    for way in range(len(rule.get("either", [[]])))
]


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_both_accept_every_situation_of_every_tax(provider, kind):
    model = Nfe if kind == "nfe" else Nfce
    for _, tax, code, way in (row for row in SITUATIONS if row[0] == kind):
        table = examples.groups_of("tributacao_nfce" if kind == "nfce" else "tributacao")[tax]
        for is_whole in (True, False):
            document = examples.taxed(kind, tax, examples.situation(tax, code, table, way=way, is_whole=is_whole))
            found = accepts(model, document)
            assert found is not None, (tax, code)
            status, body = answer(provider, kind, json.loads(found.body(kind)))
            assert status == 201, (tax, code, body)


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_both_refuse_missing_and_misplaced_tax_fields(provider, kind):
    model = Nfe if kind == "nfe" else Nfce
    for _, tax, code, way in (
        row for row in SITUATIONS if row[0] == kind and row[2] in ("70", "201", "500", "50", "05", "99")
    ):
        table = examples.groups_of("tributacao_nfce" if kind == "nfce" else "tributacao")[tax]
        needed = examples.situation(tax, code, table, way=way, is_whole=False)
        whole = examples.situation(tax, code, table, way=way)
        for name, entry in examples.fields_of(table).items():
            situation = {**whole, name: examples.largest(entry)} if name not in whole else {**needed}
            situation.pop(name if name in whole else "", None)
            document = examples.taxed(kind, tax, situation)
            status, body = answer(provider, kind, {kind: document})
            assert (accepts(model, document) is not None) == (status == 201), (tax, code, name, body)


CHANGES: st.SearchStrategy[Any] = st.sampled_from(
    [
        ...,
        None,
        [],
        {},
        "",
        "x",
        0,
        7,
        -1,
        True,
        1.5,
        "1.005",
        "9" * 22,
        "9" * 400,
        "caf\u00e9",
        "\x00",
        "2026-02-30",
        "102",
        [[]],
        [1],
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_both_judge_a_changed_document_alike(provider, data):
    """Only the client refuses empty text or an empty group in an optional field, and a fraction in a text field."""
    kind = data.draw(st.sampled_from(["nfe", "nfce"]))
    document = examples.invoice(kind, is_whole=data.draw(st.booleans()))
    # The client's own call may add a security code later; the provider never does.
    may_change = [path for path in examples.places(document) if path and path[-1] not in ("csc", "id_token")]
    path = data.draw(st.sampled_from(may_change))
    change = data.draw(CHANGES)
    changed = examples.replaced(document, path, change)
    found = accepts(Nfe if kind == "nfe" else Nfce, changed)
    status, body = answer(provider, kind, {kind: changed})
    assert status in (201, 422), body
    if found is not None:
        # The provider accepts what the client makes of it, too.
        assert answer(provider, kind, json.loads(found.body(kind)))[0] == status == 201, body
    elif status == 201:
        assert change in ("", 1.5, {}), (path, body)


# ---------------------------------------------------------------- batches and signed documents


def batch(kind, count, **more):
    return {"lote": 1, "serie": 3, "sincronicidade": 0, "uf": 33, f"{kind}s": [examples.invoice(kind)] * count} | more


@pytest.mark.parametrize(
    ("kind", "model", "signed"), [("nfe", NfeBatch, SignedNfeBatch), ("nfce", NfceBatch, SignedNfceBatch)]
)
def test_a_batch_has_one_to_fifty_documents(kind, model, signed):
    for count, at_once, is_right in (
        (0, 1, False),
        (1, 0, False),
        (1, 1, True),
        (2, 0, True),
        (50, 0, True),
        (51, 1, False),
    ):
        content = batch(kind, count, sincronicidade=at_once)
        assert (accepts(model, content) is not None) == is_right, count
        assert (accepts(signed, {**content, "xml_assinado": "<é/>"}) is not None) == is_right
    assert accepts(signed, batch(kind, 2)) is None


def test_a_batched_or_signed_nfce_has_its_security_code():
    bare = examples.invoice("nfce")
    bare["dados_gerais"].pop("csc")
    assert accepts(Nfce, bare) is not None
    assert accepts(SignedNfce, {**bare, "xml_assinado": "<x/>"}) is None
    assert accepts(NfceBatch, batch("nfce", 2, nfces=[bare, bare])) is None
    company = examples.replaced(examples.invoice("nfce"), ("cliente", "pessoa_fisica_juridica"), "company")
    assert accepts(Nfce, examples.replaced(company, ("cliente", "cpf_cnpj"), examples.CNPJ)) is None


def test_a_document_hides_its_values_as_text():
    document = examples.invoice("nfce")
    assert (repr(Nfce.model_validate(document)), str(Nfce.model_validate(document))) == ("Nfce()", "")
    for path in (("cliente", "cpf_cnpj"), ("dados_gerais", "csc"), ("produtos", 0, "descricao")):
        with pytest.raises(ValidationError) as caught:
            Nfce.model_validate(examples.replaced(document, path, "canário 99000000130"))
        assert "99000000130" not in str(caught.value)
