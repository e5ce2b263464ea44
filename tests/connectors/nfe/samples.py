"""Bodies that the provider accepts, and the usual first steps of tests."""

TOKEN = "sandbox-product-token"
RIO, SAO_PAULO = 61, 62
"""Organization ids of the sandbox's shops."""
RIO_CNPJ = "99000051000180"
SECRETS = {"csc": "0123456789ABCDEF", "id_token": "000001"}


def item(**more):
    """Return two mugs of 12.50."""
    taxes = {
        "icms": {"situacao_tributaria": "102", "situacao_simples_nacional": "102"},
        "pis": {"situacao_tributaria": "07"},
        "cofins": {"situacao_tributaria": "07"},
        "ipi": {"situacao_tributaria": "53", "codigo_enquadramento": "999"},
    }
    return {
        "codigo_produto": "CAN-01",
        "descricao": "Caneca de ceramica",
        "ncm": "69120000",
        "cfop": "5102",
        "unidade_comercial": "UN",
        "quantidade_comercial": "2.0000",
        "valor_unitario_comercial": "12.50",
        "unidade_tributaria": "UN",
        "quantidade_tributaria": "2.0000",
        "valor_unitario_tributario": "12.50",
        "valor_total_produto": "25.00",
        "tributacao": taxes,
        **more,
    }


def content(**more):
    """Return a sale in the shop, paid in cash, to a private customer."""
    return {
        "cliente": {
            "cpf_cnpj": "99000000130",
            "nome": "Ana Aguiar",
            "pessoa_fisica_juridica": "person",
            "indicador_inscricao_estadual": 9,
            "endereco": {
                "logradouro": "Rua das Laranjeiras",
                "numero": "12",
                "bairro": "Laranjeiras",
                "codigo_municipio": "3304557",
                "nome_municipio": "Rio de Janeiro",
                "cep": "20031170",
                "uf": "RJ",
            },
        },
        "dados_gerais": {
            "codigo_mun_ocorrencia": "3304557",
            "destino_operacao": 1,
            "finalidade_nfe": 1,
            "indicador_consumidor_final": 1,
            "indicador_presenca": 1,
            "natureza_operacao": "VENDA DE MERCADORIA",
            "tipo_operacao": 1,
            "uf": 33,
        },
        "forma_de_pagamento": [{"tipo_de_pagamento": "01", "valor_do_pagamento": 25.0}],
        "produtos": [item()],
        "transporte": {"codigo_modalidade": 9},
        **more,
    }


def body(client, number=1, kind="nfe", serie=7, remote_id=None, **more):
    secrets = SECRETS if kind == "nfce" else {}
    calls = client.of_kind(kind)
    return calls.body(content(**more), serie=serie, number=number, remote_id=remote_id, **secrets)


async def issued(client, number=1, **more):
    """Post an invoice of the Rio shop and return it."""
    return await client.nfe.create(RIO, body(client, number, **more))
