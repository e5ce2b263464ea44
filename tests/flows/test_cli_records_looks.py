"""Looks by command at record writes whose answer was lost: what a later run finds, and what a person must decide."""

from tests.flows.terminal import Terminal
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop, fault

BECAUSE = "--because=pedido da Ana"
SHOP = 61


def test_a_late_look_closes_the_line_of_a_lost_answer(shop: Workshop, terminal: Terminal):
    create = ("create", "taker", "--set", "cpf=99900000188", "--set", "social_reason=Maria Prado", "--apply", BECAUSE)
    shop.sandbox.faults(fault("takers.create", "lose_answer"), fault("takers.list", "status_422", after=1))
    assert terminal("records", *create).code != 0
    assert "no answer" in terminal("records", "journal").output
    shop.sandbox.faults()
    again = terminal("records", *create)
    assert (again.code, "had been done" in again.output) == (0, True), again
    taker = again.output.split("create taker ")[1].split()[0]
    assert "Maria Prado" in terminal("records", "show", "taker", taker).output
    assert "no answer" not in terminal("records", "journal").output
    assert shop.asked("takers.create") == 1


def test_a_write_without_a_look_waits_for_a_person(store: Store, terminal: Terminal):
    lost = (
        "create",
        "disabling",
        SHOP,
        "--set",
        "serie=1",
        "--set",
        "numero=900",
        "--set",
        "motivo=Numero sem uso algum",
    )
    store.sandbox.faults(fault("nfe.disable", "lose_answer"))
    assert terminal("records", *lost, "--apply", BECAUSE).code == 1
    store.tamper("UPDATE remote_changes SET begun_at = begun_at - 1000000 * 4000")
    waits = terminal("records", *lost, "--apply", BECAUSE)
    assert (waits.code, "records settle 1" in waits.errors) == (2, True), waits
    assert terminal("records", "settle", 1, "done").code == 0
    assert terminal("records", "settle", 1, "absent").code == 2
    assert store.asked("nfe.disable") == 1
