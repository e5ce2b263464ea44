"""The shipped layouts: each is consistent, and knows the headers that finance teams write."""

import dataclasses
import tomllib
from pathlib import Path

import pytest

import configs.layouts
from configs.catalogue import Catalogue
from configs.layouts import LAYOUTS, read_layout
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.headers import stated_taxes
from connectors.spreadsheets.headers.layouts import Layout
from domain.parties import TakerData
from domain.services.lines import ServiceLine

EXPECTED = {
    "document": "CNPJ/CPF · CPF ou CNPJ · CNPJ · CPF · Documento · Doc · CNPJ do Tomador · cpf_cnpj "
    "· Inscrição Federal",
    "name": "Razão Social · Nome · Nome/Razão Social · Tomador · Cliente · Sacado · Nome do Cliente · Empresa",
    "fancy_name": "Nome Fantasia · Fantasia · Apelido",
    "city_inscription": "Inscrição Municipal · IM · CCM",
    "state_inscription": "Inscrição Estadual · IE",
    "emails": "E-mail · Email · E-mail NF · E-mail para envio · Email financeiro",
    "phone": "Telefone · Fone · Celular · DDD + Telefone",
    "street": "Logradouro · Endereço · Rua",
    "number": "Número · N · Nº · N° · Nro · No",
    "complement": "Complemento · Compl.",
    "neighborhood": "Bairro · Distrito",
    "zip_code": "CEP",
    "city": "Cidade · Município · Cidade/UF · Cidade - UF",
    "state": "UF · Estado",
    "city_code": "Código IBGE · Cód. Município · codigo_municipio",
    "service_cents": "Valor · Valor do Serviço · Valor Bruto · Valor Total · Vlr · Valor NF · Mensalidade · Total "
    "· VALOR (R$)",
    "deduction_cents": "Dedução",
    "unconditioned_discount_cents": "Desconto · Desconto Incondicionado",
    "discount_conditioning_cents": "Desconto Condicionado",
    "description": "Discriminação · Descrição · Descrição do Serviço · Histórico · Referente a",
    "service_item_code": "Código do Serviço · Cód. Serviço · Item Lista Serviço · Item LC 116 · Subitem",
    "city_tax_code": "Código Tributação Municipal · Cód. Trib. Mun.",
    "cnae_code": "CNAE",
    "iss_bp": "Alíquota · Alíquota ISS · % ISS · ISS (%)",
    "retained_iss": "ISS Retido · Retém ISS",
    "pis_bp": "PIS (%)",
    "ir_bp": "IR (%) · IRRF (%)",
    "cofins_bp": "COFINS (%)",
    "csll_bp": "CSLL (%)",
    "inss_bp": "INSS (%)",
    "iss_cents": "ISS (R$)",
    "pis_cents": "PIS (R$)",
    "cofins_cents": "COFINS (R$)",
    "csll_cents": "CSLL (R$)",
    "ir_cents": "IR (R$) · IRRF (R$)",
    "inss_cents": "INSS (R$)",
    "pcc_cents": "PCC · CSRF · PCC (R$)",
    "federal_cents": "Retenções Federais",
    "tax_burden_cents": "Valor Aproximado dos Tributos",
    "tax_burden_bp": "Carga Tributária (%)",
    "tax_burden_source": "Fonte IBPT",
    "is_wanted": "Enviar (S/N) · Enviar",
    "emission_at": "Data Emissão · Data de Emissão · Dt Emissão · Emissão",
    "competence": "Competência · Mês Referência · Ref. · Período",
    "template_name": "Modelo · Template · Plano · Produto · Código do Plano",
    "own_key": "Chave · Chave Única · Referência Externa",
    "contract": "Contrato · Nº Contrato",
    "reference": "ID · Código · Nº Pedido",
    "send_to_taker": "Enviar e-mail · Enviar NF",
    "observations": "Observações da Nota",
    "notes": "Observações · Obs",
    "status": "Situação · Status",
    "invoice_number": "Nº NF",
    "emitter_cnpj": "Emitente · CNPJ Emitente",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_layout_is_sound(name: str) -> None:
    layout = Layout.from_data(read_layout(name))
    assert layout.name == name
    assert set(layout.required) <= set(layout.headers)


def test_every_layout_file_is_listed() -> None:
    folder = Path(configs.layouts.__file__).parent
    assert sorted(LAYOUTS) == sorted(path.stem for path in folder.glob("*.toml"))
    for path in folder.glob("*.toml"):
        assert tomllib.loads(path.read_text("utf-8"))


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="no such layout"):
        read_layout("../settings")


@pytest.mark.parametrize("field", EXPECTED)
def test_headers_of_finance_teams_are_known(field: str) -> None:
    layout = Layout.from_data(read_layout("services"))
    for header in EXPECTED[field].split(" · "):
        assert layout.aliases.get(normalised(header)) == field, header


def test_a_bare_name_of_a_tax_may_be_a_rate_or_an_amount() -> None:
    layout = Layout.from_data(read_layout("services"))
    names = ("ISS", "PIS", "COFINS", "CSLL", "IR", "IRRF", "INSS")
    assert {layout.aliases[normalised(name)] for name in names} == set(stated_taxes.FIELDS)


def test_headers_that_are_known_and_not_used_need_no_warning() -> None:
    layout = Layout.from_data(read_layout("services"))
    for header in ["Vencimento", "Valor Líquido"]:
        assert normalised(header) in layout.ignored


def test_every_field_of_the_layout_ends_up_in_a_line() -> None:
    layout = Layout.from_data(read_layout("services"))
    line = {field.name for field in dataclasses.fields(ServiceLine)}
    taker = {field.name for field in dataclasses.fields(TakerData)}
    # A header alone says neither whether the column is wanted, nor what its amount contains, nor if it is a rate.
    settled = {"is_wanted", "quantity", "unit_price", *stated_taxes.FIELDS}
    assert set(layout.headers) - layout.signs - settled <= line | taker


def test_every_field_has_a_name_that_people_understand() -> None:
    catalogue = Catalogue.load()
    unnamed = [field for field in read_layout("services")["fields"] if catalogue.field(field) == field]
    assert not unnamed


def test_one_name_is_one_field_in_every_layout() -> None:
    fields = {field for name in LAYOUTS for field in read_layout(name)["fields"]}
    signs = {sign for name in LAYOUTS for sign in read_layout(name).get("signs", {})}
    assert not fields & signs
    # a field that two layouts have is the same thing in both, so that one word of the catalogue names both
    assert "payment" not in read_layout("services")["fields"]
    words = Catalogue.load()
    assert (words.field("payment"), words.field("paid_invoice")) == ("forma de pagamento", "fatura paga")
    assert (words.field("kind"), words.field("charge_kind")) == ("tipo de nota", "Tipo do lançamento")
