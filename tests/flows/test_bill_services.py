"""The import flow: from a dropped sheet to staged batches, one task for all batches, and a page for the decision."""

import asyncio
from pathlib import Path

import pytest
from prefect import get_client

from domain.problems import InputError, SettingsError
from flows.prefect_flows import bill_services
from tests.flows.dashboard import artifact, everything, newest_run, steps
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.rows import SAO_PAULO, person
from tests.tasks.workshop import PROFILE, Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def bill(path: Path, **options) -> int:
    reading: int = asyncio.run(bill_services(str(path), profile=PROFILE, operator="Ana", **options))
    return reading


def test_a_sheet_becomes_staged_and_approved_batches(shop: Workshop, tmp_path: Path):
    shop.set(PROTOCOL__BATCH_SIZE=2)
    rows = [cells(1), cells(2), cells(3, Modelo="Errado"), cells(4), cells(5, **{"CNPJ Emitente": SAO_PAULO})]
    reading = bill(write_sheet(tmp_path / "novembro.csv", rows))
    assert [(batch.state, batch.count) for batch in shop.batches()] == [
        ("approved", 2),
        ("approved", 1),
        ("approved", 1),
    ]
    assert {note["was_sent"] for note in shop.there()} == {False}

    run = newest_run()
    assert (run.name, run.state) == ("bill novembro.csv", "Completed")
    assert [name for name in run.tasks if name.startswith("stage")] == ["stage batches 1 to 3"]
    assert len(run.tasks) == len(set(run.tasks))
    assert {"resolve novembro.csv", "assemble novembro.csv", "read novembro.csv"} <= set(run.tasks)

    did = steps(artifact(f"bill-{reading}"))
    assert [step[0] for step in did][2:] == ["Assemble the invoices", *["Stage the batch"] * 3]
    assert {step[2] for step in did} == {"Done"}
    assert did[1][3] == "checked 4, refused 1"
    page = artifact(f"preview-{reading}")
    assert "novembro.csv" in page
    assert "R$ 400,12" in page


def test_billed_again_it_stages_nothing(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2)])
    bill(path)
    again = bill(path)
    assert shop.rows(again) == []
    assert shop.asked("notes.create") == 2
    counts = {step[0]: step[3] for step in steps(artifact(f"bill-{again}"))}
    assert counts["Read the sheet"] == "billed already 2"
    assert "Stage the batch" not in counts


def test_the_forms_offer_at_once_what_waits(shop: Workshop, tmp_path: Path):
    """A form that offers yesterday's files and findings refuses today's, and the sweep comes only each minute."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}

    async def bill_with_a_form() -> list[str]:
        async with get_client() as client:
            flow = await client.create_flow(bill_services)
            form = await client.create_deployment(flow, "bill_services", parameter_openapi_schema=schema)
            try:
                await bill_services(str(write_sheet(tmp_path / "novembro.csv", [cells(1)])), profile=PROFILE)
                offered = (await client.read_deployment(form)).parameter_openapi_schema or {}
            finally:
                await client.delete_deployment(form)
        return list(offered["properties"]["path"].get("enum", ()))

    assert asyncio.run(bill_with_a_form()) == ["novembro.csv"]


def test_an_unreadable_file_fails_the_run_and_leaves_nothing(shop: Workshop, tmp_path: Path):
    path = tmp_path / "novembro.csv"
    path.write_text("nothing;here\n")
    with pytest.raises(InputError) as raised:
        bill(path)
    assert newest_run().state == "Failed"
    assert shop.batches() == []
    with shop.context() as context:
        sentence = context.catalogue.say(raised.value.problem)
    # On the dashboard's first page and on the run's page.
    assert sentence in newest_run().message
    assert f"> {sentence}" in artifact("bill")


def test_an_unknown_profile_fails_in_words(shop: Workshop, tmp_path: Path):
    with pytest.raises(SettingsError):
        asyncio.run(bill_services(str(tmp_path / "novembro.csv"), profile="producao"))
    assert newest_run().message.startswith('The configuration "producao" does not exist.')
    assert "(producao)" in artifact("bill")


def test_the_page_of_an_import_says_where_the_refused_rows_are(shop: Workshop, tmp_path: Path):
    reading = bill(write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2, Modelo="Errado")]))
    page = artifact(f"bill-{reading}")
    assert "**1 row came back**" in page
    (workbook,) = (shop.home / "outbox").glob("novembro-*-to-correct.xlsx")
    assert f"correct or answer, and drop it again: `{workbook}`" in page
    assert "Nothing of this run" not in page


def test_no_personal_datum_and_no_secret_crosses_a_tasks_border(shop: Workshop, tmp_path: Path):
    """Parameters and results are clear text in Prefect's database."""
    reading = bill(write_sheet(tmp_path / "novembro.csv", [cells(1)]))
    shown = repr(artifact(f"bill-{reading}")) + repr(newest_run())
    assert "Tomador" not in shown
    assert "sandbox-token" not in shown


def test_prefect_keeps_no_document_address_or_secret(shop: Workshop, tmp_path: Path):
    canary = person(424_242)
    personal = {"CNPJ/CPF": canary.formatted, "E-mail": "canario@mail.example", "Telefone": "(21) 98765-4321"}
    rows = [cells(1), [*cells(2, **{"CNPJ/CPF": personal["CNPJ/CPF"]}), *list(personal.values())[1:]]]
    bad = [*cells(3, **{"CNPJ/CPF": canary.formatted[:-1] + "X"}), *list(personal.values())[1:]]
    sheet = write_sheet(
        tmp_path / "canario.csv", [[*rows[0], "", ""], rows[1], bad], headers=[*HEADERS, *list(personal)[1:]]
    )
    reading = bill(sheet)
    assert "canario.csv" in artifact(f"preview-{reading}")
    kept = everything()
    assert "canario.csv" in kept
    documents = (canary.number, canary.formatted, canary.formatted[:-1])
    # Search whole phone numbers: five digits may be part of an identifier or an instant by chance.
    words = (*documents, "canario@mail", "98765-4321", "987654321", "sandbox-token")
    assert [word for word in words if word in kept] == []
