"""Headers of which one word says what they say about billing."""

import pytest

from connectors.spreadsheets.headers.billing_headers import asked_sign, judged_as, sign_of


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("situacao do aluno", "status"), ("aprovado pelo socio", "active"), ("fl canc", "stopped"),
        ("cancelado em", "stopped"), ("flag", None), ("moeda da venda", "currency"),
        ("cancelamento", "stopped"), ("dt cancelamento do plano", "stopped"), ("motivo da suspensao", "stopped"),
        ("estornada em", "stopped"), ("charged back at", "stopped"), ("refunded on", "stopped"), ("estorno", None),
        ("multa por rescisao", None), ("taxa de cancelamento", None), ("data", None),
        ("valor aprovado", None), ("st icms", None), ("sitaucao", "status"), ("situacoes", None),
        ("vigencia a partir de", "since"), ("contrato desde", "since"), ("data de inicio da locacao", "since"),
        ("inicio da turma", None), ("valor a partir de", None), ("nf emitida no", "invoice_number"),
        ("numero da nota fiscal eletronica de servico", "invoice_number"), ("emitida em", None),
        ("nota de corte no", None),
        ("ja incluido na nota de outubro", "billed"), ("ja e cliente", None),
        ("nf ja emitida", "billed"), ("ja emitiu a nota", "billed"), ("foi faturado", "billed"),
        ("nota enviada", "billed"), ("invoice already issued", "billed"), ("ja emitiu o boleto", None),
        ("boleto emitido", None), ("foi enviado o contrato", None), ("valor ja faturado", None),
        ("deal stage", "status"), ("etapa do negocio", "status"), ("etapa da obra", None), ("payment status", "status"),
        ("inicio da execucao", "since"), ("dt execucao", "performed"), ("data de conclusao do servico", "performed"),
        ("servico realizado em", "performed"), ("date of service", "performed"), ("execucao", "performed"),
        ("data da proxima visita", None), ("dias de atendimento", None), ("data de conclusao", None),
        ("data do evento", None), ("prestacao", None), ("data da venda", None), ("prazo de execucao", None),
        ("prox faturamento", "next_billing"), ("mes da proxima nota fiscal", "next_billing"),
        ("next bill date", "next_billing"), ("proximo vencimento", None), ("proximo reajuste", None),
        ("vencimento da proxima fatura", None), ("proximo pagamento", None),
    ],
)  # fmt: skip
def test_the_first_word_decides_or_the_last(header: str, expected: str | None):
    assert sign_of(header) == expected


@pytest.mark.parametrize(
    ("sign", "header", "expected"),
    [
        ("status", "Deal Stage", "deal"), ("status", "Etapa do negócio", "deal"), ("status", "Situação", "status"),
        ("status", "Situação do boleto", "paper"), ("notes", "Boleto", "notes"),
    ],
)  # fmt: skip
def test_a_status_may_be_that_of_a_deal_or_of_another_paper(sign: str, header: str, expected: str):
    assert judged_as(sign, header) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Candidato admitido?", "active"), ("Candidato admitido", None), ("Ganhou a causa?", "active"),
        ("Work completed?", "active"), ("¿Contratado?", "active"), ("¿Cliente nuevo?", None), ("Desistiu?", "stopped"),
        ("Laudo pronto?", "active"), ("Entregue no prazo?", None), ("Ganhou desconto?", None), ("Loja fechada?", None),
        ("Boleto registrado?", None), ("Pagamento confirmado?", None), ("Quando foi entregue?", None),
        ("Cliente novo?", None), ("Enviar por e-mail?", None), ("Recorrente?", None), ("Simples Nacional?", None),
    ],
)  # fmt: skip
def test_a_question_may_ask_for_success(header: str, expected: str | None):
    assert asked_sign(header) == expected
