"""The commands about reports: from the order service to a workbook on disk, and mistakes as sentences."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from flows.cli import main
from tests.flows.terminal import Ended, Terminal
from tests.sandboxes import RunningSandbox, running_sandbox

PLANS = ("essencial", "profissional", "empresarial")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningSandbox]:
    with running_sandbox(in_thread=True) as running:
        monkeypatch.setenv("FATURISTA_ORDERS__BASE_URL", running.base_url)
        yield running


def written(ended: Ended) -> Path:
    """Return the one file that the command printed as written."""
    assert ended.code == 0, ended
    path = Path(ended.output.split()[-1])
    assert path.parent.name == "outbox"
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a report's second sheet, by heading."""
    rows = list(openpyxl.load_workbook(path, data_only=True).worksheets[1].iter_rows(values_only=True))
    heading = next(number for number, row in enumerate(rows) if "Plano" in row)
    names = [str(cell) for cell in rows[heading]]
    return [dict(zip(names, row, strict=True)) for row in rows[heading + 1 :] if any(cell is not None for cell in row)]


def warned(path: Path) -> str:
    sheet = openpyxl.load_workbook(path).worksheets[0]
    return " ".join(str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None)


@pytest.mark.prefect
@pytest.mark.usefixtures("orchestrator")
def test_what_was_paid_from_the_terminal_to_the_workbook(sandbox: RunningSandbox, terminal: Terminal):
    path = written(terminal("report", "paid-invoices", "--since", "2025-10-01"))
    paid: Counter[str] = Counter()
    for by_month in sandbox.record()["sales"]["paid_cents"].values():
        paid.update(by_month)
    sums: Counter[str] = Counter()
    for line in lines(path):
        sums[f"{line['Paga em']:%Y-%m}"] += round(line["Total pago (R$)"] * 100)
    assert sums == paid
    assert len(paid) == 14
    assert path.suffix == ".xlsx"
    chosen = ("report", "paid-invoices", "--since", "01/10/2025", "--plan", PLANS[0], "--plan", PLANS[1], "--csv")
    file = written(terminal(*chosen))
    with file.open(encoding="utf-8-sig", newline="") as opened:
        assert sum(1 for _ in csv.reader(opened, delimiter=";")) > 100


@pytest.mark.prefect
@pytest.mark.usefixtures("orchestrator")
def test_orders_from_the_terminal_to_the_workbook(sandbox: RunningSandbox, terminal: Terminal):
    assert len(lines(written(terminal("report", "orders")))) == sandbox.record()["sales"]["orders"]
    some = lines(written(terminal("report", "orders", "--plan", PLANS[0])))
    assert 0 < len(some) < sandbox.record()["sales"]["orders"]


@pytest.mark.prefect
@pytest.mark.usefixtures("orchestrator")
def test_a_contradiction_is_shown_until_a_person_decides(sandbox: RunningSandbox, terminal: Terminal):
    asked = ("report", "paid-invoices", "--plan", PLANS[0], "--since", "2025-10-01")
    first = lines(written(terminal(*asked)))
    last = max(first, key=lambda line: line["Paga em"])
    number = int(last["Fatura"])
    fields = {"amount": "7.00", "amount_with_adjustments": "7.00", "redeemed_adjustments": []}
    sandbox.control("act", {"do": "change_sale", "plan": PLANS[0], "number": number, "fields": fields})
    ended = terminal(*asked)
    assert "faturista report decide" in ended.output
    assert f"report decide paid-invoices {PLANS[0]} {number} keep" in warned(written(ended))

    decision = ("report", "decide", "paid-invoices", PLANS[0], number, "take", "--because")
    assert terminal(*decision, " ").code == 2
    assert f"número {number}" in terminal(*decision, "a Ana conferiu com o serviço").output
    assert "não tem contradição" in terminal(*decision, "outra vez").errors
    settled = terminal(*asked)
    assert "decide" not in settled.output
    path = written(settled)
    assert "decide" not in warned(path)
    assert {line["Fatura"]: line["Total pago (R$)"] for line in lines(path)}[last["Fatura"]] == 7


@pytest.mark.parametrize(
    ("command", "environment", "message"),
    [
        (["paid-invoices", "--since", "ontem"], {}, '"ontem" não é uma data'),
        (["paid-invoices"], {"FATURISTA_ORDERS__PLANS": "[]"}, "--plan"),
        (["orders"], {"FATURISTA_ORDERS__PLANS": "[]"}, "--plan"),
        (["orders"], {"FATURISTA_ORDERS__BASE_URL": ""}, "orders.base_url"),
        (["outcome", "nada.xlsx"], {}, "nada.xlsx"),
    ],
)
def test_a_mistake_is_a_sentence(capsys, monkeypatch, command, environment, message):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main(["report", *command])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
