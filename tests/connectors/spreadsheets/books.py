"""Workbooks for tests: well-formed ones from a writer, hostile ones by hand."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

import xlsxwriter

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from configs.reference.items import load_items
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.services import Defaults, ServicesReading, read_services
from connectors.spreadsheets.workbook import open_workbook

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RIO = "99000001000101"
NOVEMBER = date(2026, 11, 1)
SERVICES = Layout.from_data(read_layout("services"))


def written(
    *sheets: tuple[str, Sequence[Sequence[object]]],
    dress: Callable[[object], None] | None = None,
    shaped: Mapping[str, tuple[float, str]] | None = None,
    hidden: Sequence[str] = (),
) -> bytes:
    """Return an XLSX file with these sheets, rows from the top; `dress` may change the first sheet further.

    `shaped`: numbers with their number format, by cell of the first sheet. `hidden`: names of hidden sheets.
    """
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"strings_to_formulas": False, "default_date_format": "dd/mm/yyyy"})
    for name, rows in sheets:
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(number, column, value)
    for place, (shown, code) in (shaped or {}).items():
        book.worksheets()[0].write_number(place, shown, book.add_format({"num_format": code}))
    for name in hidden:
        book.get_worksheet_by_name(name).hide()
    if dress:
        dress(book.worksheets()[0])
    book.close()
    return target.getvalue()


def packed(
    sheet: str | bytes, *, texts: str | None = None, copies: int = 1, more: Mapping[str, str | bytes] | None = None
) -> bytes:
    """Return an XLSX file with exactly this XML as its sheets."""
    numbers = range(1, copies + 1)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships {LINKS}><Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>'
        + "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships {LINKS}>"
        + "".join(
            f'<Relationship Id="rId{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
        )
        + f'<Relationship Id="rId999" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        **{f"xl/worksheets/sheet{n}.xml": sheet for n in numbers},
    }
    if texts is not None:
        parts["xl/sharedStrings.xml"] = texts
    return zipped((parts | dict(more or {})).items())


def zipped(parts: Iterable[tuple[str, str | bytes]]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts:
            package.writestr(name, content)
    return target.getvalue()


def parts(content: bytes) -> list[tuple[str, bytes]]:
    """Return every part of a package, by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return [(name, package.read(name)) for name in package.namelist()]


def sheet_xml(rows: str, *, before: str = "") -> str:
    return f"<worksheet {MAIN}>{before}<sheetData>{rows}</sheetData></worksheet>"


def read(
    rows: Sequence[Sequence[object]],
    *,
    defaults: Defaults | None = None,
    dress: Callable[[object], None] | None = None,
    uses_hidden: bool = True,
) -> ServicesReading:
    """Return these rows, header included, written as XLSX and read as services."""
    return read_bytes(written(("Plan", rows), dress=dress), defaults=defaults, uses_hidden=uses_hidden)


def read_bytes(
    content: bytes, *, defaults: Defaults | None = None, name: str = "", uses_hidden: bool = True
) -> ServicesReading:
    return read_services(
        open_sheet(open_workbook(content, name=name), SERVICES, uses_hidden=uses_hidden),
        defaults=defaults or Defaults(emitter_cnpj=RIO, competence=NOVEMBER),
        cities=load_cities(),
        is_item=lambda code: load_items().by_code(code) is not None,
    )
