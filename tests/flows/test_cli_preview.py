"""The preview at the terminal: the whole page, a workbook beside the others, and nothing billed."""

import subprocess
import sys
from pathlib import Path

import openpyxl

from tests.flows.terminal import Terminal
from tests.sandboxes import ROOT
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.workshop import Workshop

NOT_FOR_SERVICES = (
    # other kinds of sheets, and the systems of others
    "connectors.identity",
    "connectors.nfe",
    "connectors.orders",
    "connectors.spreadsheets.product_row_parser",
    "connectors.spreadsheets.products",
    "domain.products",
    "tasks.preview.previewed_orders",
    "tasks.products",
    # whatever writes: batches, notes, records, rows that come back
    "connectors.ledger.batches",
    "connectors.ledger.issuance",
    "connectors.nfse.batches",
    "connectors.nfse.note_drafts",
    "connectors.nfse.notes",
    "connectors.spreadsheets.corrections.parts",
    "tasks.corrections.lineage",
    "tasks.corrections.workbook",
    "tasks.issuance.batch_lease",
    "tasks.issuance.batch_planning",
    "tasks.records",
    "tasks.services.assemble",
    "tasks.services.register_writes",
    # what other commands show
    "flows.screens",
    "tasks.approvals.findings",
    "tasks.preview.stored_forecast",
    "tasks.views.dashboard",
    "tasks.views.status",
    "tasks.views.trace",
    # suggestions for unknown headers
    "rapidfuzz",
)


def test_a_sheet_is_shown_before_anything_is_billed(shop: Workshop, terminal: Terminal, tmp_path: Path):
    sheet = write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2, Modelo="Errado"), cells(3)])
    seen = terminal("preview", sheet)
    assert (seen.code, seen.errors) == (0, "")
    assert "Invoices: 2, total R$ 200,04; rows held: 0; refused: 1." in seen.output
    assert 'The template "Errado" does not exist for this company.' in seen.output
    assert "Customers that will be registered" in seen.output
    assert shop.batches() == []
    assert shop.asked("takers.create", "batches.create", "notes.create") == 0
    path = next(Path(word) for word in seen.output.split() if word.endswith("novembro-preview.xlsx"))
    assert "Invoices" in openpyxl.load_workbook(path).sheetnames


def test_an_unreadable_file_is_refused_in_words(shop: Workshop, terminal: Terminal, tmp_path: Path):
    (tmp_path / "leiame.txt").write_text("bom dia")
    seen = terminal("preview", tmp_path / "leiame.txt")
    assert seen.code == 2
    assert "Traceback" not in seen.errors
    assert shop.batches() == []


def test_a_sender_known_by_its_template_alone_gives_it(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(READING__TEMPLATES='{"Escritório Centro": "Consultoria"}')
    headers = [header for header in HEADERS if header != "Modelo"]
    rows = [[cell for header, cell in zip(HEADERS, cells(1), strict=True) if header != "Modelo"]]
    sheet = write_sheet(tmp_path / "novembro.csv", rows, headers=headers)
    seen = terminal("preview", sheet, "--sender", "escritorio centro")
    assert (seen.code, seen.errors) == (0, "")
    assert 'No template column: "Consultoria" holds, this sender' in seen.output


def test_a_preview_of_services_loads_no_other_work(shop: Workshop, tmp_path: Path):
    sheet = write_sheet(tmp_path / "novembro.csv", [[*cells(1), "10/12/2026"]], headers=[*HEADERS, "Vencimento"])
    report = "lambda: print(*sorted(sys.modules), file=sys.stderr)"
    code = f"import atexit, sys; from flows.cli import main; atexit.register({report}); main()"
    asked = [sys.executable, "-c", code, "preview", str(sheet)]
    ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert ended.returncode == 0, ended.stderr
    loaded = ended.stderr.split()
    assert "tasks.preview.previewed_services" in loaded
    assert shop.batches() == []
    assert [name for name in loaded if any(f"{name}.".startswith(f"{each}.") for each in NOT_FOR_SERVICES)] == []
