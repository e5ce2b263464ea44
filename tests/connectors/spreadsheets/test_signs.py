"""Notes and names that argue against billing their row, alone and in a column of others."""

import pytest

from connectors.spreadsheets import signs
from connectors.spreadsheets.formats.sheets import Cell

NOTES = (
    "não faturar este mês", "NÃO FATURAR", "na\u0303o emitir", "não\nemitir", "não\u2028faturar", "nunca cobrar",
    "sem emissão de nota", "cancelado em 05/11", "cliente cancelou", "suspensa até março", "aguardando aceite",
    "aguarde", "segurar", "estornada", "bloqueado", "excluir", "contrato rescindido", "distrato assinado", "em disputa",
    "encerrado", "não autorizado", "confirmar valor", "verificar", "conferir", "rever", "checar", "pendente de aceite",
    "pendente\u200b de aceite", "do not bill", "on hold", "já foi emitida", "já faturado", "já cobrado",
)  # fmt: skip
NAMES = (
    "Ana Ltda - não faturar", "não emitir", "não cobrar", "não enviar nota", "não gerar nota", "Ana Ltda (CANCELADO)",
    "[suspensa]", "Ana Ltda - inativo", "(encerrada)", "Ana Ltda * bloqueado *",
)  # fmt: skip
INNOCENT = ("Pedido interno do cliente", "Comércio e Serviços Ltda", None, 12.0, "Rua das Acácias 7", "Manutenção")


@pytest.mark.parametrize("text", NOTES)
def test_a_note_is_heard_alone_and_among_others(text: str):
    assert signs.stop_of("notes", text) is not None
    assert signs.may_stop("notes", ("Pedido interno", None, text))
    assert signs.may_stop_text((*INNOCENT, text))


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_heard_alone_and_among_others(text: str):
    assert signs.named_stop(text) is not None
    assert signs.may_stop_named((*INNOCENT, text))


def test_a_column_that_says_nothing_is_known_as_a_whole():
    assert not signs.may_stop_text(INNOCENT)
    assert not signs.may_stop_named(INNOCENT)
    assert not signs.may_stop("notes", ("Pedido interno", None))
    assert not signs.may_stop("status", ("Ativo", None, "ok"))


@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("status", ("Ativo", "Cancelado")),
        ("paid", (None, 1.0)),
        ("invoice_number", (None, "NF 123")),
        ("active", ("-",)),
    ],
)
def test_one_cell_is_enough_for_a_closer_look(field: str, column: tuple[Cell, ...]):
    assert signs.may_stop(field, column)
