"""Answers: one for each dropped file, written again after each change, and never without one."""

from pathlib import Path

import openpyxl
import pytest

from connectors.inbox.drops import dropped_files
from tasks.documents.fetch import fetch_batch
from tasks.inbox.answer import answer_file, close_drop, renew_answer, stale_answers
from tasks.inbox.drops import OPERATOR
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.corrections.rounds import BAD, edited, put, write_month
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import Workshop


def read(shop: Workshop, path: Path, operator: str = OPERATOR) -> tuple[int, int]:
    with shop.context() as context:
        file = archive_file(context, path)
        reading, _ = read_file(context, file, ReadingOptions(operator=operator))
    shop.run(resolve_rows, reading)
    shop.run(assemble_rows, reading)
    return file, reading


@pytest.fixture
def eager(shop: Workshop) -> Workshop:
    """A workshop whose answers may be written again at once."""
    shop.set(INBOX__ANSWER_EVERY_S="0")
    return shop


def stale(shop: Workshop) -> list[int]:
    with shop.context() as context:
        return stale_answers(context)


def answered(shop: Workshop, file: int) -> str:
    with shop.context() as context:
        sheets = openpyxl.load_workbook(answer_file(context, file))
    return " ".join(str(cell) for sheet in sheets for row in sheet.iter_rows(values_only=True) for cell in row if cell)


def test_an_answer_is_updated_with_every_step_and_then_rests(eager: Workshop, tmp_path: Path):
    shop = eager
    file, _ = read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    assert stale(shop) == [file]
    answered(shop, file)
    assert stale(shop) == []
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    assert stale(shop) == [file]
    answered(shop, file)
    shop.approve()
    shop.run(release_batch, batch.id)
    while shop.batch(batch.id).state != "processed":
        shop.run(reconcile_batch, batch.id)
    assert stale(shop) == [file]
    assert "Accepted" in answered(shop, file)
    assert stale(shop) == []


def test_an_answer_is_written_at_most_once_a_minute(shop: Workshop, tmp_path: Path):
    file, _ = read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    answered(shop, file)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    assert stale(shop) == []
    with shop.context() as context:
        assert not renew_answer(context, file)
    pass_time(shop, 61)
    assert stale(shop) == [file]
    with shop.context() as context:
        assert Path(renew_answer(context, file)).is_file()
        # another worker that saw the same change
        assert not renew_answer(context, file)
    pass_time(shop, 61)
    assert stale(shop) == []


def test_a_clock_set_back_holds_no_answer(shop: Workshop, tmp_path: Path):
    file, _ = read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    answered(shop, file)
    shop.run(stage_batch, shop.batches()[0].id)
    pass_time(shop, -3_600)
    assert stale(shop) == [file]
    with shop.context() as context:
        assert renew_answer(context, file)


def pass_time(shop: Workshop, seconds: int) -> None:
    """Make the answers older."""
    change = f"UPDATE answers SET written_at = written_at - {seconds * 1_000_000}"
    with shop.context() as context:
        context.ledger.write(lambda conn: conn.exec_driver_sql(change))


def test_an_approval_and_a_document_change_the_answer(eager: Workshop, tmp_path: Path):
    shop = eager
    file, _ = read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    answered(shop, file)
    assert stale(shop) == []
    shop.approve()
    assert stale(shop) == [file]
    shop.run(release_batch, batch.id)
    while shop.batch(batch.id).state != "processed":
        shop.run(reconcile_batch, batch.id)
    answered(shop, file)
    shop.run(fetch_batch, batch.id)
    assert stale(shop) == [file]


def test_files_of_other_ways_are_left_to_those_who_bill_them(shop: Workshop, tmp_path: Path):
    read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]), operator="ana")
    assert stale(shop) == []


def test_a_removed_answer_is_not_rewritten_without_news(shop: Workshop, tmp_path: Path):
    file, _ = read(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    with shop.context() as context:
        answer_file(context, file).unlink()
    assert stale(shop) == []


@pytest.mark.parametrize("is_read", [True, False])
def test_a_file_leaves_the_inbox_only_after_it_was_read(shop: Workshop, is_read: bool):
    inbox = shop.home / "inbox"
    inbox.mkdir(parents=True)
    path = write_sheet(inbox / "mes.csv", [cells(1)])
    reading = read(shop, path)[1] if is_read else 0
    (drop,) = dropped_files(inbox)
    with shop.context() as context:
        close_drop(context, drop, reading)
        answers = list(context.outbox.glob("*.xlsx"))
    assert path.exists() is not is_read
    assert len(answers) == is_read


def test_a_files_answer_shows_what_became_of_corrected_rows(eager: Workshop, tmp_path: Path):
    shop = eager
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2, **BAD)], has_city=True)
    file, _ = read(shop, month)
    with shop.context() as context:
        outcome = answer_file(context, file)
        sent_back = next(context.outbox.glob("*-to-correct.xlsx"))
    again, _ = read(shop, edited(sent_back, tmp_path / "certo.xlsx", put("Valor", "200,00")))
    answered(shop, again)
    assert stale(shop) == [file]
    answered(shop, file)
    assert stale(shop) == []
    page = openpyxl.load_workbook(outcome)["Rows"]
    rows = list(page.iter_rows(values_only=True))
    headers = next(row for row in rows if "What happened" in row)
    why = headers.index("What happened")
    found = {str(row[2]): f"{row[1]} {row[why]}" for row in rows[rows.index(headers) + 1 :]}
    assert found["Tomador 1 Ltda"].startswith("Already billed")
    assert "row 4 of certo.xlsx" in found["Tomador 1 Ltda"]
    assert found["Tomador 2 Ltda"].startswith("Refused")
    assert "certo.xlsx, row 5" in found["Tomador 2 Ltda"]


def test_a_file_of_the_longest_name_is_answered_too(shop: Workshop):
    inbox = shop.home / "inbox"
    inbox.mkdir(parents=True)
    _, reading = read(shop, write_sheet(inbox / f"{'n' * 251}.csv", [cells(1), cells(2, Modelo="Errado")]))
    (drop,) = dropped_files(inbox)
    with shop.context() as context:
        close_drop(context, drop, reading)
        assert {each.name[each.name.index("-") + 10 :] for each in context.outbox.iterdir()} == {
            "result.xlsx",
            "to-correct.xlsx",
        }


def test_a_renamed_file_is_pointed_to_its_answer(shop: Workshop):
    inbox = shop.home / "inbox"
    inbox.mkdir(parents=True)
    first = write_sheet(inbox / "mes.csv", [cells(1)])
    _, reading = read(shop, first)
    first.rename(inbox / "novembro.csv")
    (drop,) = dropped_files(inbox)
    with shop.context() as context:
        close_drop(context, drop, reading)
        answer, note = sorted(each.name for each in context.outbox.iterdir() if each.suffix != ".csv")
        text = (context.outbox / note).read_text(encoding="utf-8-sig")
    assert note.startswith("novembro-")
    assert note.endswith("-received-before.txt")
    assert all(name in text for name in ("novembro.csv", "mes.csv", answer))
    assert not dropped_files(inbox)
