"""A taught mapping: its effect on the headers, and how it recognises its sheets."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from connectors.spreadsheets.headers.column_mapping import Fit, SavedMapping, contradicts, fit, header_set, is_near
from connectors.spreadsheets.headers.layouts import find_header
from connectors.spreadsheets.workbook import Workbook, open_workbook
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES

COLUMNS = {"Vlr Tot": "service_cents", "Doc Toma": "document", "Plano Cobr": "template_name", "Valor": None}
HEADERS = ["Doc Toma", "Quem", "Plano Cobr", "Vlr Tot", "Valor"]
TAUGHT = SavedMapping(
    name="Contabilidade Souza",
    kind="services",
    columns=COLUMNS,
    headers=header_set(HEADERS, COLUMNS, SERVICES),
    saved_by="ana",
    saved_at="2026-11-20T12:00:00+00:00",
)


def sheet(headers: Sequence[str]) -> Workbook:
    return open_workbook(books.written(("P", [["novembro"], [], headers, ["1", "Ana", "M", 5.0, 1.0]])))


def test_a_taught_layout_reads_what_no_alias_knows_and_says_so():
    layout = TAUGHT.apply_to(SERVICES)
    found = find_header(sheet(HEADERS), layout)
    assert found.columns == {"document": 0, "template_name": 2, "service_cents": 3}
    assert found.unused == {1: "Quem"}
    (remark,) = layout.remarks
    assert remark.code == "mapping.used"
    assert remark.params["columns"] == '"Vlr Tot" = Valor; "Doc Toma" = CNPJ/CPF; "Plano Cobr" = Modelo; "Valor" = –'


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (HEADERS, Fit((), (), ())),
        ([each.upper() for each in reversed(HEADERS)], Fit((), (), ())),
        ([*HEADERS, "Linha devolvida", "O que corrigir", "ref_linha"], Fit((), (), ())),
        ([*HEADERS, "Filial"], Fit((), ("Filial",), ())),
        (["Doc Toma", "Plano Cobr", "Vlr Tot", "Valor"], Fit((), (), ("quem",))),
        (["Doc Toma", "Quem", "Plano Cobr", "Vlr Total", "Valor"], Fit(("Vlr Tot",), ("Vlr Total",), ("vlr tot",))),
        (["A", "B"], Fit(tuple(COLUMNS), (), tuple(sorted(TAUGHT.headers)))),
    ],
)
def test_a_sheet_is_known_again_by_all_of_its_headers(headers: list[str], expected: Fit):
    found = fit(TAUGHT, sheet(headers), SERVICES)
    assert found == expected
    assert found.is_same is (expected == Fit((), (), ()))
    assert found.is_usable is (expected.missing == ())


def test_a_sheet_with_half_of_the_headers_is_near():
    assert is_near(TAUGHT, Fit(("Vlr Tot", "Doc Toma"), (), ()))
    assert not is_near(TAUGHT, Fit(("Vlr Tot", "Doc Toma", "Valor"), (), ()))


def test_a_header_with_another_meaning_is_a_contradiction():
    assert contradicts(TAUGHT, Fit((), (), ()), SERVICES)
    assert not contradicts(TAUGHT, Fit(("Valor",), (), ()), SERVICES)
    without = replace(TAUGHT, columns={"Valor": "service_cents", "CPF": "document"})
    assert not contradicts(without, Fit((), (), ()), SERVICES)


def test_a_senders_name_is_known_in_any_spelling():
    assert TAUGHT.is_named(" contabilidade-SOUZA ")
    assert not TAUGHT.is_named("Souza")
