"""A canonical invoice as the provider's document: names, codes and number formats; and facts without a field."""

import dataclasses
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from connectors.http.errors import Refused
from connectors.http.wire_trace import NOTHING_SENT
from connectors.nfe.issuing.documents import wire_content
from domain.problems import Problem
from domain.products.arithmetic import line_cents
from domain.products.invoices import ProductInvoice, compose_product_invoice
from domain.products.lines import ProductKind, ProductLine
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, SHOP, line

ST = {"icms": "500", "cest": "1003300", "cfop": "5405", "st_rate_bp": 1_800, "substitute_icms_cents": 120}


def composed(*lines: ProductLine) -> ProductInvoice:
    found = compose_product_invoice(lines or [line()], shop=SHOP)
    assert isinstance(found, ProductInvoice), found
    return found


def posted(*lines: ProductLine) -> dict[str, Any]:
    return wire_content(composed(*lines).content)


def taxes(**changes: Any) -> dict[str, Any]:
    (product,) = posted(line(**changes))["produtos"]
    found: dict[str, Any] = product["tributacao"]
    return found


def test_an_nfe_has_its_general_data_and_no_number_yet() -> None:
    content = posted()
    assert content["dados_gerais"] == {
        "uf": 33,
        "codigo_mun_ocorrencia": "3304557",
        "tipo_operacao": 1,
        "finalidade_nfe": 1,
        "destino_operacao": 1,
        "indicador_consumidor_final": 1,
        "indicador_presenca": 9,
        "natureza_operacao": "VENDA DE MERCADORIA",
    }
    assert content["forma_de_pagamento"] == [{"tipo_de_pagamento": "01", "valor_do_pagamento": 25.0}]
    assert content["transporte"] == {"codigo_modalidade": 9}
    assert content["informacoes_adicionais"] == {"informacoes_contribuinte": "Pedido 1001"}


def test_a_card_payment_names_a_machine_that_is_not_ours() -> None:
    content = posted(line(kind="nfce", payment="debit_card"))
    assert content["forma_de_pagamento"] == [
        {"tipo_de_pagamento": "04", "valor_do_pagamento": 25.0, "tipo_de_integracao": 2}
    ]
    assert content["dados_gerais"]["indicador_presenca"] == 1
    assert set(content) == {"dados_gerais", "cliente", "produtos", "forma_de_pagamento", "transporte"}


@pytest.mark.parametrize(
    ("payment", "code"),
    [("pix", "17"), ("static_pix", "20"), ("automatic_pix", "23"), ("deposit", "16"), ("transfer", "18")],
)
@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_a_payment_by_a_bank_has_its_code_and_no_machine(payment: str, code: str, kind: ProductKind) -> None:
    content = posted(line(kind=kind, payment=payment))
    assert content["forma_de_pagamento"] == [{"tipo_de_pagamento": code, "valor_do_pagamento": 25.0}]


def test_a_bank_slip_has_its_bill() -> None:
    content = posted(
        line(taker=COMPANY, cfop="6102", payment="bank_slip", due_on=date(2026, 12, 10), freight="sender",
             freight_cents=1_000)
    )  # fmt: skip
    assert content["cobranca"] == {
        "fatura": {
            "numero_fatura": "1001",
            "valor_original": "35.00",
            "valor_desconto": "0.00",
            "valor_liquido": "35.00",
        },
        "duplicatas": [{"numero": "001", "data_vencimento": "2026-12-10", "valor": "35.00"}],
    }
    assert content["transporte"] == {"codigo_modalidade": 0}
    assert content["dados_gerais"]["destino_operacao"] == 2


def test_a_company_is_written_as_a_customer_group() -> None:
    assert posted(line(taker=COMPANY, cfop="6102"))["cliente"] == {
        "cpf_cnpj": "99000010000194",
        "nome": "Padaria do Cais Ltda",
        "pessoa_fisica_juridica": "company",
        "indicador_inscricao_estadual": 1,
        "inscricao_estadual": "81234567",
        "email": "contas@cais.example",
        "endereco": {
            "logradouro": "Rua Barao de Jaguara",
            "numero": "S/N",
            "bairro": "Centro",
            "nome_municipio": "Campinas",
            "codigo_municipio": "3509502",
            "cep": "13010041",
            "uf": "SP",
            "telefone": "19997001000",
        },
    }


def test_an_item_is_written_as_a_product_group() -> None:
    whole = line(
        description="Caneca de cerâmica", discount_cents=100, freight_cents=350, freight="sender", cest="1003300"
    )
    (group,) = posted(whole)["produtos"]
    assert group | {"tributacao": None} == {
        "codigo_produto": "CAN-01",
        "descricao": "Caneca de ceramica",
        "ncm": "69120000",
        "cfop": "5102",
        "cest": "1003300",
        "unidade_comercial": "UN",
        "quantidade_comercial": "2.0000",
        "valor_unitario_comercial": "12.50",
        "unidade_tributaria": "UN",
        "quantidade_tributaria": "2.0000",
        "valor_unitario_tributario": "12.50",
        "valor_total_produto": "25.00",
        "valor_desconto": "1.00",
        "valor_frete": "3.50",
        "tributacao": None,
    }


def test_a_contribution_by_rate_has_base_rate_and_amount() -> None:
    found = taxes(pis="01", pis_bp=165, cofins="99", cofins_bp=10_000)
    assert found["pis"] == {
        "situacao_tributaria": "01",
        "valor_base_calculo": "25.00",
        "aliquota_pis": "1.6500",
        "valor_pis": "0.41",
    }
    assert (found["cofins"]["aliquota_cofins"], found["cofins"]["valor_cofins"]) == ("100.0000", "25.00")
    assert taxes(pis="49")["pis"] | {"valor_base_calculo": ""} == {
        "situacao_tributaria": "49",
        "valor_base_calculo": "",
        "aliquota_pis": "0.0000",
        "valor_pis": "0.00",
    }


def test_an_exempt_contribution_is_its_code_alone() -> None:
    found = taxes()
    assert found["pis"] == found["cofins"] == {"situacao_tributaria": "07"}
    assert found["icms"] == {"situacao_tributaria": "102", "situacao_simples_nacional": "102"}
    assert found["ipi"] == {"situacao_tributaria": "53", "codigo_enquadramento": "999"}


def test_retained_icms_st_is_sent() -> None:
    group = taxes(**ST, st_base_cents=4_000, st_cents=600)["icms"]
    assert (group["base_icmsst_retido"], group["valor_icmsst_retido"]) == ("40.00", "6.00")
    assert (group["aliquota_consumidor_final"], group["valor_icms_substituto"]) == ("18.0000", "1.20")
    assert (group["aliquota_fcp_st_retido"], group["valor_fcp_st_retido"]) == ("0.0000", "0.00")
    assert "base_icmsst_retido" not in taxes(**ST)["icms"]


def test_a_value_without_a_place_is_refused_unsent() -> None:
    invoice = composed(line(), line(row=6)).invoice
    wrong = dataclasses.replace(invoice.items[1], description="Caneca de café")
    content = dataclasses.replace(invoice, items=(invoice.items[0], wrong)).to_json()
    with pytest.raises(Refused) as caught:
        wire_content(content)
    assert caught.value.wire == NOTHING_SENT
    assert caught.value.details == (Problem("record_field.plain_text", params={"name": "produtos.2.descricao"}),)


def texts(longest: int) -> st.SearchStrategy[str]:
    return st.text("abcABC019 ,./-çãÉ–º", min_size=1, max_size=longest)


TAKERS = st.builds(
    dataclasses.replace,
    st.sampled_from([PERSON, COMPANY]),
    name=texts(60),
    street=texts(60),
    complement=st.none() | texts(60),
    phone=st.none() | st.text("0123456789+", min_size=8, max_size=15),
    emails=st.just(()) | st.tuples(texts(60)),
    state_inscription=st.sampled_from([None, "ISENTO"]),
)
ORDERS = st.fixed_dictionaries(
    {
        "taker": TAKERS,
        "order_key": texts(45),
        "payment": st.sampled_from(["cash", "credit_card", "debit_card", "bank_slip", "pix", "transfer"]),
        "due_on": st.dates(date(2020, 1, 1), date(2100, 1, 1)),
        "code": texts(60),
        "description": texts(120),
        "unit": texts(6),
        "quantity": st.integers(1, 10**13 - 1).map(lambda whole: Decimal(whole).scaleb(-4)),
        "unit_price": st.integers(10**8, 10**19 - 1).map(lambda whole: Decimal(whole).scaleb(-10)),
        "pis": st.sampled_from(["49", "99"]),
        "pis_bp": st.none() | st.integers(0, 10_000),
        "freight": st.just("sender"),
        "freight_cents": st.none() | st.integers(0, 10**13),
        "observations": st.none() | texts(200),
    }
)


@given(ORDERS, st.integers(0, 10**4))
def test_each_accepted_order_fits_the_document(order: dict[str, Any], share: int) -> None:
    person = order["taker"].document.kind == "cpf" and share % 2
    over_the_counter = {"kind": "nfce", "payment": "cash", "freight": None, "freight_cents": None, "observations": None}
    order = {**order, **(over_the_counter if person else {})}
    cfop = "5102" if order["taker"].state == SHOP.state else "6108"
    gross = line_cents(order["quantity"], order["unit_price"])
    found = compose_product_invoice([line(**order, cfop=cfop, discount_cents=gross * share // 10**4)], shop=SHOP)
    event(type(found).__name__)
    if isinstance(found, ProductInvoice):
        wire_content(found.content)
