"""Enrolments: the first one, temporary secrets, changes, and what is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.staff import records
from domain.problems import FaturistaError
from domain.staff import Actor, Permission, Role
from tasks.staff.enrolment import EnrolmentRequest, change, choose_password, enrol, enrol_first, reset
from tasks.staff.identity import Credentials
from tests.tasks.staff.people import ANA, BIA, OLGA, PASSWORD, acts, office, person
from tests.tasks.workshop import Workshop


def wanted(**others: object) -> EnrolmentRequest:
    return EnrolmentRequest(**{"email": "eva@firma.example", "name": "Eva", "roles": (Role.AUDITOR,), **others})  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_only_one_of_two_can_be_the_first(each_shop: Workshop) -> None:
    def first(email: str) -> bool:
        with each_shop.context() as context:
            try:
                asked = wanted(email=email, roles=(Role.OPERATOR,))
                enrol_first(context, asked, account="root", ask=lambda: PASSWORD)
            except FaturistaError as error:
                return error.problem.code != "staff.changed"
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(first, (ANA, BIA))) == [False, True]


def test_the_first_person_is_an_operator(shop: Workshop) -> None:
    with shop.context() as context, pytest.raises(FaturistaError, match=r"staff\.first_operates"):
        enrol_first(context, wanted(), account="root", ask=lambda: PASSWORD)


def test_a_temporary_secret_only_chooses_a_password(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        olga = acts(context, OLGA, Permission.OPERATE)
        secret = enrol(context, wanted(roles=(Role.APPROVER,), limit=100), by=olga)
        with pytest.raises(FaturistaError, match=r"staff\.temporary"):
            acts(context, "eva@firma.example", password=secret)
        with pytest.raises(FaturistaError, match=r"staff\.weak_password"):
            choose_password(context, Credentials("eva@firma.example", secret), secret, account="root")
        choose_password(context, Credentials("eva@firma.example", secret), PASSWORD, account="root")
        assert acts(context, "eva@firma.example").name == "Eva"
        with pytest.raises(FaturistaError, match=r"staff\.not_proved"):
            acts(context, "eva@firma.example", password=secret)
        again = reset(context, "eva@firma.example", by=olga)
        with pytest.raises(FaturistaError, match=r"staff\.not_proved"):
            acts(context, "eva@firma.example")
    shop.tamper("UPDATE staff_secrets SET temporary_until = 1 WHERE temporary_until IS NOT NULL")
    with shop.context() as context, pytest.raises(FaturistaError, match=r"staff\.not_proved"):
        choose_password(context, Credentials("eva@firma.example", again), PASSWORD, account="root")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"email": "eva"}, "staff.no_email"),
        ({"email": ANA}, "staff.email_taken"),
        ({"name": " "}, "staff.no_name"),
        ({"name": "Eva (Ana)"}, "staff.no_name"),
        ({"names": ("EQUIPE SUL",)}, "staff.name_taken"),
        ({"names": ("Inbox",)}, "staff.nobodys_name"),
        ({"roles": (Role.APPROVER,)}, "staff.limit_missing"),
        ({"password": "curta"}, "staff.weak_password"),
    ],
)
def test_an_invalid_enrolment_is_refused(shop: Workshop, asked: dict[str, object], code: str) -> None:
    with shop.context() as context:
        office(context)
        olga = acts(context, OLGA, Permission.OPERATE)
        before = len(context.ledger.read(records.staff_all))
        with pytest.raises(FaturistaError) as raised:
            enrol(context, wanted(**asked), by=olga)
        assert (raised.value.problem.code, len(context.ledger.read(records.staff_all))) == (code, before)


def test_the_last_operator_stays(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        olga = acts(context, OLGA, Permission.OPERATE)
        with pytest.raises(FaturistaError, match=r"staff\.last_operator"):
            context.ledger.write(records.revoke, OLGA, by=olga)
        with pytest.raises(FaturistaError, match=r"staff\.last_operator"):
            change(context, OLGA, by=olga, roles=(Role.CLERK,))
        person(context, "eva@firma.example", Role.OPERATOR, by=olga)
        context.ledger.write(records.revoke, OLGA, by=olga)
        with pytest.raises(FaturistaError, match=r"staff\.changed"):
            reset(context, "eva@firma.example", by=olga)


def test_only_an_operator_changes_enrolments(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        ana = acts(context, ANA)
        for by in (ana, Actor("root", "root")):
            with pytest.raises(FaturistaError) as raised:
                change(context, ANA, by=by, has_no_limit=True)
            assert raised.value.problem.code in {"staff.may_not_operate", "staff.changed"}


def test_every_change_is_journaled_without_secrets(shop: Workshop) -> None:
    with shop.context() as context:
        office(context, limit=100)
        olga = acts(context, OLGA, Permission.OPERATE)
        change(context, ANA, by=olga, roles=(Role.APPROVER, Role.CLERK), limit=5_000, names=("ana",))
        context.ledger.write(records.revoke, ANA, by=olga)
        events = context.ledger.read(lambda conn: conn.execute(sa.select(tables.staff_events)).all())
        found = [(each.what, each.was, each.becomes) for each in events if each.done_by == olga.signature]
        assert found[-4:] == [
            ("roles", "approver", "approver,clerk"),
            ("limit", "100", "5000"),
            ("named", None, "ana"),
            ("revoked", None, None),
        ]
        held = context.ledger.read(
            lambda conn: conn.execute(sa.select(tables.staff_secrets.c.verifier)).scalars().all()
        )
        assert len(held) == 3
        assert all(each.startswith("$argon2id$") for each in held)
        assert PASSWORD not in str(events)
