"""Sheets of records by command: the other rows are reported beside a refused row, and before an outage."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.workshop import Workshop, fault

BECAUSE = "--because=pedido da Ana"


def test_a_row_of_an_unknown_place_does_not_stop_the_others(shop: Workshop, terminal: Terminal, tmp_path: Path):
    """A row whose order the provider does not have is refused alone; the rows before an outage are reported."""
    shop.set(ORDERS__BASE_URL=shop.sandbox.base_url)
    file = tmp_path / "discounts.csv"
    rows = ["essencial;1;1,00;Um", "essencial;99999;1,00;Nenhum", "essencial;1;2,00;Dois"]
    file.write_text("\n".join(["plan;order;amount;description", *rows]))
    ended = terminal("records", "sheet", "discount", "create", file, "--apply", BECAUSE)
    assert (ended.code, ended.output.count("Done:"), "Row 3" in ended.output) == (1, 2, True), ended
    assert shop.asked("discounts.create") == 2
    file.write_text("plan;order;amount;description\nessencial;1;3,00;Três\nessencial;1;4,00;Quatro\n")
    shop.sandbox.faults(fault("discounts.create", "status_429", after=1, count=99, seconds=9_999))
    ended = terminal("records", "sheet", "discount", "create", file, "--apply", BECAUSE)
    assert (ended.code, ended.output.count("Done:")) == (3, 1), ended
