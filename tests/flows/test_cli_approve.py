"""Test the approval at the terminal: each finding needs an acknowledgement."""

from tasks.stations.stage import stage_batch
from tests.flows.terminal import Terminal
from tests.tasks.earlier_months import bill_twice
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def test_an_approval_needs_every_finding_acknowledged(shop: Workshop, terminal: Terminal) -> None:
    shop.set(APPROVAL__AUTOMATIC="false")
    bill_twice(shop, 2)
    (batch,) = shop.assembled(*lines(1), *lines(1, first=3))[1]
    shop.run(stage_batch, batch)
    ended = terminal("approve", typed="R$ 200,04\n")
    assert (ended.code, shop.batch(batch).state) == (2, "staged")
    assert "2 findings are unlike the month before" in ended.errors
    assert "New customer Tomador 3 Ltda" in ended.output
    code = ended.errors.partition("acknowledged them: ")[2][:8]

    for command, words in (
        (("--acknowledge", code), "reason"),
        (("--acknowledge", "zzz", "--because", "x"), "has the code zzz"),
        (("--acknowledge", code, "--because", "saiu"), "1 finding is unlike"),
    ):
        ended = terminal("approve", *command, typed="R$ 200,04\n")
        assert (ended.code, words in ended.errors) == (2, True), ended
    assert "1 difference to the month before" in terminal("month").output
    ended = terminal("approve", "--acknowledge", "all", "--because", "conferido", typed="200,04\n")
    assert (ended.code, "1 batch approved" in ended.output) == (0, True), ended
    assert ": saiu" in ended.output


def test_an_approval_says_which_invoices_are_replaced(shop: Workshop, terminal: Terminal) -> None:
    shop.processed(1)
    shop.set(APPROVAL__AUTOMATIC="false")
    begun = terminal("replace", "invoice", "--rps", "F-1", "--because=Valor errado", "--amount", "90,00")
    assert begun.code == 0, begun
    ended = terminal("approve", typed="nao\n")
    assert ended.code == 1, ended
    shown = ended.output.partition("Issued invoices that will be replaced")[2]
    assert [text in shown for text in ("F-1", "R$ 100,01", "R$ 90,00", "Valor errado")] == [True] * 4, ended
