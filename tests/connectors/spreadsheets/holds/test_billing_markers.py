"""Notes and names that argue against billing their row, alone and in a column of others."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds import billing_markers

NOTES = (
    "não faturar este mês", "NÃO FATURAR", "na\u0303o emitir", "não\nemitir", "nunca cobrar",
    "não\u2028faturar", "não\u2029faturar", "não\x85faturar", "não\u1680faturar", "não  faturar", "não\xa0faturar",
    "sem emissão de nota", "cancelado em 05/11", "cliente cancelou", "suspensa até março", "aguardando aceite",
    "aguarde", "segurar", "estornada", "bloqueado", "excluir", "contrato rescindido", "distrato assinado", "em disputa",
    "encerrado", "não autorizado", "confirmar valor", "verificar", "conferir", "rever", "checar", "pendente de aceite",
    "pendente\u200b de aceite", "do not bill",
    "do not invoice", "permuta", "trocou de contador", "Faltou", "07 - Recusado",
    "on hold", "já foi emitida", "já faturado", "já cobrado",
)  # fmt: skip
NAMES = (
    "Ana Ltda - não faturar", "não emitir", "não cobrar", "não enviar nota", "não gerar nota", "Ana Ltda (CANCELADO)",
    "TESTE", "Cliente teste 2", "Exemplo Ltda", "não usar",
    "[suspensa]", "Ana Ltda - inativo", "(encerrada)", "Ana Ltda * bloqueado *",
)  # fmt: skip
INNOCENT = (
    "Teste Seguro Ensaios Ltda",
    "Exemplar Editora Ltda",
    "Pedido interno do cliente",
    "Comércio e Serviços Ltda",
    None,
    12.0,
    "Rua das Acácias 7",
    "Manutenção",
)


@pytest.mark.parametrize("text", NOTES)
def test_a_note_is_found_alone_and_among_others(text: str):
    stop = billing_markers.stop_of("notes", text)
    assert stop is not None
    assert list(billing_markers.stops_of("notes", ("Pedido interno", None, text, text))) == [(2, stop), (3, stop)]
    beside = billing_markers.text_stop(text)
    assert list(billing_markers.text_stops((*INNOCENT, text))) == ([(len(INNOCENT), beside)] if beside else [])


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_found_alone_and_among_others(text: str):
    stop = billing_markers.named_stop(text)
    assert stop is not None
    assert list(billing_markers.named_stops((*INNOCENT, text))) == [(len(INNOCENT), stop)]


def test_only_a_note_with_an_invisible_sign_is_missed():
    assert [text for text in NOTES if billing_markers.text_stop(text) is None] == ["pendente\u200b de aceite"]


def test_a_column_without_a_sign_is_recognised_as_a_whole():
    assert not list(billing_markers.text_stops(INNOCENT))
    assert not list(billing_markers.named_stops(INNOCENT))
    assert not list(billing_markers.stops_of("notes", ("Pedido interno", None)))
    assert not list(billing_markers.stops_of("status", ("Ativo", None, "ok")))


@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("status", ("Ativo", "Cancelado")),
        ("paid", (None, 1.0)),
        ("invoice_number", (None, "NF 123")),
        ("active", (None, "-")),
    ],
)
def test_one_cell_is_enough_for_a_closer_look(field: str, column: tuple[Cell, ...]):
    assert list(billing_markers.stops_of(field, column)) == [(1, billing_markers.stop_of(field, column[1]))]
    assert billing_markers.stop_of(field, column[1]) is not None


@pytest.mark.parametrize(
    ("sign", "cell", "is_held"),
    [
        ("free", "Sim", True), ("free", True, True), ("free", "Não", False), ("free", "90 dias", False),
        ("charge_kind", "trial até 20/12", True), ("charge_kind", "paga", False),
    ],
)  # fmt: skip
def test_free_work_and_a_trial_are_no_charge(sign: str, cell: Cell, is_held: bool):
    stop = billing_markers.stop_of(sign, cell)
    assert (stop is not None and stop.code == "held.kind") is is_held


@pytest.mark.parametrize(
    ("word", "is_held"),
    [
        ("canselado", True), ("Supenso", True), ("CANCELDO em 03/11", True), ("bloqueda", True), ("Aguradando", True),
        ("ativo", False), ("Conciliado", False), ("Renovado", False), ("Encerramos", False),
    ],
)  # fmt: skip
def test_a_status_with_a_typing_error_stops_its_row(word: str, is_held: bool):
    assert (billing_markers.stop_of("status", word) is not None) == is_held
