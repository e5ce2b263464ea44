"""What the provider refuses at once, and at which field."""

import pytest

from tests.connectors.nfe import examples
from tests.connectors.nfe.samples import content, item

ADDRESS = ("bairro", "cep", "codigo_municipio", "logradouro", "nome_municipio", "numero", "uf")


def taxed(**taxes):
    usual = item()["tributacao"]
    return {"produtos": [item(tributacao={**usual, **taxes})]}


def customer(**changes):
    return {"cliente": {**content()["cliente"], **changes}}


def test_a_whole_invoice_is_accepted(shop):
    assert shop.post()[1] == {"nfe": {"id": 1, "status": "processing"}}
    assert shop.post("nfce")[0] == 201


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"produtos": []}, {"produtos"}),
        ({"produtos": [item(ncm=None, cfop="51021")]}, {"produtos.0.ncm", "produtos.0.cfop"}),
        ({"transporte": None}, {"transporte"}),
        ({"forma_de_pagamento": [{"tipo_de_pagamento": "25"}]},
         {"forma_de_pagamento.0.tipo_de_pagamento", "forma_de_pagamento.0.valor_do_pagamento"}),
        ({"produtos": [item(descricao="Cerâmica")]}, {"produtos.0.descricao"}),
        (customer(cpf_cnpj="99000000131"), {"cliente.cpf_cnpj"}),
        (customer(nome=None), {"cliente.nome"}),
        (customer(endereco={"complemento": "fundos"}), {f"cliente.endereco.{name}" for name in ADDRESS}),
        (customer(endereco={}), {"cliente.endereco"}),
        ({"produtos": [item(ncm="9608100", cfop="510")]}, {"produtos.0.ncm", "produtos.0.cfop"}),
        ({"serie": 1000}, {"dados_gerais.serie"}),
        ({"remote_id": "123"}, {"remote_id"}),
    ],
)  # fmt: skip
def test_every_wrong_field_is_named_at_once(shop, changes, fields):
    assert shop.wrong(**changes) == fields
    assert shop.record()["product_invoices"] == []


@pytest.mark.parametrize("code", ["16", "17", "20", "23", "24", "91"])
def test_a_payment_by_a_newer_code_is_accepted(shop, code):
    payment = {"tipo_de_pagamento": code, "valor_do_pagamento": 25.0}
    assert shop.post(forma_de_pagamento=[payment])[0] == 201


@pytest.mark.parametrize(
    ("taxes", "fields"),
    [
        ({"pis": {"situacao_tributaria": "01"}}, {"pis.valor_base_calculo", "pis.aliquota_pis", "pis.valor_pis"}),
        ({"pis": {"situacao_tributaria": "07", "valor_pis": "1.00"}}, {"pis.valor_pis"}),
        ({"cofins": {"situacao_tributaria": "98"}},
         {"cofins.valor_base_calculo", "cofins.aliquota_cofins", "cofins.valor_cofins"}),
        ({"icms": {"situacao_tributaria": "102"}}, {"icms.situacao_simples_nacional"}),
        ({"icms": {"situacao_tributaria": "102", "situacao_simples_nacional": "103"}},
         {"icms.situacao_simples_nacional"}),
        ({"icms": {"situacao_tributaria": "777"}}, {"icms.situacao_tributaria"}),
        ({"ipi": {"situacao_tributaria": "53"}}, {"ipi.codigo_enquadramento"}),
        ({"ipi": {"situacao_tributaria": "50", "codigo_enquadramento": "999"}},
         {"ipi.valor_base_calculo", "ipi.aliquota_ipi", "ipi.valor_ipi"}),
        ({"pis": None}, {"pis"}),
    ],
)  # fmt: skip
def test_a_situation_demands_its_fields_and_no_others(shop, taxes, fields):
    assert shop.wrong(**taxed(**taxes)) == {f"produtos.0.tributacao.{field}" for field in fields}


@pytest.mark.parametrize(
    "taxes",
    [
        {"ipi": {"situacao_tributaria": "99", "codigo_enquadramento": "999", "valor_unidade": "0.1", "valor_ipi": "1"}},
        {"pis": {"situacao_tributaria": "49", "aliquota_pis_reais": "0.1", "quantidade_vendida": 2, "valor_pis": "1"}},
        {"icms": {"situacao_simples_nacional": "102"}},
    ],
)
def test_either_way_of_calculation_will_do(shop, taxes):
    assert shop.post(**taxed(**taxes))[0] == 201


def test_an_nfce_needs_its_codes_and_a_person(shop):
    invoice = content(**customer(pessoa_fisica_juridica="company", cpf_cnpj="99000010000194"))
    status, body = shop.ask("POST", "/61/nfce", {"nfce": invoice})
    assert status == 422
    assert {field for error in body["errors"] for field in error} == {
        "dados_gerais.csc", "dados_gerais.id_token", "cliente.pessoa_fisica_juridica",
    }  # fmt: skip


def test_an_nfce_may_leave_out_what_all_of_them_share(shop):
    invoice = content()
    for group, name in (
        ("dados_gerais", "destino_operacao"),
        ("dados_gerais", "indicador_consumidor_final"),
        ("cliente", "indicador_inscricao_estadual"),
    ):
        del invoice[group][name]
        assert f"{group}.{name}" in str(shop.ask("POST", "/61/nfe", {"nfe": invoice})[1]["errors"])
    invoice["dados_gerais"] |= {"csc": "0123456789ABCDEF", "id_token": "000001"}
    by_document = {"cpf_cnpj": "99000000130", "pessoa_fisica_juridica": "person"}
    for named in (invoice["cliente"], by_document, {}, None):
        assert shop.ask("POST", "/61/nfce", {"nfce": {**invoice, "cliente": named}})[0] == 201


def test_an_empty_text_counts_as_absent(shop):
    """Clients of the provider send every field of every group, most of them empty."""
    declaration = {"cnpj": "", "data_importacao": "", "via_transporte": "", "adicoes": [{"numero_adicao": ""}]}
    taxes = {**item()["tributacao"], "valor_aproximado_total": "", "importacao": {"valor_iof": ""}}
    changes = {
        "engine_de_calculo": "",
        "cobranca": {"duplicatas": [{"data_vencimento": "", "valor": ""}], "fatura": {"valor_liquido": 0}},
        "produtos": [item(cest="", tributacao=taxes, declaracao_importacao=[declaration])],
        "transporte": {
            "codigo_modalidade": 9,
            "veiculo": {"placa": "", "uf": ""},
            "retencao_icms": {"cfop": "", "valor_retido": 0},
        },
    }
    assert shop.post(**changes)[0] == 201
    kept = shop.found(1)["data"]
    assert (kept["cobranca"], kept["transporte"]) == ({"fatura": {"valor_liquido": "0.00"}}, {"codigo_modalidade": 9})
    assert shop.wrong(**customer(nome="", endereco={"bairro": ""})) == {"cliente.nome", "cliente.endereco"}


def test_a_zero_of_another_tax_situation_is_dropped(shop):
    pis = {"situacao_tributaria": "07", "valor_base_calculo": 0.0, "aliquota_pis": "0.00", "valor_pis": 0}
    assert shop.post(**taxed(pis=pis))[0] == 201
    assert shop.found(1)["data"]["produtos"][0]["tributacao"]["pis"] == {"situacao_tributaria": "07"}
    assert shop.wrong(**taxed(pis={**pis, "valor_pis": 0.01})) == {"produtos.0.tributacao.pis.valor_pis"}


def test_a_body_under_another_key_is_refused(shop):
    assert shop.ask("POST", "/61/nfe", {"nfce": content()})[0] == 422
    assert shop.ask("POST", "/61/nfe", [])[0] == 422


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("cobranca", "duplicatas", 0, "valor"), None, "cobranca.duplicatas.0.valor"),
        (("cobranca", "duplicatas", 0), 5, "cobranca.duplicatas.0"),
        (("cobranca", "fatura", "valor_liquido"), "1.005", "cobranca.fatura.valor_liquido"),
        (("lista_autorizacao", 0), "9" * 15, "lista_autorizacao.0"),
        (("retencao_tributos", "valor_irrf"), "-1", "retencao_tributos.valor_irrf"),
        (("transporte", "retencao_icms", "valor_retido"), ..., "transporte.retencao_icms.valor_retido"),
        (("transporte", "veiculo", "placa"), "ABC12345", "transporte.veiculo.placa"),
        (("transporte", "volume_transportado", 0, "peso_bruto"), "x", "transporte.volume_transportado.0.peso_bruto"),
        (
            ("produtos", 0, "imposto_devolvido", "valor_ipi_devolvido"),
            ...,
            "produtos.0.imposto_devolvido.valor_ipi_devolvido",
        ),
        (("produtos", 0, "tributacao", "importacao", "valor_iof"), [], "produtos.0.tributacao.importacao.valor_iof"),
        (
            ("produtos", 0, "declaracao_importacao", 0, "adicoes", 0, "numero_adicao"),
            1000,
            "produtos.0.declaracao_importacao.0.adicoes.0.numero_adicao",
        ),
        (("engine_de_calculo",), "\u0001", "engine_de_calculo"),
        (("contingencia",), "talvez", "contingencia"),
    ],
)
def test_every_group_is_checked_however_deep(shop, place, value, field):
    document = examples.replaced(examples.invoice("nfe"), place, value)
    status, body = shop.ask("POST", "/61/nfe", {"nfe": document})
    assert (status, [name for error in body["errors"] for name in error]) == (422, [field])


def test_an_nfce_may_have_more_and_an_nfe_drops_it(shop):
    document = examples.invoice("nfce")
    assert shop.ask("POST", "/61/nfce", {"nfce": document})[0] == 201
    item = shop.record()["product_invoices"][0]["body"]["produtos"][0]
    assert {"extipi", "ind_valor_total", "num_controle_fci"} <= item.keys()
    assert shop.ask("POST", "/61/nfe", {"nfe": examples.invoice("nfe") | {"produtos": [
        examples.group("produto") | {"extipi": "01"}
    ]}})[0] == 201  # fmt: skip
    assert "extipi" not in shop.record()["product_invoices"][1]["body"]["produtos"][0]


@pytest.mark.parametrize("lone", ["base_calculo_operacao_propria", "uf_icmsst_devido"])
def test_simultaneous_alerts_share_one_message(shop, lone):
    icms = examples.situation("icms", "70", is_whole=False) | {lone: examples.situation("icms", "70")[lone]}
    (other,) = {"base_calculo_operacao_propria", "uf_icmsst_devido"} - {lone}
    assert shop.wrong(**taxed(icms=icms)) == {f"produtos.0.tributacao.icms.{other}"}
