"""A released row: its decision says in words what held it and where, and no other decision says it again."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from configs.catalogue import Catalogue
from connectors.spreadsheets.row_parser import RELEASABLE
from domain.decisions import DecisionKind
from tests.corpus.habits import HEAD, Habit, good
from tests.corpus.reading import read
from tests.corpus.sheets import table, xlsx

Written = Callable[[], bytes]


def decisions(written: Written, *, language: str = "pt_BR") -> list[tuple[str, str, str]]:
    """Return kind, sentence and cells of each decision about rows."""
    words, reading = Catalogue.load(language), read(Habit("released", written, "a.xlsx", {}))
    assert all(row.line is not None for row in reading.rows())
    found = [each for each in reading.decisions.all() if each.problem.code != "description.no_column"]
    return [
        (each.kind, words.what(each.problem), ", ".join(f"{each.problem.where.column or ''}{row}" for row in each.rows))
        for each in found
    ]


def one(header: str, value: object, others: Sequence[object] = (None,), *, by: str = "Faturar") -> Written:
    """Return a sheet whose second row has this value in a further column, and S in the column that releases it."""
    rows = [good(number, each, "S") for number, each in enumerate((*others, value), start=11)]
    return table(*rows, head=[*HEAD, header, by])


def marked(dress: Callable[[Any, Any], None], *cells: object) -> Written:
    return table(good(11, "S"), good(2, "S", *cells), head=[*HEAD, "Faturar"], dress=dress)


def struck_row(sheet: Any, book: Any) -> None:
    for column, value in enumerate(good(2)):
        sheet.write(2, column, value, book.add_format({"font_strikeout": True}))


def struck_amount(sheet: Any, book: Any) -> None:
    sheet.write(2, 3, 100.02, book.add_format({"font_strikeout": True}))


def part_struck(sheet: Any, book: Any) -> None:
    sheet.write_rich_string(2, 1, book.add_format({"font_strikeout": True}), "Ana Ltda", " ", "Bia Ltda", " ")


def commented(sheet: Any, book: Any) -> None:
    sheet.write_comment("D3", "não faturar este mês", {"author": "Ana"})


def legend(sheet: Any, book: Any) -> None:
    red = book.add_format({"bg_color": "#FF0000"})
    for column, value in enumerate(good(2)):
        sheet.write(2, column, value, red)
    sheet.write(5, 6, "Vermelho: não faturar")


HEADS = [*HEAD, "Faturar"]


@pytest.mark.parametrize(
    ("written", "sentence", "cells"),
    [
        (one("Situação", "CANCELADO", ("Ativo",)), 'A coluna "Situação" diz "CANCELADO".', "E3"),
        (one("Nº NFSe", 1234.0), 'A coluna "Nº NFSe" já tem um número de nota: 1234.', "E3"),
        (one("Pago", "Sim", ("Não",)), 'A coluna "Pago" diz que está paga: "Sim"; outras linhas não estão.', "E3"),
        (one("Faturado", "X"), 'A coluna "Faturado" diz que já foi faturada: "X".', "E3"),
        (one("Obs", "não faturar"), 'A coluna "Obs" diz: "não faturar".', "E3"),
        (one("Adicional", 5.0), 'A coluna "Adicional" diz 5: não se sabe se o valor da linha já conta com isso.', "E3"),
        (marked(commented), 'Um comentário na célula diz: "não faturar este mês".', "D3"),
        (marked(struck_row), "A linha está riscada.", "A3"),
        (marked(struck_amount), 'A célula da coluna "Valor" está riscada.', "D3"),
        (marked(part_struck),
         'Na coluna "Razão Social" uma parte do texto está riscada, e a nota diria o texto inteiro.', "B3"),
        (marked(legend), 'A linha tem a cor vermelho, e a legenda da planilha diz: "Vermelho: não faturar".', "3"),
        (xlsx(HEADS, good(11, "S"), [], ["CLIENTES CANCELADOS"], HEADS, good(2, "S")),
         'O título da linha 4, acima, diz "CLIENTES CANCELADOS".', "6"),
        (xlsx(["Faturamento Outubro/2026"], [], HEADS, good(11, "S")),
         'O título da linha 1, acima, diz "Faturamento Outubro/2026", que é de outro mês; o pedido é 11/2026.', "4"),
        (xlsx(HEADS, good(11, "S"), name="Outubro 2026"),
         'O nome da aba diz "Outubro 2026", que é de outro mês; o pedido é 11/2026.', "2"),
        (xlsx(HEADS, good(11, "S"), name="Cancelados"), 'O nome da aba diz "Cancelados".', "2"),
        (xlsx(["Valores em milhares"], HEADS, good(11, "S")),
         'O título da linha 1, acima, diz que os valores não estão em reais: "Valores em milhares".', "3"),
        (xlsx(["CNPJ/CPF", "Fornecedor", *HEADS[2:]], good(11, "S")),
         'O cabeçalho da coluna de clientes (linha 1) diz "Fornecedor".', "2"),
    ],
)  # fmt: skip
def test_a_release_says_what_held_the_row_and_nothing_says_it_again(
    written: Written, sentence: str, cells: str
) -> None:
    released = f"{sentence} Faturar diz S: faturada."
    kinds = {DecisionKind.RELEASED, DecisionKind.CHOSEN, DecisionKind.UNUSED}
    found = [each for each in decisions(written) if each[0] in kinds]
    assert [each for each in found if "Ativo" not in each[1]] == [(DecisionKind.RELEASED, released, cells)]


def test_a_release_names_the_column_that_says_s() -> None:
    again = one("Situação", "CANCELADO", ("CANCELADO",), by="Faturar mesmo assim")
    assert decisions(again) == [
        (DecisionKind.RELEASED, 'A coluna "Situação" diz "CANCELADO". Faturar mesmo assim diz S: faturada.', "E2, E3")
    ]
    assert decisions(again, language="en") == [
        (DecisionKind.RELEASED, 'The column "Situação" says "CANCELADO". Faturar mesmo assim says S: billed.', "E2, E3")
    ]


def test_two_reasons_of_one_row_are_two_releases() -> None:
    def dress(sheet: Any, book: Any) -> None:
        struck_amount(sheet, book)
        sheet.write_comment("D3", "não faturar", {"author": "Ana"})

    found = [each[1] for each in decisions(marked(dress))]
    assert found == [
        'Um comentário na célula diz: "não faturar". Faturar diz S: faturada.',
        'A célula da coluna "Valor" está riscada. Faturar diz S: faturada.',
    ]


def test_a_mark_that_held_nothing_is_reported_beside_the_release() -> None:
    def dress(sheet: Any, book: Any) -> None:
        sheet.write_comment("D3", "conferido com a Bia", {"author": "Ana"})

    rows = [good(11, "Ativo", "S"), good(2, "CANCELADO", "S")]
    found = decisions(table(*rows, head=[*HEAD, "Situação", "Faturar"], dress=dress))
    assert [(kind, cells) for kind, _, cells in found] == [
        (DecisionKind.RELEASED, "E3"), (DecisionKind.CHOSEN, "E2"), (DecisionKind.CHOSEN, "D3"),
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["pt_BR", "en"])
def test_every_reason_that_a_person_may_release_has_its_words(language: str) -> None:
    entries = Catalogue.load(language).entries
    assert {code for code in RELEASABLE if code not in entries} == set()
