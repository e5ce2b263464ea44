"""Test enrolment at the terminal: the first person, programs with a secret file, refused arguments."""

import os
import pty
import select
import signal
import sys
import termios
import time
from pathlib import Path

import pytest

from connectors.ledger import files
from domain.staff import Permission, Role
from tasks.stations.release import release_batch
from tests.flows.terminal import Terminal
from tests.sandboxes import ROOT
from tests.tasks.staff.people import ANA, CARLA, OLGA, PASSWORD, acts, office, person
from tests.tasks.workshop import Workshop


def typing(command: list[str], *answers: str) -> str:
    """Run a command on a pseudo-terminal and type each answer at its question. Return the screen's text."""
    child, screen = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", "from flows.cli import main; main()", *command])
    shown, left = "", list(answers)
    while select.select([screen], [], [], 120)[0]:
        try:
            part = os.read(screen, 4096).decode(errors="replace")
        except OSError:
            break
        shown += part
        if left and part.endswith(": "):
            # The terminal discards input typed before it turns echo off.
            while termios.tcgetattr(screen)[3] & termios.ECHO:
                time.sleep(0.01)
            os.write(screen, f"{left.pop(0)}\n".encode())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return shown


def as_program(monkeypatch: pytest.MonkeyPatch, folder: Path, email: str, secret: str = PASSWORD) -> Path:
    file = folder / "secret"
    file.write_text(f"{secret}\n")
    file.chmod(0o600)
    monkeypatch.setenv("FATURISTA_PERSON", email)
    monkeypatch.setenv("FATURISTA_PERSON_SECRET_FILE", str(file))
    return file


def test_the_first_operator_types_a_password_unseen(shop: Workshop) -> None:
    asked = ["staff", "enrol", OLGA, "--name", "Olga", "--role", "operator"]
    assert "nothing was changed" in typing(asked, PASSWORD, "another one altogether")
    shown = typing(asked, PASSWORD, PASSWORD)
    assert "Enrolled." in shown
    assert PASSWORD not in shown
    with shop.context() as context:
        assert acts(context, OLGA, Permission.OPERATE).name == "Olga"


def test_a_program_proves_its_identity_by_a_secret_file(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop.set(APPROVAL__AUTOMATIC="false")
    batch = shop.staged(1)
    with shop.context() as context:
        office(context, limit=10_000)
        person(context, "eva@firma.example", Role.AUDITOR, by=acts(context, OLGA, Permission.OPERATE))
    silent = terminal("approve", batch, typed="100,01\n")
    assert (silent.code, "Nobody can type a password here" in silent.errors) == (2, True)

    file = as_program(monkeypatch, tmp_path, ANA)
    for command, message in (
        (("approve", batch), "Ana may approve up to R$ 100,00; this is R$ 100,01"),
        (("approve", batch), "These may: Bia."),
        (("decide", batch, "discard", "--because", "x"), "Ana may not cancel, decide or enrol. These may: Olga."),
        (("staff", "change", ANA, "--no-limit"), "Ana may not cancel"),
        (("approve", batch, "--yes"), "type the total"),
        (("approve", batch, "--approver", "Bia"), "approver"),
    ):
        ended = terminal(*command, typed="100,01\n")
        assert (ended.code, message in ended.errors) == (2, True), ended
    file.chmod(0o640)
    assert "Others may read the file" in terminal("approve", batch).errors
    as_program(monkeypatch, tmp_path, ANA, "a wrong password")
    assert "do not fit" in terminal("approve", batch).errors
    as_program(monkeypatch, tmp_path, "eva@firma.example")
    assert "Eva may not approve" in terminal("approve", batch).errors

    as_program(monkeypatch, tmp_path, "bia@firma.example")
    assert "Code for the dashboard: " in terminal("approve", batch, "--code").output
    assert shop.batch(batch).state == "staged"
    assert terminal("approve", batch, typed="100,01\n").code == 0
    assert shop.batch(batch).state == "approved"
    listed = terminal("staff", "list").output
    assert "R$ 100,00" in listed
    assert listed.count("any amount") == 1, "Bia approves any amount; nobody else who approves has no limit"
    assert listed.startswith("Person ")
    assert PASSWORD not in listed


def test_who_registers_and_replaces_proves_it(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    batch = shop.processed(1)
    replacing = ("replace", "invoice", "--rps", "F-1", "--because=x", "--amount=90,00")
    with shop.context() as context:
        office(context)
    exports = ("person", "export", "529.982.247-25"), ("ledger", "export")
    for command in (*exports, ("webhooks", "register"), ("webhooks", "test"), ("webhooks", "remove"), replacing):
        ended = terminal(*command)
        assert (ended.code, "Nobody can type a password here" in ended.errors) == (2, True), ended
    as_program(monkeypatch, tmp_path, CARLA)
    assert "Carla may not cancel" in terminal("webhooks", "remove").errors
    assert terminal(*replacing).code == 0
    new = shop.batches()[-1]
    assert new.id != batch
    with shop.context() as context:
        reading = context.ledger.read(files.reading_of, new.reading_id)
        assert reading.options["persons"] == [acts(context, CARLA, Permission.BILL).staff_id]
    assert reading.operator == f"Carla ({CARLA})"
    as_program(monkeypatch, tmp_path, OLGA)
    assert "was not registered" in terminal("webhooks", "remove").output


def test_a_no_needs_a_reason_and_a_batch(shop: Workshop, terminal: Terminal) -> None:
    batch = shop.staged(1)
    assert terminal("reject", batch).code == 2
    assert "no batch was named" in terminal("reject", "--because", "x").errors
    assert "1 batch rejected" in terminal("reject", batch, "--because", "preço errado").output
    assert shop.batch(batch).state == "discarding"


def test_a_no_to_an_approved_batch_names_the_way_back(shop: Workshop, terminal: Terminal) -> None:
    no = ("--because", "preço errado")
    batch = shop.approved(1)
    refused = terminal("reject", batch, *no)
    assert (refused.code, "nothing was rejected" in refused.errors, "nothing to do" in refused.errors) == (
        2,
        True,
        False,
    )
    assert f"faturista decide {batch} discard" in refused.errors
    assert "does not wait for approval; nothing was rejected" in terminal("reject", 99, *no).errors
    assert shop.batch(batch).state == "approved"
    shop.run(release_batch, batch)
    assert "was sent already" in terminal("reject", batch, *no).errors


def test_an_operator_enrols_and_helps(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "the user of this machine acts" in terminal("staff", "list").output
    with shop.context() as context:
        office(context)
    as_program(monkeypatch, tmp_path, OLGA)
    made = terminal("staff", "enrol", "eva@firma.example", "--name", "Eva", "--role", "clerk", "--also", "eva")
    assert "Temporary secret of eva@firma.example: " in made.output
    for command, message in (
        (("reset", "eva@firma.example"), "Temporary secret"),
        (("change", "eva@firma.example", "--role", "clerk", "--role", "auditor"), "Changed"),
        (("unlock", "eva@firma.example"), "Unlocked"),
        (("revoke", "eva@firma.example"), "Revoked"),
    ):
        assert message in terminal("staff", *command).output
    assert "No change was given" in terminal("staff", "change", ANA).errors
    assert "revoked on" in terminal("staff", "list").output
