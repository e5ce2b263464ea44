"""Enrolled people for tests: an operator, a clerk and two approvers."""

from typing import Final

from domain.staff import Actor, Permission, Role
from tasks.runtime import Context
from tasks.staff.enrolment import EnrolmentRequest, enrol
from tasks.staff.identity import Credentials, identify

PASSWORD: Final = "cavalo bateria grampo certo"
OLGA, CARLA, ANA, BIA = (f"{name}@firma.example" for name in ("olga", "carla", "ana", "bia"))


def person(
    context: Context, email: str, *roles: Role, by: Actor, limit: int | None = None, names: tuple[str, ...] = ()
) -> None:
    """Enrol somebody with the password of all these tests."""
    name = email.partition("@")[0].title()
    wanted = EnrolmentRequest(
        email=email, name=name, roles=roles, limit=limit, has_no_limit=limit is None, names=names, password=PASSWORD
    )
    enrol(context, wanted, by=by)


def office(context: Context, *, limit: int | None = None) -> None:
    """Enrol Olga (operator), Carla (clerk), Ana (approver with a limit) and Bia (approver without a limit)."""
    person(context, OLGA, Role.OPERATOR, by=Actor("root", "root"))
    olga = acts(context, OLGA, Permission.OPERATE)
    person(context, CARLA, Role.CLERK, by=olga, names=("Equipe Sul",))
    person(context, ANA, Role.APPROVER, by=olga, limit=limit)
    person(context, BIA, Role.APPROVER, by=olga)


def acts(context: Context, email: str, act: Permission = Permission.APPROVE, *, password: str = PASSWORD) -> Actor:
    """Return an actor with a proven identity."""
    return identify(context, act, account="root", ask=lambda _usual: Credentials(email, password))
