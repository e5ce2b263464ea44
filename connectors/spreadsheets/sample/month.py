"""The sample month as a sheet: titles, sections, subtotals, and twelve rows that are wrong on purpose."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Final

import xlsxwriter

from connectors.spreadsheets.sample.people import Person, company, person
from connectors.spreadsheets.sample.sample_sheet import MONTHS, SampleSheet

RIO: Final = "99.000.001/0001-01"
SAO_PAULO: Final = "99.000.002/0001-48"

_SHEET: Final = "Faturamento"
_PRIVATE, _COMPANIES, _LETTERED = 50, 50, 20
_HEADERS: Final = (
    ("CNPJ Emitente", 19), ("CNPJ/CPF", 20), ("Nome / Razão Social", 36), ("E-mail", 31), ("Telefone", 16),
    ("Endereço", 24), ("Nº", 7), ("Bairro", 18), ("CEP", 11), ("Cidade/UF", 22), ("Modelo", 21),
    ("Descrição do Serviço", 44), ("Competência", 13), ("Vencimento", 12), ("Valor (R$)", 15),
    ("Enviar e-mail (S/N)", 11), ("Contrato", 12),
)  # fmt: skip
_AMOUNT: Final = 14
_PRICES: Final = {
    "Mensalidade Sistema": (8_990, 41_000, "Mensalidade do sistema de gestão"),
    "Consultoria": (15_000, 1_180_000, "Consultoria em processos"),
    "Suporte Mensal": (35_000, 165_000, "Suporte técnico mensal"),
    "Treinamento": (80_000, 520_000, "Treinamento de equipe"),
    "Licença Anual": (120_000, 780_000, "Licença anual de uso"),
}
"""Least amount and span in cents, and the description, by template."""

_INSTRUCTIONS: Final = (
    "Como preencher",
    "Uma linha por nota. CNPJ/CPF, Modelo e Valor são obrigatórios.",
    "O nome do modelo é o mesmo que está cadastrado no emissor de notas.",
    "A linha TOTAL é conferida com a soma das linhas.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One row before it is written. `amount` is cents, or a text that is no amount."""

    emitter: str
    who: Person
    template: str
    description: str
    amount: int | str
    contract: str
    document: str = ""
    email: str | None = None
    city: str | None = None
    competence: str | None = None

    @property
    def cents(self) -> int:
        return self.amount if isinstance(self.amount, int) else 0


def write_sample_month(path: Path, competence: date) -> None:
    """Write some 300 rows in Brazilian formats, 12 of them faulty in different ways, with subtotals and a total.

    `competence` is the month's first day. Emitters and templates are the sandbox's own; documents are fictional.
    """
    lines = _spoilt(list(_good_lines(competence)))
    book = xlsxwriter.Workbook(
        path, {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    )
    book.set_properties({"title": "Faturamento", "created": datetime(competence.year, competence.month, 1)})  # noqa: DTZ001 - a property without a zone
    page = _Page(book, competence)
    for emitter, label in ((RIO, "Subtotal Rio de Janeiro"), (SAO_PAULO, "Subtotal São Paulo")):
        # a row of an unknown emitter is in the section where its author expected it
        section = [line for line in lines if (line.emitter == SAO_PAULO) == (emitter == SAO_PAULO)]
        for line in section:
            page.add(line)
        page.add_total(label, sum(line.cents for line in section))
    page.add_total("TOTAL", sum(line.cents for line in lines))
    page.finish()
    book.close()


def _good_lines(competence: date) -> Iterator[_Line]:
    month = f"{MONTHS[competence.month - 1]}/{competence.year}"
    numbers = iter(range(2_000, 4_000, 3))
    for index, who in enumerate(_people()):
        emitter = (RIO, SAO_PAULO)[index // 2 % 2]
        for turn, template in enumerate(_templates_for(index, who, emitter)):
            least, span, what = _PRICES[template]
            cents = least + (index * 7_919 + turn * 104_729) % span
            yield _Line(
                emitter=emitter,
                who=who,
                template=template,
                description=f"{what} – {month}",
                # monthly prices end in 90 cents like real ones; hourly work does not
                contract=f"CT-{next(numbers)}",
                amount=cents // 1000 * 1000 + 990 if template in ("Mensalidade Sistema", "Licença Anual") else cents,
            )


def _people() -> Iterator[Person]:
    private = [person(index) for index in range(_PRIVATE)]
    companies = [company(index, is_lettered=False) for index in range(_COMPANIES)]
    lettered = [company(index, is_lettered=True) for index in range(_COMPANIES, _COMPANIES + _LETTERED)]
    for index in range(max(_PRIVATE, _COMPANIES)):
        yield private[index]
        yield companies[index]
        if index < _LETTERED:
            yield lettered[index]


def _templates_for(index: int, who: Person, emitter: str) -> tuple[str, ...]:
    if not who.is_company:
        # the city of Rio refuses federal retentions for private customers
        has_licence = emitter == RIO and index % 3 == 0
        return ("Mensalidade Sistema", "Licença Anual") if has_licence else ("Mensalidade Sistema",)
    usual = ("Mensalidade Sistema", "Consultoria", "Suporte Mensal")
    extra = ("Treinamento", "Licença Anual")[index // 3 % 2]
    return (*usual, extra) if index % 3 != 1 else usual


def _spoilt(lines: list[_Line]) -> list[_Line]:
    """Return the lines with twelve of them spoilt, spread over the month, each in another way."""
    companies = [index for index, line in enumerate(lines) if line.who.is_company]
    private = [index for index, line in enumerate(lines) if not line.who.is_company and line.emitter == RIO]
    spread = companies[11 :: len(companies) // 11]
    for at, spoil in zip(spread, _SPOILERS, strict=False):
        lines[at] = spoil(lines[at])
    lines[private[5]] = replace(lines[private[5]], template="Consultoria", description="Consultoria em processos")
    again = spread[len(_SPOILERS)]
    return [*lines[: again + 1], lines[again], *lines[again + 1 :]]


_SPOILERS: Final[tuple[Callable[[_Line], _Line], ...]] = (
    lambda line: replace(line, document=line.who.formatted[:-1] + str((int(line.who.formatted[-1]) + 1) % 10)),
    lambda line: replace(line, amount=""),
    lambda line: replace(line, template="Consutoria"),
    lambda line: replace(line, document="9,94E+13"),
    lambda line: replace(line, amount="a combinar"),
    lambda line: replace(line, competence="próximo mês"),
    lambda line: replace(line, amount="#N/A"),
    lambda line: replace(line, city="Bom Jesus"),
    lambda line: replace(line, email="financeiro@"),
    lambda line: replace(line, emitter="99.000.003/0001-92"),
)


class _Page(SampleSheet):
    """The sheet of the month, with instructions beside it."""

    def __init__(self, book: xlsxwriter.Workbook, competence: date) -> None:
        super().__init__(book, _SHEET)
        self._competence = competence
        self._month = book.add_format({"num_format": "mm/yyyy", "align": "center"})
        self._count = 0
        self._open(
            f"Faturamento de serviços – {MONTHS[competence.month - 1]} de {competence.year}",
            "Setor financeiro · planilha de demonstração: nomes e documentos inventados",
            _HEADERS,
            span=7,
            frozen=3,
        )
        instructions = book.add_worksheet("Instruções")
        for row, text in enumerate(_INSTRUCTIONS):
            instructions.write(row, 0, text, self._title if row == 0 else None)
        instructions.set_column(0, 0, 80)

    def add(self, line: _Line) -> None:
        row, who, count = self._next, line.who, self._count
        self._sheet.write_string(row, 0, line.emitter, self._text)
        self._write_document(row, line)
        # copying from a web page leaves a trailing no-break space
        self._sheet.write_string(row, 2, who.name + ("\u00a0" if count % 23 == 7 else ""))
        self._sheet.write_string(row, 3, who.email if line.email is None else line.email)
        self._sheet.write_string(row, 4, who.phone)
        self._sheet.write_string(row, 5, who.street)
        self._sheet.write_number(row, 6, int(who.number))
        self._sheet.write_string(row, 7, who.neighborhood)
        self._sheet.write_string(row, 8, who.zip_code)
        self._sheet.write_string(row, 9, f"{who.city} - {who.uf}" if line.city is None else line.city)
        self._sheet.write_string(row, 10, line.template)
        self._sheet.write_string(row, 11, line.description)
        self._write_competence(row, line)
        due = date(self._competence.year, self._competence.month, 10 + count % 3 * 5)
        self._sheet.write_datetime(row, 13, datetime(due.year, due.month, due.day), self._day)  # noqa: DTZ001
        self._write_amount(row, line.amount)
        self._sheet.write_string(row, 15, ("S", "N", "")[count % 3])
        self._sheet.write_string(row, 16, line.contract)
        self._next += 1
        self._count += 1

    def add_total(self, label: str, cents: int) -> None:
        self._close(label, cents, label_column=2, amount_column=_AMOUNT)

    def finish(self) -> None:
        self._sheet.write_string(self._next, 2, "Conferido pelo setor financeiro.", self._note)
        self._sheet.activate()

    def _write_document(self, row: int, line: _Line) -> None:
        document = line.document or line.who.formatted
        bare = line.who.document
        if not line.document and bare.startswith("00"):
            # somebody typed it into a number cell: the zeros are gone
            self._sheet.write_number(row, 1, int(bare))
        elif not line.document and not bare.isdecimal() and self._count % 4 == 0:
            self._sheet.write_string(row, 1, bare.lower(), self._text)
        else:
            self._sheet.write_string(row, 1, document, self._text)

    def _write_competence(self, row: int, line: _Line) -> None:
        month = self._competence
        typed = {
            4: f"{month:%m/%Y}",
            11: f"{MONTHS[month.month - 1][:3]}/{month:%y}",
            17: f"{MONTHS[month.month - 1].capitalize()}/{month.year}",
        }.get(self._count % 19)
        if line.competence is not None or typed is not None:
            self._sheet.write_string(row, 12, line.competence or typed or "")
        else:
            self._sheet.write_datetime(row, 12, datetime(month.year, month.month, 1), self._month)  # noqa: DTZ001

    def _write_amount(self, row: int, amount: int | str) -> None:
        column, money = _AMOUNT, self._money
        if amount == "#N/A":
            self._sheet.write_formula(row, column, "=NA()", money, "#N/A")
        elif isinstance(amount, str):
            self._sheet.write_string(row, column, amount, money)
        elif self._count % 9 == 4:
            self._sheet.write_string(row, column, _typed(amount, "R$ "), money)
        elif self._count % 14 == 6:
            self._sheet.write_string(row, column, _typed(amount, "").replace(".", ""), money)
        else:
            self._sheet.write_number(row, column, amount / 100, money)


def _typed(cents: int, currency: str) -> str:
    whole = f"{cents // 100:,}".replace(",", ".")
    return f"{currency}{whole},{cents % 100:02d}"
