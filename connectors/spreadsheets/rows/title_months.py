"""Find the month that the titles above a header give to all rows: `Competência: novembro/2026`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import takewhile
from typing import Final, NamedTuple

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from domain.competence import MONTH_NUMBERS, parse_competence
from domain.problems import Problem, Where

_LONGEST: Final = 300
_NAME: Final = rf"(?:{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})"
_NAMED: Final = rf"{_NAME}\b\.?(?:(?: ?[/.\-] ?| de | )20\d\d| ?[/.\-'’] ?\d\d)(?![\d/])"
_MONTH: Final = (
    rf"(?:{_NAMED}|(?:0?[1-9]|1[0-2]) ?[/.\-] ?20\d\d(?![\d/.\-])|20\d\d ?[/.\-] ?(?:0[1-9]|1[0-2])(?!\d|[/\-]\d))"
)
"""A month with its year. Two digits are a year only behind a mark: `novembro 26` may be a day."""
_OF: Final = r"d[aeo]s?"
_LABEL: Final = (
    rf"(?:comp(?:etencia|\.)(?: {_OF} (?:faturamento|cobranca|notas?|servicos?))?"
    r"(?: \((?:mes|mm) ?/ ?a(?:no|a{1,3})\))?|"
    rf"(?:mes|periodo)(?: ?[/e] ?ano)?(?: {_OF} (?:ref(?:erencia|\.)?|competencia|faturamento|cobranca|apuracao|"
    rf"(?:prestacao {_OF} )?servicos?)|[ /]ref(?:erencia|\.)?)?|"
    r"ref(?:erencia|erente|\.)?|(?:billing|invoice|service) (?:month|period)|month|period)"
)
_AFTER_LABEL: Final = rf" ?[:.\-–—]? ?(?:(?:ao?|{_OF}|em|for|of) )?(?:mes )?(?:{_OF} )?"
_LABELLED: Final = re.compile(
    rf"(?:^|[-–—|;:(,.] ?|(?=\bcompetencia\b|\bmes de (?:ref|comp)))({_LABEL}){_AFTER_LABEL}(?=\S)([^|;()]+)"
)
_LABEL_ALONE: Final = re.compile(rf"{_LABEL} ?[:.\-–—]?")
_MONTH_FIRST: Final = re.compile(_MONTH)
_NAMED_ALONE: Final = re.compile(_NAMED)
_CHARGED: Final = re.compile(
    r"\b(?:faturamentos?|faturar|faturas|cobrancas?|notas(?: fiscais)?|nfs(?!-e\b)(?:-?es)?|mensalidades?|"
    r"mensalistas|assinaturas|honorarios?|servicos|atendimentos|sessoes|consultas|aulas|visitas|procedimentos|"
    rf"invoices|billing|services)\b((?:[^\d|]{{0,40}}[^\d|a-z])?)({_MONTH})"
)
_CHARGED_NAMED: Final = re.compile(
    rf"\b(?:fechamento|medicao|medicoes|fatura|nfs-?e|relatorio|relacao|planilha)\b((?:[^\d|]{{0,40}}[^\d|a-z])?)({_NAMED})"
)
_NUMBER_SIGN: Final = re.compile(r"\bn(?:o|r|um|umero)?[.°:]? ?$")
"""What makes `11/2026` a number: `Cobrança nº 11/2026`."""
_DAY: Final = rf"(?:\d{{1,2}}o?(?:[/.\-](?:\d{{1,2}}|{_NAME})|(?: de)? {_NAME}\b)(?:(?:[/.\-]| de | )(?:20)?\d\d)?)"
_RANGE: Final = re.compile(rf"({_DAY}) (?:a|ate|e|-|–|to) ({_DAY})")
_DAYS: Final = re.compile(
    rf"(?<![\d/.\-]){_DAY}(?![\d/])|(?:sete|nove|quinze|vinte e cinco|primeiro) de {_NAME}\b|rio de janeiro"
)
"""Days, also those that streets are named for: `Rua 15 de Novembro`."""
_DAY_PARTS: Final = re.compile(rf"\d{{1,2}}o?(?:[/.\-]|(?: de)? )(\d{{1,2}}|{_NAME})")
_BREAK: Final = re.compile(r" ?[|;()–—]{1,3} ?| - ")
_FORECAST: Final = re.compile(
    r"\b(?:previs|prever|projec|projetad|orcament|orcad|estimat|estimad|simula|planejad|forecast|budget|minuta|rascunho|"
    r"provisori|draft|bimestr|trimestr|quadrimestr|semestr)"
)
"""Words of amounts that are not to be billed, or not those of one month."""
_OTHER_TIME: Final = re.compile(
    r"\b(?:anterior|passad|proxim|seguinte|ultim|vigen|inicia|inicio|fina[li]|terminad|termino\b|a partir|desde|"
    r"ate\b|reajust|retroativ|historic|comparativ|previous|last|next|since|until|from)"
)
_OTHER_SUBJECT: Final = re.compile(
    r"\b(?:vendas?|comiss|consumo|leitura|base\b|contrat|proposta|process|pedido|ordem|ordens|oficio|edital|pregao|"
    r"empenho|licitac|lei\b|acumulad|valid|tabela|preco|assinad|cancel|inadimpl|atras|pendenc|renova|admiss|"
    r"versao|entrada|compra|fornecedor|despesa|emitid|pag[oa]s?\b|quitad|receb|devolu|sobre\b|sales|orders?|contracts?)"
)
_ABOUT_DAYS: Final = re.compile(r"\b(?:competencia|mes)\b")


class TitledMonth(NamedTuple):
    """The month that a title gives to all rows, the title's text and its cell."""

    month: date
    text: str
    where: Where

    @property
    def remark(self) -> Problem:
        """Return the remark that the month is the title's."""
        params = {"text": self.text[: titles.SHOWN], "competence": f"{self.month:%m/%Y}"}
        return Problem("competence.of_title", "competence", self.where, params)


class _Title(NamedTuple):
    """A filled cell above the header, as normalized text.

    `label` is the text of the cell to its left, as written; `above` the normalized text of the filled cell before it,
    in any row.
    """

    row: Row
    place: int
    text: str
    label: str
    above: str
    is_alone: bool

    @property
    def is_labelled(self) -> bool:
        return _LABEL_ALONE.fullmatch(cells.plain(self.label)) is not None

    @property
    def shown(self) -> str:
        """Return the text as written, with its label."""
        return " ".join(f"{self.label if self.is_labelled else ''} {cells.as_text(self.row.cells[self.place])}".split())


def titled_month(header: Header) -> TitledMonth | None:
    """Return the month that the titles above the header give to all rows, or None.

    A title must say it explicitly: with a label (`Mês de referência: 11/2026`), with what is charged (`Faturamento de
    novembro de 2026`), or alone. Where none does, the sheet's name may. Return None if titles and name have more than
    one month, or a forecast.
    """
    found = list(_titles_above(header))
    texts = [cells.plain(header.sheet.name), *(each.text for each in found)]
    if any(map(_FORECAST.search, texts)):
        return None
    stated = [(title, month) for title in found if (month := _stated_month(title)) is not None]
    if not stated:
        # a whole workbook of one month is often named so on its tab alone
        name = _Title(Row(header.row, (header.sheet.name,)), 0, texts[0], "", "", is_alone=True)
        stated = [(name, month)] if (month := _stated_month(name)) is not None else []
    if not stated:
        return None
    title, month = stated[0]
    named = {(each.year, each.month) for _, each in stated}.union(*map(_months_named, texts))
    if any(number != month.month or year not in (None, month.year) for year, number in named):
        return None
    where = Where(sheet=header.sheet.name)
    if title.row.number < header.row:
        where = replace(where, row=title.row.number, column=column_letter(title.place))
    return TitledMonth(month, title.shown, where)


def _titles_above(header: Header) -> Iterator[_Title]:
    above = ""
    for row in takewhile(lambda row: row.number < header.row, header.sheet.rows()):
        filled = [(index, text) for index, cell in enumerate(row.cells) if (text := _text(cell))]
        label = ""
        for index, text in filled:
            yield _Title(row, index, text, label, above, len(filled) == 1)
            label, above = cells.as_text(row.cells[index]), text


def _text(cell: Cell) -> str:
    """Return the normalized text of a title; the lines of a cell are divided by `|`."""
    if isinstance(cell, str):
        return cells.plain(cells.as_text(cell, keep_lines=True).replace("\n", " | "))[:_LONGEST]
    return cells.as_text(cell) if isinstance(cell, float | date | datetime) else ""


def _stated_month(title: _Title) -> date | None:
    """Return the month that a title gives to the rows below, or None."""
    if title.row.is_hidden or title.place in title.row.struck | title.row.part_struck:
        return None
    if title.is_labelled:
        return _month_of_value(cells.plain(title.label), title.text)
    if not isinstance(title.row.cells[title.place], str) or titles.speaks_of_other_days(title.text):
        return None
    if _OTHER_TIME.search(title.text):
        return None
    if (labelled := _LABELLED.search(title.text)) and (month := _month_of_value(labelled[1], labelled[2])):
        return month
    if title.label or _OTHER_SUBJECT.search(title.text):
        return None
    charged = _CHARGED.search(title.text) or _CHARGED_NAMED.search(title.text)
    if charged is None:
        return _month_alone(title)
    return None if _NUMBER_SIGN.search(charged[1]) else parse_competence(charged[2])


def _month_of_value(label: str, value: str) -> date | None:
    """Return the month behind a label. A day is one only of a month or a competence, not of a `Ref.`."""
    text = value.strip(" .-–—,")
    month = parse_competence(text)
    if month is not None and (_ABOUT_DAYS.search(label) or _RANGE.search(text) or not _DAYS.fullmatch(text)):
        return month
    found = _MONTH_FIRST.match(text)
    return None if found is None else parse_competence(found[0])


def _month_alone(title: _Title) -> date | None:
    """Return the month of a title that says nothing else, or says a named month between dashes or the like."""
    parts = [part for part in _BREAK.split(title.text) if part]
    named = [part for part in parts if _NAMED_ALONE.fullmatch(part)]
    if len(named) == 1:
        return parse_competence(named[0])
    is_value = titles.speaks_of_other_days(title.above) or title.above.endswith(":")
    is_month = title.is_alone and not is_value and _MONTH_FIRST.fullmatch(title.text) is not None
    return parse_competence(title.text) if is_month else None


def _months_named(text: str) -> Iterator[tuple[int | None, int]]:
    """Yield every month that a title names, as year (None without one) and month. Single days name none."""
    if not titles.speaks_of_other_days(text):
        for found in _RANGE.finditer(text):
            yield from ((None, month) for part in found.groups() if (month := _month_of_day(part)))
    bare = _DAYS.sub(" ", text)
    named = titles.months_in(bare)
    yield from named
    if any(year is not None for year, _ in named):
        yield from ((None, MONTH_NUMBERS[word]) for word in re.findall(r"[a-z]+", bare) if word in MONTH_NUMBERS)


def _month_of_day(text: str) -> int | None:
    found = _DAY_PARTS.match(text)
    if found is None:
        return None
    return int(found[1]) if found[1].isdecimal() else MONTH_NUMBERS[found[1]]
