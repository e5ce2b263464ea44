"""The choice of a layout: a taught mapping is used if it certainly fits, reported, and never guessed."""

from pathlib import Path

import pytest

from configs.layouts import read_layout
from connectors.spreadsheets.writers.blank_columns import COLUMNS
from domain.problems import FaturistaError, InputError, Problem
from tasks.sheets.mapping_choice import check_sender, template_of_sender
from tasks.sheets.mapping_storage import delete_mappings, store_mapping
from tasks.stations.read import FileRead, open_file, read_without_storing
from tasks.stations.reading_options import ReadingOptions
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.sheets.test_mapping_storage import PAIRS, SENDER, odd_sheet
from tests.tasks.workshop import Workshop


@pytest.fixture
def taught(shop: Workshop, tmp_path: Path) -> Workshop:
    """Return a workshop with one sender's mapping."""
    lesson(shop, odd_sheet(tmp_path / "lesson.csv"), PAIRS)
    return shop


def lesson(shop: Workshop, path: Path, pairs: dict[str, str], sender: str = SENDER) -> None:
    with shop.context() as context:
        store_mapping(context, path, pairs, sender=sender, person="ana")


def read(shop: Workshop, path: Path, sender: str | None = None) -> FileRead:
    with shop.context() as context:
        return read_without_storing(context, path, ReadingOptions(operator="ana", sender=sender))


def refusal(shop: Workshop, path: Path, sender: str | None = None) -> Problem:
    """Return the last problem of an unusable file."""
    with shop.context() as context, pytest.raises(InputError) as caught:
        open_file(context, path, ReadingOptions(operator="ana", sender=sender))
    return [caught.value.problem, *caught.value.details][-1]


def remarks(found: FileRead) -> list[str]:
    return [warning["code"] for warning in found.understood["warnings"]]


def test_a_file_with_taught_headers_is_read_with_the_mapping(taught: Workshop, tmp_path: Path):
    found = read(taught, odd_sheet(tmp_path / "dezembro.csv", rows=3))
    assert [row.line["service_cents"] for row in found.rows if row.line] == [10_001, 10_002, 10_003]
    assert remarks(found)[0] == "mapping.used"


def test_a_file_of_known_headers_is_read_as_ever(taught: Workshop, tmp_path: Path):
    found = read(taught, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    assert not {"mapping.used", "mapping.near"} & set(remarks(found))


def test_an_additional_column_is_questioned_or_needs_a_sender(taught: Workshop, tmp_path: Path):
    path = odd_sheet(tmp_path / "dezembro.csv", "Filial")
    near = refusal(taught, path)
    assert (near.code, near.params["name"], near.params["came"]) == ("mapping.near", SENDER, "Filial")
    assert remarks(read(taught, path, sender="contabilidade-souza"))[0] == "mapping.used"
    assert refusal(taught, path, sender="somebody else").code == "mapping.near"


def test_a_sheet_that_its_mapping_no_longer_fits_is_refused(taught: Workshop, tmp_path: Path):
    outgrown = refusal(taught, write_sheet(tmp_path / "novo.csv", [cells(1)]), sender=SENDER)
    assert outgrown.code == "mapping.outgrown"
    assert outgrown.params["missing"] == '"Doc Toma", "Vlr Tot", "Plano Cobr"'


def test_a_retaught_header_never_has_its_old_meaning(shop: Workshop, tmp_path: Path):
    both = [*HEADERS, "Vlr Tot"]
    path = write_sheet(tmp_path / "lesson.csv", [[*cells(1), "7,00"]], headers=both)
    lesson(shop, path, {"Valor": "-", "Vlr Tot": "Valor"})
    (row,) = read(shop, path).rows
    assert row.line is not None
    assert row.line["service_cents"] == 700
    more = write_sheet(tmp_path / "mais.csv", [[*cells(1), "7,00", "x"]], headers=[*both, "Filial"])
    # Without the mapping there is a column "Valor", and it would be the wrong one.
    assert refusal(shop, more).code == "mapping.near"
    (row,) = read(shop, more, sender=SENDER).rows
    assert row.line is not None
    assert row.line["service_cents"] == 700


def test_equal_headers_with_different_meanings_are_questioned(taught: Workshop, tmp_path: Path):
    path = odd_sheet(tmp_path / "dezembro.csv")
    lesson(taught, path, PAIRS, sender="Filial Rio")
    assert remarks(read(taught, path))[0] == "mapping.used"
    lesson(taught, path, PAIRS | {"Discriminação": "Observações"}, sender="Filial Rio")
    assert refusal(taught, path).code == "mapping.several"
    assert remarks(read(taught, path, sender="Filial Rio"))[0] == "mapping.used"


def test_an_unknown_sender_is_a_mistake_at_the_terminal(taught: Workshop):
    with taught.context() as context:
        check_sender(context, None)
        check_sender(context, SENDER)
        with pytest.raises(FaturistaError) as caught:
            check_sender(context, "Souza")
    assert caught.value.problem.code == "sender.unknown"
    assert caught.value.problem.params == {"name": "Souza", "known": SENDER}


def test_a_sender_with_only_a_template_in_the_settings_is_known(shop: Workshop):
    shop.set(READING__TEMPLATES='{"Escritório Centro": "Consultoria"}')
    with shop.context() as context:
        for name in ("Escritório Centro", "escritorio-centro"):
            check_sender(context, name)
            assert template_of_sender(context, name) == "Consultoria"
        assert template_of_sender(context, "Souza") is None
        with pytest.raises(FaturistaError) as caught:
            check_sender(context, "Souza")
        assert caught.value.problem.params["known"] == "Escritório Centro"
        with pytest.raises(FaturistaError) as caught:
            delete_mappings(context, "Escritório Centro")
        assert caught.value.problem.code == "mapping.unknown"


@pytest.mark.parametrize("kind", ["takers", "templates", "emitters"])
def test_a_page_of_master_data_is_called_that_in_one_sentence(shop: Workshop, tmp_path: Path, kind: str):
    headers = [read_layout(kind)["fields"][column.field][0] for column in COLUMNS[kind]]
    blank = write_sheet(tmp_path / "modelo.csv", [], headers=headers)
    assert refusal(shop, blank).code == f"sheet.is_{kind}"
    filled = write_sheet(tmp_path / "cheio.csv", [["x"] * len(headers)], headers=headers)
    assert refusal(shop, filled).code == f"sheet.is_{kind}"


def test_a_bill_without_amounts_is_no_list_of_customers(shop: Workshop, tmp_path: Path):
    headers = ["Custo" if each == "Valor" else each for each in HEADERS]
    assert refusal(shop, write_sheet(tmp_path / "mes.csv", [cells(1)], headers=headers)).code == "column.missing"


def test_a_filled_in_template_has_its_source(shop: Workshop, tmp_path: Path):
    shop.set(READING__TEMPLATES='{"Escritório Centro": "Consultoria"}', READING__TEMPLATE="Suporte Mensal")
    place = HEADERS.index("Modelo")
    rows = [[*row[:place], *row[place + 1 :]] for row in (list(HEADERS), cells(1))]
    path = tmp_path / "mes.csv"
    path.write_text("".join(";".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    sources: dict[str, str] = {}
    of_option = ReadingOptions(operator="ana", template="Treinamento")
    of_sender = ReadingOptions(operator="ana", sender="Escritório Centro")
    for options in (of_option, of_sender, ReadingOptions(operator="ana")):
        with shop.context() as context:
            found = read_without_storing(context, path, options)
        list(found.rows)
        named = (each["problem"] for each in found.understood["decisions"] if each["kind"] == "filled")
        sources |= {each["code"]: each["params"]["template"] for each in named}
    assert sources == {
        "template.by_option": "Treinamento",
        "template.of_sender": "Consultoria",
        "template.of_profile": "Suporte Mensal",
    }
