"""Test four eyes between enrolled people: proved droppers, owners, folders, and unknown droppers."""

from typing import Any

import pytest

from connectors.ledger import batches
from domain.problems import FaturistaError
from domain.staff import Permission, Role
from tasks.approvals.four_eyes import refuse_dropper
from tests.tasks.rows import lines
from tests.tasks.staff.people import ANA, BIA, CARLA, OLGA, acts, office, person
from tests.tasks.workshop import Workshop


def test_a_dropper_never_approves_and_an_unknown_one_stops_all(shop: Workshop) -> None:
    shop.set(APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        office(context)
        person(context, "eva@firma.example", Role.APPROVER, by=acts(context, OLGA, Permission.OPERATE), names=("eva",))
        people = {email: acts(context, email) for email in (ANA, BIA, "eva@firma.example")}
        carla = acts(context, CARLA, Permission.BILL)

        def refused(**dropped: Any) -> dict[str, str]:
            """Return why each of the three may not approve such a sheet."""
            reading, _ = shop.assembled(*lines(1, first=shop.file_count + 1), **dropped)
            (batch,) = shop.read(batches.batches_where, reading_id=reading)
            found = {}
            for email, actor in people.items():
                try:
                    refuse_dropper(context, batch, actor)
                except FaturistaError as error:
                    found[email] = error.problem.code
            return found

        own, unknown = "batch.approver_is_dropper", "batch.dropper_unknown"
        assert refused(persons=[people[ANA].staff_id]) == {ANA: own}
        assert refused(persons=[carla.staff_id, people[BIA].staff_id]) == {BIA: own}
        assert refused(dropper="eva") == {"eva@firma.example": own}
        assert refused(dropper="share", sender="Equipe Sul") == {}
        assert refused(dropper="eva", sender="EQUIPE SUL") == {"eva@firma.example": own}
        assert refused(dropper="share", sender="Equipe Norte") == dict.fromkeys(people, unknown)
        assert refused() == dict.fromkeys(people, unknown)
        assert refused(is_of_contracts=True) == {}
        # The dashboard's form accepts any name.
        assert refused(sender=CARLA) == dict.fromkeys(people, unknown)
        shared = refused(dropper="root")
        assert shared == dict.fromkeys(people, "batch.approver_shares_account"), (
            "whoever uses the account that owns the file may have dropped it"
        )
        with pytest.raises(FaturistaError):
            acts(context, CARLA)
