"""An approval by code, as the dashboard's form starts it: once, for the content that was shown."""

import asyncio

import pytest

from domain.problems import FaturistaError
from flows.approve_batches import approve_batches
from flows.runner import PlainRunner
from tasks.staff.codes import issue_code
from tests.tasks.staff.people import ANA, acts, office
from tests.tasks.workshop import PROFILE, Workshop


def test_a_code_and_the_total_approve_once(shop: Workshop) -> None:
    batch = shop.staged(2)
    with shop.context() as context:
        office(context)
        code = issue_code(context, [shop.batch(batch)], actor=acts(context, ANA))

    def approve(total: str, given: str) -> int:
        asked = {"profile": PROFILE, "batches": [batch], "total": total, "code": given}
        return asyncio.run(approve_batches(PlainRunner(), **asked))  # type: ignore[arg-type]

    for total, given, said in (("200,04", code, "wrong_total"), ("200,03", "aaaa-aaaa-aaaa-aaaa", "bad_code")):
        with pytest.raises(FaturistaError, match=said):
            approve(total, given)
    assert approve("R$ 200,03", code) == 1
    assert shop.batch(batch).state == "approved"
    with pytest.raises(FaturistaError, match=r"approval\.not_waiting"):
        approve("200,03", code)
