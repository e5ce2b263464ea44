"""The provider fails between two steps that belong together: the next sweep continues with the rest."""

from tests.faults.theatre import LEASE_S, Theatre, rule
from tests.faults.workbooks import RIO, month_lines, write_month


def test_the_provider_fails_between_draft_and_number(theatre: Theatre) -> None:
    theatre.sandbox.faults(rule("emitters.serie", "status_500", share=1.0))
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO])))
    assert theatre.finish(theatre.start(month)) == 1
    drafted = theatre.check_integrity().ledger["invoices"]
    assert {(invoice["state"], invoice["batch_id"]) for invoice in drafted} == {("drafted", None)}

    theatre.sandbox.faults()
    theatre.pass_time(LEASE_S)
    theatre.run()

    theatre.check()
