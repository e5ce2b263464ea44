"""Records at the providers by command: shown, previewed, changed with a reason, and journaled."""

import json
from pathlib import Path

import openpyxl
import pytest

from connectors.identity.emulator.seed import account_uuid, user_uuid
from connectors.nfse.emulator.seed import default_company
from tasks.issuance.certificate_term import AGAIN_S
from tests.ageing import age
from tests.connectors.nfe.samples import SECRETS, content
from tests.connectors.nfse.receivers import receiving
from tests.flows.pfx import pfx
from tests.flows.terminal import Ended, Terminal
from tests.tasks.rows import RIO, company, line
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop, fault

BECAUSE = "--because=pedido da Ana"
EMITTER = {name: value for name, value in default_company()["emitters"][0].items() if isinstance(value, str)}
NEW = account_uuid(21)
PLAN = "empresarial"
SHOP = 61


def signed(kind: str, number: int = 1, is_alone: bool = True) -> dict[str, object]:
    document: dict[str, object] = content()
    general = {"serie": 7, "nfe_numero": number} | (SECRETS if kind == "nfce" else {})
    document["dados_gerais"] = content()["dados_gerais"] | general
    return document | ({"xml_assinado": "<NFe>assinada</NFe>"} if is_alone else {})


@pytest.fixture(autouse=True)
def addresses(shop: Workshop) -> None:
    shop.set(ORDERS__BASE_URL=shop.sandbox.base_url, IDENTITY__BASE_URL=shop.sandbox.base_url)


def done(terminal: Terminal, *command: object) -> Ended:
    """Run a command without and with `--apply`: the first run shows its plan and changes nothing."""
    planned = terminal("records", *command)
    assert planned.code == 0, planned
    assert "Would be done" in planned.output, planned
    ended = terminal("records", *command, "--apply", BECAUSE)
    assert ended.code == 0, ended
    assert "Done:" in ended.output, ended
    return ended


def last(ended: Ended) -> str:
    """Return the id that the command shows for a new record."""
    words = ended.output.split("Done:")[1].split()
    return [word for word in words[2:5] if word.isdecimal()][-1]


def test_a_taker_is_created_changed_and_removed(shop: Workshop, terminal: Terminal):
    fields = ("--set", "cpf=99900000188", "--set", "social_reason=Maria Prado", "--set", "address.city=Niterói")
    taker = last(done(terminal, "create", "taker", *fields))
    again = terminal("records", "create", "taker", *fields, "--apply", BECAUSE)
    assert "exists already" in again.output
    assert shop.asked("takers.create") == 1
    shown = terminal("records", "change", "taker", taker, "--set", "social_reason=Maria Reis")
    assert "social_reason: Maria Prado" in shown.output
    done(terminal, "change", "taker", taker, "--set", "social_reason=Maria Reis")
    lost = terminal("records", "replace", "taker", taker, "--set", "cpf=99900000188", "--set", "social_reason=Maria")
    assert "address.city" in lost.output
    done(terminal, "replace", "taker", taker, "--set", "cpf=99900000188", "--set", "social_reason=Maria")
    assert "Maria" in terminal("records", "show", "taker", taker).output
    done(terminal, "remove", "taker", taker)
    assert terminal("records", "show", "taker", taker).code == 2
    journal = terminal("records", "journal").output
    assert journal.count("pedido da Ana") == 4
    assert "99900000188" not in journal


def test_a_company_is_created_with_its_certificate(
    shop: Workshop, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cnpj = company(40).number
    monkeypatch.setenv("PFX_PASSWORD", "senha")
    good = tmp_path / "empresa.pfx"
    good.write_bytes(pfx(cnpj))
    fields = {**EMITTER, "cnpj": cnpj}
    (tmp_path / "emitter.json").write_text(json.dumps(fields))
    asked = ("emitter", "--file", tmp_path / "emitter.json", "--set", "social_reason=Nova Ltda")
    secret = ("--certificate", good, "--password", "env:PFX_PASSWORD")
    emitter = last(done(terminal, "create", *asked, *secret))
    assert "senha" not in terminal("records", "create", *asked, *secret).raw.replace("senha do", "")
    assert "Nova Ltda" in terminal("records", "show", "emitter", emitter).output
    assert "21988887777" in terminal("records", "change", "emitter", emitter, "--set", "phone=21988887777").output
    done(terminal, "change", "emitter", emitter, *secret)
    done(terminal, "replace", "emitter", emitter, "--set", "social_reason=Nova SA", *asked[1:3], *secret)
    assert "Nova SA" in terminal("records", "list", "emitter", "--where", f"cnpj={cnpj}").output
    assert "certificate: company" in terminal("doctor").output
    wrong = (
        (pfx(cnpj, password="outra"), "password is wrong"),
        (pfx(cnpj, days=-1), "expired"),
        (pfx(cnpj, days=9, begun=-5), "not valid before"),
        (pfx(company(41).number), "not of the company"),
        (pfx(None), "not of the company"),
        (b"nothing", "no PFX"),
    )
    for file, message in wrong:
        good.write_bytes(file)
        ended = terminal("records", "change", "emitter", emitter, *secret, "--apply", BECAUSE)
        assert (ended.code, message in ended.errors) == (2, True), (message, ended)
    assert shop.asked("emitters.update") == 1
    done(terminal, "remove", "emitter", emitter)


def test_a_certificate_is_renewed_while_batches_wait_for_it(
    shop: Workshop, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PFX_PASSWORD", "senha")
    shop.approved(1)
    shop.set(RECONCILE__STUCK_WARNING_S=172_800)
    file = tmp_path / "empresa.pfx"
    for days, sent in ((1, 0), (200, 1)):
        file.write_bytes(pfx(RIO, days=days))
        done(terminal, "change", "emitter", 1, "--certificate", file, "--password", "env:PFX_PASSWORD")
        output = terminal("release").output
        assert (shop.asked("batches.send"), "nothing is sent for it" in output) == (sent, not sent)
        shop.write(age, AGAIN_S + 1)
    shop.assembled(line(9))
    refused = terminal("records", "change", "emitter", 1, "--set", "phone=21988887777", "--apply", BECAUSE)
    assert (refused.code, "not sent yet" in refused.errors) == (2, True)


def test_a_template_is_replaced_and_removed(terminal: Terminal):
    template = last(done(terminal, "create", "template", "--set", "emitter_id=1", "--set", "name=Aula"))
    fields = ("--set", "emitter_id=1", "--set", "name=Aula", "--set", "iss_percentage=5.00")
    done(terminal, "replace", "template", template, *fields)
    done(terminal, "change", "template", template, "--set", "iss_percentage=2.00")
    assert "iss_percentage: 2.00" in terminal("records", "show", "template", template).output
    done(terminal, "remove", "template", template)


def test_a_webhook_is_registered_renamed_and_removed(shop: Workshop, terminal: Terminal):
    with receiving() as receiver:
        asked = ("webhook", "--set", "name=Campainha", "--set", f"url={receiver.url}")
        webhook = last(done(terminal, "create", *asked))
        assert "exists already" in terminal("records", "create", *asked).output
    done(terminal, "change", "webhook", webhook, "--set", "name=Sineta")
    assert "Sineta" in terminal("records", "list", "webhook").output
    done(terminal, "remove", "webhook", webhook)
    dead = ("create", "webhook", "--set", "name=Muda", "--set", "url=http://127.0.0.1:9/")
    ended = terminal("records", *dead, "--apply", BECAUSE)
    assert (ended.code, "Refused" in ended.output) == (1, True)


def test_read_only_kinds_are_shown(shop: Workshop, terminal: Terminal):
    shop.processed(1)
    assert "normal" in terminal("records", "list", "constant", "--where", "name=rps_situation").output.lower()
    assert "3550308" in terminal("records", "list", "city", "--where", "state=SP").output
    for command in (("list", "serie"), ("list", "serie", 1), ("show", "serie", 1, "F")):
        assert (
            "F" in terminal("records", *command).output.split()[-12:]
            or "latest_number: 1" in terminal("records", *command).output
        )
    assert "accepted" in terminal("records", "list", "note-history", 1).output
    assert "processed" in terminal("records", "list", "batch-history", 1).output


def test_foreign_notes_and_batches_are_managed(shop: Workshop, terminal: Terminal):
    ours = shop.staged(1)
    first = shop.there()[0]["id"]
    _, lone, _ = shop.sandbox.call("POST", "/api/v1/nfse", {"emitter_id": 1, "allow_incomplete": True})
    _, other, _ = shop.sandbox.call("POST", "/api/v1/nfse", {"emitter_id": 1, "allow_incomplete": True})
    listed = terminal("records", "list", "note", "--where", "emitter_id=1", "--where", "is_complete=false").output
    assert ("false" in listed, "true" in listed) == (True, False)
    done(terminal, "change", "note", lone["id"], "--set", "other_informations=a completar")
    shown = terminal("records", "show", "note", lone["id"])
    assert "a completar" in shown.output
    whole = ("--set", "emitter_id=1", "--set", "serie=G", "--set", "emission_date=2026-11-20T10:00:00-03:00")
    rest = {
        "service_amount": "100.00",
        "iss_percentage": "5.00",
        "service_item_code": "1701",
        "city_tax_code": "170101",
    }
    values = [f"--set=service_values.{name}={text}" for name, text in {**rest, "description": "Aula"}.items()]
    done(terminal, "replace", "note", other["id"], *whole, *values)
    kept = terminal("records", "change", "note", first, "--set", "serie=Z")
    assert (kept.code, "Faturista's" in kept.errors) == (2, True)
    kept = terminal("records", "remove", "batch", shop.remote(ours))
    assert (kept.code, "Faturista's" in kept.errors) == (2, True)
    _, batch, _ = shop.sandbox.call("POST", "/api/v1/batches", {"emitter_id": 1, "name": "à mão"})
    shop.post_as_somebody_else(batch=batch["id"])
    done(terminal, "remove", "batch", batch["id"])


def test_an_organization_gets_its_certificate(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cnpj = company(42).number
    monkeypatch.setenv("PFX_PASSWORD", "senha")
    fields = {
        "cnpj": cnpj,
        "razao_social": "Loja Ltda",
        "email": "loja@loja.example",
        "inscricao_estadual": "000053000",
    }
    place = {"address": "Rua Um", "number": "1", "district": "Centro", "city": "Niteroi", "city_code": 3303302}
    (tmp_path / "shop.json").write_text(
        json.dumps({**fields, "address": {**place, "state": "RJ", "zipcode": "04020000"}})
    )
    shop = last(done(terminal, "create", "organization", "--file", tmp_path / "shop.json"))
    (tmp_path / "shop.pfx").write_bytes(pfx(cnpj, has_field=False))
    secret = ("--certificate", tmp_path / "shop.pfx", "--password", "env:PFX_PASSWORD")
    done(terminal, "change", "organization", shop, *secret)
    assert "certificate.expires_at" in terminal("records", "show", "organization", shop).output
    assert shop in terminal("records", "list", "organization").output


def test_foreign_signed_documents_are_posted(store: Store, terminal: Terminal, tmp_path: Path):
    file = tmp_path / "signed.json"
    for kind in ("nfe", "nfce"):
        file.write_text(json.dumps(signed(kind)))
        done(terminal, "create", f"signed-{kind}", SHOP, "--file", file)
        batch = {"lote": 41, "serie": 8, "sincronicidade": 0, "uf": 33, "xml_assinado": "<lote/>"}
        file.write_text(json.dumps(batch | {f"{kind}s": [signed(kind, 1, False), signed(kind, 2, False)]}))
        ended = done(terminal, "create", f"signed-{kind}-batch", SHOP, "--file", file)
        assert "xml_assinado" not in ended.raw
        assert SECRETS["csc"] not in ended.raw
    file.write_text("[]")
    assert "no signed document" in terminal("records", "create", "signed-nfce", SHOP, "--file", file).errors


def test_corrections_and_disabled_numbers_are_posted(store: Store, terminal: Terminal):
    batch = store.processed(1)
    note = store.notes(batch)[0]
    letter = ("--set", "correcao=Leia-se Rua das Laranjeiras, 21")
    posted = done(terminal, "create", "correction", SHOP, note.remote_id, *letter)
    assert f"correction {SHOP} {note.remote_id} corrected correcao" in posted.output
    lost = ("create", "disabling", SHOP, "--set", "serie=1", "--set", "motivo=Numeros que ninguem usou")
    ours = terminal("records", *lost, "--set", f"numero={note.number}")
    assert (ours.code, "Faturista used" in ours.errors) == (2, True)
    done(terminal, *lost, "--set", "numero_inicial=900", "--set", "numero_final=910")
    assert "Nothing to do" not in terminal("records", "list", "numeration", SHOP).output
    done(terminal, "create", "numeration", SHOP, "--set", "serie=9", "--set", "last_number=0")
    assert (
        "exists already"
        in terminal("records", "create", "numeration", SHOP, "--set", "serie=9", "--set", "last_number=0").output
    )
    assert "range is wrong" in terminal("records", *lost).errors


def test_an_order_is_created_changed_and_ended(terminal: Terminal):
    client = ("--set", "client_email=ana@cliente.example", "--set", f"identity={user_uuid(21)}")
    until = ("--set", "active_until=2027-12-31")
    ended = done(terminal, "create", "order", PLAN, "--set", f"global_account={NEW}", *client, *until)
    order = last(ended)
    again = terminal("records", "create", "order", PLAN, "--set", f"global_account={NEW}", *client, *until)
    assert "exists already" in again.output
    assert order in terminal("records", "list", "order", PLAN, "--where", f"global_account={NEW}").output
    assert order in terminal("records", "list", "order", "--where", f"global_account={NEW}").output
    for nowhere in ((), ("",), (PLAN, order)):
        ended = terminal("records", "list", "order", *nowhere)
        assert (ended.code, "It is: PLAN." in ended.errors) == (2, True)
    named = ("--set", "client_name=Ana Reis", "--set", "document_number=99900000188")
    done(terminal, "change", "order", PLAN, order, *client, *named)
    off = ("--set", "amount=10,00", "--set", "description=Cortesia")
    discount = last(done(terminal, "create", "discount", PLAN, order, *off))
    assert "exists already" in terminal("records", "create", "discount", PLAN, order, *off).output
    assert "10.00" in terminal("records", "list", "discount", PLAN, order).output
    more = ("--set", "amount=5.00", "--set", "description=Suporte")
    added = last(done(terminal, "create", "adjustment", PLAN, order, *more))
    assert "Suporte" in terminal("records", "show", "adjustment", PLAN, order, added).output
    assert "-10.00" in terminal("records", "list", "adjustment", PLAN, order).output
    shown = cells(terminal("report", "adjustments", "--plan", PLAN))
    assert {"Suporte", "Cortesia"} <= shown
    done(terminal, "remove", "adjustment", PLAN, order, discount)
    assert "Cortesia" not in cells(terminal("report", "adjustments", "--plan", PLAN))
    done(terminal, "remove", "order", PLAN, order)
    assert "is_active: false" in terminal("records", "show", "order", PLAN, order).output


def test_an_orders_invoices_are_shown(terminal: Terminal):
    orders = terminal("records", "list", "order", "essencial", "--where", f"global_account={NEW}").output
    order = next(word for word in orders.split() if word.isdecimal())
    listed = terminal("records", "list", "order-invoice", "essencial", order).output
    invoice = listed.split(f"essencial {order} ")[1].split()[0]
    assert "amount_with_adjustments" in terminal("records", "show", "order-invoice", "essencial", order, invoice).output


def test_an_account_is_opened_and_renewed(terminal: Terminal):
    person = user_uuid(55)
    opened = ("user-account", person, "--set", "name=Grupo Novo", "--set", "plan_slug=essencial")
    assert "service would erase it" in terminal("records", "create", *opened).errors
    done(terminal, "create", *opened, "--set", "expiration=2027-12-31")
    assert "exists already" in terminal("records", "create", *opened, "--set", "expiration=never").output
    listed = terminal("records", "list", "user-account", person)
    assert "Grupo Novo" in listed.output
    account = next(word for word in listed.output.split() if word.count("-") == 4 and word != person)
    renewed = ("--set", "plan_slug=profissional", "--set", "expiration=never")
    done(terminal, "change", "account", account, *renewed)
    assert "Nothing to do" in terminal("records", "change", "account", account, *renewed).output
    assert "expiration: never" in terminal("records", "show", "account", account).output
    assert "Grupo Novo" in terminal("records", "list", "account").output
    assert "profissional" in terminal("records", "list", "account-history", account).output
    asked = {"slug": "faturista", "identity": person, "global_account": account, "expiration": "2028-01-31"}
    where = "resource_url=https://loja.example/pedidos/1"
    done(terminal, "create", "activation", *(f"--set={name}={text}" for name, text in asked.items()), "--set", where)
    assert "expiration: 2028-01-31" in terminal("records", "show", "account", account).output


def cells(ended: Ended) -> set[str]:
    """Return every text of the workbook that a command wrote."""
    assert ended.code == 0, ended
    book = openpyxl.load_workbook(ended.output.split()[-1])
    return {str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None}


def test_members_come_from_a_workbook_and_the_owner_stays(terminal: Terminal, tmp_path: Path):
    account, owner, new = account_uuid(2), user_uuid(2), user_uuid(60)
    file = tmp_path / "members.csv"
    rows = [f"{account};{new};user", f"{account};{user_uuid(61)};admin", f"{account};nobody;user"]
    file.write_text("\n".join(["account;identity;roles", *rows]))
    assert "Would be done" in terminal("records", "sheet", "member", "create", file).output
    ended = terminal("records", "sheet", "member", "create", file, "--apply", BECAUSE)
    assert (ended.code, ended.output.count("Done:"), "Row 4" in ended.output) == (1, 2, True), ended
    nobody = ("create", "member", account, "--set", f"identity={user_uuid(9_999)}", "--set", "roles=user")
    assert "no such person" in terminal("records", *nobody, "--apply", BECAUSE).output
    listed = terminal("records", "list", "member", account).output
    assert new in listed
    done(terminal, "change", "member", account, new, "--set", "roles=admin,user")
    assert "admin" in terminal("records", "show", "member", account, new).output
    assert {account, new, "admin, user"} <= cells(terminal("report", "members"))
    done(terminal, "remove", "member", account, new)
    kept = terminal("records", "remove", "member", account, owner, "--apply", BECAUSE)
    assert (kept.code, "owner cannot be removed" in kept.errors) == (2, True)
    kept = terminal("records", "change", "member", account, owner, "--set", "roles=admin", "--apply", BECAUSE)
    assert (kept.code, "no owner" in kept.errors) == (2, True)
    done(terminal, "change", "member", account, owner, "--set", "roles=owner,admin")
    done(terminal, "create", "member", account, "--set", f"identity={user_uuid(62)}", "--set", "roles=owner")
    done(terminal, "change", "member", account, owner, "--set", "roles=admin")
    done(terminal, "remove", "member", account, owner)


def test_a_lost_answer_of_a_record_write_is_looked_up(shop: Workshop, terminal: Terminal):
    """Lose an answer after the write, and a request before it: neither is sent again before its proved absence."""
    create = ("create", "taker", "--set", "cpf=99900000188", "--set", "social_reason=Maria Prado")
    shop.sandbox.faults(fault("takers.create", "lose_answer"))
    seen = terminal("records", *create, "--apply", BECAUSE)
    assert seen.code == 0
    assert "Maria Prado" in terminal("records", "show", "taker", last(seen)).output
    assert shop.asked("takers.create") == 1
    order = terminal("records", "list", "order", "essencial").output.split("essencial")[1].split()[0]
    off = ("create", "discount", "essencial", order, "--set", "amount=10,00", "--set", "description=Cortesia")
    shop.sandbox.faults(fault("discounts.create", "close_after"))
    lost = terminal("records", *off, "--apply", BECAUSE)
    assert (lost.code, "Nobody knows" in lost.output) == (1, True), lost
    waits = terminal("records", *off, "--apply", BECAUSE)
    assert (waits.code, "may arrive until" in waits.errors) == (2, True), waits
    assert "no answer" in terminal("records", "journal").output
    assert shop.asked("discounts.create") == 1
    later = "UPDATE remote_changes SET begun_at = begun_at - 1000000 * 60"
    shop.tamper(later)
    assert terminal("records", *off, "--apply", BECAUSE).code == 0
    assert shop.asked("discounts.create") == 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("show", "taker"), "TAKER"),
        (("show", "taker", "x"), "no number of a taker"),
        (("show", "taker", 999), "no taker 999"),
        (("show", "city", 1), "does not show a single city"),
        (("list", "activation"), "no list of activation"),
        (("list", "city", "--where", "colour=red"), "no filter colour"),
        (("list", "member"), "ACCOUNT"),
        (("list", "taker", 1), "Nothing follows taker"),
        (("create", "taker", 1, "--set", "name=x"), "Nothing follows taker"),
        (("list", "webhook", "--where", "colour=red"), "has no filters"),
        (("create", "city"), "city can only be looked at"),
        (("create", "batch"), "cannot be done with batch"),
        (("create", "taker", "--set", "name"), "no field and value"),
        (("create", "taker", "--set", "colour=red"), "no field colour"),
        (("create", "correction", SHOP, 1, "--set", "correcao=curta"), "correcao: the text has to have 15 to 1000"),
        (("create", "taker", "--set", "address.street_type=Rua"), "address.street_type: it is none of the possible"),
        (("create", "taker", "--file", "nowhere.json"), "nowhere.json"),
        (("create", "taker", "--apply"), "reason"),
        (("remove", "emitter", 1, "--certificate", "x.pfx"), "--certificate"),
        (("settle", 7, "done"), "not open"),
        (("sheet", "city", "create", "nowhere.csv"), "city can only be looked at"),
    ],
)
def test_a_mistake_is_a_sentence(terminal: Terminal, command: tuple[object, ...], message: str):
    ended = terminal("records", *command)
    assert (ended.code, message in ended.errors) == (2, True), ended
    assert "Traceback" not in ended.raw
