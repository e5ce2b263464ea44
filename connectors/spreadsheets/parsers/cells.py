"""Parse one cell into one value: texts, yes or no, e-mails, phones, postal codes, states, dates.

Each parser returns the value or a Problem without a place; personal data in a Problem is masked.
"""

import re
from datetime import date, datetime, time, timedelta
from math import isfinite
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, CellError, Covered, Uncalculated
from domain.competence import (
    BRASILIA,
    FIRST_YEAR,
    LAST_YEAR,
    first_of_month,
    lacks_year,
    parse_competence,
    parse_emission,
)
from domain.problems import Problem
from domain.texts import without_accents

TEXT_LENGTH: Final = 32_767
"""The most characters of a spreadsheet cell; only a CSV can hold more."""

NO_NUMBER: Final = "#NUM!"
"""The text that a spreadsheet shows for NaN and infinity; some programs save it as a number."""

LONGEST_EMAIL: Final = 254
_WHOLE_BELOW: Final = 1e15
_LONGEST_NOTHING: Final = 30
SERIAL_DAY_ZERO: Final = datetime(1899, 12, 30, tzinfo=BRASILIA)
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0f"), None)
LOOSE_STARTS: Final = frozenset(" '#=")
"""Initial characters of texts that need cleaning or may be an error."""
ERROR_START: Final = "Err:"
"""The start of an error as some programs show it: `Err:502`."""
_TEXT_FORMULA: Final = '="'
_ERROR_TEXT: Final = re.compile(
    r"#(?:N/?[ADI]|N/DISP|[^\W_][\w/]{1,15}[!?]|GETTING_DATA|OBTENDO_DADOS|#+)|Err:[0-9]{3}", re.IGNORECASE
)
_NOTHING_STATED: Final = re.compile(
    r"[-–—_.*/]*|n/?[acdi]\.?|nenhum|sem|nao|vazio|null|none|"
    r"(?:nao (?:tem|ha|possui|informad[oa]|consta|se aplica|usa|cadastrad[oa])|sem|s/) ?"
    r"(?:e-?mail|correio|telefone|fone|celular|contato|cep|data|cadastro|informacao)?"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffe\uffff]")
_YES: Final = frozenset({"s", "sim", "x", "1", "verdadeiro", "v", "yes", "y", "true", "retido", "reter", "retem",
                         "✓", "✔", "☑", "✅", "[x]", "(x)"})  # fmt: skip
_NO: Final = frozenset({"n", "nao", "0", "falso", "f", "no", "false", "-", "nao retido", "nao reter", "nao retem",
                        "☐", "✗", "✘", "✖", "❌", "⬜", "[ ]", "[]", "( )", "()"})  # fmt: skip
_EMAIL: Final = re.compile(r"[^\s@<>()\[\]\\,;:\"\x80-\U0010ffff]{1,64}@(?:[\w](?:[\w-]{0,61}[\w])?\.)+[A-Za-z]{2,24}")
_EMAIL_BETWEEN: Final = re.compile(r"[;,|]|(?<=[A-Za-z]) ?/ ?(?=[^\s@/]+@)| (?:e|ou) (?=[^\s@]+@)")
_EMAIL_LABEL: Final = re.compile(r"^(?:e-?mail|mailto) ?: ?", re.IGNORECASE)
_EMAIL_ENDS: Final = re.compile(r"[;,\s]+")
_PERSON_BEFORE: Final = re.compile(r"^[^@<>]*<([^<>]+)>$")
_OTHER_PHONE: Final = re.compile(r"(?<=\d) ?[/;,|(]| ou | e ")
"""The separator after a phone number: another number or words about the first one follow."""
_SERIAL_LENGTH: Final = 5
_NOT_DIGIT: Final = re.compile(r"\D+")
_ZIP: Final = re.compile(r"(?:cep ?:? ?)?(?:\d{2}[.\s]?\d{3} ?[-\s.]? ?\d{3}|\d\.?\d{3}-?\d{3})", re.IGNORECASE)
_STATES: Final = {
    "AC": "acre", "AL": "alagoas", "AM": "amazonas", "AP": "amapa", "BA": "bahia", "CE": "ceara",
    "DF": "distrito federal", "ES": "espirito santo", "GO": "goias", "MA": "maranhao", "MG": "minas gerais",
    "MS": "mato grosso do sul", "MT": "mato grosso", "PA": "para", "PB": "paraiba", "PE": "pernambuco",
    "PI": "piaui", "PR": "parana", "RJ": "rio de janeiro", "RN": "rio grande do norte", "RO": "rondonia",
    "RR": "roraima", "RS": "rio grande do sul", "SC": "santa catarina", "SE": "sergipe", "SP": "sao paulo",
    "TO": "tocantins",
}  # fmt: skip
_STATE_BY_NAME: Final = {name: uf for uf, name in _STATES.items()}
_PLACE: Final = re.compile(r"(.*\S)\s*+[-–/(,]\s*+([A-Za-z]{2})\s*+\)?")


def as_text(cell: Cell, *, keep_lines: bool = False) -> str:
    """Return the cell as clean text: no invisible characters, single spaces, `1234567.0` → 1234567.

    Drop a leading apostrophe, which once marked the cell as text.
    """
    if isinstance(cell, str):
        text = cell if cell.isascii() else cell.translate(_INVISIBLE)
        if keep_lines and "\n" in text:
            return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip().removeprefix("'")
        if text.startswith(_TEXT_FORMULA) and text.endswith('"'):
            # a formula that protects a text in CSV: ="00012345"
            text = text[len(_TEXT_FORMULA) : -1]
        return " ".join(text.split()).removeprefix("'")
    if isinstance(cell, bool):
        return "Sim" if cell else "Não"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e17 else f"{cell:.15g}"
    if isinstance(cell, datetime):
        return f"{cell:%d/%m/%Y %H:%M}".removesuffix(" 00:00")
    if isinstance(cell, date):
        return f"{cell:%d/%m/%Y}"
    if isinstance(cell, CellError):
        return cell.shown
    return "" if cell is None or isinstance(cell, Uncalculated | Covered) else str(cell)


def is_blank(cell: Cell) -> bool:
    """Return whether the cell looks empty. A formula without a result is not blank."""
    if cell is None or not isinstance(cell, str):
        return cell is None or isinstance(cell, Covered)
    if cell and cell.isprintable() and cell[0] != " ":
        return False
    bare = cell.strip()
    return not bare or (not bare.isascii() and not as_text(cell))


def as_json(cell: Cell) -> str | float | bool | None:
    """Return the cell as a JSON value for the ledger: dates as ISO text, errors as shown, too long texts cut."""
    if isinstance(cell, float):
        if not isfinite(cell):
            return NO_NUMBER
        # a plain number, even if the sheet shows it as a percentage
        return int_if_whole(float(cell))
    if isinstance(cell, str):
        return cell[:TEXT_LENGTH]
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, CellError):
        return cell.shown
    if isinstance(cell, Uncalculated | Covered):
        return None
    return str(cell) if isinstance(cell, timedelta) else cell


def int_if_whole(number: float) -> float:
    """Return a whole number as `int`, any other unchanged, for storage as JSON."""
    return int(number) if number.is_integer() and abs(number) < _WHOLE_BELOW else number


def is_tidy(text: str) -> bool:
    """Return whether the text is visible and cleaning would not change it.

    Nearly all texts are tidy, and cleaning one costs six times as much as this check.
    """
    if not text or len(text) > TEXT_LENGTH or not text.isprintable() or "  " in text:
        return False
    return text[0] not in LOOSE_STARTS and text[-1] != " " and not text.startswith(ERROR_START)


def unusable(cell: Cell) -> Problem | None:
    """Return why no field can read this cell, or None. A file may store an error as a text."""
    if isinstance(cell, float):
        return None if isfinite(cell) else Problem("row.error_cell", params={"error": NO_NUMBER})
    if isinstance(cell, str):
        is_error = cell.lstrip().startswith(("#", ERROR_START)) and _ERROR_TEXT.fullmatch(cell.strip())
        return Problem("row.error_cell", params={"error": cell.strip()}) if is_error else None
    if isinstance(cell, CellError):
        return Problem("row.error_cell", params={"error": cell.shown})
    if isinstance(cell, Uncalculated):
        return Problem("row.formula")
    if isinstance(cell, Covered):
        return Problem("row.merged")
    return None


def parse_text(cell: Cell, field: str, *, keep_lines: bool = False) -> str | Problem:
    """Return the cleaned text, or the problem `text.characters` or `text.too_long`."""
    if isinstance(cell, str) and is_tidy(cell):
        return cell
    if isinstance(cell, str) and len(cell) > TEXT_LENGTH:
        return Problem("text.too_long", field, params={"length": len(cell), "limit": TEXT_LENGTH})
    text = as_text(cell, keep_lines=keep_lines)
    if _CONTROL.search(text) or (isinstance(cell, str) and _CONTROL.search(cell)):
        return Problem("text.characters", field)
    return text


def says_nothing(text: str) -> bool:
    """Return whether the text means an empty value: a dash, "não tem", "sem email"."""
    return len(text) <= _LONGEST_NOTHING and _NOTHING_STATED.fullmatch(plain(text)) is not None


def parse_yes_no(cell: Cell) -> bool | Problem:
    """Return whether the cell means yes: Sim/Não, S/N, X, 1/0, Verdadeiro/Falso."""
    word = plain(as_text(cell))
    if word in _YES:
        return True
    return False if word in _NO else Problem("row.yes_no", params={"text": as_text(cell)[:20]})


def parse_emails(cell: Cell) -> tuple[str, ...] | Problem:
    """Return the addresses without repeats, perhaps none. Semicolons, commas, slashes or spaces separate them."""
    text = as_text(cell)
    if len(text) <= LONGEST_EMAIL and _EMAIL.fullmatch(text):
        return (text,)
    if says_nothing(text):
        return ()
    found: dict[str, None] = {}
    for part in _EMAIL_BETWEEN.split(_EMAIL_LABEL.sub("", " ".join(text.split()))):
        bare = _PERSON_BEFORE.sub(r"\1", part.strip())
        for address in filter(None, _EMAIL_ENDS.split(bare)):
            if len(address) > LONGEST_EMAIL or not _EMAIL.fullmatch(address):
                return Problem("row.email", params={"text": mask_email(address)})
            found[address] = None
    return tuple(found)


def parse_phone(cell: Cell) -> str | Problem | None:
    """Return area code and number as digits. Refuse a number without area code, because its city would be a guess."""
    # the library has sixty modules, which a sheet without phones does not need
    from connectors.spreadsheets.parsers.phones import phone_digits  # noqa: PLC0415

    text = as_text(cell)
    digits = phone_digits(text[:40]) or phone_digits(_OTHER_PHONE.split(text[:60], maxsplit=1)[0])
    if digits is None and says_nothing(text):
        return None
    if digits is None:
        return Problem("row.phone", params={"text": f"…{_NOT_DIGIT.sub('', text)[-2:]}"})
    return digits


def parse_zip_code(cell: Cell) -> str | Problem | None:
    """Return eight digits; restore one lost zero, because no code has seven digits."""
    text = as_text(cell)
    if not _ZIP.fullmatch(text):
        return None if says_nothing(text) else Problem("row.zip_code", params={"text": text[:12]})
    return _NOT_DIGIT.sub("", text).zfill(8)


def parse_state(cell: Cell) -> str | Problem:
    """Return a state's abbreviation: `SP`, `São Paulo`, `SP - São Paulo` → SP."""
    text = as_text(cell)
    found = state_of(text) or state_of(re.split("[-–/]", text, maxsplit=1)[0].rstrip())
    return found or Problem("row.state", params={"text": text[:30]})


def state_of(text: str) -> str | None:
    """Return the state that a text names by abbreviation or by name, or None."""
    return text.upper() if text.upper() in _STATES else _STATE_BY_NAME.get(plain(text))


def split_place(text: str) -> tuple[str, str | None]:
    """Split `São Paulo - SP` into São Paulo and SP; a name without a state stays whole."""
    found = _PLACE.fullmatch(text)
    if found and found[2].upper() in _STATES:
        return found[1], found[2].upper()
    return text, None


def parse_month(cell: Cell, *, has_serials: bool, near: date | None = None) -> date | Problem:
    """Return the competence's first day. `has_serials`: a bare number may count days from 1900.

    `near` is the requested month: days or a month without a year (`01/11 a 30/11`) may mean it.
    """
    # text that counts days comes from a column of months without a format: five digits are no other month
    if isinstance(cell, str) and len(cell) == _SERIAL_LENGTH and cell.isascii() and cell.isdecimal():
        cell = float(cell)
    day = _day_of(cell, has_serials=has_serials)
    # as a day, a number such as 202611 would be after the year 2454
    text = as_text(cell) if isinstance(cell, str) or _is_month_number(cell) else None
    month = first_of_month(day) if day else parse_competence(text, near=near) if text else None
    if month is None or not FIRST_YEAR <= month.year <= LAST_YEAR:
        code = "competence.no_year" if text and lacks_year(text) else "competence.unreadable"
        return Problem(code, params={"text": as_text(cell)[:30]})
    return month


def parse_instant(cell: Cell, *, has_serials: bool) -> datetime | Problem | None:
    """Return an aware instant, or None for a text that means "no value".

    A day alone means its first minute in Brasília.
    """
    if isinstance(cell, str) and says_nothing(as_text(cell)):
        return None
    if isinstance(cell, datetime):
        found: datetime | None = cell.replace(tzinfo=BRASILIA) if cell.tzinfo is None else cell
    elif isinstance(cell, str):
        found = parse_emission(as_text(cell))
    else:
        day = _day_of(cell, has_serials=has_serials)
        found = datetime.combine(day, time(), BRASILIA) if day else None
    if found is None or not FIRST_YEAR <= found.year <= LAST_YEAR:
        return Problem("date.unreadable", params={"text": as_text(cell)[:30]})
    return found


def mask_email(address: str) -> str:
    """Return an address that its owner recognises and nobody else can use: `m***@mares.example`."""
    person, at, domain = address.partition("@")
    return f"{person[:1]}***{at}{domain[:40]}"


def plain(text: str) -> str:
    """Return the normalized text for comparison: lower case, no accents, single spaces."""
    return " ".join(without_accents(text).lower().split())


def _is_month_number(cell: Cell) -> bool:
    """Return whether a number cell means year and month: 202611."""
    return isinstance(cell, float) and cell.is_integer() and FIRST_YEAR * 100 < cell < (LAST_YEAR + 1) * 100


def _day_of(cell: Cell, *, has_serials: bool) -> date | None:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    if has_serials and isinstance(cell, float) and not isinstance(cell, bool) and 36_526 <= cell < 73_051:
        return (SERIAL_DAY_ZERO + timedelta(days=int(cell))).date()
    return None
