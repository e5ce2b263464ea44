"""Large files of real offices: a month of services as Excel writes it, and a year of them as CSV.

One taker in four rows is new: documents, addresses and mailboxes repeat, as they do with contracts.
"""

import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from stdnum.br import cnpj, cpf

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from tests.connectors.spreadsheets.books import LINKS, MAIN, OFFICE

HEAD: Final = (
    "CNPJ/CPF", "Razão Social", "E-mail", "Telefone", "Logradouro", "Número", "Complemento", "Bairro", "CEP", "Cidade",
    "UF", "Inscrição Municipal", "Modelo", "Discriminação", "Código do Serviço", "ISS Retido", "CNPJ Emitente",
    "Contrato", "Observações", "Valor", "ISS (%)", "PIS (%)", "COFINS (%)", "CSLL (%)", "IR (%)", "Competência",
)  # fmt: skip
WIDTH: Final = len(HEAD)
TEXTS: Final = 19
NOVEMBER: Final = 46_327
"""2026-11-01 as a sheet counts days."""
_CITIES: Final = (("São Paulo", "SP"), ("Rio de Janeiro", "RJ"), ("Niterói", "RJ"), ("Campinas", "SP"))
MODELS: Final = (("Consultoria", "17.01"), ("Suporte Mensal", "1.07"), ("Mensalidade Sistema", "1.05"))
"""Templates of the sandbox with their service codes: a row with another code is held."""
_STYLES: Final = (
    f'<styleSheet {MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="mm/yyyy"/></numFmts><cellXfs count="4">'
    '<xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="10"/><xf numFmtId="164"/></cellXfs></styleSheet>'
)


def taker(number: int) -> list[str]:
    """Return eleven texts about one customer."""
    root = f"99{number:07d}" if is_person(number) else f"99{number % 1_000_000:06d}0001"
    document = root + (cpf._calc_check_digits(root) if is_person(number) else cnpj.calc_check_digits(root))
    city, state = _CITIES[number % len(_CITIES)]
    return [
        document, f"Cliente Número {number} Comércio e Serviços Ltda",
        f"financeiro{number}@cliente{number % 977}.example",
        f"(11) 9{7000 + number % 3000:04d}-{number % 10_000:04d}", f"Rua das Acácias {number % 400}",
        str(number % 999 + 1), f"Sala {number % 90}", "Centro", f"{1000 + number % 9000:05d}-{number % 1000:03d}", city,
        state,
    ]  # fmt: skip


def is_person(number: int) -> bool:
    """Say whether a customer has a CPF."""
    return number % 3 == 0


def _rows(count: int) -> Iterator[tuple[list[str], list[float]]]:
    chance = random.Random(7)
    for number in range(count):
        model, code = MODELS[number % len(MODELS)]
        texts = [
            *taker(who := chance.randrange(max(1, count // 4))), str(100_000 + who), model,
            f"Consultoria em tecnologia conforme contrato {number:06d}", code, "Não", "99.000.001/0001-01",
            f"C-{number:06d}", "Pedido interno do cliente",
        ]  # fmt: skip
        # nobody withholds federal taxes from a person's invoice
        federal = [0.0, 0.0, 0.0, 0.0] if is_person(who) else [0.0065, 0.03, 0.01, 0.015]
        yield texts, [100 + number * 137 % 900_000 / 100, 0.05, *federal, NOVEMBER]


def write_month(path: Path, count: int) -> None:
    """Write an XLSX of this many rows below its header, with shared texts and number formats, as Excel would."""
    places: dict[str, int] = {}
    letters = [column_letter(index) for index in range(WIDTH)]
    styles = ("1", "2", "2", "2", "2", "2", "3")

    def text(column: int, row: int, value: str) -> str:
        return f'<c r="{letters[column]}{row}" t="s"><v>{places.setdefault(value, len(places))}</v></c>'

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            head = "".join(text(column, 1, name) for column, name in enumerate(HEAD))
            sheet.write(f'<worksheet {MAIN}><sheetData><row r="1" spans="1:{WIDTH}">{head}</row>'.encode())
            for row, (texts, numbers) in enumerate(_rows(count), 2):
                cells = [text(column, row, value) for column, value in enumerate(texts)]
                cells += [
                    f'<c r="{letters[TEXTS + offset]}{row}" s="{style}"><v>{number!r}</v></c>'
                    for offset, (number, style) in enumerate(zip(numbers, styles, strict=True))
                ]
                sheet.write(f'<row r="{row}" spans="1:{WIDTH}">{"".join(cells)}</row>'.encode())
            sheet.write(b"</sheetData></worksheet>")
        shared = "".join(f"<si><t>{escape(value)}</t></si>" for value in places)
        package.writestr("xl/sharedStrings.xml", f'<sst {MAIN} uniqueCount="{len(places)}">{shared}</sst>')
        _write_frame(package)


def _write_frame(package: zipfile.ZipFile) -> None:
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    kinds = {
        "workbook": "sheet.main",
        "worksheets/sheet1": "worksheet",
        "sharedStrings": "sharedStrings",
        "styles": "styles",
    }
    overrides = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{main}.{kind}+xml"/>' for part, kind in kinds.items()
    )
    links = {"worksheet": "worksheets/sheet1", "sharedStrings": "sharedStrings", "styles": "styles"}
    package.writestr(
        "[Content_Types].xml",
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
    )
    package.writestr(
        "_rels/.rels",
        f'<Relationships {LINKS}><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
    )
    package.writestr(
        "xl/workbook.xml",
        f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet name="Notas" sheetId="1" r:id="rId1"/></sheets>'
        "</workbook>",
    )
    package.writestr(
        "xl/_rels/workbook.xml.rels",
        f"<Relationships {LINKS}>"
        + "".join(
            f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{part}.xml"/>'
            for number, (kind, part) in enumerate(links.items(), 1)
        )
        + "</Relationships>",
    )
    package.writestr("xl/styles.xml", _STYLES)


def write_year(path: Path, count: int) -> None:
    """Write a CSV of this many rows: customer, service and amount, as billing systems export them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("CNPJ/CPF;Nome;Modelo;Valor;Discriminação;Competência;CNPJ Emitente;Contrato\r\n")
        chance = random.Random(7)
        takers = [taker(number)[:2] for number in range(min(20_000, max(1, count // 4)))]
        for number in range(count):
            document, name = takers[chance.randrange(len(takers))]
            amount = f"{1_000 + number % 9_000:,}".replace(",", ".")
            file.write(
                f"{document};{name};{MODELS[number % 3]};{amount},{number % 100:02d};Consultoria {number:07d};11/2026;"
                f"99.000.001/0001-01;C-{number:07d}\r\n"
            )
