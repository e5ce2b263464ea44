"""Test the acting person: nobody enrolled, credentials, locks, roles, attacks."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from connectors.ledger.staff import records
from domain.problems import FaturistaError
from domain.staff import Actor, Permission
from tasks.runtime import Context
from tasks.staff.identity import Credentials, identify, verify_credentials
from tests.tasks.staff.people import ANA, BIA, CARLA, OLGA, PASSWORD, acts, office
from tests.tasks.workshop import Workshop


def refused(context: Context, email: str, act: Permission = Permission.APPROVE, *, password: str = PASSWORD) -> str:
    with pytest.raises(FaturistaError) as raised:
        acts(context, email, act, password=password)
    return raised.value.problem.code


def test_the_machines_user_acts_where_nobody_is_enrolled(shop: Workshop) -> None:
    def never(_usual: str) -> Credentials:
        raise AssertionError

    with shop.context() as context:
        assert identify(context, Permission.APPROVE, account="ana", ask=never) == Actor("ana", "ana")
        guarded = replace(context, settings=context.settings.model_copy(update={"name": "production"}))
        with pytest.raises(FaturistaError, match=r"staff\.nobody_enrolled"):
            identify(guarded, Permission.APPROVE, account="ana", ask=never)


def test_each_role_may_do_its_own_and_the_sentence_names_others(each_shop: Workshop) -> None:
    with each_shop.context() as context:
        office(context)
        ana = acts(context, ANA)
        assert (ana.signature, ana.staff_id is not None) == (f"Ana ({ANA})", True)
        assert refused(context, ANA, Permission.BILL) == "staff.may_not_bill"
        assert refused(context, OLGA) == "staff.may_not_approve"
        assert acts(context, OLGA, Permission.BILL).email == OLGA
        with pytest.raises(FaturistaError) as raised:
            acts(context, CARLA)
        assert raised.value.problem.params == {"name": "Carla", "able": "Ana, Bia"}


def test_all_wrong_credentials_end_in_the_same_words(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        context.ledger.write(records.revoke, BIA, by=acts(context, OLGA, Permission.OPERATE))
        found = {
            refused(context, email, password=password)
            for email, password in (
                (ANA, "another one altogether"), ("nobody@firma.example", PASSWORD), (BIA, PASSWORD),
                ("no address", PASSWORD), (ANA, ""), (ANA, PASSWORD * 50),
            )
        }  # fmt: skip
        assert found == {"staff.not_proved"}


@pytest.mark.both_databases
def test_guesses_at_once_are_counted_before_they_are_checked(each_shop: Workshop) -> None:
    with each_shop.context() as context:
        office(context)

        def guess(number: int) -> str:
            return refused(context, ANA, password=PASSWORD if number == 19 else f"guess number {number}")

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(guess, range(12))) == {"staff.not_proved"}
        assert refused(context, ANA) == "staff.not_proved"
        locked = next(each for each in context.ledger.read(records.staff_all) if each.email == ANA)
        assert locked.failures == context.settings.staff.tries
        assert locked.locked_until is not None
        acts(context, BIA)
        context.ledger.write(records.unlock, ANA, by=acts(context, OLGA, Permission.OPERATE))
        assert acts(context, ANA).email == ANA


def test_good_credentials_forget_earlier_failures(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        for _ in range(3):
            for _ in range(context.settings.staff.tries - 1):
                assert refused(context, ANA, password="wrong") == "staff.not_proved"
            acts(context, ANA)


def test_a_lock_ends_by_itself_and_doubles(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        for _ in range(context.settings.staff.tries):
            refused(context, ANA, password="wrong")
    waits = []
    for _ in range(2):
        shop.tamper("UPDATE staff SET locked_until = locked_until - 100000 * 1000000 WHERE locked_until IS NOT NULL")
        with shop.context() as context:
            refused(context, ANA, password="wrong")
            (locked,) = [each for each in context.ledger.read(records.staff_all) if each.email == ANA]
            assert locked.locked_until is not None
            waits.append(round((locked.locked_until - context.clock()).total_seconds() / context.settings.staff.lock_s))
    assert waits == [2, 4]


def test_a_revoked_person_may_never_act_even_when_all_are(shop: Workshop) -> None:
    with shop.context() as context:
        office(context)
        shop.tamper("UPDATE staff SET revoked_at = 1, revoked_by = 'x'")
        with pytest.raises(FaturistaError, match=r"staff\.not_proved"):
            identify(context, Permission.APPROVE, account="root", ask=lambda _usual: Credentials(ANA, PASSWORD))


def test_the_machines_user_saves_typing_the_address(shop: Workshop) -> None:
    asked = []

    def ask(usual: str) -> Credentials:
        asked.append(usual)
        return Credentials(CARLA, PASSWORD)

    with shop.context() as context:
        office(context)
        identify(context, Permission.BILL, account="EQUIPE  sul", ask=ask)
        identify(context, Permission.BILL, account="somebody", ask=ask)
        assert PASSWORD not in repr(Credentials(CARLA, PASSWORD))
        with pytest.raises(FaturistaError) as raised:
            verify_credentials(context, Credentials(CARLA, "secret words here"), account="x")
        assert "secret" not in repr(raised.value)
    assert asked == [CARLA, ""]
